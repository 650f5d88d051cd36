#!/bin/sh
# SPDX-License-Identifier: MIT
# vtegra advise: what documents and published timings say, and what a run with another kind of memory says. Usage: advise.sh
# BUILD_DIR WORK_DIR
. "$(dirname "$0")/../e2e/lib.sh"
here=$source
by_clang kinds --track -O2 "$here/kinds.cu"
by_clang unhooked -O2 "$here/kinds.cu"

# answer NAME SOC BEST FACTOR KIND WAY...: the answer is one of the kinds BEST, "a|b"; the present kind costs FACTOR times as much
answer() {
    name=$1 soc=$2 best=$3 factor=$4
    shift 4
    expect "$name" 0 "vtegra advise" "$vtegra" advise --soc "$soc" --json answer.json -- ./kinds "$@"
    tests=$((tests + 1))
    python3 - "$best" "$factor" <<'PYTHON' || fail "$name: $(cat out)"
import json, sys
b = json.load(open("answer.json"))[0]["buffers"][0]
ns = {k["kind"]: k["ns"] for k in b["kinds"] if not k["why_not"]}
sys.exit(b["best"] not in sys.argv[1].split("|") or ns[b["now"]] < float(sys.argv[2]) * ns[b["best"]])
PYTHON
}
# 3.1, and the row "zero copy 80 times slower than device memory on TX2, 5 times on Xavier" (shared facts, docs/timing.md R1, R2)
answer reuse-tx2 tx2 "device and copies|managed" 2 pin reuse 3 512 32
answer reuse-xavier xavier "device and copies|managed" 2 pin reuse 3 512 32
# M13: a kernel that writes mapped memory against one with a copy back, 512 bytes: 1.5 to 3.7 times
answer rooms orin-nano "pinned|registered|managed" 1.5 dev room 8 0.5 1
# 3.2: what the CPU reads again and again is not to be pinned memory below cc 7.2
answer again tx2 "device and copies|managed" 4 pin again 4 256 4
# M1, M2, M4: Thor reads device memory fastest, pinned and managed at 0.7 to 0.8 of it
answer thor-pinned thor "device and copies" 1.2 pin own 6 8192 1
answer thor-managed thor "device and copies" 1.2 man own 6 8192 1
# 3.1: device memory for what the iGPU alone uses
answer own orin "device and copies" 1 dev own 4 2048 1

# The answer is the virtual time that the same program then has: its kernels, within 25 % of the longer of the two.
for soc in orin tx2 thor; do
    for kind in dev pin man; do
        expect "run $soc $kind" 0 "" "$vtegra" run -q --races off --soc $soc --json $soc.$kind.json -- ./kinds $kind read 2 1024 16
    done
    for kind in dev pin man; do
        expect "from $soc $kind" 0 "" "$vtegra" advise --soc $soc --from $soc.$kind.json --json $soc.$kind.answer
    done
    tests=$((tests + 1))
    python3 - $soc <<'PYTHON' || fail "$soc: another kind takes another time than the answer says"
import json, sys
soc, names, bad = sys.argv[1], {"dev": "device and copies", "pin": "pinned", "man": "managed"}, 0
def took(kind):
    return sum(k["virtual_time_ns"] for k in json.load(open(f"{soc}.{kind}.json"))["kernels"])
for now in names:
    cost = {k["kind"]: k["kernels_ns"] for k in json.load(open(f"{soc}.{now}.answer"))[0]["buffers"][0]["kinds"]}
    for other in names:
        said = took(now) + cost[names[other]] - cost[names[now]]
        if abs(said - took(other)) > 0.25 * max(took(now), took(other)):
            print(f"{soc}: {now} to {other}: {said:.0f} ns, and it takes {took(other)}")
            bad = 1
sys.exit(bad)
PYTHON
done

# Without hooks: what the CPU does is missing, and so is the answer.
expect unhooked 0 "its accesses were not seen (vtegra cc --track)" "$vtegra" advise --soc tx2 -- ./unhooked pin read 2 64 1
also unhooked "no answer"
expect all 0 "thor: two kinds" "$vtegra" advise --soc all --from orin.pin.json
also all "tx2: two kinds compare within a factor of 2"
also all "orin: two kinds compare within 20 %"

# Bad input
expect soc 2 "nosuch" "$vtegra" advise --soc nosuch --from orin.pin.json
expect none 2 "no program given" "$vtegra" advise
expect both 2 "--from" "$vtegra" advise --from orin.pin.json -- ./kinds
expect missing 127 "" "$vtegra" advise -- ./nosuch
expect absent 125 "absent.json" "$vtegra" advise --from absent.json
echo '{"run": 3}' >junk.json
expect junk 125 "no JSON report" "$vtegra" advise --from junk.json
echo '{"run": {"soc": "orin"}, "buffers": [3, {"kind": "pinned", "kernels": [{"kernel": 7}, 4]}], "kernels": [[]], "copies": [1]}' >odd.json
expect odd 0 "no kernel used it" "$vtegra" advise --from odd.json
expect status 2 "" "$vtegra" advise -- ./kinds
finish
