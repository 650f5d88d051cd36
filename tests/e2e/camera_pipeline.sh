#!/bin/sh
# SPDX-License-Identifier: MIT
# Camera, CUDA filter, CUDA consumer over two EGLStreams. Right, it is silent; with a synchronisation less a finding comes under each policy, and
# under lazy the wrong answer where a board could give it.
# Usage: camera_pipeline.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
unset VTEGRA_CAMERA
by_clang camera --track -g -O1 "$source/../../scenarios/camera/camera.cu" -lvtegra-camera -lcuda -lEGL

# without SOC POLICY WHAT RULE WRONG: under lazy so many frames are wrong, else it is open
without() {
    soc=$1 policy=$2 what=$3 rule=$4 wrong=$5
    name="$soc, $policy, without $what"
    # shellcheck disable=SC2086
    if [ "$policy" = lazy ]; then
        expect "$name" "$((wrong > 0))" "$wrong of 3 frames wrong" "$vtegra" run --soc "$soc" --camera pattern:64x64@30 -- ./camera "$what"
    else
        "$vtegra" run --soc "$soc" --policy $policy --camera pattern:64x64@30 -- ./camera "$what" >out 2>&1 </dev/null
    fi
    also "$name" "rule $rule ("
}

for soc in tx2 xavier orin; do
    for policy in lazy eager "seeded --seed 1"; do
        # shellcheck disable=SC2086
        expect "$soc, $policy" 0 "0 of 3 frames wrong" "$vtegra" run --soc $soc --policy $policy --camera pattern:64x64@30 -- ./camera
        also "$soc, $policy" "Findings none"
        without $soc "$policy" release egl-frame-released 0
        without $soc "$policy" present egl-frame-rewritten 3
        without $soc "$policy" acquire race 3
        without $soc "$policy" wait race 3
    done
done
finish
