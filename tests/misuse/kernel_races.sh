#!/bin/sh
# SPDX-License-Identifier: MIT
# kernel_races.sh BUILD_DIR WORK_DIR: races between threads of one kernel (PTX ISA 8.7.1) are findings with both lines, their
# mended twins are silent; they are looked for without the option, too, and where not, the head of the report says so.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
by_clang kernel_races --arch sm_72 -g -O1 "$here/kernel_races.cu"
unset VTEGRA_RACES
line() {
    grep -n "/\* $1 \*/" "$here/kernel_races.cu" | cut -d: -f1
}

expect block 0 "kernel-race-block" "$vtegra" run --races on -- ./kernel_races block
also block "no barrier orders them"
also block "Call __syncthreads() between misuse/kernel_races.cu:$(line stored) and misuse/kernel_races.cu:$(line loaded)"
also block "from byte 128 of tile in shared memory"
also block "seen with vtegra run --soc orin --os linux --policy lazy --evict lru --races on -- ./kernel_races block"
also block "not checked races of printf()"
also block "races between the threads of each launch were looked for"
expect scope 0 "kernel-race-scope" "$vtegra" run --races on -- ./kernel_races scope
also scope "a scope that leaves the other's thread out"
also scope "buffer #1"
also scope "Give misuse/kernel_races.cu:$(line counted) the scope of the device"
expect fence 0 "kernel-race-fence" "$vtegra" run --races on -- ./kernel_races fence
also fence "misuse/kernel_races.cu:$(line taken)"
also fence "Call __threadfence() behind misuse/kernel_races.cu:$(line given), before the store or atomic operation that sets"
expect taker 0 "kernel-race-fence" "$vtegra" run --races on -- ./kernel_races taker
also taker "Call __threadfence() before misuse/kernel_races.cu:$(line taken), behind the load or atomic operation that observes"
also taker "The other thread has its fence."
for kind in block scope fence taker; do
    expect good_$kind 0 "Findings" "$vtegra" run --races on -- ./kernel_races $kind good
    not_there good_$kind "access the same bytes"
    not_there good_$kind "Two atomic or volatile accesses"
    not_there good_$kind "fence is missing"
done
expect default 0 "kernel-race-block" "$vtegra" run -- ./kernel_races block
also default "seen with vtegra run --soc orin --os linux --policy lazy --evict lru -- ./kernel_races block"
for how in "--races off" "--check off"; do
    # shellcheck disable=SC2086
    expect off 0 "races between the threads of one kernel" "$vtegra" run $how -- ./kernel_races block
    not_there off "no barrier orders them"
done

# SARIF, and suppressions, as of any rule
expect sarif 0 "done" "$vtegra" run --sarif race.sarif -- ./kernel_races block
expect sarif_has 0 "kernel-race-block kernel_races.cu $(line stored)" python3 -c "
import json
for r in json.load(open('race.sarif'))['runs'][0]['results']:
    at = r['locations'][0]['physicalLocation']
    print(r['ruleId'], at['artifactLocation']['uri'].split('/')[-1], at['region']['startLine'])"
expect entry 0 "kernel-race-block" "$vtegra" run --gen-suppressions -- ./kernel_races block
also entry "suppress rule=kernel-race-block file=misuse/kernel_races.cu"
echo 'rule=kernel-race-block file=misuse/kernel_races.cu' >race.supp
expect suppressed 0 "1 finding (kernel-race-block)" "$vtegra" run --error-exitcode 9 --suppressions race.supp -- ./kernel_races block
also suppressed "suppressed 1 finding (kernel-race-block)"
not_there suppressed "no barrier orders them"

# The other processes of a board: the board's process runs the kernels.
expect shared 0 "kernel-race-block" "$vtegra" run --shared -- ./kernel_races block
also shared "races between the threads of each launch were looked for"
expect good_shared 0 "Findings" "$vtegra" run --shared -- ./kernel_races fence good
not_there good_shared "fence is missing"

# Short programs are checked whole, of long ones a part, and what comes late is checked, too.
expect long 0 "kernel-race-scope" "$vtegra" run --json long.json -- ./kernel_races long
also long "races inside kernels were looked for in 1 kernel whole; histogram"
also long "of 16 launches"
expect long_json 0 "auto" python3 -c "
import json
report = json.load(open('long.json'))
kernels = {k['name'].split('(')[0]: k for k in report['kernels']}
assert kernels['count']['races_checked'] == 1 and kernels['count']['races_checked_in_part'] == 0
assert 0 < kernels['histogram']['races_checked'] + kernels['histogram']['races_checked_in_part'] <= 16
assert kernels['histogram']['races_checked'] < 16
print(report['run']['kernel_races'])"
expect long_shared 0 "kernel-race-scope" "$vtegra" run --shared -- ./kernel_races long
also long_shared "races inside kernels were looked for in 1 kernel whole; histogram"

# Checked or not: one trace, but for the findings, what was checked, and the head, which names the option.
for kind in block scope fence long; do
    for races in off auto on; do
        expect trace_$kind 0 "done" "$vtegra" run --races $races --trace $races.trace -- ./kernel_races $kind
        grep -v '^@run\|^@finding\|^@variable\|KERNEL_RACE\|KERNEL_SAMPLED' $races.trace >$races.rest
    done
    grep -q KERNEL_RACE on.trace || fail "trace_$kind: no race in it"
    grep -q KERNEL_RACE auto.trace || fail "trace_$kind: no race found by auto"
    cmp off.rest on.rest || fail "trace_$kind: differs where races are looked for"
    cmp off.rest auto.rest || fail "trace_$kind: differs where races are looked for by default"
done
expect again 0 "done" "$vtegra" run --trace again.trace -- ./kernel_races long
expect again 0 "done" "$vtegra" run --trace twice.trace -- ./kernel_races long
cmp again.trace twice.trace || fail "again: two runs differ"
expect none 0 "done" "$vtegra" run --check off --trace none.trace -- ./kernel_races long
grep -q 'KERNEL_RACE\|KERNEL_SAMPLED' none.trace && fail "none: checked in spite of --check off"
expect wrong 125 "races" "$vtegra" run --races perhaps -- ./kernel_races block
finish
