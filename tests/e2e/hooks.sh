#!/bin/sh
# SPDX-License-Identifier: MIT
# hooks.sh BUILD_DIR WORK_DIR [SEEDS]: whether hooks tell each access of the CPU or count what changes nothing, trace,
# report and findings are the same: bytes of all classes of records but the accesses themselves.
. "$(dirname "$0")/lib.sh"
seeds=${3:-0}
by_clang hooks --track -g -O1 "$source/hooks.cu"

# run NAME HOOKS ARGUMENT...: leaves NAME.trace and NAME.report
run() {
    name=$1
    hooks=$2
    shift 2
    VTEGRA_HOOKS=$hooks VTEGRA_TRACE_CLASSES=caches timeout 120 "$vtegra" run --trace "$name.trace" --report "$name.report" "$@" \
        >"$name.out" 2>&1 </dev/null
    echo "status $?" >>"$name.out"
}

same() {
    tests=$((tests + 1))
    run each each "$@"
    run counted count "$@"
    for what in out report trace; do
        if ! cmp -s "each.$what" "counted.$what"; then
            fail "$*: $what differs"
            diff "each.$what" "counted.$what" | head -10
        fi
    done
    grep -q "status 0" counted.out || { fail "$*: $(tail -3 counted.out)"; }
    grep -q "CPU_FILL" counted.trace || fail "$*: no cache in the trace"
}

# The comparison stands before the call (vtegra_track.s); without GNU's assembler the same program comes out slower.
if [ "$(uname -m)" = x86_64 ] && command -v as >/dev/null; then
    tests=$((tests + 1))
    "$vtegra" cc --track -c "$source/hooks.cu" -o hooks.o && nm hooks.o | grep -q 'U vtegra_track_end__' ||
        fail "hooks are called without a comparison"
    echo 'int x; int main(void) { return x; }' >plain.c
    expect assembly 0 "" "$vtegra" cc --track -S plain.c -o plain.s # no assembler, no complaint of its flags
    not_there assembly warning
fi

same --soc orin --check on -- ./hooks 1
same --soc orin --policy eager --check off -- ./hooks 2
same --soc tx2 --check on -- ./hooks 3
same --soc xavier --policy eager --check on -- ./hooks 4
same --soc tx2 --policy eager --evict seeded --seed 5 --check off -- ./hooks 5
same --soc orin --evict never --check on -- ./hooks 6
seed=1
while [ "$seed" -le "$seeds" ]; do
    for soc in orin tx2 xavier; do
        for policy in lazy eager; do
            for check in on off; do
                same --soc $soc --policy $policy --check $check -- ./hooks $seed
            done
        done
    done
    same --soc orin --evict never --check on -- ./hooks $seed
    same --soc thor --evict seeded --seed $seed --check off -- ./hooks $seed
    same --soc tx2 --evict seeded --seed $seed --check on -- ./hooks $seed
    seed=$((seed + 1))
done
same --soc orin --policy seeded --seed 3 --check on -- ./hooks 1 60

# Threads run freely: no two runs are the same but for the sums.
for hooks in each count; do
    VTEGRA_HOOKS=$hooks VTEGRA_JSON=threads.json expect "threads $hooks" 0 "" "$vtegra" run --soc orin --check off -- ./hooks threads
    tests=$((tests + 1))
    # 4 threads x 20000 x (load, store, store)
    grep -q '"loads" *: *80000' threads.json && grep -q '"stores" *: *160000' threads.json ||
        fail "threads $hooks: $(grep -E '"(loads|stores)"' threads.json | head -20)"
done
finish
