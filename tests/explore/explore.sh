#!/bin/sh
# SPDX-License-Identifier: MIT
# Schedules: threads that take turns, explore, replay, shards. Usage: explore.sh BUILD_DIR WORK_DIR [long]
. "$(dirname "$0")/lib.sh"
runs=20 replays=3 shards=6 many=60
[ "$3" = long ] && runs=1000 replays=100 shards=16 many=200

build threads cc -g -O1 "$here/threads.c" -lpthread
build ticks cc -g -O1 "$here/ticks.c" -lpthread
by_clang lost_update --cuda-host-only --track -g "$here/lost_update.cu"
[ "$thorough" != long ] || by_clang lost_update_fixed --cuda-host-only --track -g -DFIXED "$here/lost_update.cu"
by_clang streams -g "$here/streams.cu"
by_clang streams_fixed -g -DFIXED "$here/streams.cu"
by_clang unwaited -g "$here/unwaited.cu"
by_clang flag_hooks --track -g "$here/flag_kernel.cu"
[ "$thorough" != long ] || by_clang flag_plain -g "$here/flag_kernel.cu"
by_clang flag_once --track -g "$here/flag_once.cu"

# --- threads wait as POSIX says, whatever the schedule
expect threads 0 "$runs runs, 0 failed" "$vtegra" explore --runs $runs -- ./threads all
expect threads_random 0 "$runs runs, 0 failed" "$vtegra" explore --runs $runs --strategy random -- ./threads all

# --- a kernel spins from one step to another and the CPU sets its flag: it is no deadlock, wherever the turns are
"$vtegra" run -q --policy seeded --schedule once.schedule -- ./flag_once >/dev/null 2>&1
for i in $(some 2 12 13 14 15 16 17 18 19 20); do
    for n in $(some 2 1 2 3 4); do
        grep -vE '^(evict|switch|end)' once.schedule >turns.schedule
        printf 'switch %d channel0\nswitch %d cpu0\nend\n' $i $((i + n)) >>turns.schedule
        expect "flag_once $i $n" 0 42 "$vtegra" replay turns.schedule -- ./flag_once
        not_there "flag_once $i $n" deadlock
    done
done

# --- deadlock, lost wakeup: found, told, and found again from the smallest schedule
rm -f abba.schedule
expect abba_found 1 "smallest: exit 122" "$vtegra" explore --runs $many --schedule abba.schedule -- ./threads abba
expect abba_told 122 "which thread 1 has held since threads+0x" "$vtegra" replay abba.schedule -- ./threads abba
also abba_told "waits for mutex"
expect lost_signal 1 "first failing seed" "$vtegra" explore --runs $many -- ./threads lost_signal
expect lost_wakeup 1 "(exit 122)" "$vtegra" explore --runs $many -- ./threads lost_wakeup
[ "$thorough" != long ] || expect livelock 122 "every thread only waits in a loop" "$vtegra" run --policy seeded -- ./threads livelock
expect livelock_spin 122 "only loops" "$vtegra" run --policy seeded -- ./threads spin

# --- how loops without calls are noticed disturbs nobody: ticks in a row, computations, one timer for each thread that lives
ways=timers
[ "$(uname -m)" = x86_64 ] && ways="timers burst vectors stack x87 far pointed blocked taken"
for seed in $(some 4 1 2 3 4); do
    for way in $ways; do
        expect "$way $seed" 0 "ticks end" "$vtegra" run -q --policy seeded --seed $seed -- ./ticks $way
    done
done
expect timers_of_copies 0 "4 runs, 0 failed" "$vtegra" explore --runs 4 -- ./ticks timers

# --- the lines are the program's, not those of the C++ library's headers; and the last thread is told whole
line_of() {
    grep -n "// $1\$" "$here/places.cu" | cut -d: -f1
}
for o in $(some 2 0 2); do
    by_clang places$o --cuda-host-only -g -O$o "$here/places.cu" -lpthread
    expect places$o 122 "deadlock" "$vtegra" run -q --policy seeded -- ./places$o
    also places$o "the end of thread 2 at explore/places.cu:$(line_of joined) in main; thread 1"
    also places$o "(created at explore/places.cu:$(line_of first) in main) waits for mutex"
    also places$o "(created at explore/places.cu:$(line_of second) in main) waits for mutex"
    also places$o "at explore/places.cu:$(line_of waits) in operator()"
    also places$o "at explore/places.cu:$(line_of wanted) in both, which thread 3 has held since explore/places.cu:$(line_of held) in both"
    also places$o "which thread 2 has held since explore/places.cu:$(line_of held) in both where"
    for word in bits/ libstdc++ condition_variable _ZNS; do
        not_there places$o "$word"
    done
    expect places_free$o 124 "at explore/places.cu:$(line_of wanted) in both" timeout 3 "$vtegra" run -q -- ./places$o
