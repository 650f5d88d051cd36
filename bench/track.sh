#!/bin/sh
# SPDX-License-Identifier: MIT
# track.sh BUILD_DIR [REPEAT [RUNS]]: cost of compiler hooks and of the checker, as ratios. Goals: hook on private memory at
# most 3 times a bare access, on shared memory at most 20 times, checker on at most 3 times the hook alone. CPU time,
# the best of RUNS turns of the three, so that other work on the machine changes little.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
vtegra=$build/bin/vtegra
"$vtegra" cc -O2 -g "$here/track.c" -o "$dir/bare" 2>"$dir/log" || { cat "$dir/log"; exit 1; }
"$vtegra" cc --track -O2 -g "$here/track.c" -o "$dir/hooked" 2>"$dir/log" || { cat "$dir/log"; exit 1; }
run() {
    "$vtegra" run --quiet --check "$1" -- "$dir/$2" "$repeat" 2>/dev/null
}
repeat=${2:-16}
n=${3:-5}
while [ "$n" -gt 0 ]; do
    echo "$(run off bare) $(run off hooked) $(run on hooked)"
    n=$((n - 1))
done | awk '
    { for (i = 1; i <= NF; i++) { best[i] = NR == 1 || $i < best[i] ? $i : best[i] } }
    END {
        printf "private memory: bare %.2f ns, hook %.2f ns, ratio %.1f (goal 3)\n", best[1], best[3], best[3] / best[1]
        printf "shared memory:  bare %.2f ns, hook %.2f ns, ratio %.1f (goal 20)\n", best[2], best[4], best[4] / best[2]
        printf "shared memory:  checker %.2f ns, %.1f times the hook (goal 3)\n", best[6], best[6] / best[4]
    }'
