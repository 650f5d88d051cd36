#!/bin/sh
# SPDX-License-Identifier: MIT
# What explore, replay and merge take for a result, and what they refuse. Usage: results.sh BUILD_DIR WORK_DIR [long]
. "$(dirname "$0")/lib.sh"
build results cc -w -g -O1 "$here/results.c" -lpthread
by_clang no_files -g "$here/no_files.cu"
rm -f ./*.jsonl ./*.schedule counted fifo merged

# lines NAME NUMBER FILE: so many
lines() {
    tests=$((tests + 1))
    [ "$(wc -l <"$3")" = "$2" ] || fail "$1: $(wc -l <"$3") lines, want $2, in $3: $(head -c 2000 "$3")"
}

# absent NAME FILE
absent() {
    tests=$((tests + 1))
    [ ! -e "$2" ] || fail "$1: there is $2"
}

# has NAME TEXT FILE
has() {
    tests=$((tests + 1))
    grep -qF -- "$2" "$3" || fail "$1: no \"$2\" in: $(head -c 2000 "$3")"
}

# --- what a run leaves behind is in memory: the temporary folder does not matter
expect no_folder 1 "3 runs, 3 failed" env TMPDIR=/dev/null/none "$vtegra" explore -j 1 --runs 3 --fail-on warning --out folder.jsonl -- ./no_files
expect usual_folder 1 "3 runs, 3 failed" "$vtegra" explore -j 2 --runs 3 --fail-on warning --out usual.jsonl -- ./no_files
lines no_folder 3 folder.jsonl
tests=$((tests + 1))
"$vtegra" explore merge folder.jsonl >m1 && "$vtegra" explore merge usual.jsonl >m2 && cmp m1 m2 || fail "the temporary folder matters"
has no_folder '"findings":["unfinished-work"]' folder.jsonl
expect folder_of_check 0 "2 runs, 0 failed" env TMPDIR=/dev/null/none "$vtegra" explore --runs 2 --check 'grep -q word "$VTEGRA_OUTPUT" && test "$VTEGRA_STATUS" = 3' -- ./results fail word

# --- what cannot be kept whole is an error, no line: the report, what it printed, too much of it
expect report_lost 125 "the report (/proc/" "$vtegra" explore -j 1 --runs 2 --length 100 --fail-on warning --out lost.jsonl -- ./no_files now
also report_lost "could not be kept whole: Too many open files"
lines report_lost 0 lost.jsonl
expect report_half 125 "the report (/proc/" "$vtegra" explore -j 1 --runs 2 --length 100 --out lost.jsonl -- ./results half
lines report_half 0 lost.jsonl
# a limit on files is one on those in memory, too: of 100 blocks of 512 or 1024 bytes
for xfsz in default ignored; do
    expect "output_limit $xfsz" 125 "what it printed (/proc/" sh -c 'ulimit -f 100; [ $0 = default ] || trap "" XFSZ; exec "$@"' $xfsz \
        "$vtegra" explore -j 1 --runs 2 --length 100 --out limit.jsonl -- ./results print 100
    also "output_limit $xfsz" "could not be kept whole: File too large"
    lines "output_limit $xfsz" 0 limit.jsonl
done
expect output_under_limit 0 "2 runs, 0 failed" sh -c 'ulimit -f 100; exec "$@"' sh "$vtegra" explore -j 1 --runs 2 -- ./results print 10
expect megabytes 0 "2 runs, 0 failed" "$vtegra" explore -j 1 --runs 2 --length 100 --out mega.jsonl -- ./results print 2048
has megabytes "$(head -c 8388608 /dev/zero | tr '\0' x | sha256sum | cut -d' ' -f1)" mega.jsonl
expect endless_output 125 "it is larger than 256 MiB" "$vtegra" explore -j 1 --runs 1 --length 100 --timeout 0 -- ./results print 1000000000

# --- a result file that ends early: said with its name; what is in it goes on to count
expect out_limit 125 "cannot write short.jsonl: File too large" sh -c 'ulimit -f 2; trap "" XFSZ; exec "$@"' sh \
    "$vtegra" explore -j 1 --runs 9 --length 100 --out short.jsonl -- ./results fail
rm -f short.jsonl
expect out_limit_signal 125 "cannot write short.jsonl: File too large" sh -c 'ulimit -f 2; exec "$@"' sh \
    "$vtegra" explore -j 1 --runs 9 --length 100 --out short.jsonl -- ./results fail
expect out_goes_on 1 "9 runs, 9 failed" "$vtegra" explore -j 1 --runs 9 --length 100 --out short.jsonl -- ./results fail
lines out_goes_on 9 short.jsonl

# --- outputs are looked at before the start, and are regular files
mkfifo fifo
ln -sf /dev/full full # by a link: what a mutant, run by root, puts in its place is the link alone
ln -sf /dev/zero zero
for option in out schedule; do
    for file in full zero fifo .; do
        expect "$option $file" 125 "--$option: $file is no regular file; nothing was started" \
            timeout 10 "$vtegra" explore --runs 1 --$option $file -- ./results count counted 0 0
    done
    expect "$option nowhere" 125 "--$option: cannot write none/x: No such file or directory" \
        "$vtegra" explore --runs 1 --$option none/x -- ./results count counted 0 0
done
absent started counted
expect no_failure 0 "1 runs, 0 failed" "$vtegra" explore --runs 1 --schedule unused.schedule -- ./results pass
absent no_failure unused.schedule
# a folder that loses its right between the start and the end (root may all the same), or is gone
mkdir -p gone
expect schedule_late 125 "--schedule:" "$vtegra" explore -j 1 --runs 1 --schedule gone/late.schedule --check 'rmdir gone 2>/dev/null; false' -- ./results pass
also schedule_late "No such file or directory"

# --- a seed that does not fail again: the first repeat, and the second
for last in 2 3; do
    rm -f counted
    expect "again $last" 1 "seed 0 did not fail again when it was repeated" \
        "$vtegra" explore -j 1 --runs 1 --schedule again.schedule -- ./results count counted 2 $last
    absent "again $last" again.schedule
    tests=$((tests + 1))
    [ "$(wc -c <counted)" = $((last + 1)) ] || fail "again $last: $(wc -c <counted) runs"
done

# one that goes on to pass when it is minimised: that has an end, after a thousand runs
if [ "$thorough" = long ]; then
    rm -f counted
    expect bounded 1 "stopped after 1000 runs" "$vtegra" explore -j 1 --runs 1 --strategy random --schedule again.schedule -- ./results many counted 2 4
    also bounded "seed 0 did not fail again when it was repeated"
    absent bounded again.schedule
    tests=$((tests + 1))
    [ "$(wc -c <counted)" = 1003 ] || fail "bounded: $(wc -c <counted) runs" # to measure, the seed, 1000, the last
fi

# --- how many lines there are is what is said
expect smallest 1 "smallest: exit 3, with 0 switches and 0 evictions in the schedule" \
    "$vtegra" explore -j 1 --runs 1 --schedule fail.schedule -- ./results fail
expect smallest_replayed 3 "" "$vtegra" replay fail.schedule -q -- ./results fail

expect crash 1 "smallest: signal 6" "$vtegra" explore -j 1 --runs 1 --schedule crash.schedule -- ./results crash
expect crash_replayed 134 "" sh -c 'ulimit -c 0; exec "$@"' sh "$vtegra" replay crash.schedule -q -- ./results crash
has crash "end steps " crash.schedule

# --- a schedule is whole, or it is refused
sed '/^end/d' fail.schedule >head.schedule
# schedule NAME LINE TEXT SCHEDULE-LINES: behind the head, of 7 lines at least
schedule() {
    { cat head.schedule; printf "$4"; } >bad.schedule
    expect "schedule $1" 125 "bad.schedule:$(($(wc -l <head.schedule) + $2)): expected $3" "$vtegra" replay bad.schedule -- ./results fail
}
schedule no_end 1 '"end" in the last line' ''
schedule cut_before_end 2 '"end" in the last line' 'switch 1 cpu0\n'
schedule cut_in_a_line 2 '"end" in the last line' 'switch 1 cpu0\nswit'
schedule cut_in_the_end 1 'a newline behind "end"' 'end steps 5 switches 0 evictions 0 strayed 1'
schedule half_end 2 '"switch STEP AGENT"' 'switch 1 cpu0\nend steps 5 switches 0\n'
schedule banana 2 '"switch STEP AGENT"' 'switch 1 cpu0\nbanana\nend\n'
schedule blank 2 '"switch STEP AGENT"' 'switch 1 cpu0\n\nend\n'
schedule behind 2 'nothing behind "end"' 'end\nswitch 1 cpu0\n'
schedule behind_blank 2 'nothing behind "end"' 'end\n\n'
schedule past_the_end 2 'no fewer steps' 'switch 9 cpu0\nend steps 8 switches 1 evictions 0 strayed 0\n'
schedule descending 2 '"switch STEP AGENT"' 'switch 2 cpu0\nswitch 1 cpu0\nend\n'
schedule no_agent 1 '"switch STEP AGENT"' 'switch 2 gpu0\nend\n'
{ cat head.schedule; printf 'end\n\0end\n'; } >bad.schedule
expect "schedule zero" 125 "bad.schedule is no text" "$vtegra" replay bad.schedule -- ./results fail
{ cat head.schedule; printf 'end\n'; } >good.schedule
expect "schedule by hand" 3 "" "$vtegra" replay good.schedule -q -- ./results fail

# --- of a run that took too long nothing depends on where it was killed
for n in 1 2; do
    expect slow$n 1 "1 runs, 0 failed, 1 took more than $n s" "$vtegra" explore -j 1 --runs 1 --timeout $n --out slow$n.jsonl -- ./results work
    also slow$n "the run that measures --length took more than $n s"
    has slow$n '"length":0,"seed":0,"result":"fail","why":"timeout","findings":null,"bugs":null,"steps":null,"switches":null,"evictions":null,"output":null' slow$n.jsonl
done
expect slow_merged 0 "" "$vtegra" explore merge --out merged slow1.jsonl slow2.jsonl
lines slow_merged 1 merged
expect slow_unchecked 1 "1 took more than 1 s" "$vtegra" explore -j 1 --runs 1 --length 9 --timeout 1 --check 'exit 3' -- ./results work

# --- arguments that are no UTF-8, and those that look like their text
for argument in "$(printf '\377')" "$(printf '\376')" '\377' '\\377' "$(printf '\303\251')" 'é\'; do
    expect "bytes" 0 "2 runs, 0 failed" "$vtegra" explore -j 1 --runs 2 --out bytes.jsonl -- ./results pass "$argument"
done
tests=$((tests + 1))
[ "$(sort -u bytes.jsonl | wc -l)" = 12 ] || fail "bytes: $(cat bytes.jsonl)"
has bytes '"arguments":["pass","\\377"]' bytes.jsonl
has bytes '"arguments":["pass","é"]' bytes.jsonl

# --- merge tells what it leaves out
expect one 0 "" "$vtegra" explore -j 1 --runs 30 --length 100 --out one.jsonl -- ./results pass
{ sed -n 1,10p one.jsonl; sed -n 12p one.jsonl; sed -n 21,29p one.jsonl; sed -n 30p one.jsonl | head -c 200; } >half.jsonl
expect merge_half 0 "half.jsonl:21: last line incomplete" "$vtegra" explore merge --out merged half.jsonl
also merge_half "no results of seeds 10, 12-19"
lines merge_half 20 merged
expect merge_whole 0 "" "$vtegra" explore merge --out merged half.jsonl one.jsonl
not_there merge_whole "no results"
lines merge_whole 30 merged
{ head -3 one.jsonl; printf 'banana\n\0\n{}\n\n'; sed -n 4,30p one.jsonl; } >bad.jsonl
expect merge_bad 1 "bad.jsonl:4: no result of vtegra explore; left out" "$vtegra" explore merge --out merged bad.jsonl
for n in 5 6 7; do
    also merge_bad "bad.jsonl:$n: no result"
done
lines merge_bad 30 merged
rm merged
: >empty.jsonl
expect merge_empty 0 "empty.jsonl is empty" "$vtegra" explore merge --out merged one.jsonl empty.jsonl
head -c 20000 ./results >binary.jsonl
printf x >torn.jsonl
rm merged
for file in binary torn; do
    expect merge_$file 125 "$file.jsonl has no line of vtegra explore" "$vtegra" explore merge --out merged one.jsonl $file.jsonl
done
for file in zero fifo; do
    expect merge_$file 125 "$file is no regular file" timeout 10 "$vtegra" explore merge --out merged $file
done
absent merge_refused merged
expect merge_to_device 125 "--out: full is no regular file" "$vtegra" explore merge --out full one.jsonl
expect merge_to_full 125 "cannot write to stdout: No space left on device" sh -c '"$@" >/dev/full' sh "$vtegra" explore merge one.jsonl
expect merge_limit 125 "File too large" sh -c 'ulimit -f 2; trap "" XFSZ; exec "$@"' sh "$vtegra" explore merge --out merged one.jsonl
absent merge_limit merged

# --- a link to a file stays one: /dev/stdout may be such a link
for name in merged schedule run; do
    rm -f $name.file && echo old >$name.file && ln -sf $name.file $name.link
done
expect merge_to_link 0 "" "$vtegra" explore merge --out merged.link one.jsonl
expect schedule_to_link 1 "smallest" "$vtegra" explore -j 1 --runs 1 --schedule schedule.link -- ./results fail
expect run_to_link 3 "" "$vtegra" run -q --policy seeded --schedule run.link -- ./results fail
for name in merged schedule run; do
    tests=$((tests + 1))
    [ -L $name.link ] && ! grep -q old $name.file && [ "$(wc -l <$name.file)" -gt 0 ] || fail "$name.link is no link any more, or leads to the old file"
done

# --- programs that are none, in run's words; a check that is none
printf 'text\n' >in.txt
chmod 644 in.txt
for command in "run" "explore --runs 1" "replay fail.schedule"; do
    # shellcheck disable=SC2086
    expect "not_executable $command" 126 "./in.txt is not executable" "$vtegra" $command -- ./in.txt
    # shellcheck disable=SC2086
    expect "no_program $command" 127 "no such program: ./none" "$vtegra" $command -- ./none
done
for check in "nosuchcmd 127" "./in.txt 126"; do
    expect "check $check" 125 "--check: the shell ended with ${check#* }" "$vtegra" explore -j 1 --runs 2 --out check.jsonl --check "${check% *}" -- ./results pass
    absent "check $check" check.jsonl
done
expect lines_to_full 125 "--lines: cannot write to stdout: No space left on device" sh -c '"$@" >/dev/full' sh "$vtegra" explore -j 1 --runs 2 --lines -- ./results pass
finish
