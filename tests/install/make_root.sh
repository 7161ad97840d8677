#!/bin/sh
# Makes a root folder of the Debian packages that this machine has: make_root.sh ROOT PACKAGE...
# It holds the essential packages, those that are named, and what these depend on, file by file as
# they are installed here, with dpkg's record of them. Documentation is left out.
set -eu
root=$1
shift
dpkg=/var/lib/dpkg

# The names of the packages, one in a line: what is essential or named, and then all dependencies,
# of whose alternatives the first that is installed is taken.
closure()
{
    awk -v wanted="$*" '
        function end_stanza() {
            if (name != "" && installed) {
                depends[name] = needs
                real[name] = 1
                if (essential)
                    queue[++last] = name
                count = split(provides, parts, /, */)
                for (i = 1; i <= count; i++) {
                    sub(/ .*/, "", parts[i])
                    if (!(parts[i] in provider))
                        provider[parts[i]] = name
                }
            }
            name = needs = provides = ""
            installed = essential = 0
        }
        /^Package: / { name = $2 }
        /^Status: install ok installed/ { installed = 1 }
        /^Essential: yes/ { essential = 1 }
        /^(Pre-)?Depends: / { sub(/^[^:]*: /, ""); needs = needs (needs == "" ? "" : ", ") $0 }
        /^Provides: / { sub(/^Provides: /, ""); provides = $0 }
        /^$/ { end_stanza() }
        function choose(alternatives,    n, k, one) {
            n = split(alternatives, one, / *\| */)
            for (k = 1; k <= n; k++) {
                gsub(/[ (:].*/, "", one[k])
                if (one[k] in real)
                    return one[k]
                if (one[k] in provider)
                    return provider[one[k]]
            }
            print "no installed package is " alternatives >"/dev/stderr"
            failed = 1
            return ""
        }
        END {
            end_stanza()
            n = split(wanted, named, / +/)
            for (i = 1; i <= n; i++)
                queue[++last] = choose(named[i])
            for (at = 1; at <= last; at++) {
                package = queue[at]
                if (package == "" || package in done)
                    continue
                done[package] = 1
                print package
                n = split(depends[package], all, /, */)
                for (i = 1; i <= n; i++)
                    queue[++last] = choose(all[i])
            }
            exit failed
        }' $dpkg/status
}

mkdir -p "$root/var/lib/dpkg/info" "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/triggers" \
    "$root/proc" "$root/dev" "$root/tmp" "$root/root" "$root/etc" "$root/usr/bin"
for link in bin sbin lib lib64; do
    mkdir -p "$root/usr/$link"
    [ -L "/$link" ] && ln -s "usr/$link" "$root/$link"
done
closure "$@" >"$root/packages"
while read -r package; do
    for info in "$dpkg/info/$package".* "$dpkg/info/$package":*; do
        [ -e "$info" ] && cp "$info" "$root/var/lib/dpkg/info/"
    done
done <"$root/packages"
cp $dpkg/triggers/ldconfig "$root/var/lib/dpkg/triggers/"
cp $dpkg/info/format "$root/var/lib/dpkg/info/"
echo root:x:0:0:root:/root:/bin/sh >"$root/etc/passwd"
echo root:x:0: >"$root/etc/group"
awk 'NR == FNR { wanted[$1] = 1; next }
    /^Package: / { keep = $2 in wanted }
    keep' "$root/packages" $dpkg/status >"$root/var/lib/dpkg/status"
cat "$root"/var/lib/dpkg/info/*.list | sort -u |
    grep -vE '^/\.$|^/(bin|sbin|lib|lib64|proc|dev|tmp|var/lib/dpkg)$|^/usr/share/(doc|man|locale|info)/' |
    tar -C / --no-recursion --ignore-failed-read -T - -cf - 2>/dev/null |
    tar -C "$root" --no-same-owner --keep-directory-symlink -xf -
