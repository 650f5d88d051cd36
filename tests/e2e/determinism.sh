#!/bin/sh
# SPDX-License-Identifier: MIT
# The same program, board, policy and seed: the same trace and the same report, byte for byte; five times in a row (twice in ./check), with
# another environment, folder and address randomisation, and, with OTHER_BUILD_DIR, in another compiler's vtegra.
# Usage: determinism.sh BUILD_DIR WORK_DIR [long|OTHER_BUILD_DIR]
. "$(dirname "$0")/lib.sh"
other=
[ -z "$3" ] || [ "$3" = long ] || { other=$3 && thorough=long; }
by_clang features -g -DNO_MANAGED_VARIABLES "$source/features.cu"
by_clang vadd -g "$source/vadd.cu"
by_clang bad -g "$source/bad.cu" -lcuda

# same NAME A B
same() {
    tests=$((tests + 1))
    if [ ! -s "$3" ]; then
        fail "$1: $3 is missing or empty"
    elif ! cmp -s "$2" "$3"; then
        fail "$1 differs:"
        cmp "$2" "$3"
        diff "$2" "$3" | head -6
    fi
}

# run_once VTEGRA N PROGRAM...: trace.N report.N json.N out.N
run_once() {
    command=$1 n=$2
    shift 2
    # shellcheck disable=SC2086
    "$command" run -q $options --trace "$work/trace.$n" --report "$work/report.$n" --json "$work/json.$n" -- "$@" \
        >"$work/out.$n" 2>/dev/null
}

all_same() {
    for what in trace report json out; do
        same "$1, $what" "$work/$what.1" "$work/$what.$2"
    done
}

for program in "features" "vadd" "bad out_of_bounds" "bad touch_managed"; do
    # shellcheck disable=SC2086
    set -- $program
    name=$1 argument=$2
    path=$work/$name
    for options in "--soc tx2" "--soc orin --policy eager" "--soc tx2 --policy seeded --seed 7 --evict seeded"; do
        [ "$program" = features ] || [ "$options" = "--soc tx2" ] || [ "$program" = vadd ] || continue
        # shellcheck disable=SC2086
        run_once "$vtegra" 1 "$path" $argument
        for n in $(some 4 2 3 4 5); do
            # shellcheck disable=SC2086
            run_once "$vtegra" $n "$path" $argument
            all_same "$program $options, run $n" $n
        done
        mkdir -p other/folder
        # shellcheck disable=SC2086
        (cd other/folder && LONG=$(head -c 9000 /dev/zero | tr '\0' x) run_once "$vtegra" 6 "$path" $argument)
        all_same "$program $options, other environment and folder" 6
        if [ -n "$other" ]; then
            # The program finds its libraries by the path that vtegra run sets.
            # shellcheck disable=SC2086
            run_once "$other/bin/vtegra" 7 "$path" $argument
            all_same "$program $options, other compiler's vtegra" 7
        fi
    done
done

# Threads, under the seed, with hooks: each decision and each access in the trace.
if [ -z "$sanitized" ]; then
    by_clang lost_update --track -g "$source/../explore/lost_update.cu"
    for seed in $(some 2 7 8); do
        options="--soc orin --policy seeded --seed $seed"
        run_once "$vtegra" 1 "$work/lost_update"
        for n in $(some 2 2 3); do
            run_once "$vtegra" $n "$work/lost_update"
            all_same "lost_update, seed $seed, run $n" $n
        done
        if [ -n "$other" ]; then
            run_once "$other/bin/vtegra" 7 "$work/lost_update"
            all_same "lost_update, seed $seed, other compiler's vtegra" 7
        fi
    done
fi

# With address randomisation, as a program that is started without vtegra run has it.
if [ -z "$sanitized" ]; then
    options="--soc tx2"
    for name in features vadd; do
        run_once "$vtegra" 1 "$work/$name"
        for n in $(some 2 8 9); do
            LD_LIBRARY_PATH=$lib VTEGRA_SOC=tx2 VTEGRA_OS=linux VTEGRA_POLICY=lazy VTEGRA_QUIET=1 VTEGRA_TRACE=$work/trace.$n \
                VTEGRA_REPORT=$work/report.$n VTEGRA_JSON=$work/json.$n LD_PRELOAD=$lib/libvtegra-preload.so \
                "$work/$name" >out.$n 2>/dev/null
            all_same "$name with address randomisation" $n
        done
    done
fi
# Different seeds do differ, or nothing was drawn.
options="--soc tx2 --policy seeded --seed 1 --evict seeded"
run_once "$vtegra" 1 "$work/features"
options="--soc tx2 --policy seeded --seed 2 --evict seeded"
run_once "$vtegra" 2 "$work/features"
tests=$((tests + 1))
cmp -s trace.1 trace.2 && fail "seeds 1 and 2 give the same trace"
finish
