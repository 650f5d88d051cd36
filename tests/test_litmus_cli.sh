#!/bin/sh
# SPDX-License-Identifier: MIT
# vtegra litmus from outside: exit statuses, text, JSON. test_litmus_cli.sh VTEGRA SOURCE_DIR
set -u
vtegra=$1
source=$2
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
VTEGRA_PROFILES=$source/profiles
export VTEGRA_PROFILES
failed=0

# expect STATUS WORDS ARGUMENTS...: the command ends so and says WORDS on stdout or stderr.
expect() {
    status=$1
    words=$2
    shift 2
    "$vtegra" litmus "$@" >"$dir/out" 2>&1
    got=$?
    if [ $got -ne "$status" ] || ! grep -qF -- "$words" "$dir/out"; then
        echo "litmus $*: status $got (expected $status), expected to read: $words"
        cat "$dir/out"
        failed=1
    fi
}

good=$source/scenarios/litmus/mp_pageable_none.litmus
sed 's/^expect.*/expect orin forbidden/' "$good" >"$dir/wrong.litmus"
sed 's/STR #1,\[x\]/STR #1,[q]/' "$good" >"$dir/bad.litmus"

expect 0 'as expected' "$good"
expect 0 '0 not as expected' -q "$source/scenarios/litmus"
expect 0 '* CPU1:W0=1 CPU1:W1=0' --outcomes --soc orin "$good"
expect 0 'STR #1,[y]' --witness 3 --soc orin "$good"
expect 0 'Sources: Arm ARM' --teach "$good"
expect 1 'NOT AS EXPECTED (forbidden)' "$dir/wrong.litmus"
expect 1 'gave up after' --limit 5 "$good"
expect 2 "bad.litmus:8:10: no location \"q\" in { }" "$dir/bad.litmus"
expect 2 'no file' --quiet
expect 2 'unknown' --soc nosuch "$good"
expect 2 'No such file' "$dir/absent.litmus"
expect 0 'Exit status' --help

"$vtegra" litmus --json "$good" "$source/scenarios/litmus/sb_managed_fences.litmus" >"$dir/a.json" || failed=1
"$vtegra" litmus --json "$good" "$source/scenarios/litmus/sb_managed_fences.litmus" >"$dir/b.json" || failed=1
if ! cmp -s "$dir/a.json" "$dir/b.json"; then
    echo "two runs, two texts"
    failed=1
fi
if ! python3 -c '
import json, sys
r = json.load(open(sys.argv[1]))
assert len(r) == 6 and all(x["ok"] and x["exhausted"] for x in r)
assert [x["soc"] for x in r[:3]] == ["tx2", "orin", "thor"]
assert [x["verdict"] for x in r[3:]] == ["allowed", "allowed", "forbidden"]
assert any(o["matches"] and o["witness"] for o in r[0]["outcomes"])
' "$dir/a.json"; then
    echo "the JSON is not what docs/litmus.md says"
    failed=1
fi
exit $failed
