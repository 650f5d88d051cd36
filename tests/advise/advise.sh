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

# The report has the answers, too: in its last section and as memory_kinds, as vtegra advise has them.
expect "report" 0 "" "$vtegra" run --soc tx2 --report report.txt --json report.json -- ./kinds pin again 4 256 4
tests=$((tests + 1))
grep -q "Kinds of memory, in virtual time (two compare within a factor of 2)" report.txt &&
    tr -s ' \n' ' ' <report.txt | grep -Eq "pinned costs .* a launch, (managed|device and copies) .*: saves .* %; the CPU does not cache it" ||
    fail "report: $(tail -n 5 report.txt)"
expect "report's answer" 0 "" "$vtegra" advise --soc tx2 --from report.json --json report.answer
tests=$((tests + 1))
python3 - <<'PYTHON' || fail "report: another answer than vtegra advise has"
import json, sys
ours = json.load(open("report.json"))["memory_kinds"]["buffers"]
theirs = json.load(open("report.answer"))[0]["buffers"]
sys.exit([(b["buffer"], b["best"], b["ns"].get("pinned")) for b in ours] !=
         [(b["buffer"], b["best"], next(k["ns"] for k in b["kinds"] if k["kind"] == "pinned")) for b in theirs])
PYTHON

# A frame of 4 MiB that the DLA reads, too: NvSci saves the copies (the article on NvSci), SKIP flags the maintenance.
cat >engines.json <<'JSON'
{"run": {"soc": "xavier", "program": "frames", "cpu_exact": true}, "kernels": [], "copies": [],
 "buffers": [{"number": 2, "kind": "shared", "bytes": 4194304, "api": "NvSciBufObjAlloc", "igpu": {"read_bytes": 0, "written_bytes": 41943040}}],
 "memory_kinds": {"buffers": [], "engines": [{"buffer": 2, "frames": 10}]}}
JSON
expect engines 0 "sharing saves" "$vtegra" advise --soc xavier,thor --from engines.json --json engines.answer
also engines "only where no engine but the GPU uses the buffer"
also engines "CPU and GPU see each other's caches"
tests=$((tests + 1))
python3 - <<'PYTHON' || fail "engines: SKIP flags cost more, or copies less, than NvSci"
import json, sys
for board in json.load(open("engines.answer")):
    ns = board["engines"][0]["frame_ns"]
    if not ns["NvSci with SKIP flags"] < ns["NvSci"] < ns["copies"]:
        sys.exit(1)
PYTHON

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
