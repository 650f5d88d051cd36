#!/bin/sh
# SPDX-License-Identifier: MIT
# inner.sh BUILD_DIR WORK_DIR [long]: an access inside the C++ library's headers is at the program's line, inlined or not.
. "$(dirname "$0")/lib.sh"
cases=$(grep -n '^ *CASE(' "$source/inner.cu" | cut -d: -f1)

for level in $(some 2 0 1 2); do
    by_clang inner$level --track -g -O$level "$source/inner.cu"
    for hooks in each count; do
        rm -f report
        VTEGRA_HOOKS=$hooks expect "-O$level, $hooks" 0 "" "$vtegra" run -q --report report -- ./inner$level
        findings=$(sed -n '/^Findings/,/^Advice/p' report)
        for line in $cases; do
            tests=$((tests + 1))
            echo "$findings" | grep -qE "^ *where .*inner\.cu:$line in main" ||
                fail "-O$level, $hooks: no race at $(sed -n "${line}p" "$source/inner.cu")"
        done
        tests=$((tests + 1))
        echo "$findings" | grep '^ *where' | grep -v 'inner\.cu' && fail "-O$level, $hooks: a line of a header"
    done
done
finish
