#!/bin/sh
# SPDX-License-Identifier: MIT
# A network on the virtual DLA, from its description to a picture, and how to find the layer that went wrong.
# demo.sh [PHOTO.ppm]   (VTEGRA: the command to use, OUT: where files go)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
vtegra=${VTEGRA:-vtegra}
out=${OUT:-$(mktemp -d)}
mkdir -p "$out"

if [ $# -gt 0 ]; then
    photo=$1
else
    photo=$out/photo.ppm
    cc -O2 -o "$out/photo" "$here/../photo/photo.c"
    "$out/photo" 320 240 >"$photo"
fi
# Nothing is scaled on the way: the network gets the size of the photo (the second line of the file).
size=$(sed -n '2{s/^\([0-9]*\) \([0-9]*\)$/\2, \1/p;q}' "$photo")
sed "s/240, 320/${size:-240, 320}/" "$here/edges.json" >"$out/edges.json"

echo "==== build: from layers to a loadable for DLA 1 ===="
"$vtegra" dla build "$out/edges.json" -o "$out/edges.loadable"
"$vtegra" dla inspect "$out/edges.loadable" | sed -n '1,/^memories/p'

echo "==== run: as the hardware computes, bit by bit ===="
"$vtegra" dla run --soc xavier "$out/edges.loadable" --input "$photo" \
    --output "$out/edges.pgm" --output "$out/soft.ppm" --dump-layers "$out/layers"
ls "$out/layers"

echo
echo "==== diff: one weight of \"gradients\" is wrong; which layer shows it first? ===="
sed 's/-1, 0, 1,  -2, 0, 2,  -1, 0, 1,/-1, 0, 1,  -2, 1, 2,  -1, 0, 1,/' "$out/edges.json" >"$out/wrong.json"
"$vtegra" dla build "$out/wrong.json" -o "$out/wrong.loadable"
"$vtegra" dla run -q "$out/wrong.loadable" --input "$photo" --dump-layers "$out/wrong"
if "$vtegra" dla diff "$out/layers" "$out/wrong"; then
    exit 1
fi

echo
echo "Look at $out/edges.pgm and $out/soft.ppm, and at every layer's .npy in $out/layers."
