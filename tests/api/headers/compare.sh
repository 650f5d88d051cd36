#!/bin/sh
# SPDX-License-Identifier: MIT
# compare.sh EXPECTED LAYOUT FUNCTIONS [NVIDIA_LAYOUT NVIDIA_FUNCTIONS]: what the programs print is EXPECTED.
set -e
expected=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
{ "$2"; "$3"; } >"$dir/ours"
diff "$expected" "$dir/ours"
[ $# -lt 5 ] && exit 0
{ "$4"; "$5"; } >"$dir/nvidia"
diff "$dir/nvidia" "$dir/ours"
