#!/bin/sh
# missing.sh PROGRAM PACKAGES: the test of a program that is not installed. It fails, unless
# ANYHIP_MISSING_CLIENTS is "skip" or names the program in a list separated by commas.
case ",${ANYHIP_MISSING_CLIENTS:-}," in
,skip, | *",$1,"*)
    echo "$1 is not installed, which ANYHIP_MISSING_CLIENTS allows"
    exit 77
    ;;
esac
echo "$1 is not installed (Debian: $2), and its tests are missing: install it, configure the build"
echo "tree again, or set ANYHIP_MISSING_CLIENTS=$1 (or =skip, for all such programs)"
exit 1
