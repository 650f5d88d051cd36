#!/bin/sh
# SPDX-License-Identifier: MIT
# Do two builds behave the same? Runs every scenario of the library, the mistake and its corrected twin, with both builds and
# compares trace, JSON report, text report, exit status and standard output byte for byte. A change that must not be seen
# (a faster data structure, a moved folder) is checked by this.
#
#   compare_builds.sh [--socs "tx2 orin thor"] [--policies "lazy eager seeded"] [--jobs N] [--full] BUILD_A BUILD_B [NAME...]
#
# Options may also follow the builds. Programs are built once, by BUILD_A's vtegra cc, and run with both builds; `seeded` is
# --seed 1; a litmus text is compared by the JSON of vtegra litmus. --full: every class of trace records
# (VTEGRA_TRACE_CLASSES=all). Programs with threads of their own run under `seeded` only: elsewhere the host orders their calls
# (docs/reproduce.md).
# One line a difference: SCENARIO SOC POLICY VARIANT: what, then the first line that differs of A (<) and B (>). A run that
# differs between two runs of BUILD_A as well says "unstable": it shows nothing about BUILD_B, and is counted apart.
# The exit status is 0 when all is the same, 1 on a difference or when nothing was compared, 2 for a wrong argument, 125 when
# a program cannot be built.
set -u
unset VTEGRA_SOC VTEGRA_EDITION VTEGRA_OS VTEGRA_POLICY VTEGRA_SEED VTEGRA_EVICT VTEGRA_CHECK VTEGRA_DEPTH VTEGRA_LENGTH VTEGRA_STRATEGY \
    VTEGRA_REPORT VTEGRA_JSON VTEGRA_TRACE VTEGRA_QUIET VTEGRA_RECORD VTEGRA_STEP_LIMIT VTEGRA_PLACES VTEGRA_BACKEND \
    VTEGRA_JSON_IF_FOUND VTEGRA_PROFILES VTEGRA_CLANG VTEGRA_BOARD

# --- one program, one run: called again by xargs, with `work`, `a`, `b` in the environment -----------------------------------

# key CONF NAME
key() {
    sed -n "s/^$2 = //p" "$1"
}

# build_one NAME: the program, and the network that it reads
build_one() {
    dir=$source/scenarios/$1
    libraries=$(key "$dir/scenario.conf" libraries | sed 's/[^ ][^ ]*/-l&/g')
    network=$(key "$dir/scenario.conf" network)
    # shellcheck disable=SC2086
    "$a/bin/vtegra" cc --track -g -O1 -fno-inline "$dir/$1.cu" -o "$work/programs/$1" $libraries \
        >"$work/programs/$1.log" 2>&1 || exit 1
    [ -z "$network" ] || "$a/bin/vtegra" dla build "$dir/$network" -o "$work/programs/$1.loadable" \
        >"$work/programs/$1.log" 2>&1 || exit 1
    rm "$work/programs/$1.log"
}

# limited COMMAND...: at most 120 s, and not longer than this script: timeout makes a process group of its own, which has neither
# Ctrl-C nor the end of the pool's group.
limited() {
    timeout 120 "$@" &
    child=$!
    wait "$child"
}

