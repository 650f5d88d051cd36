#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs on the libraries of an aarch64 build, in the emulator, without vtegra run (which cannot start them there): the record of calls,
# seeds of the scheduler, the tools. Usage: programs.sh BUILD_DIR EMULATOR...
build=$1
shift
known=$(cd "$(dirname "$0")/../compare" && pwd)
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
failed=0

fail() {
    echo "FAIL $*"
    failed=1
}

# program PRELOADED NAME=VALUE... -- COMMAND...: the emulator starts it with our libraries
program() {
    preloaded=$1
    shift
    sets="-E LD_LIBRARY_PATH=$build/lib${preloaded:+ -E LD_PRELOAD=$preloaded}"
    while [ "$1" != -- ]; do
        sets="$sets -E $1"
        shift
    done
    shift
    # shellcheck disable=SC2046,SC2086 # words
    env $(echo "$sets" | sed 's/-E LD_[^ ]*//g; s/-E / /g') $emulator $sets "$@"
}
emulator=$*

program "$build/lib/libvtegra-calls.so" VTEGRA_SOC=tx2 VTEGRA_QUIET=1 VTEGRA_CALLS="$dir/calls" -- \
    "$build/tests/compare/compare_runtime" >out 2>err || fail "runtime: status $?: $(cat err)"
grep -qx '5a 5a' out || fail "runtime: arguments are lost: $(cat out)"
diff "$known/runtime.calls" calls || fail "calls: the record (>) is not the program's calls (<)"

# The scheduler: a seed is the same run each time, and some seed finds the deadlock.
ends=
for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    for again in first second; do
        program "$build/lib/libvtegra-preload.so" VTEGRA_SOC=orin VTEGRA_POLICY=seeded VTEGRA_SEED=$seed VTEGRA_QUIET=1 -- \
            "$build/tests/gdb/gdb_locks" >/dev/null 2>&1
        echo $? >$again
    done
    cmp -s first second || fail "seed $seed: $(cat first) and $(cat second)"
    ends="$ends $(cat first)"
done
case $ends in
*122*) ;;
*) fail "no seed of 12 ends in the deadlock:$ends" ;;
esac

# The tools.
program "" -- "$build/bin/vtegra" soc list | grep -q '^thor' || fail "vtegra soc list"
program "" -- "$build/bin/vtegra" litmus "$build/share/vtegra/scenarios/litmus/dma_false_sharing.litmus" |
    grep -q 'tx2 *allowed *as expected' || fail "vtegra litmus"
program "" -- "$build/bin/vtegra" run --soc orin -- /bin/true >out 2>&1
grep -q 'built for x86-64; this machine runs AArch64' out || [ "$(uname -m)" = aarch64 ] || fail "vtegra run: $(cat out)"
exit $failed
