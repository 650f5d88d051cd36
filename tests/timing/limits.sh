#!/bin/sh
# SPDX-License-Identifier: MIT
# What no program passes, computed here from the profile alone: chains of loads by Little's law (few warps: each load takes the
# latency of DRAM; many: the bandwidth), chains that all warps share, and a kernel, a copy engine and two DLAs that together never draw
# more than the DRAM's ceiling. Usage: limits.sh BUILD_DIR
set -u
here=$(cd "$(dirname "$0")" && pwd)
vtegra=$(cd "$1" && pwd)/bin/vtegra
profiles=$here/../../profiles
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
failed=0
"$vtegra" cc -O2 "$here/limits.cu" -o "$work/limits" -lcudla &&
    sh "$here/layer.sh" fp16 fc 2048 2048 >"$work/layer.json" && "$vtegra" dla build "$work/layer.json" -o "$work/layer" >/dev/null || exit 2

# figure BOARD SECTION KEY
figure() {
    awk -v s="[$2]" -v k="$3" '/^\[/ { in_ = $0 == s } in_ && $1 == k { print $3 }' "$profiles/$1.profile"
}

run() {
    "$vtegra" run -q --check off --evict lru --soc "$@" 2>"$work/err" || { cat "$work/err" >&2 && exit 2; }
}

# holds NAME EXPRESSION VALUE=NUMBER...
holds() {
    name=$1 expression=$2
    shift 2
    variables=
    for v in "$@"; do variables="$variables -v $v"; done
    # shellcheck disable=SC2086
    awk $variables "BEGIN { exit !($expression) }" || { echo "FAIL $name: $expression is not so: $*" >&2 && failed=1; }
}

# Concurrency = latency x throughput: W warps with a line of 128 bytes each on its way. An instruction or two a load are in the 10 %.
lines=256
for soc in orin tx2; do
    latency=$(awk -v c="$(figure $soc timing gpu_dram_cycles)" -v khz="$(figure $soc gpu clock_khz)" 'BEGIN { print c * 1000 / khz }') # us
    rate=$(awk -v mb="$(figure $soc memory bandwidth_mb_s)" -v p="$(figure $soc timing gpu_permille)" 'BEGIN { print mb * p / 1000 }') # bytes a us
    for warps in 1 8 64 256; do
        resident=$(awk -v w=$warps -v sms="$(figure $soc gpu sm_count)" -v b="$(figure $soc gpu sm_blocks_max)" 'BEGIN { print w < sms * b ? w : sms * b }')
        us=$(run $soc -- "$work/limits" chain $warps $lines)
        holds "chains of $warps warps on $soc" "us > 0.9 * want && us < 1.1 * want" us="$us" want="$(awk -v w=$warps -v l=$lines \
            -v lat="$latency" -v rate="$rate" -v r="$resident" \
            'BEGIN { a = w / r * l * lat; b = w * l * 128 / rate; print (a > b ? a : b) }')"
    done
done

# Side by side, warps of one SM ask for the same line at once and all wait for it: as long as one warp alone, though the L1 answers
# all but the first. Blocks for which there is room only later find every line there: an instruction or a few a line.
latency=$(awk -v c="$(figure orin timing gpu_l2_hit_cycles)" -v khz="$(figure orin gpu clock_khz)" 'BEGIN { print c * 1000 / khz }')
want=$(awk -v l=$lines -v lat="$latency" 'BEGIN { print l * lat }')
for warps in 16 256; do
    holds "a chain of $warps warps" "us > 0.9 * want && us < 1.1 * want" us="$(run orin -- "$work/limits" shared $warps $lines)" want="$want"
done
holds "the same again" "us > want && us < 1.25 * want" us="$(run orin -- "$work/limits" shared 512 $lines)" want="$want"

# The two DLAs alone are below the ceiling, the kernel and the copy each near it: together they take what all bytes take.
run orin -- "$work/limits" together "$work/layer" 8388608 >"$work/out"
read -r bytes kernel copy dlas all <"$work/out"
ceiling=$(awk -v mb="$(figure orin memory bandwidth_mb_s)" -v p="$(figure orin timing dram_permille)" 'BEGIN { print mb * p / 1000 }')
holds "together" "bytes / all <= 1.01 * ceiling && bytes / all > 0.75 * ceiling" bytes="$bytes" all="$all" ceiling="$ceiling"
holds "together" "all > kernel && all > copy && all > dlas && all < kernel + copy + dlas" all="$all" kernel="$kernel" copy="$copy" dlas="$dlas"
exit $failed
