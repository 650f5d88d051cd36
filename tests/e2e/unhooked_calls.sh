#!/bin/sh
# SPDX-License-Identifier: MIT
# unhooked_calls.sh BUILD_DIR WORK_DIR: accesses of the C library's functions in programs without compiler hooks have the program's place: where
# a function of the program calls them last, by a jump, and where they call themselves. The corrected program has no finding.
. "$(dirname "$0")/lib.sh"
pages_are_closed
calls=$source/unhooked_calls.cu
by_clang unhooked_calls -g -O2 "$calls"

# found CASE POLICY
found() {
    at="unhooked_calls.cu:$(grep -n "// $1\$" "$calls" | cut -d: -f1) in"
    # shellcheck disable=SC2086 # words
    "$vtegra" run --soc orin --policy $2 --report report -- ./unhooked_calls "$1" >out 2>&1
    tests=$((tests + 3))
    grep -qE "^ *(where|against) .*" report || fail "$1 $2: no finding"
    tr -s ' \n' ' ' <report | grep -qE "(where|against) [^#]*$at" || fail "$1 $2: not at $at"
    ! sed -n '/^Findings/,/^Advice/p' report | grep -E "where .*(libc|libstdc|multiarch|\.S:)" || fail "$1 $2: a place in the C library"
}
for policy in lazy eager "seeded --seed 1"; do
    for what in pthread inner c11 thread captured write pthread_write host_function sort; do
        in_turn 2 || [ "$policy" = lazy ] || continue
        found $what "$policy"
        # shellcheck disable=SC2086 # words
        expect "$what fixed $policy" 0 done "$vtegra" run --soc orin --policy $policy --report report -- ./unhooked_calls $what fixed
        tests=$((tests + 1))
        ! grep -qE "^  [0-9]+\. (error|warning):|^  not checked   #" report || fail "$what fixed $policy: a finding"
    done
done
finish
