#!/bin/sh
# SPDX-License-Identifier: MIT
# Camera, CUDA filter, consumer (CUDA, OpenGL ES) over two EGLStreams, and with NvSciBuf and NvSciSync. Right, it is silent; with a synchronisation less a finding comes under each policy, and
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

# less PROGRAM SOC POLICY WHAT RULE: a finding of that rule
less() {
    # shellcheck disable=SC2086
    "$vtegra" run --soc "$2" --policy $3 --camera "$camera" -- "./$1" "$4" >out 2>&1 </dev/null
    also "$1, $2, $3, without $4" "rule $5 ("
}

camera=pattern:64x64@1000
by_clang camera_sci --track -g -O1 "$source/../../scenarios/camera/camera_sci.cu" -lvtegra-camera -lnvscibuf -lnvscisync -lcuda
for soc in xavier orin; do
    for policy in lazy eager "seeded --seed 1"; do
        # shellcheck disable=SC2086
        expect "NvSci, $soc, $policy" 0 "0 of 5 frames wrong" "$vtegra" run --soc $soc --policy $policy --camera $camera -- ./camera_sci
        also "NvSci, $soc, $policy" "Findings none"
        for what in camera filter queue wait; do
            less camera_sci $soc "$policy" $what race
        done
    done
done

camera=pattern:64x64@30
if ldconfig -p 2>/dev/null | grep -q libEGL_mesa.so.0; then
    by_clang camera_gl --track -g -O1 "$source/../../scenarios/camera/camera_gl.cu" -lvtegra-camera -lcuda -lEGL -lGLESv2
    for soc in tx2 xavier orin; do
        for policy in lazy eager "seeded --seed 1"; do
            # shellcheck disable=SC2086
            expect "OpenGL, $soc, $policy" 0 "0 of 3 frames wrong" "$vtegra" run --soc $soc --policy $policy --camera $camera -- ./camera_gl
            also "OpenGL, $soc, $policy" "Findings none"
            less camera_gl $soc "$policy" release egl-frame-released
            less camera_gl $soc "$policy" present egl-frame-rewritten
        done
        expect "OpenGL, $soc, without acquire" 1 "3 of 3 frames wrong" "$vtegra" run --soc $soc --camera $camera -- ./camera_gl acquire
    done
fi
finish
