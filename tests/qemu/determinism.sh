#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# With the recipe of qemu-plugin/README.md two runs give the same console, the same trace and the same report, byte for
# byte, with the caches on and four CPUs; and another seed gives another trace. Usage: determinism.sh SOURCE BUILD QEMU
. "$(dirname "$0")/vm.sh"
machine=,dtb-randomness=off

# run_once NAME PROGRAM ARGUMENTS [QEMU_ARGUMENTS...]: console.NAME trace.NAME report.NAME
run_once() {
    name=$1
    program=$2
    arguments=$3
    shift 3
    vm "$program" "$arguments,trace=$work/trace.$name" -smp 4 -icount shift=1,sleep=off,align=off -seed 1 \
        -rtc base=2024-01-01,clock=vm "$@" || fail "$program with $arguments: status $?: $(cat "$work/console" "$work/err")"
    mv "$work/console" "$work/console.$name"
    mv "$work/report" "$work/report.$name"
}

# same WHAT: console, trace and report of runs 1 and 2
same() {
    for what in console trace report; do
        cmp -s "$work/$what.1" "$work/$what.2" || fail "$1: two runs, two ${what}s: $(diff "$work/$what.1" "$work/$what.2" |
            head -n 4)"
    done
}

for arguments in soc=tx2,policy=eager soc=orin,policy=lazy soc=tx2,policy=seeded,evict=seeded,seed=7; do
    run_once 1 smp_short "$arguments,platform=on"
    run_once 2 smp_short "$arguments,platform=on"
    same "$arguments"
    [ "$(wc -l <"$work/trace.1")" -gt 1000 ] || fail "$arguments: hardly a trace"
done

run_once 3 smp_short soc=tx2,policy=seeded,evict=seeded,seed=8,platform=on
cmp -s "$work/trace.1" "$work/trace.3" && fail "seeds 7 and 8 give the same trace"

# With a PCI function for each engine, behind QEMU's SMMU.
machine=,dtb-randomness=off,iommu=smmuv3
for i in 1 2; do
    run_once $i iommu_dla_fixed soc=xavier,policy=seeded,seed=5 -device vtegra
done
same "functions behind the SMMU"
grep -q 'right is 0x0000cafe' "$work/console.1" || fail "functions behind the SMMU: $(cat "$work/console.1")"
[ -z "$failed" ]