done

# --- locks taken in two orders are told in a run in which nobody waits for one, and only those
by_clang order --cuda-host-only -g -O1 -std=c++20 "$here/order.cu" -lpthread
for way in $(some 2 two three gate_of_one tried readers c11 wait heap main_frame again beside rounds philosophers); do
    for policy in lazy eager seeded; do
        in_turn 3 || continue
        expect "order $way $policy" 0 "lock-order (documented: POSIX, pthread_mutex_lock)" \
            timeout 60 "$vtegra" run --policy $policy -- ./order $way
        also "order $way $policy" ended
    done
done
for way in $(some 3 gate same_thread try timed readers heap_again init_again c11_init_again c11_destroy_again stack mains_stack joined joined_in_time barrier rounds semaphore philosophers); do
    for policy in lazy eager seeded; do
        in_turn 3 || continue
        expect "order ${way}_fine $policy" 0 ended timeout 60 "$vtegra" run --policy $policy -- ./order ${way}_fine
        not_there "order ${way}_fine $policy" lock-order
        not_there "order ${way}_fine $policy" elsewhere
    done
done
expect order_text 0 ended "$vtegra" run -- ./order two
order_line() {
    grep -n "// $1\$" "$here/order.cu" | cut -d: -f1
}
also order_text "takes mutex A at explore/order.cu:$(order_line first) in both and, holding it, mutex B at explore/order.cu:$(order_line second) in both; thread 2"
also order_text "takes mutex B at explore/order.cu:$(order_line first) in both and, holding it, mutex A at explore/order.cu:$(order_line second) in both where"
expect order_json 0 ended "$vtegra" run --json order.json -- ./order two
tests=$((tests + 1))
[ "$(grep -c '"rule" : "lock-order"' order.json)" = 1 ] || fail "order_json: $(cat order.json)"
# without the hearing of free() nobody knows which lock lies where another was: nothing is said of such
if [ "$thorough" = long ]; then
    by_clang own_free --cuda-host-only -g -O1 -std=c++20 -DOWN_FREE "$here/order.cu" -lpthread
    expect own_free 0 ended "$vtegra" run -- ./own_free heap
    not_there own_free lock-order
    expect own_free_static 0 lock-order "$vtegra" run -- ./own_free two
fi
# too many locks: said, and no slower for it; and a million times the same two
expect order_many 0 "not all of it was checked" timeout 60 "$vtegra" run -- ./order many_fine
[ "$thorough" != long ] || expect order_many_seeded 0 "not all of it was checked" timeout 120 "$vtegra" run --policy seeded -- ./order many_fine
[ "$thorough" != long ] || expect order_often 0 ended timeout 60 "$vtegra" run -- ./order often_fine

# --- what it was seen with is a command that shows it again: of the seed, and of the schedule
expect seen_with 122 "vtegra run --soc tx2 --os linux --policy seeded --evict never --seed 3 --strategy pct --depth 4 --length 50 -- ./places0 'a b'" \
    "$vtegra" run -q --soc tx2 --policy seeded --seed 3 --depth 4 --length 50 --evict never --schedule places.schedule -- ./places0 "a b"
cp out seen
line=$(sed -n 's/^ *seen with *vtegra run /run -q /p' out)
printf '%s\n' "expect seen_with_again 122 '' \"\$vtegra\" $line" >line
. ./line
tests=$((tests + 1))
cmp out seen || fail "seen_with_again: $(cat out)"
expect seen_with_schedule 122 "seen with     vtegra replay places.schedule -- ./places0 'a b'" "$vtegra" replay -q places.schedule -- ./places0 "a b"

# --- a run that crashes says how far it came, which is also how long PCT takes a run to be
rm -f crash.jsonl
expect crash 1 "3 failed" "$vtegra" explore --runs 3 --out crash.jsonl -- ./threads crash
tests=$((tests + 1))
[ "$(grep -c '"length":[0-9][0-9].*"steps":[0-9][0-9]' crash.jsonl)" = 3 ] || fail "crash: $(cat crash.jsonl)"

# --- a schedule of another program, board, argument: refused, not run
expect other_arguments 125 "other arguments" "$vtegra" replay abba.schedule -- ./threads all
expect other_board 125 "--soc" "$vtegra" replay abba.schedule --soc tx2 -- ./threads abba
cp threads changed && printf x >>changed
mkdir -p moved && cp changed moved/threads
expect other_program 125 "a program of SHA-256" "$vtegra" replay abba.schedule -- moved/threads abba
cp threads moved/of_a_longer_name_than_fifteen # the name is told whole, and is no matter where the program is the same
expect other_name 122 "waits for mutex" "$vtegra" replay abba.schedule -- moved/of_a_longer_name_than_fifteen abba
printf x >>moved/of_a_longer_name_than_fifteen
expect whole_name 125 "of_a_longer_name_than_fifteen is" "$vtegra" replay abba.schedule -- moved/of_a_longer_name_than_fifteen abba

