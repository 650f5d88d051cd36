#!/bin/sh
# SPDX-License-Identifier: MIT
# The scenario library at length: every scenario on every board it is for, under each of its policies; schedule-dependent
# ones by up to 1,000 seeds; every corrected twin by RUNS seeds. One JSON line a result (vtegra scenario run --json, with
# the key "job" in front). A sweep that was killed goes on where it stopped; shards are put together by cat and sort.
#
#   soak.sh [--shard I/N] [--runs RUNS] [--socs "tx2 orin thor"] [--out FILE] BUILD_DIR
#
# The exit status is 0 when every result of the file is as expected.
set -u
shard=1/1 runs=1000 out=soak.jsonl socs="nano tx2 xavier-nx xavier orin-nano orin-nx orin thor"
while [ $# -gt 1 ]; do
    case $1 in
    --shard) shard=$2 ;;
    --runs) runs=$2 ;;
    --socs) socs=$2 ;;
    --out) out=$2 ;;
    *)
        echo "soak.sh: no option $1" >&2
        exit 2
        ;;
    esac
    shift 2
done
if [ $# != 1 ] || [ ! -x "$1/bin/vtegra" ]; then
    echo "usage: soak.sh [--shard I/N] [--runs RUNS] [--socs SOCS] [--out FILE] BUILD_DIR" >&2
    exit 2
fi
vtegra=$1/bin/vtegra
i=${shard%/*} n=${shard#*/}
case $i$n in *[!0-9]*) i=0 n=0 ;; esac
if [ "$i" -lt 1 ] || [ "$i" -gt "$n" ]; then
    echo "soak.sh: --shard $shard must be I/N with I from 1 to N" >&2
    exit 2
fi
touch "$out" || exit 125
if [ -s "$out" ] && [ -n "$(tail -c 1 "$out")" ]; then
    sed -i '$d' "$out" # half a line: the sweep was killed while it was written
fi

# The jobs, always in the same order: SCENARIO SOC KIND, from the list itself.
jobs=$("$vtegra" scenario list --json | sed -n 's/.*"name":"\([^"]*\)".*"group":"\([^"]*\)".*"expected":{\(.*\)}}.*/\1 \2 \3/p' |
    while read -r name group expected; do
        for soc in $socs; do
            case $expected in *"\"$soc\":\""*) ;; *) continue ;; esac
            case $group in
            litmus | schedule-dependent) echo "$name $soc own" ;;
            *) for policy in lazy eager seeded; do echo "$name $soc $policy"; done ;;
            esac
            echo "$name $soc twin"
        done
    done)
number=0
echo "$jobs" | while read -r name soc kind; do
    number=$((number + 1))
    [ $((number % n)) = $((i % n)) ] || continue
    job="$name/$soc/$kind"
    grep -qF "{\"job\":\"$job\"," "$out" && continue
    case $kind in
    own) set -- --runs "$runs" ;;
    twin) set -- --twin --runs "$runs" ;;
    *) set -- --policy "$kind" ;;
    esac
    line=$("$vtegra" scenario run "$name" --soc "$soc" --json "$@" </dev/null 2>>"$out.log")
    [ -n "$line" ] && printf "%s\n" "{\"job\":\"$job\",${line#\{}" >>"$out"
done
total=$(wc -l <"$out")
bad=$(grep -c '"ok":false' "$out")
wanted=$(echo "$jobs" | awk -v i="$i" -v n="$n" 'NR % n == i % n { c++ } END { print c + 0 }')
echo "$total results of $wanted jobs in shard $shard, $bad not as expected"
grep '"ok":false' "$out" | sed 's/.*"job":"\([^"]*\)".*"found":\(\[[^]]*\]\).*"why":\("[^"]*"\).*/  \1 found \2: \3/'
[ "$bad" = 0 ] && [ "$total" -ge "$wanted" ]
