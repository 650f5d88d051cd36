#!/bin/sh
# SPDX-License-Identifier: MIT
# A pipeline CPU, VIC, CUDA, CPU over NvSci and NvMedia 2D, three masters on one buffer. Right, it is silent on Xavier and Orin; without a barrier
# frames are wrong in every run where the board's caches make them so, and the finding names the buffer and who reads old bytes.
# Usage: nvmedia_pipeline.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
scenarios=$source/../../scenarios
file=nvmedia_pipeline/pipeline.cu
for header in image sci; do
    [ "$scenarios/sci/$header.h" -nt pipeline ] && rm -f pipeline
done
by_clang pipeline --track -g -O1 "$scenarios/$file" -lnvmedia2d -lnvscisync -lnvscibuf -lnvsciipc

# line MARK: where a finding is to be
line() {
    echo "$file:$(grep -n "MARK $1\$" "$scenarios/$file" | cut -d: -f1)"
}

# pipeline SOC POLICY BARRIER WRONG-FRAMES RULE BUFFER TEXT...: one barrier less
pipeline() {
    soc=$1 policy=$2 barrier=$3 frames=$4 rule=$5 buffer=$6
    shift 6
    expect "$soc $barrier" "$((frames > 0))" "$frames of 3 frames wrong" "$vtegra" run --soc "$soc" --policy "$policy" -- ./pipeline "$barrier"
    also "$soc $barrier" "rule $rule ("
    also "$soc $barrier" "buffer #$buffer (NvSciBufObjAlloc"
    for text in "$@"; do
        also "$soc $barrier" "$text"
    done
}

for soc in xavier orin; do
    for policy in lazy eager "seeded --seed 1"; do
        # shellcheck disable=SC2086
        expect "$soc $policy" 0 "0 of 3 frames wrong" "$vtegra" run --soc $soc --policy $policy -- ./pipeline
        also "$soc $policy" "Findings none"
    done
    vic="NvMedia2DCompose (no stream)"
    for policy in lazy eager; do
        pipeline $soc $policy filled-wait 3 race 1 "read by $vic and write by the CPU" "where $(line fill)"
    done
    pipeline $soc lazy converted-wait 3 race 2 "write by kernel invert_luma at $(line invert) (stream 1) and write by $vic" "EOF and pre-fences of an operation of NvMedia 2D"
    pipeline $soc lazy converted-memsync 2 stale-l2-invalidate-missing 2 \
        "the read by kernel invert_luma at $(line invert) (stream 1) after the write by $vic" "(128 times)" # luma of two frames, 32 rows of two warps
    pipeline $soc lazy done-memsync 3 stale-l2-clean-missing 2 "the read by the CPU after the write by kernel invert_luma at $(line invert)" \
        "where $(line luma)"
    pipeline $soc lazy done-wait 3 race 2 "read by the CPU and write by $vic" "where $(line luma)"
done

# Without hooks surfaces are closed to the CPU until it has waited (x86-64).
if [ -z "$sanitized" ] && [ "$(uname -m)" = x86_64 ]; then
    by_clang unhooked -g -O1 -fno-inline "$scenarios/$file" -lnvmedia2d -lnvscisync -lnvscibuf -lnvsciipc
    for policy in lazy eager; do
        expect "unhooked $policy" 0 "0 of 3 frames wrong" "$vtegra" run --soc orin --policy $policy -- ./unhooked
        also "unhooked $policy" "Findings none"
        expect "unhooked filled-wait $policy" 1 "3 of 3 frames wrong" "$vtegra" run --soc orin --policy $policy -- ./unhooked filled-wait
        also "unhooked filled-wait $policy" "read by NvMedia2DCompose (no stream) and write by the CPU"
        also "unhooked filled-wait $policy" "where $(line fill)"
        expect "unhooked xavier $policy" 0 "0 of 3 frames wrong" "$vtegra" run --soc xavier --policy $policy -- ./unhooked
        also "unhooked xavier $policy" "Findings none"
        expect "unhooked filled-flush $policy" 1 "3 of 3 frames wrong" "$vtegra" run --soc xavier --policy $policy -- ./unhooked filled-flush
        also "unhooked filled-flush $policy" "rule stale-cpu-clean-missing ("
        also "unhooked filled-flush $policy" "where $(line fill)"
        expect "unhooked done-flush $policy" 1 "2 of 3 frames wrong" "$vtegra" run --soc xavier --policy $policy -- ./unhooked done-flush
        also "unhooked done-flush $policy" "rule stale-cpu-invalidate-missing ("
        also "unhooked done-flush $policy" "where $(line chroma)"
    done
fi

# What the CPU maintains is of boards whose VIC does not see its caches.
pipeline xavier lazy filled-flush 3 stale-cpu-clean-missing 1 "the read by NvMedia2DCompose (no stream) after the write by the CPU" \
    "where $(line fill)" "NvSciBufObjFlushCpuCacheRange" "rule sci-flush-missing ("
pipeline xavier lazy done-flush 2 stale-cpu-invalidate-missing 2 "the read by the CPU after the write by NvMedia2DCompose (no stream)" \
    "where $(line chroma)" "NvSciBufObjFlushCpuCacheRange"
for barrier in filled-flush done-flush; do
    expect "orin $barrier" 0 "0 of 3 frames wrong" "$vtegra" run --soc orin -- ./pipeline $barrier
    also "orin $barrier" "Findings none"
done
finish
