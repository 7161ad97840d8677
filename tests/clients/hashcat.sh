#!/bin/sh
# hashcat.sh HASHCAT LIBRARY FOLDER: hashcat looks for ROCm's libraries by name, compiles its
# kernels with hiprtc, checks them with a hash of its own, and finds the word of a hash.
# LIBRARY: libanyhip.so; FOLDER: where hashcat and this script may write.
set -eu
hashcat=$1 library=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder/lib"
for name in libamdhip64.so libhiprtc.so; do
    ln -s "$library" "$folder/lib/$name"
done
printf 'foo\nhashcat\nbar\n' >"$folder/words"
# MD5 of "hashcat", which is also hashcat's own example.
echo 8743b52063cd84097a65d1633f5c74f5 >"$folder/hash"
cd "$folder"
# One batch of one work-group, without measuring how large the batches of a real device may be. Of
# sessions with one name only one may run at a time, whatever HOME says.
HOME=$folder LD_LIBRARY_PATH=$folder/lib "$hashcat" --backend-ignore-opencl --force \
    --session "anyhip_$$" --potfile-disable --logfile-disable --hash-type 0 --attack-mode 0 \
    --kernel-accel 1 --kernel-loops 1 --kernel-threads 32 hash words
