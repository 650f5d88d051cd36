#!/bin/sh
# SPDX-License-Identifier: MIT
# Plain threads, no CUDA: is a seed one run, byte for byte? plain.sh SOURCE_DIR BUILD_DIR WORK_DIR SEEDS
# Each seed runs under `vtegra run` and with LD_PRELOAD alone; both runs say the same, and nothing is vtegra's.
set -eu
source=$1 build=$2 work=$3 seeds=$4
unset VTEGRA_STRATEGY VTEGRA_DEPTH VTEGRA_LENGTH VTEGRA_SCHEDULE VTEGRA_RECORD VTEGRA_REPORT VTEGRA_JSON VTEGRA_TRACE \
    VTEGRA_SOC VTEGRA_OS VTEGRA_EVICT VTEGRA_CHECK 2>/dev/null || true
mkdir -p "$work"
cd "$work"
failed=0

fail() {
    echo "FAIL: $*"
    failed=1
}

# preloaded SEED PROGRAM...: with the library alone
preloaded() {
    seed=$1
    shift
    LD_PRELOAD=$build/lib/libvtegra-preload.so VTEGRA_POLICY=seeded VTEGRA_SEED="$seed" timeout 60 "$@"
}

# same PROGRAM ORDERS: seeds decide, and have at least so many results
same() {
    : >"$1.all"
    seed=0
    while [ $((seed += 1)) -le "$seeds" ]; do
        first=0 second=0
        timeout 60 "$build/bin/vtegra" run --policy seeded --seed "$seed" -- "./$1" >"$1.first" 2>&1 || first=$?
        preloaded "$seed" "./$1" >"$1.second" 2>&1 || second=$?
        [ $first -le 1 ] && [ $first = $second ] || fail "$1, seed $seed: status $first, then $second"
        cmp -s "$1.first" "$1.second" || fail "$1, seed $seed: $(cat "$1.first"), then $(cat "$1.second")"
        ! grep -q '^vtegra:' "$1.first" || fail "$1, seed $seed: $(cat "$1.first")"
        cksum <"$1.first" >>"$1.all"
    done
    orders=$(sort -u "$1.all" | wc -l)
    [ "$orders" -ge "$2" ] || fail "$1: $orders results of $seeds seeds, want $2"
}

cc -Wall -g -O1 "$source/sched/example.c" -o example -lpthread
cc -Wall -D_GNU_SOURCE -g -O1 "$source/tests/explore/semop_order.c" -o semop_order -lpthread
cc -Wall -D_GNU_SOURCE -g -O1 "$source/tests/explore/semop_waits.c" -o semop_waits -lpthread

same example 3 # a before b, b before a, one between the steps of the other
same semop_order 3
same semop_waits 1

# The library alone: nothing of CUDA and of the board is there.
preloaded 1 cat /proc/self/maps >maps 2>&1 || fail "cat"
grep -q 'libvtegra-preload\.so' maps || fail "the library is not there"
! grep -E 'libcuda|libcudla|libvtegra\.so' maps || fail "the library brings others"

# As sched/README.md says: explore finds the lost withdrawal, and its seed shows it again.
"$build/bin/vtegra" explore --runs 100 -- ./example >explored 2>&1 || true
again=$(sed -n 's/^  vtegra run \(.*\) -- .*/\1/p' explored)
[ -n "$again" ] || fail "explore: $(cat explored)"
# shellcheck disable=SC2086
! "$build/bin/vtegra" run $again -- ./example >again 2>&1 || fail "explore's seed"
grep -q 'balance 90' again || fail "explore's seed: $(cat again)"
echo "$seeds seeds"
exit $failed
