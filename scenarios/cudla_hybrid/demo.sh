#!/bin/sh
# SPDX-License-Identifier: MIT
# GPU and DLA in one stream (CUDA for Tegra 5.1): builds the network and the program, runs both on two virtual boards, then shows
# what a board would not show: a task that hangs. demo.sh   (VTEGRA: the command to use, OUT: where files go)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
vtegra=${VTEGRA:-vtegra}
out=${OUT:-$(mktemp -d)}
mkdir -p "$out"
"$vtegra" dla build "$here/network.json" -o "$out/network.loadable"
"$vtegra" dla inspect "$out/network.loadable"
"$vtegra" cc --track -g "$here/hybrid.cu" -o "$out/hybrid" -lcudla
for soc in xavier orin; do
    echo
    echo "==== $soc ===="
    "$vtegra" run --soc $soc --report "$out/$soc.txt" -- "$out/hybrid" "$out/network.loadable"
    cat "$out/$soc.txt"
done
echo
echo "==== xavier, where the second task hangs: what does the program do? ===="
VTEGRA_DLA_HANG=2 "$vtegra" run --soc xavier --report "$out/hang.txt" -- "$out/hybrid" "$out/network.loadable" ||
    echo "it ended with status $?"
