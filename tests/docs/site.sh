#!/bin/sh
# The site of the documentation is built without a warning, and has what a reader starts with:
# site.sh SOURCE FOLDER. Exit status 77: the generator is not installed (./run docs installs it).
set -eu
source=$1
folder=$2
/usr/bin/python3 -B -c 'import sphinx, myst_parser, furo' 2>/dev/null || {
    echo "sphinx, myst_parser or furo is not installed"
    exit 77
}
rm -rf "$folder"
sh "$source/docs/site/build.sh" "$source" "$folder"

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

html=$folder/html
for page in index getting-started troubleshooting configuration examples/index; do
    [ -s "$html/$page.html" ] || fail "no page $page"
done
# Search works from files, without a server or network.
grep -q hipcc "$html/searchindex.js" || fail "the search index does not know hipcc"
remote=$(grep -rlE '<(script|link|img)[^>]*(src|href)="(https?:)?//' "$html" --include='*.html' || true)
[ -z "$remote" ] || fail "pages load something from elsewhere: $remote"
if [ -d "$html/api" ]; then
    for page in $(grep -ohE 'href="api/[^"#]*' "$html/api.html" "$html/coverage.html" |
        sed 's/href="//' | sort -u); do
        [ -s "$html/$page" ] || fail "the reference has no $page"
    done
    [ "$(grep -c 'href="api/[^"]*#' "$html/coverage.html")" -ge 500 ] ||
        fail "functions in the table of coverage are no links"
fi
exit 0
