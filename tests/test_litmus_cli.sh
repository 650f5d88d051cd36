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
limit=600

# expect STATUS WORDS ARGUMENTS...: the command ends so and says WORDS on stdout or stderr.
expect() {
    status=$1
    words=$2
    shift 2
    timeout $limit "$vtegra" litmus "$@" >"$dir/out" 2>&1
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
expect 1 '  orin      allowed    NOT AS EXPECTED (forbidden)' "$dir/wrong.litmus"
expect 1 'STR #1,[y]' "$dir/wrong.litmus" # the run that ends so
expect 1 'NOT AS EXPECTED (forbidden)' -q "$dir/wrong.litmus"
expect 1 '2 tests, 4 verdicts, 1 not as expected, ' -q "$dir/wrong.litmus" "$good"
expect 1 '  orin      unknown    gave up after ' --limit 5 --soc orin "$good"
expect 1 ' states: shorten the test, or raise --limit' --limit 5 "$good"
expect 1 '-   unknown: not seen before the limit: (CPU1:W0=1' -o --limit 8 --soc orin "$good"
expect 2 'no outcome 99 on orin: there are 4' --witness 99 --soc orin "$good"
expect 2 '--witness -2' --witness -2 "$good"
expect 2 '--limit 0: expected a number of states' --limit 0 "$good"
expect 2 '--limit -1: expected a number of states' --limit -1 "$good"

# A folder is its *.litmus files by name, whatever order the disk has them in; -q says only the sum where all is as expected.
mkdir "$dir/several"
for name in d a c f b e; do
    sed "s/^tegra .*/tegra $name/" "$good" >"$dir/several/$name.litmus"
done
echo 'no test' >"$dir/several/notes.txt"
expect 0 '6 tests, 18 verdicts, 0 not as expected, ' "$dir/several"
if [ "$(sed -n 's/^\([a-f]\):.*/\1/p' "$dir/out" | tr -d '\n')" != abcdef ]; then
    echo "a folder's files are not in the order of their names"
    failed=1
fi
expect 0 '6 tests, 18 verdicts, 0 not as expected, ' -q "$dir/several"
if [ "$(wc -l <"$dir/out")" != 1 ]; then
    echo "-q says more than the sum"
    failed=1
fi

# Files of herd are read; ours are written as herd has them; others are named, with what to do.
expect 0 'AArch64 MP+pageable' --herd "$good"
"$vtegra" litmus --herd "$good" >"$dir/herd.litmus"
expect 0 '  orin      allowed ' "$dir/herd.litmus"
expect 2 'herd has no form for iGPU0' --herd "$source/scenarios/litmus/mp_pinned_fences.litmus"
expect 2 '--herd prints a file, --json results' --herd --json "$good"
printf 'X86 SB\n{}\n' >"$dir/x86.litmus"
expect 2 'x86.litmus:1:1: a litmus file of X86: expected "tegra", "AArch64" or "PTX"' "$dir/x86.litmus"
printf 'AArch64 t\n{ 0:X1=x; }\nP0 ;\nL: LDR W2,[X1] ;\nCBZ W2,L ;\nexists (x=1)\n' >"$dir/loop.litmus"
expect 2 'loop.litmus:1:1: no run comes to its end, so there is no verdict: expected an operation that ends each loop' "$dir/loop.litmus"

# The counts: of the sum, of an outcome, and of states that are kept apart.
"$vtegra" litmus --json "$good" "$source/scenarios/litmus/mp_pageable_dmb.litmus" >"$dir/a.json"
"$vtegra" litmus --json --no-reduction "$good" "$source/scenarios/litmus/mp_pageable_dmb.litmus" >"$dir/b.json"
"$vtegra" litmus -o "$good" "$source/scenarios/litmus/mp_pageable_dmb.litmus" >"$dir/out"
if ! python3 -c '
import json, re, sys
few, all = (json.load(open(f)) for f in sys.argv[1:3])
text = open(sys.argv[3]).read()
assert text.rstrip().endswith(", %d states" % sum(r["states"] for r in few))
ends = [o["final_states"] for r in few for o in r["outcomes"]]
assert [int(n) for n in re.findall(r"\((\d+) final state", text)] == ends
assert any(n != r["states"] for r in few for n in [o["final_states"] for o in r["outcomes"]])
assert sum(r["states"] for r in all) > sum(r["states"] for r in few)
' "$dir/a.json" "$dir/b.json" "$dir/out"; then
    echo "the counts are not those of the JSON"
    failed=1
fi
mkdir "$dir/empty"
expect 2 'empty: a folder without *.litmus files' "$dir/empty"
mkfifo "$dir/pipe"
limit=5 # it would wait for somebody to write
expect 2 'pipe: not a regular file' "$dir/pipe"
limit=600

# "forbidden" is a file's word; what no run ends in is "unseen", also where the file has that word for another SoC.
forbids=$source/scenarios/litmus/mp_pageable_dmb.litmus
sed '/^expect/d' "$forbids" >"$dir/silent.litmus"
expect 0 '  orin      forbidden  as expected' "$forbids"
expect 0 '-   forbidden: (CPU1:W0=1' -o "$forbids"
expect 0 '  nano      unseen' --soc nano "$forbids"
expect 0 '-   unseen: not seen here; no document is named that forbids it: (CPU1' -o --soc nano "$forbids"
expect 0 '  orin      unseen' "$dir/silent.litmus"
expect 0 '-   unseen: ' -o "$dir/silent.litmus"
if grep -q forbidden "$dir/out"; then
    echo "forbidden, and nobody says so"
    failed=1
fi
sed 's/^expect.*/expect orin unseen/' "$forbids" >"$dir/silent.litmus"
expect 0 '  orin      unseen     as expected' "$dir/silent.litmus"

# What a SoC lacks: a mistake where "expect" names it, else no verdict.
sm70=$source/scenarios/litmus/mp_pinned_fences.litmus
lacks='tx2 has an iGPU of sm_62: "ld.acquire.sys r0,[y]" takes sm_70'
expect 2 '  tx2       absent: ' --soc tx2 "$sm70"
expect 2 "$lacks" --soc tx2 "$sm70"
expect 0 '2 tests, 1 verdicts, 0 not as expected, 1 absent, ' --soc tx2 "$sm70" "$good"
sed 's/^expect .*/expect orin forbidden, tx2 forbidden/' "$sm70" >"$dir/lacks.litmus"
expect 2 "lacks.litmus:12:24: expect tx2: $dir/lacks.litmus:" "$dir/lacks.litmus"
expect 2 "$lacks" "$dir/lacks.litmus"
sed 's/^expect.*/expect orin allowed, tx3 allowed/' "$good" >"$dir/unknown.litmus"
expect 2 'unknown.litmus:11:22: expect tx3: unknown SoC "tx3"; did you mean tx2' "$dir/unknown.litmus"
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
assert len(r) == 5 and all(x["ok"] and x["exhausted"] for x in r)
assert [x["soc"] for x in r[:3]] == ["tx2", "orin", "thor"]
assert [x["verdict"] for x in r[3:]] == ["allowed", "forbidden"]
assert any(o["matches"] and o["witness"] for o in r[0]["outcomes"])
' "$dir/a.json"; then
    echo "the JSON is not what docs/litmus.md says"
    failed=1
fi

# Errors and what is absent stand in the JSON, too.
"$vtegra" litmus --json --soc tx2 "$dir/bad.litmus" "$sm70" "$forbids" "$dir/nowhere" >"$dir/a.json" 2>"$dir/err"
if [ $? -ne 2 ] || ! python3 -c '
import json, sys
bad, absent, seen, nowhere = json.load(open(sys.argv[1]))
assert bad["file"].endswith("bad.litmus") and "no location" in bad["error"]
assert absent["soc"] == "tx2" and absent["verdict"] is None and "takes sm_70" in absent["absent"]
assert seen["verdict"] == "forbidden" and seen["ok"]
assert nowhere["file"].endswith("nowhere") and "No such file" in nowhere["error"]
assert bad["error"] in open(sys.argv[2]).read()
' "$dir/a.json" "$dir/err"; then
    echo "an error is not in the JSON"
    failed=1
fi
"$vtegra" litmus --json --soc nano "$forbids" >"$dir/a.json"
"$vtegra" litmus --json --soc nano --limit 5 "$good" >"$dir/b.json"
if ! python3 -c '
import json, sys
a, b = (json.load(open(f))[0] for f in sys.argv[1:])
assert a["verdict"] == "unseen" and a["expected"] is None and a["ok"]
assert b["verdict"] is None and not b["ok"]
' "$dir/a.json" "$dir/b.json"; then
    echo "the JSON of a verdict that nobody expects"
    failed=1
fi
exit $failed
