#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# With the recipe of qemu-plugin/README.md, two boots of the Linux guest that run two CUDA programs give the same console,
# kernel messages included, and the same trace of the model with the CPU's caches in it; another seed (long) gives another trace.
# Usage: guest_determinism.sh SOURCE BUILD QEMU [long]      after programs.sh
set -u
source=$1
build=$2
programs=$build/guest-programs
if ! [ -f "$source/build/guest/base.cpio" ] || ! [ -f "$source/build/aarch64/guest.cpio" ] || ! [ -f "$programs/vadd" ]; then
    echo "skipped: scripts/guest.sh makes the guest"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export QEMU="$3" BUILD="$build" VTEGRA_PROFILES="$source/profiles" LIMIT=150 MACHINE=,dtb-randomness=off
failed=

fail() {
    echo "FAILED: $*"
    failed=1
}

# boot NAME SEED: console.NAME trace.NAME
boot() {
    "$source/qemu-plugin/guest/run.sh" --soc tx2 --plugin "policy=seeded,evict=seeded,seed=$2,trace=$work/trace.$1,report=$work/report" \
        --qemu "-icount shift=1,sleep=off,align=off -seed 1 -rtc base=2024-01-01,clock=vm" --raw \
        --file "$programs/vadd" --file "$programs/managed_read_running" -- ./vadd './managed_read_running fixed' dmesg >"$work/console.$1" 2>&1 ||
        fail "boot $1: status $?: $(tail -n 5 "$work/console.$1")"
    grep -q 'vtegra-guest: exit 0 of ./vadd' "$work/console.$1" || fail "boot $1: $(tail -n 20 "$work/console.$1")"
}

boot 1 7
boot 2 7
for what in console trace; do
    cmp -s "$work/$what.1" "$work/$what.2" || fail "two boots, two ${what}s: $(diff "$work/$what.1" "$work/$what.2" | head -n 6)"
done
[ "$(wc -l <"$work/console.1")" -gt 200 ] || fail "hardly a console"
for event in CPU_STORE CPU_FILL CPU_CLEAN GPU_LOAD L2_WRITEBACK; do
    grep -q " $event " "$work/trace.1" || fail "no $event in the trace"
done
if [ "${4:-}" = long ]; then
    boot 3 8
    cmp -s "$work/trace.1" "$work/trace.3" && fail "seeds 7 and 8 give the same trace"
fi
[ -z "$failed" ]
