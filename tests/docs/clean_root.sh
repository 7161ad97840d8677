#!/bin/sh
# README.md and docs/getting-started.md word for word on a new Debian 12, timed: clean_root.sh
# SOURCE ROOT MIRROR. By hand, as root: it makes the folder ROOT with debootstrap, with nothing but
# Debian's base system from MIRROR (whose folders are debian and debian-security) and a copy of SOURCE,
# and runs in it
#   - ./run demo;
#   - every command of getting-started.md, which builds the packages and installs them with apt;
#   - every command of README.md.
# For each it prints the time on the clock and that of the processors. ROOT needs 4 GB.
set -eu
source=$(cd "$1" && pwd)
root=$2
debian=$3

debootstrap --variant=minbase bookworm "$root" $debian/debian >"$root.log"
cat >"$root/etc/apt/sources.list" <<END
deb $debian/debian bookworm main
deb $debian/debian bookworm-updates main
deb $debian/debian-security bookworm-security main
END
# What a person answers to apt.
echo 'APT::Get::Assume-Yes "true";' >"$root/etc/apt/apt.conf.d/90yes"
mkdir "$root/root/anyhip"
git -C "$source" archive HEAD | tar -xf - -C "$root/root/anyhip"
cp /etc/resolv.conf "$root/etc/resolv.conf"

in_root() {
    unshare --mount sh -c 'mount --rbind /proc "$0/proc" && mount --rbind /dev "$0/dev" && exec \
        chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        DEBIAN_FRONTEND=noninteractive sh -c "$@"' "$root" "$@"
}

# timed WHAT COMMAND
timed() {
    echo "== $1"
    in_root "cd /root/anyhip && $2; status=\$?; times; exit \$status"
    date '+== ended at %T'
}

date '+== begun at %T'
timed "./run deps" "./run deps"
timed "./run demo" "./run demo"
timed "docs/getting-started.md" "python3 tests/docs/commands.py docs/getting-started.md . --root"
timed "README.md" "python3 tests/docs/commands.py README.md /root/readme"
