#!/bin/sh
# SPDX-License-Identifier: MIT
# registered.sh BUILD_DIR WORK_DIR: the CPU's accesses are checked in the first registered buffer and in the last one,
# however many there are.
. "$(dirname "$0")/lib.sh"
by_clang registered --track -g -O1 "$source/registered.cu"
line=$(grep -n '// READ' "$source/registered.cu" | cut -d: -f1)

for which in "1 0" "64 63" "65 64" "3000 0" "3000 2999"; do
    tests=$((tests + 1))
    # shellcheck disable=SC2086
    timeout 300 "$vtegra" run --soc orin --report report -- ./registered $which >out 2>&1 </dev/null ||
        fail "$which: status $?"
    grep -q 'CPU accesses  exact' report || fail "$which: accesses are not exact"
    grep -q "error: Race: read by the CPU and write by kernel fill" report || fail "$which: no race"
    grep -q "where .*registered.cu:$line in main" report || fail "$which: the read is not named"
done
finish
