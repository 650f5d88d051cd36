#!/bin/sh
# SPDX-License-Identifier: MIT
# One layer for vtegra dla build, as published one-layer networks have them (a convolution, its batch norm and ReLU).
#   layer.sh PRECISION conv IN OUT SIZE STRIDE SIDE | dw CHANNELS SIZE STRIDE SIDE | fc IN OUT
set -eu
precision=$1 type=$2
shift 2
case $type in
conv) in=$1 kernels=$2 size=$3 stride=$4 side=$5 groups=1 ;;
dw) in=$1 kernels=$1 size=$2 stride=$3 side=$4 groups=$1 ;;
fc) in=$1 kernels=$2 side=1 ;;
*) sed -n '4s/^# *//p' "$0" >&2 && exit 2 ;;
esac
layer="\"type\": \"fully_connected\""
[ "$type" = fc ] ||
    layer="\"type\": \"conv\", \"size\": $size, \"stride\": $stride, \"pad\": $((size / 2)), \"groups\": $groups"
cat <<JSON
{ "precision": "$precision", "input": { "name": "x", "shape": [$in, $side, $side] },
  "layers": [ { "name": "y", $layer, "kernels": $kernels, "weights": { "seed": 1, "min": -64, "max": 64 },
    "bias": { "seed": 2, "min": -64, "max": 64 }, "activation": "relu" } ] }
JSON
