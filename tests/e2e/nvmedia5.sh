#!/bin/sh
# SPDX-License-Identifier: MIT
# NvMedia of DRIVE OS 5 and CUDA at the ends of an EGLStream, in one process and in two: the VIC's, CUDA's and the CPU's pictures are the
# same bytes, without a finding.
# Usage: nvmedia5.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
ldconfig -p 2>/dev/null | grep -q libEGL_mesa.so.0 || { echo "skipped: no libegl-mesa0 (scripts/install-deps.sh)"; exit 77; }
by_clang nvmedia5 --track -g -O1 -I"$lib/../include/drive-os-5" "$source/nvmedia5.cu" -lnvmedia -lcuda -lEGL
for soc in xavier orin; do
    for policy in lazy eager seeded; do
        for how in post "post blocks" "post planar" acquire; do
            # shellcheck disable=SC2086
            expect "$how, $soc, $policy" 0 "0 wrong" "$vtegra" run --soc $soc --policy $policy -- ./nvmedia5 $how
            also "$how, $soc, $policy" "Findings none"
        done
    done
    for policy in lazy eager; do
        for how in two-post "two-post blocks" two-acquire; do
            # shellcheck disable=SC2086
            expect "$how, $soc, $policy" 0 "0 wrong" timeout 60 "$vtegra" run --shared --soc $soc --policy $policy -- ./nvmedia5 $how
            also "$how, $soc, $policy" "Findings none"
        done
    done
done
expect "no VIC" 2 "has no VIC that is modelled" "$vtegra" run --soc thor -- ./nvmedia5 post
finish
