#!/bin/sh
# SPDX-License-Identifier: MIT
# The program's own memory as buffer of the camera: a read before VIDIOC_DQBUF is found at its line, with hooks and without, whoever
# allocated the memory; a program that waits has the frame and no finding.
# Usage: camera_user.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
unset VTEGRA_CAMERA
one_target="--arch sm_62"
by_clang hooks --track -g -O1 "$source/camera_user.cu"
by_clang plain -g -O1 -fno-inline "$source/camera_user.cu"
line=$(grep -n "MARK read" "$source/camera_user.cu" | cut -d: -f1)
programs="hooks plain"
# no pages are closed where the runtime has a sanitizer, or on another processor
if [ -n "$sanitized" ] || [ "$(uname -m)" != x86_64 ]; then
    programs=hooks
fi

for soc in tx2 xavier orin; do
    kinds="pinned managed malloc registered"
    [ $soc != tx2 ] || kinds="pinned managed"
    for kind in $kinds; do
        for program in $programs; do
            for policy in lazy eager "seeded --seed 1"; do
                in_turn 2 || [ "$policy" = lazy ] || continue
                name="$soc $kind $program $policy"
                # shellcheck disable=SC2086 # words
                expect "$name" 0 "then 7" "$vtegra" run --soc $soc --policy $policy --camera pattern:64x64@30 -- ./$program $kind
                also "$name" "rule race ("
                also "$name" "camera_user.cu:$line in main"
                # shellcheck disable=SC2086 # words
                expect "$name fixed" 0 "sum 794112, then 7" "$vtegra" run --soc $soc --policy $policy --camera pattern:64x64@30 -- ./$program $kind fixed
                also "$name fixed" "Findings none"
            done
        done
    done
done
finish
