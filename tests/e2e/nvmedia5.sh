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
    for policy in lazy eager seeded; do
        for how in two-post "two-post blocks" two-acquire; do
            # shellcheck disable=SC2086
            expect "$how, $soc, $policy" 0 "0 wrong" timeout 60 "$vtegra" run --shared --soc $soc --policy $policy -- ./nvmedia5 $how
            also "$how, $soc, $policy" "Findings none"
        done
    done
done
# What is none: the documented code, and the frames beside it go through.
expect "bad input" 0 "0 wrong" "$vtegra" run --soc xavier -- ./nvmedia5 bad
also "bad input" "Findings none"

# Two GPUs: NvMedia's ends are on the integrated one, whose DRAM its images lie in; for the discrete one CUDA copies each frame.
for gpu in 0 1; do
    export GPU=$gpu
    for how in post "post planar" acquire two-post two-acquire; do
        shared=
        case $how in two-*) shared=--shared ;; esac
        for policy in lazy seeded; do
            # shellcheck disable=SC2086
            expect "$how, drive-pegasus, device $gpu, $policy" 0 "0 wrong" \
                timeout 60 "$vtegra" run $shared --soc drive-pegasus --policy $policy -- ./nvmedia5 $how
            also "$how, drive-pegasus, device $gpu, $policy" "Findings none"
            tests=$((tests + 1))
            tr -s '\n ' ' ' <out | grep -q "each frame of [0-9]* bytes is copied"
            [ $? = $gpu ] || fail "$how, drive-pegasus, device $gpu, $policy: is a frame copied?"
        done
    done
done
GPU=1 expect "blocks, drive-pegasus, device 1" 0 "0 wrong" "$vtegra" run --soc drive-pegasus -- ./nvmedia5 post blocks
# NVMEDIA_STATUS_NOT_SUPPORTED is 6 (nvmedia_core.h of DRIVE OS 5).
GPU=0 expect "blocks, drive-pegasus, device 0" 2 "NvMediaEglStreamProducerPostImage(p->end, p->image[n % IMAGES], NULL): 6" \
    "$vtegra" run --soc drive-pegasus -- ./nvmedia5 post blocks
unset GPU
expect "no VIC" 2 "has no VIC that is modelled" "$vtegra" run --soc thor -- ./nvmedia5 post
finish
