#!/bin/sh
# SPDX-License-Identifier: MIT
# A detector CPU, VIC, DLA, CUDA, CPU, with cuDLA in hybrid and in standalone mode. Right, it is silent on Xavier and Orin; without a barrier the
# finding names the rule, the buffer and both sides. Where the board needs no such barrier, nothing is found.
# Usage: detector.sh BUILD_DIR WORK_DIR [long]
. "$(dirname "$0")/lib.sh"
scenarios=$source/../../scenarios
file=detector/detector.cu
for header in dla image sci; do
    [ "$scenarios/sci/$header.h" -nt detector ] && rm -f detector
done
by_clang detector --track -g -O1 "$scenarios/$file" -lnvmedia2d -lcudla -lnvscisync -lnvscibuf -lnvsciipc
is_newest network.loadable "$scenarios/detector/network.json" "$vtegra" ||
    "$vtegra" dla build "$scenarios/detector/network.json" -o network.loadable || exit 2

# line MARK: where an access is
line() {
    echo "$file:$(grep -n "MARK $1\$" "$scenarios/$file" | cut -d: -f1)"
}

# Seeded with evictions by age: where the seed picks the lines that leave, it drops those that a missing invalidate would keep.
# detector BARRIER WRONG-FRAMES RULE BUFFER TEXT...: one barrier less, on $soc in $mode; WRONG-FRAMES: a number, or one for each of lazy:eager:seeded
detector() {
    barrier=$1 all=$2 rule=$3 buffer=$4
    shift 4
    at=0
    for policy in lazy eager "seeded --seed 1 --evict lru"; do
        at=$((at + 1))
        in_turn 3 || continue
        case $all in *:*) frames=$(echo "$all" | cut -d: -f$at) ;; *) frames=$all ;; esac
        name="$soc $mode $barrier $policy"
        # shellcheck disable=SC2086
        expect "$name" "$((frames > 0))" "$frames of 3 frames wrong" "$vtegra" run --soc $soc --policy $policy -- ./detector network.loadable $mode $barrier
        also "$name" "rule $rule ("
        also "$name" "buffer #$buffer (NvSciBufObjAlloc"
        for text in "$@"; do
            also "$name" "$text"
        done
    done
}

vic="NvMedia2DCompose (no stream)"
for soc in xavier orin; do
    for mode in standalone hybrid; do
        stream="no stream"
        [ $mode = standalone ] || stream="stream 2"
        for policy in lazy eager "seeded --seed 1 --evict lru"; do
            # shellcheck disable=SC2086
            expect "$soc $mode $policy" 0 "0 of 3 frames wrong" "$vtegra" run --soc $soc --policy $policy -- ./detector network.loadable $mode
            also "$soc $mode $policy" "Findings none"
        done
        # Where the board gets to it late, the VIC reads the right bytes by luck.
        detector filled-wait 0:3:0 race 1 "read by $vic and write by the CPU" "where $(line fill)"
        detector resized-wait 3 race 2 "write by $vic" "read by cudlaSubmitTask ($stream)"
        detector scored-wait 3 race 3 "read by kernel keep_best at $(line score) (stream 1) and write by cudlaSubmitTask ($stream)"
        detector done-wait 3 race 4 "read by the CPU and write by kernel keep_best at $(line keep) (stream 1)" "where $(line found)"
        detector done-memsync 3 stale-l2-clean-missing 4 "the read by the CPU after the write by kernel keep_best at $(line keep)" "where $(line found)"
        if [ $mode = standalone ]; then
            detector scored-memsync 2 stale-l2-invalidate-missing 3 \
                "the read by kernel keep_best at $(line score) (stream 1) after the write by cudlaSubmitTask ($stream)"
        fi
        # What the CPU maintains is of boards whose VIC does not see its caches.
        if [ $soc = xavier ]; then
            detector filled-flush 3 stale-cpu-clean-missing 1 "the read by $vic after the write by the CPU" "where $(line fill)" \
                "rule sci-flush-missing ("
        else
            expect "orin $mode filled-flush" 0 "0 of 3 frames wrong" "$vtegra" run --soc orin -- ./detector network.loadable $mode filled-flush
            also "orin $mode filled-flush" "Findings none"
        fi
    done
done
finish