# run BUILD OUT NAME SOC POLICY VARIANT OS: what there is to compare, in files of the folder OUT. The files are written to the
# same place in every run, should a report name them.
run() {
    build=$1 out=$2
    shift 2
    mkdir -p files "$out"
    rm -f files/* "$out"/*
    status=0
    if [ "$3" = exhaustive ]; then
        limited "$build/bin/vtegra" litmus --json --soc "$2" "$(cat "$work/programs/$1.$4")" \
            >files/stdout 2>/dev/null </dev/null || status=$?
    else
        program=$work/programs/$1 loadable="" fixed=""
        [ ! -f "$program.loadable" ] || loadable=$program.loadable
        [ "$4" != fixed ] || fixed=fixed
        limited "$build/bin/vtegra" run --soc "$2" --os "$5" --policy "$3" --seed 1 --trace files/trace \
            --json files/json --report files/report -- "$program" ${loadable:+"$loadable"} ${fixed:+"$fixed"} \
            >files/stdout 2>/dev/null </dev/null || status=$?
    fi
    echo "$status" >files/status
    mv files/* "$out/"
}

# difference X Y: the first file that differs, and the lines of both; nothing when all is the same
difference() {
    for what in status stdout trace json report; do
        [ -e "$1/$what" ] || [ -e "$2/$what" ] || continue
        cmp -s "$1/$what" "$2/$what" && continue
        echo "$what"
        [ -e "$1/$what" ] || { echo "    only B has it" && return; }
        [ -e "$2/$what" ] || { echo "    only A has it" && return; }
        diff -a "$1/$what" "$2/$what" | grep -a '^[<>]' | awk '
            /^</ && !a { a = 1; print "    " substr($0, 1, 300) }
            /^>/ && !b { b = 1; print "    " substr($0, 1, 300) }'
        return
    done
}

# compare_one "NAME SOC POLICY VARIANT OS"
compare_one() {
    child=''
    trap '[ -z "$child" ] || kill -KILL "-$child" "$child" 2>/dev/null; exit 143' TERM
    # shellcheck disable=SC2086
    set -- $1
    job=$work/jobs/$1.$2.$3.$4
    mkdir -p "$job" && cd "$job" || exit 2
    run "$a" a "$@"
    run "$b" b "$@"
    found=$(difference a b)
    result=same
    if [ "$(cat a/status)" = 124 ]; then
        result=timeout
        found="A did not end in 120 s"
    elif [ -n "$found" ]; then
        result=differs
        for again in 1 2; do
            run "$a" again "$@"
            unstable=$(difference a again)
            [ -z "$unstable" ] || {
                result=unstable
                found="A differs from A (run $again): $unstable"
                break
            }
        done
    fi
    [ "$result" = same ] || echo "$1 $2 $3 $4: $result: $found" # one write: lines of two jobs do not mix
    echo "$result" >>"$work/results"
    cd "$work" && rm -rf "$job"
}

case ${1:-} in
--build-one) build_one "$2"; exit 0 ;;
--compare-one) compare_one "$2"; exit 0 ;;
esac

# --- arguments -------------------------------------------------------------------------------------------------------------

usage() {
    sed -n 's/^#   \(compare_builds.sh.*\)/usage: \1/p' "$0" >&2
    exit 2
}
socs="tx2 orin thor" policies="lazy eager seeded" jobs=2 a='' b='' names=' '
while [ $# -gt 0 ]; do
    case $1 in
    --socs | --policies | --jobs) [ $# -ge 2 ] || usage ;;
    esac
    case $1 in
    --socs) socs=$2 && shift ;;
    --policies) policies=$2 && shift ;;
    --jobs) jobs=$2 && shift ;;
    --full) export VTEGRA_TRACE_CLASSES=all ;;
    -*) usage ;;
    *) if [ -z "$a" ]; then a=$1; elif [ -z "$b" ]; then b=$1; else names="$names$1 "; fi ;;
    esac
    shift
done
for build in "$a" "$b"; do
    [ -x "$build/bin/vtegra" ] || { echo "compare_builds.sh: no build: \"$build/bin/vtegra\" is missing" >&2; usage; }
done
a=$(cd "$a" && pwd) b=$(cd "$b" && pwd) source=$(cd "$(dirname "$0")/.." && pwd)
self=$source/tests/compare_builds.sh
work=$(mktemp -d)
pool=''
trap 'rm -rf "$work"' EXIT
trap 'stop 130' INT
trap 'stop 143' TERM
export a b source work
mkdir "$work/programs" "$work/jobs"
: >"$work/results"

# all_of FILE STEP: the step for each line of the file, as many at a time as wanted. In the background: a shell takes a signal in
# `wait` at once, but a command in the foreground has to end first.
all_of() {
    setsid xargs -P "$jobs" -I LINE "$self" "$2" LINE <"$1" &
    pool=$!
    wait "$pool"
}

# stop STATUS: with everything that was begun
stop() {
    trap '' INT TERM
    [ -z "$pool" ] || kill -TERM "-$pool" 2>/dev/null
    for tenth in 1 2 3 4 5 6 7 8 9 10; do # what still runs may write to "$work"
        [ -n "$pool" ] && kill -0 "-$pool" 2>/dev/null && sleep 0.1
    done
    exit "$1"
}

# --- what there is to run --------------------------------------------------------------------------------------------------

# NAME GROUP OS SOCS: from the library's own list
"$a/bin/vtegra" scenario list --json |
    sed -n 's/.*"name":"\([^"]*\)".*"group":"\([^"]*\)".*"os":"\([^"]*\)".*"expected":{\(.*\)}}.*/\1 \2 \3 \4/p' >"$work/list"
for name in $names; do
    grep -q "^$name " "$work/list" || { echo "compare_builds.sh: no scenario \"$name\"" >&2; exit 2; }
done
while read -r name group os expected; do
    [ "$names" = ' ' ] || case $names in *" $name "*) ;; *) continue ;; esac
    own=$policies
    [ "$group" != litmus ] || own=exhaustive
    if grep -q '<thread>\|<pthread.h>' "$source/scenarios/$name/$name.cu" 2>/dev/null; then
        case " $policies " in *" seeded "*) own=seeded ;; *) continue ;; esac
    fi
    for soc in $socs; do
        case $expected in *"\"$soc\":\""*) ;; *) continue ;; esac # absent there
        for policy in $own; do
            for variant in mistake fixed; do
                echo "$name $soc $policy $variant $os"
            done
        done
    done
    if [ "$group" = litmus ]; then
        for variant in mistake:litmus fixed:twin; do
            dir=$source/scenarios/$name
            echo "$dir/$(key "$dir/scenario.conf" "${variant#*:}")" >"$work/programs/$name.${variant%:*}"
        done
    else
        echo "$name" >>"$work/build"
    fi
done <"$work/list" >"$work/todo"
wanted=$(wc -l <"$work/todo")
[ "$wanted" -gt 0 ] || { echo "compare_builds.sh: nothing to compare" >&2; exit 1; }

if [ -s "$work/build" ] && ! all_of "$work/build" --build-one; then
    cat "$work/programs"/*.log >&2
    exit 125
fi
all_of "$work/todo" --compare-one

# --- the sum ---------------------------------------------------------------------------------------------------------------

count() {
    grep -c "^$1\$" "$work/results"
}
echo "$(count same) of $wanted runs are the same, $(count differs) differ, $(count unstable) are unstable in A," \
    "$(count timeout) did not end"
[ "$(count differs)" = 0 ] && [ "$(count timeout)" = 0 ] && [ $(($(count same) + $(count unstable))) = "$wanted" ]
