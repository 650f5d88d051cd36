#!/bin/sh
# SPDX-License-Identifier: MIT
# Launches clusters of blocks on the virtual Thor as an H200 was asked to (golden/sync_oracle.c): codes, attributes, what each
# block sees of its cluster, and occupancy are what NVIDIA's driver answered.
# Usage: cluster_codes.sh SOURCE LIB GOLDEN CC [FLAG...]     the flags are the build's, a sanitizer's among them
set -eu
source=$1
lib=$2
golden=$3
shift 3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$@" -O1 -I"$source" -I"$source/include" "$source/tests/golden/sync_oracle.c" -o "$work/ask" -L"$lib" -lcuda
VTEGRA_SOC=thor VTEGRA_QUIET=1 VTEGRA_REPORT=/dev/null LD_LIBRARY_PATH=$lib "$work/ask" "$work/words" >"$work/ours"
if ! diff "$golden" "$work/ours"; then
    exit 1
fi
echo "$(wc -l <"$golden") answers as NVIDIA's"
