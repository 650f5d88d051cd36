#!/bin/sh
# SPDX-License-Identifier: MIT
# small_stack.sh BUILD_DIR WORK_DIR: a stack of 128 KiB (`ulimit -s`) is enough, and lines are found all the same.
. "$(dirname "$0")/lib.sh"
by_clang small_stack -g "$source/vadd.cu"
bytes=${sanitized:+1024}
for check in on off; do
    rm -f report
    # shellcheck disable=SC3045 # every shell here has -s
    expect "check $check" 0 "" sh -c "ulimit -s ${bytes:-128} && exec '$vtegra' run --check $check -q --report report -- ./small_stack"
    tests=$((tests + 1))
    grep -q 'vadd\.cu:[0-9]' report || fail "check $check: no line in the report"
done
finish
