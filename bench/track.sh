#!/bin/sh
# SPDX-License-Identifier: MIT
# track.sh BUILD_DIR [REPEAT]: cost of compiler hooks and of the checker, as ratios. Goals: hook on private memory at
# most 3 times a bare access, on shared memory at most 20 times, checker on at most 3 times the hook alone.
set -eu
build=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
vtegra=$build/bin/vtegra
"$vtegra" cc -O2 -g "$here/track.c" -o "$dir/bare" 2>"$dir/log" || { cat "$dir/log"; exit 1; }
"$vtegra" cc --track -O2 -g "$here/track.c" -o "$dir/hooked" 2>"$dir/log" || { cat "$dir/log"; exit 1; }
run() {
    "$vtegra" run --quiet --check "$1" -- "$dir/$2" "${3:-8}" 2>/dev/null
}
bare=$(run off bare "${2:-8}")
hook=$(run off hooked "${2:-8}")
check=$(run on hooked "${2:-8}")
echo "$bare $hook $check" | awk '{
    printf "private memory: bare %.2f ns, hook %.2f ns, ratio %.1f (goal 3)\n", $1, $3, $3 / $1
    printf "shared memory:  bare %.2f ns, hook %.2f ns, ratio %.1f (goal 20)\n", $2, $4, $4 / $2
    printf "shared memory:  checker %.2f ns, %.1f times the hook (goal 3)\n", $6, $6 / $4
}'