# --- what it prints is a line for a shell: with the program and its arguments
expect printed 1 "first failing seed" "$vtegra" explore --runs $many --schedule "a b.schedule" -- ./threads abba "it's"
also printed "vtegra replay 'a b.schedule' -- ./threads abba 'it'"
sed -n '/^  vtegra gdb/d; s/^  vtegra \(.*\)/\1/p' out >lines
while IFS= read -r line; do
    printf '%s\n' "expect \"printed line\" 122 \"waits for mutex\" \"\$vtegra\" $line" >line
    . ./line
done <lines
tests=$((tests + 1))
[ "$(wc -l <lines)" = 2 ] || fail "printed: $(cat lines)"

# --- a run that takes too long is told apart from one that fails
expect slow 1 "2 runs, 0 failed, 2 took more than 1 s" "$vtegra" explore --runs 2 --timeout 1 -- ./threads slow

# --- main() only has to get its turns: threads that never end do not keep them all
for strategy in pct random; do
    expect endless_$strategy 0 "20 runs, 0 failed" "$vtegra" explore --runs 20 --timeout 20 --strategy $strategy -- ./threads endless
done
expect endless_unmeasured 0 "" timeout 60 "$vtegra" run -q --policy seeded --seed 1 -- ./threads endless
sed 's/^switch.*/switch 1 gpu0/' abba.schedule >bad.schedule
expect bad_schedule 125 "expected \"switch STEP AGENT\"" "$vtegra" replay bad.schedule -- ./threads abba
expect no_schedule 125 "No such file" "$vtegra" replay none.schedule -- ./threads abba

# --- the memory of the board: an update that gets lost, an order that is missing, each with its twin
explore="$vtegra explore --fail-on never"
expect lost_update 1 "first failing seed" $explore --runs 1000 --stop -- ./lost_update
also lost_update "vtegra gdb --at 1 --soc orin --os linux --policy seeded"
# the same seed, and the smallest schedule, fail by themselves too: both count their steps from main() on
rm -f lost_update.schedule
$explore --runs 1000 --stop --schedule lost_update.schedule -- ./lost_update >explored 2>&1
seed=$(sed -n 's/^  vtegra run \(.*\) -- .*/\1/p' explored)
# shellcheck disable=SC2086
expect lost_update_by_seed 1 "of 6" "$vtegra" run -q $seed -- ./lost_update
# shellcheck disable=SC2086
expect lost_update_by_seed_json 1 "of 6" "$vtegra" run -q $seed --json lost_update.json -- ./lost_update
expect lost_update_by_schedule 1 "of 6" "$vtegra" replay lost_update.schedule -q -- ./lost_update
not_there lost_update_by_schedule "did not follow"
[ "$thorough" != long ] || expect lost_update_fixed 0 "$runs runs, 0 failed" "$vtegra" explore --runs $runs -- ./lost_update_fixed
expect streams 1 "first failing seed" $explore --runs 1000 --stop --schedule streams.schedule -- ./streams
# The line that it prints is that run, and so is the schedule.
line=$(sed -n 's/^ *vtegra run \(.*\) -- .*/\1/p' out)
# shellcheck disable=SC2086
expect streams_by_seed 1 "" "$vtegra" run -q $line -- ./streams
expect streams_by_schedule 1 "" "$vtegra" replay -q streams.schedule -- ./streams
not_there streams_by_schedule "did not follow"
expect streams_fixed 0 "$runs runs, 0 failed" "$vtegra" explore --runs $runs -- ./streams_fixed

# --- a run that finds nothing writes no report, unless --check may want to read it
expect check_reads_report 0 "3 runs, 0 failed" "$vtegra" explore --runs 3 --check 'test -s "$VTEGRA_JSON" && test "$VTEGRA_STATUS" = 0' -- ./streams_fixed
rm -f found.jsonl
expect finding_fails_the_run 1 "first failing seed: 0 (finding unfinished-work)" "$vtegra" explore --runs 3 --fail-on warning --out found.jsonl -- ./unwaited
tests=$((tests + 1))
[ "$(grep -c '"findings":\["unfinished-work"\]' found.jsonl)" = 3 ] || fail "findings: $(cat found.jsonl)"

# --- a bug that does not depend on the order is said to be one
expect alike 1 "all 3 runs failed in the same way" "$vtegra" explore --runs 3 --fail-on warning -- ./unwaited
expect alike_once 1 "first failing seed: 5 (finding unfinished-work)" "$vtegra" explore --runs 1 --seed0 5 --fail-on warning -- ./unwaited
not_there alike_once "in the same way"

