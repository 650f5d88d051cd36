#!/bin/sh
# SPDX-License-Identifier: MIT
# A scenario of two GPUs and its twin, on both DRIVE profiles under three policies.
# Usage: drive.sh BUILD_DIR NAME
set -eu
vtegra=$1/bin/vtegra
name=$2
for policy in lazy eager seeded; do
    "$vtegra" scenario run "$name" --soc all --policy $policy --quiet
done
for soc in drive-px2 drive-pegasus; do
    "$vtegra" scenario run "$name" --twin --runs 3 --soc $soc --quiet
done
