#!/bin/sh
# mpi.sh LAUNCHER PROGRAM: two processes of mpi_ranks, on the two devices that ANYHIP_BACKEND names.
set -u
launcher=$1
program=$2
# Open MPI counts cores and asks twice whether root may run it; other launchers ignore this.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none

output=$("$launcher" -n 2 "$program" 2>&1)
status=$?
echo "$output"
[ $status -eq 0 ] || exit $status
for line in 'process 0 of 2 used device 0' 'process 1 of 2 used device 1' \
    'PASSED: 2 processes found 384306618446643200'; do
    echo "$output" | grep -q "$line" || {
        echo "FAIL: nobody said: $line" >&2
        exit 1
    }
done
