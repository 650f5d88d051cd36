#!/bin/sh
# SPDX-License-Identifier: MIT
# test_note.sh SOURCE BUILD: tests/note.py sees a rule that is missing, a test that is not there, a row that is too long.
set -u
source=$1 build=$2 failed=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# fault NAME TEXT SED: the sheet with that edit is refused with TEXT
fault() {
    sed "$3" "$source/docs/note.md" >"$work/note.md"
    if "$source/tests/note.py" "$source" "$build" "$work/note.md" >"$work/out"; then
        echo "FAIL $1: accepted" && failed=1
    elif ! grep -qF -- "$2" "$work/out"; then
        echo "FAIL $1: no \"$2\" in:" && cat "$work/out" && failed=1
    fi
}

fault missing "missing: [17]" '/^| 17 |/d'
fault function "tests/test_tables.c has no such test" 's/`tables:t1_device_igpu_cached_new`/`tables:t1_device_igpu`/'
fault test "no such test in ctest -N" 's/`e2e_pageable`/`e2e_pageables`/'
fault scenario "no such scenario" 's,`scenario/prefetch`,`scenario/prefetched`,'
fault untested "rule 10 holds, but no test says so" '/^| 10 |/s/`//g'
fault table "rule 94 holds, but its test is of a table alone" '/^| 94 |/s/| part |/| yes |/'
fault long "longer than 300" "/^| 5 |/s/own memory/$(printf '%0300d' 0)/"
exit $failed
