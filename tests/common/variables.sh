#!/bin/sh
# The table in config/README.md names the environment variables that the library and the tools
# read, all of them and no other. The one argument is the root of the source.
set -eu
cd "$1"

reads='(getenv|ah_env_(string|path|integer|bool)|[) ]setting|push_setting\(&arguments,|ah_rtc_variable|ah_rtc_push_variable\(&[a-z]+,) *\(?"[A-Z][A-Z0-9_]*"'
read=$(grep -rhoE "$reads" src tools --include='*.[ch]' | grep -oE '"[A-Z0-9_]+"' | tr -d '"' | sort -u)

# What a driver reads by itself is explained too.
drivers=ROCR_VISIBLE_DEVICES
listed=$(awk -F'|' '/^\|/ { print $3 }' config/README.md | grep -oE '`[A-Z0-9_]+`' | tr -d '`' |
    sort -u)

status=0
own=$(sed -n 's/^AH_VARIABLE(\(.*\))$/\1/p' src/config/variables.def)
for name in $listed $own; do
    case $name in ANYHIP_*) ;; *) continue ;; esac
    if ! printf '%s\n' "$own" | grep -qx "$name" || ! printf '%s\n' "$listed" | grep -qx "$name"; then
        echo "$name is in one of config/README.md and src/config/variables.def"
        status=1
    fi
done
for name in $read; do
    printf '%s\n' "$listed" | grep -qx "$name" || {
        echo "config/README.md does not explain $name"
        status=1
    }
done
for name in $listed; do
    printf '%s\n' "$read" $drivers | grep -qx "$name" || {
        echo "config/README.md explains $name, which nothing reads"
        status=1
    }
done
exit $status
