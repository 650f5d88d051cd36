#!/bin/sh
# SPDX-License-Identifier: MIT
# What the documents tell of time comes out of the model: CUDA for Tegra 3.2 (pinned memory that the CPU uses again), 3.3 (hints), 3.5 (who
# waits, and how), NVIDIA's article on NvSci (its advantage grows with the frames), and the precisions of a DLA by board. Comparisons
# within a board, never a number of ours. Usage: stories.sh BUILD_DIR
set -u
here=$(cd "$(dirname "$0")" && pwd)
vtegra=$(cd "$1" && pwd)/bin/vtegra
scenarios=$here/../../scenarios
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
"$vtegra" cc --track -O2 "$here/stories.cu" -o "$work/stories" &&
    "$vtegra" cc --track -O2 "$here/frames.cu" -o "$work/frames" -lcudla -lnvscisync -lnvscibuf -lnvsciipc &&
    "$vtegra" cc -O2 "$here/dla.c" -o "$work/dla" -lcudla &&
    "$vtegra" dla build "$scenarios/cudla_hybrid/network.json" -o "$work/network" || exit 2

# holds NAME EXPRESSION [VALUE=NUMBER...]
holds() {
    name=$1 expression=$2
    shift 2
    variables=
    for v in "$@"; do variables="$variables -v $v"; done
    # shellcheck disable=SC2086
    if ! awk $variables "BEGIN { exit !($expression) }"; then
        echo "FAIL $name: $expression is not so: $*" >&2
        failed=1
    fi
}

# run BOARD [OPTION...] -- PROGRAM...
run() {
    soc=$1
    shift
    "$vtegra" run -q --soc "$soc" "$@" 2>"$work/err" || { cat "$work/err" >&2 && exit 2; }
}

# 3.2: "drastic increase in the execution time of the readImage() function because it repeatedly accesses an uncached buffer"; where the
# CPU caches pinned memory there is none.
for soc in tx2 orin; do
    run $soc -- "$work/stories" pinned >"$work/out"
    # shellcheck disable=SC2046
    set -- $(awk '{ print $2, $3, $4, $5 }' "$work/out")
    case $soc in
    tx2) holds "3.2 on $soc" "pinned > 5 * unified && all_pinned > all_unified" pinned="$1" unified="$5" all_pinned="$4" all_unified="$8" ;;
    orin) holds "3.2 on $soc" "pinned < 1.1 * unified && unified < 1.1 * pinned" pinned="$1" unified="$5" ;;
    esac
done

# 3.3: "can be improved by providing data prefetching hints"; on QNX they do "not benefit performance".
run tx2 -- "$work/stories" hints >"$work/out"
holds "3.3 on tx2: the CPU works meanwhile" "hinted < plain" plain="$(awk '/^plain/ { print $2 }' "$work/out")" \
    hinted="$(awk '/^hinted/ { print $2 }' "$work/out")"
holds "3.3 on tx2: the results" "a == b" a="$(awk '/^plain/ { print $3 }' "$work/out")" b="$(awk '/^hinted/ { print $3 }' "$work/out")"
run orin --os qnx -- "$work/stories" hints >"$work/out"
holds "3.3 on qnx" "hinted >= plain" plain="$(awk '/^plain/ { print $2 }' "$work/out")" hinted="$(awk '/^hinted/ { print $2 }' "$work/out")"

# Published for Orin Nano (docs/timing.md, L2, M13, L1): in a loop that waits for nothing a graph of two kernels saves the second's start, and
# zero copy the change of engines; empty blocks take their time.
"$vtegra" cc -O2 "$here/timing.cu" -o "$work/timing" || exit 2
timed() { run orin-nano --check off -- "$work/timing" "$@"; }
holds "a graph of two kernels" "graph < two && two > one" one="$(timed rooms 6 dev)" two="$(timed rooms 6 two)" graph="$(timed rooms 6 graph-two)"
holds "a copy behind a kernel" "copied > 1.5 * mapped" copied="$(timed rooms 6 pin)" mapped="$(timed rooms 6 zc)"
holds "512 empty blocks" "many > 1.5 * one" one="$(timed launches 1 32)" many="$(timed launches 512 32)"

# 3.5: blocking "blocks the CPU thread", spinning has "low latency".
for flag in spin block; do
    us=$(run orin --json "$work/$flag.json" -- "$work/stories" waits $flag | awk '{ print $2 }')
    spun=$(sed -n 's/.*"wait_spinning_ns" *: *\([0-9]*\).*/\1/p' "$work/$flag.json")
    slept=$(sed -n 's/.*"wait_sleeping_ns" *: *\([0-9]*\).*/\1/p' "$work/$flag.json")
    case $flag in
    spin) holds "3.5: spinning" "spun > 0 && slept == 0" spun="$spun" slept="$slept" && spin_us=$us ;;
    block) holds "3.5: blocking" "slept > spun && us > spin_us" spun="$spun" slept="$slept" us="$us" spin_us="$spin_us" ;;
    esac
done

# The article: 4.45 times with 200 iterations, of a program that is not given. No number of ours is held against it.
for soc in xavier orin; do
    before=1
    for frames in 2 20 100; do
        copies=$(run $soc -- "$work/frames" "$work/network" copies $frames)
        nvsci=$(run $soc -- "$work/frames" "$work/network" nvsci $frames)
        holds "NvSci on $soc, $frames frames" "copies / nvsci > before" copies="$copies" nvsci="$nvsci" before="$before"
        before=$(awk -v a="$copies" -v b="$nvsci" 'BEGIN { print a / b }')
    done
done

# task BOARD PRECISION: a layer that is bound by its products
task() {
    sh "$here/layer.sh" "$2" conv 128 128 3 1 56 >"$work/layer.json" && "$vtegra" dla build "$work/layer.json" -o "$work/layer" >"$work/err" || exit 2
    run "$1" --check off -- "$work/dla" "$work/layer"
}
# NVIDIA's data sheet of Xavier: 5 TOPS in int8 a DLA, 2.5 TFLOPS in fp16; its FAQ: Orin's DLA has less fp16 than Xavier's, and more int8.
xavier8=$(task xavier int8) xavier16=$(task xavier fp16) orin8=$(task orin int8) orin16=$(task orin fp16)
holds "DLA: fp16 against int8 on Xavier" "half > 1.5 * byte && half < 2.2 * byte" half="$xavier16" byte="$xavier8"
holds "DLA: Orin against Xavier" "orin16 > xavier16 && orin8 < xavier8" orin16="$orin16" xavier16="$xavier16" orin8="$orin8" xavier8="$xavier8"
exit $failed
