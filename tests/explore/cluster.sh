#!/bin/sh
# SPDX-License-Identifier: MIT
# An exploration in shards, as a Slurm array runs it: which seeds a task has, which shards are missing, and failing seeds by bug.
# scripts/slurm-test.sh runs it in a real Slurm. Usage: cluster.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
unset SLURM_ARRAY_TASK_ID SLURM_ARRAY_TASK_COUNT SLURM_ARRAY_TASK_MIN SLURM_ARRAY_TASK_MAX SLURM_ARRAY_TASK_STEP SLURM_CPUS_ON_NODE
by_clang cluster -g -O1 "$here/cluster.cu" -lpthread
build no_cuda c++ -x c++ -g -O1 "$here/cluster.cu" -lpthread
rm -f ./*.jsonl

# same NAME WHAT WANT
same() {
    tests=$((tests + 1))
    [ "$2" = "$3" ] || fail "$1: \"$2\", want \"$3\""
}

# --- one line a bug, with its number of seeds and the smallest of them, each counted here from the lines of the runs
expect all 1 "60 runs" "$vtegra" explore --runs 60 --out all.jsonl -- ./cluster
cp out all.out
summary() { # WHY
    grep -F "\"why\":\"$1\"" all.jsonl | sed 's/.*"seed":\([0-9]*\).*/\1/' | sort -n |
        awk 'NR == 1 { smallest = $1 } END { printf "%d seeds, the smallest %d: ", NR, smallest }'
}
line_of() {
    grep -n "/\* $1 \*/" "$here/cluster.cu" | cut -d: -f1
}
for bug in "$(summary "exit 1")exit 1" \
    "$(summary "exit 122")deadlock at explore/cluster.cu:$(line_of held), explore/cluster.cu:$(line_of wanted), "; do
    also all "$bug"
    expect "merged" 0 "$bug" "$vtegra" explore merge --out sorted.jsonl all.jsonl
done
expect no_cuda 1 ": deadlock at no_cuda+0x" "$vtegra" explore --runs 60 --out no_cuda.jsonl -- ./no_cuda
same "two bugs" "$(grep -c "the smallest" all.out)" 2
sed -n 's/^  vtegra \(run .*\)/\1/p' out >lines # the command of each bug: it has this bug again
for n in 1 2; do
    line=$(sed -n ${n}p lines)
    case $(grep -F "the smallest" out | sed -n ${n}p) in *deadlock*) status=122 ;; *) status=1 ;; esac
    # shellcheck disable=SC2086 # words of a command
    expect "bug $n by its line" $status "" "$vtegra" $line
done

"$vtegra" explore merge --out sorted.jsonl no_cuda.jsonl 2>/dev/null
# --- the tasks of an array are the shards, whatever their numbers; together they are the whole
for id in 10 12 14 16; do
    expect "task $id" 1 "shard $(((id - 8) / 2))/4, a task of a Slurm array" \
        env SLURM_ARRAY_TASK_ID=$id SLURM_ARRAY_TASK_COUNT=4 SLURM_ARRAY_TASK_MIN=10 SLURM_ARRAY_TASK_MAX=16 SLURM_ARRAY_TASK_STEP=2 \
        "$vtegra" explore --runs 60 --out s$id.jsonl -- ./no_cuda
done
expect merge_tasks 0 "60 runs" "$vtegra" explore merge --out tasks.jsonl s1?.jsonl
tests=$((tests + 1))
cmp tasks.jsonl sorted.jsonl || fail "the tasks of an array have other results than one process"
expect given 1 "60 runs" env SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=4 "$vtegra" explore --runs 60 --shard 1/1 -- ./no_cuda

# --- killed tasks: the shards that are missing are named as sbatch takes them, and --shards runs these alone
expect none_missing 0 "" "$vtegra" explore missing --runs 60 --shards 4 s1?.jsonl
head -c 1000 s12.jsonl >half.jsonl && mv half.jsonl s12.jsonl
rm s14.jsonl && : >s16.jsonl
expect missing 1 "2-4" "$vtegra" explore missing --runs 60 --shards 4 s10.jsonl s12.jsonl s14.jsonl s16.jsonl
for i in 2 3 4; do
    expect "task $i again" 1 "15 runs" env SLURM_ARRAY_TASK_ID=$i SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=2 \
        "$vtegra" explore --runs 60 --shards 4 --out s$((8 + 2 * i)).jsonl -- ./no_cuda
done
"$vtegra" explore merge --out again.jsonl s1?.jsonl 2>/dev/null
tests=$((tests + 1))
cmp again.jsonl sorted.jsonl || fail "killed tasks that ran again have other results"
"$vtegra" explore --runs 4 --strategy random --out other.jsonl -- ./no_cuda 2>/dev/null
expect missing_mixed 125 "another program" "$vtegra" explore missing --runs 60 --shards 4 no_cuda.jsonl other.jsonl

# --- what is no part is refused
bad() { # TEXT VARIABLE... -- ARGUMENTS
    text=$1
    shift
    expect "refused: $text" 125 "$text" env "$@" --runs 60 -- ./no_cuda
}
bad "is no number" SLURM_ARRAY_TASK_ID=x "$vtegra" explore
bad "not a whole range" SLURM_ARRAY_TASK_ID=9 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=9 "$vtegra" explore
bad "submit with --array=1-4" SLURM_ARRAY_TASK_ID=5 "$vtegra" explore --shards 4
bad "SLURM_ARRAY_TASK_ID is not set" "$vtegra" explore --shards 4
bad "--shards is from 1" SLURM_ARRAY_TASK_ID=1 "$vtegra" explore --shards 4 --shard 1/4
expect missing_alone 125 "are needed" "$vtegra" explore missing --runs 60 s10.jsonl

# --- a time budget: what began ends, the rest is left to the next call
expect budget 1 "the time budget of 1 s is over" "$vtegra" explore --runs 1000000 --budget 1 --out budget.jsonl -- ./no_cuda
also budget "the same command runs them"
finish
