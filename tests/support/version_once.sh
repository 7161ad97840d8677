#!/bin/sh
# The version is written in one place: version_once.sh SOURCE VERSION. CMakeLists.txt has it, and the
# history of changes begins with it; whatever else needs it derives it.
set -u
cd "$1" || exit 99
version=$2
literal=$(printf %s "$version" | sed 's/\./\\./g')
alone="(^|[^0-9.])$literal([^0-9.]|\.?\$|\.[^0-9])"
status=0

fail() {
    echo "FAIL: $*" >&2
    status=1
}

others=$(grep -rnIE --exclude-dir=build --exclude-dir=.git --exclude-dir=gpu-bundle \
    --exclude=CHANGELOG.md -e "$alone" . | grep -v '^\./CMakeLists\.txt:[0-9]*:project(')
[ -z "$others" ] || fail "the version is written in other places too:
$others"
grep -q "^project(AnyHIP VERSION $literal " CMakeLists.txt ||
    fail "CMakeLists.txt does not give version $version to project()"
newest=$(sed -n 's/^## \([^ ]*\).*/\1/p' CHANGELOG.md | head -n 1)
[ "$newest" = "$version" ] ||
    fail "the newest section of CHANGELOG.md is ${newest:-missing}, the version is $version"
exit $status
