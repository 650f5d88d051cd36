#!/bin/sh
# SPDX-License-Identifier: MIT
# Tests of determinism, replay, explore and kills have the label no_rerun (vtegra_no_rerun() of cmake/VtegraTest.cmake): their names
# say what they are. Usage: no_rerun.sh BUILD
set -eu
# ctest writes its log even if it only lists: in another folder than the run's that this test is part of.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "subdirs(\"$1\")" >"$work/CTestTestfile.cmake"
kind='determinism|replay|explore|kill|seed|jitter|(^|_)races'
list() {
    ctest --test-dir "$work" -N "$@" | sed -n 's/^ *Test *#[0-9]*: \([^ ]*\).*/\1/p'
}
named=$(list -R "$kind" | grep -vE '^(link_cycles|scenario|header)_')
[ -n "$named" ] || {
    echo "FAIL: no such test in $1"
    exit 1
}
missing=$(printf '%s\n' "$named" | { list -L '^no_rerun$' >"$work/labelled"; grep -vxFf "$work/labelled"; } || true)
[ -z "$missing" ] || {
    echo "FAIL: these need the label no_rerun:" $missing
    exit 1
}
echo "$(wc -l <"$work/labelled") tests are never repeated"
