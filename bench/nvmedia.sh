#!/bin/sh
# SPDX-License-Identifier: MIT
# The comparison of NVIDIA's article on NvSci (published: 4.45 at 4096 x 4096 and 200 frames on Xavier) in virtual time: docs/nvmedia.md.
# bench/nvmedia.sh [BUILD_DIR [SIZE...]]     Frames are alike from the second on ("steady": the third and the fourth take the same time to 1 %),
# so that the time of 200 follows from two and three.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$here")
build=$(cd "${1:-$root/build/release}" && pwd) || exit 2
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- 1024 2048 4096
vtegra=$build/bin/vtegra
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
"$vtegra" cc --track -O2 "$here/nvmedia.cu" -lnvmedia2d -lnvscisync -lnvscibuf -lnvsciipc -o "$work/nvmedia" || exit 2

# virtual MODE SIZE FRAMES: nanoseconds of virtual time of the whole run, allocation and cleanup included
virtual() {
    "$vtegra" run -q --soc "${SOC:-xavier}" --check off --json "$work/run.json" -- "$work/nvmedia" "$@" || exit 2
    sed -n 's/.*"virtual_time_ns" *: *\([0-9]*\).*/\1/p' "$work/run.json" | head -1
}

printf '%-10s %-12s %12s %12s %9s %9s\n' size pipeline 'ms a frame' 'ms of 200' ratio steady
for size; do
    for mode in shared cached uncached; do
        two=$(virtual $mode "$size" 2) && three=$(virtual $mode "$size" 3) && four=$(virtual $mode "$size" 4) || exit 2
        [ $mode != shared ] || base="$two $three"
        echo "$size $mode $two $three $four $base"
    done
done | awk '{
    frame = $4 - $3; later = $5 - $4; all = $3 + 198 * frame; shared = $6 + 198 * ($7 - $6)
    steady = later > frame * 0.99 && later < frame * 1.01
    printf "%-10s %-12s %12.3f %12.1f %9.2f %9s\n", $1, $2, frame / 1e6, all / 1e6, all / shared, steady ? "yes" : "NO"
    bad += !steady
} END { exit bad > 0 }'
