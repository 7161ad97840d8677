#!/bin/sh
# Packs what the build tree build/release holds for a machine that has a GPU and its driver, glibc
# and libstdc++, and nothing else: no compiler, no network. Makes gpu-bundle/ and gpu-bundle.tar.gz.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$root/build/release
out=$root/gpu-bundle
limit_mib=48

rm -rf "$out" "$out.tar.gz"
mkdir -p "$out/lib" "$out/bin" "$out/tests" "$out/bench"

cp -L "$build/lib/libanyhip.so.0" "$out/lib/"
mkdir "$out/compare"
cp "$build/tests/differential/librecord.so" "$build/tests/differential/compare_records" \
    "$root/tests/differential/run.sh" "$out/compare/"
# To compare with: ANYHIP_BACKEND=simcuda ./run-all
cp -L "$build/lib/libsimcuda.so.1" "$out/lib/"
# The few libraries that a GPU machine may not have.
for library in libcjson.so.1 libcmocka.so.0; do
    file=$(ldconfig -p | awk -v name="$library" '$1 == name { print $NF; exit }')
    [ -z "$file" ] || cp -L "$file" "$out/lib/"
done
cp "$build/bin/anyhip" "$out/bin/" 2>/dev/null || true
cp "$build/bench/bench" "$build/bench/bench_load" "$root/bench/bench.h" \
    "$root/bench/bench_cudart.cu" "$out/bench/"

# One row per test: name, program, arguments, files it wants beside it, seconds, devices.
: >"$out/tests.txt"
while IFS="|" read -r name program arguments files seconds devices _; do
    printf 'cuda\n' | grep -q -e "$devices" || continue
    cp "$program" "$out/tests/$name"
    for file in $(printf '%s' "$files" | tr ',' ' '); do
        cp "$file" "$out/tests/"
    done
    printf '%s|%s|%s\n' "$name" "$seconds" "$arguments" >>"$out/tests.txt"
done <"$build/gpu-tests.txt"

# Debug information stays here.
find "$out" -type f -perm -u+x ! -name '*.sh' -exec strip --strip-unneeded {} + 2>/dev/null || true
strip --strip-unneeded "$out"/lib/*.so.* 2>/dev/null || true
cp "$root/tests/gpu/run-all.sh" "$out/run-all"
chmod +x "$out/run-all"

size=$(du -sm "$out" | cut -f1)
(cd "$root" && tar czf gpu-bundle.tar.gz gpu-bundle)
printf 'gpu-bundle: %s tests, %s MiB (at most %s)\n' "$(wc -l <"$out/tests.txt")" "$size" \
    "$limit_mib"
[ "$size" -le "$limit_mib" ]