# --- a DLA's task queue is an agent, too: some seeds let the task run before the kernel that makes its input, some do not
by_clang dla_order --track -g -O1 "$here/dla_order.cu" -lcudla
[ "$thorough" != long ] || by_clang dla_order_fixed --track -DFIXED -g -O1 "$here/dla_order.cu" -lcudla
[ -e net.loadable ] || "$vtegra" dla build "$here/../../scenarios/cudla_hybrid/network.json" -o net.loadable || fail "no loadable"
rm -f dla.schedule
expect dla_order 1 "first failing seed" $explore --soc xavier --runs 30 --schedule dla.schedule -- ./dla_order net.loadable
not_there dla_order "30 failed"
not_there dla_order "in the same way"
[ "$thorough" != long ] || expect dla_order_fixed 0 "30 runs, 0 failed" $explore --soc xavier --runs 30 -- ./dla_order_fixed net.loadable
for n in 1 2; do
    expect dla_order_replayed 1 "old input" "$vtegra" replay -q dla.schedule --trace dla.$n -- ./dla_order net.loadable
    not_there dla_order_replayed "did not follow"
done
tests=$((tests + 2))
cmp dla.1 dla.2 || fail "two replays of one schedule of a DLA's queue differ"
rm -f queue.schedule
expect queue_chosen 1 "" "$vtegra" run -q --soc xavier --policy seeded --strategy random --seed 1 --schedule queue.schedule --trace dla.1 -- ./dla_order net.loadable
grep -q '^switch .* queue' queue.schedule || fail "no seed has chosen a DLA's queue"
rm -f board.socket
"$vtegra" board --socket board.socket --soc xavier >board.log 2>&1 & # the same choices over the wire
pid=$!
while [ ! -S board.socket ] && kill -0 $pid 2>/dev/null; do
    sleep 0.05
done
expect queue_on_board 1 "" "$vtegra" run -q --board board.socket --soc xavier --policy seeded --strategy random --seed 1 --trace dla.2 -- ./dla_order net.loadable
kill $pid
wait $pid 2>/dev/null
cmp dla.1 dla.2 || fail "a board in another process has another trace"

# --- both sides only poll: everybody gets on, with hooks and without
for program in $(some 2 flag_hooks flag_plain); do
    for policy in lazy eager seeded; do
        expect "$program $policy" 0 12 "$vtegra" run -q --policy $policy -- ./$program
    done
done

# --- one seed, one trace
for program in "lost_update" "threads all"; do
    n=0
    while [ $n -lt $replays ]; do
        # shellcheck disable=SC2086
        "$vtegra" run -q --policy seeded --seed 7 --trace trace.$n -- ./$program >printed.$n 2>&1
        tests=$((tests + 1))
        if ! cmp -s printed.0 printed.$n || { [ -e trace.0 ] && ! cmp -s trace.0 trace.$n; }; then
            fail "$program, run $n differs from run 0"
        fi
        n=$((n + 1))
    done
    rm -f trace.* printed.*
done

# --- one shard or many, killed in the middle and gone on with: the same lines
rm -f one.jsonl s*.jsonl
"$vtegra" explore --runs $many --out one.jsonl -- ./threads abba 2>/dev/null
i=1
while [ $i -le $shards ]; do
    if [ $i = 5 ]; then # killed in the middle, and gone on with
        "$vtegra" explore -j 1 --runs $many --shard $i/$shards --out s$i.jsonl -- ./threads abba 2>/dev/null &
        pid=$!
        while [ ! -s s$i.jsonl ] && kill -0 $pid 2>/dev/null; do
            sleep 0.005
        done
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
    fi
    "$vtegra" explore --runs $many --shard $i/$shards --out s$i.jsonl -- ./threads abba 2>/dev/null
    i=$((i + 1))
done
head -c 1500 s1.jsonl >torn && mv torn s1.jsonl # as a kill leaves it: half a line at the end
"$vtegra" explore --runs $many --shard 1/$shards --out s1.jsonl -- ./threads abba 2>/dev/null
rm -f killed.jsonl
"$vtegra" explore --runs $many --out killed.jsonl -- ./threads abba 2>/dev/null &
pid=$!
sleep 0.1
kill -9 $pid
wait $pid 2>/dev/null
"$vtegra" explore --runs $many --out killed.jsonl -- ./threads abba 2>/dev/null
"$vtegra" explore merge --out m1 one.jsonl
"$vtegra" explore merge --out m2 s*.jsonl
"$vtegra" explore merge --out m3 killed.jsonl one.jsonl
tests=$((tests + 3))
[ "$(wc -l <m1)" = $many ] || fail "one shard has $(wc -l <m1) lines"
cmp m1 m2 || fail "$shards shards give other lines than one"
cmp m1 m3 || fail "a killed exploration gives other lines"
finish
