#!/bin/sh
# SPDX-License-Identifier: MIT
# The threads of a run are slow at random places, and nothing of it is seen: the same seed has the same schedule, trace and output
# as without. jitter.sh SOURCE_DIR BUILD_DIR PROGRAMS_DIR STRATEGIES SEEDS OBJECTS...
# The programs are those that sched/programs.sh has built.
set -eu
source=$1 build=$2 programs=$3 strategies=$4 seeds=$5
shift 5
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
unset VTEGRA_STRATEGY VTEGRA_DEPTH VTEGRA_LENGTH VTEGRA_SCHEDULE VTEGRA_RECORD VTEGRA_REPORT VTEGRA_JSON VTEGRA_TRACE \
    VTEGRA_SOC VTEGRA_OS VTEGRA_POLICY VTEGRA_SEED VTEGRA_EVICT VTEGRA_CHECK 2>/dev/null || true
mkdir -p "$dir/bin" "$dir/lib"
cp "$build/bin/vtegra" "$dir/bin/" # finds its libraries beside itself
ln -s "$build/share" "$build/include" "$dir/"
ln -s "$build"/lib/* "$dir/lib/"
rm "$dir/lib/libvtegra-preload.so"
# shellcheck disable=SC2046
cc -std=gnu17 -D_GNU_SOURCE -O1 -fPIC -fvisibility=hidden -I"$source" -shared "$source/tests/jitter/jitter.c" \
    $(echo "$*" | tr ';' ' ') -Wl,--wrap=real_futex_wait -Wl,--wrap=real_futex_wake -Wl,--wrap=pthread_setcancelstate \
    -Wl,--wrap=_dl_find_object -ldl -o "$dir/lib/libvtegra-preload.so"
tests=0 failed=0

# one NAME TREE PROGRAM...: what is said, how it ended, the schedule and the trace
one() {
    name=$1 tree=$2
    shift 2
    status=0
    timeout 120 "$tree/bin/vtegra" run -q --policy seeded --strategy $strategy --length 60 --seed $seed \
        --schedule "$dir/$name.schedule" --trace "$dir/$name.trace" -- "$@" >"$dir/$name.out" 2>&1 </dev/null || status=$?
    echo "status $status" >>"$dir/$name.out"
}

same() {
    for strategy in $strategies; do
        for seed in $seeds; do
            rm -f "$dir"/*.schedule "$dir"/*.trace "$dir"/*.out
            one still "$build" "$@"
            one slow "$dir" "$@"
            for what in out schedule trace; do
                tests=$((tests + 1))
                if [ -e "$dir/still.$what" ] && ! cmp -s "$dir/still.$what" "$dir/slow.$what"; then
                    echo "FAIL: $* ($strategy, seed $seed): another $what:"
                    diff "$dir/still.$what" "$dir/slow.$what" | head -5
                    failed=$((failed + 1))
                fi
            done
            [ -s "$dir/still.schedule" ] || { echo "FAIL: $*: no schedule" && failed=$((failed + 1)); }
        done
    done
}

# explored RUNS PROGRAM...: in copies of a process, too
explored() {
    runs=$1
    shift
    for tree in "$build" "$dir"; do
        rm -f "$dir/lines"
        "$tree/bin/vtegra" explore --runs "$runs" --length 60 --out "$dir/lines" -- "$@" >/dev/null 2>&1 || true
        "$tree/bin/vtegra" explore merge --out "$dir/lines.$(basename "$tree")" "$dir/lines"
    done
    tests=$((tests + 1))
    cmp "$dir/lines.$(basename "$build")" "$dir/lines.$(basename "$dir")" || {
        echo "FAIL: $*: explored, another result"
        failed=$((failed + 1))
    }
    [ "$(wc -l <"$dir/lines.$(basename "$dir")")" = "$runs" ] || { echo "FAIL: $*: not $runs lines" && failed=$((failed + 1)); }
}

cd "$programs"
same ./threads inside
same ./threads abba
same ./threads lost_wakeup
same ./lost_update
same ./streams
same ./flag_plain
same ./hostile c11
same ./hostile many
for way in burst vectors stack; do # loops and ticks; x86-64's registers are known
    [ "$(uname -m)" != x86_64 ] || same ./ticks $way
done
for way in pipe eventfd queue sigwait once callback kernels; do
    same ./handover $way
done
for way in c11_tries yields_for_a_sleeper; do
    same ./calls $way
done
same ./semop_order
for way in messages_full semops_of_two; do
    same ./calls $way
done
explored 10 ./threads abba
explored 10 ./lost_update
echo "$((tests - failed)) of $tests as expected"
[ $failed = 0 ]
