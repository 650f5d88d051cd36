#!/bin/sh
# SPDX-License-Identifier: MIT
# Programs over NvSci: cuDLA standalone (CUDA for Tegra 5.1.3, 5.1.4), and a pipeline CUDA, DLA, CUDA, CPU in the shape of NVIDIA's article. Right,
# they are silent on Xavier and Orin; without a barrier frames are wrong in every run, and the finding names the buffer and who reads old bytes.
# Usage: nvsci_pipeline.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
scenarios=$source/../../scenarios
libraries="-lcudla -lnvscisync -lnvscibuf -lnvsciipc"
for program in nvsci_pipeline/pipeline cudla_standalone/standalone; do
    name=${program#*/}
    [ "$scenarios/sci/dla.h" -nt "$name" ] || [ "$scenarios/sci/sci.h" -nt "$name" ] && rm -f "$name"
    # shellcheck disable=SC2086
    by_clang "$name" --track -g -O1 "$scenarios/$program.cu" $libraries
done
is_newest network.loadable "$scenarios/cudla_hybrid/network.json" "$vtegra" ||
    "$vtegra" dla build "$scenarios/cudla_hybrid/network.json" -o network.loadable || exit 2

# line FILE MARK: where a finding is to be
line() {
    grep -n "MARK $2\$" "$scenarios/$1" | cut -d: -f1
}
make=nvsci_pipeline/pipeline.cu:$(line nvsci_pipeline/pipeline.cu make)
picture=nvsci_pipeline/pipeline.cu:$(line nvsci_pipeline/pipeline.cu picture)
read=nvsci_pipeline/pipeline.cu:$(line nvsci_pipeline/pipeline.cu read)

# pipeline WITHOUT WRONG-FRAMES RULE BUFFER TEXT...: one barrier less, each run
pipeline() {
    barrier=$1 frames=$2 rule=$3 buffer=$4
    shift 4
    for soc in xavier orin; do
        expect "$soc $barrier" 1 "$frames of 3 frames wrong" "$vtegra" run --soc $soc -- ./pipeline network.loadable "$barrier"
        also "$soc $barrier" "rule $rule ("
        also "$soc $barrier" "buffer #$buffer (NvSciBufObjAlloc 8.0 KiB"
        for text in "$@"; do
            also "$soc $barrier" "$text"
        done
    done
}

for soc in xavier orin; do
    for policy in lazy eager "seeded --seed 1"; do
        # shellcheck disable=SC2086
        expect "$soc $policy" 0 "0 of 3 frames wrong" "$vtegra" run --soc $soc --policy $policy -- ./pipeline network.loadable
        also "$soc $policy" "Findings none"
    done
done
pipeline made-wait 3 race 1 "write by kernel make_input at $make (stream 1) and read by cudlaSubmitTask (no stream)" "wait for the fence that is signalled behind the write at sci/sci.h"
pipeline made-memsync 3 stale-l2-clean-missing 1 "the read by cudlaSubmitTask (no stream) after the write by kernel make_input at $make" "(384 times)" # lines of 64 bytes
pipeline inferred-wait 3 race 2 "read by kernel make_picture at $picture (stream 1) and write by cudlaSubmitTask (no stream)"
pipeline inferred-memsync 2 stale-l2-invalidate-missing 2 "the read by kernel make_picture at $picture (stream 1) after the write by cudlaSubmitTask"
pipeline done-wait 3 race 3 "read by the CPU and write by kernel make_picture at $picture" "where $read"
pipeline done-memsync 3 stale-l2-clean-missing 3 "the read by the CPU after the write by kernel make_picture at $picture" "where $read"

# Two signal events need cuDLA 1.2.1: edition 11.4.
run="$vtegra run --edition 11.4"
for soc in xavier orin; do
    for policy in lazy eager "seeded --seed 1"; do
        # shellcheck disable=SC2086
        expect "standalone $soc $policy" 0 "between fences: right, with both times" $run --soc $soc --policy $policy -- ./standalone network.loadable
        for part in "deterministic: right" "events alone: right" "diagnostics: no fault" "Findings none"; do
            also "standalone $soc $policy" "$part"
        done
    done
    # shellcheck disable=SC2086
    for barrier in eof-wait:2:"between fences: wrong" deterministic:2:"deterministic: wrong" pre-fence:1:"between fences: wrong"; do
        buffer=${barrier#*:}
        expect "$soc $barrier" 1 "${buffer#*:}" $run --soc $soc --policy lazy -- ./standalone network.loadable "${barrier%%:*}"
        also "$soc $barrier" "rule race ("
        also "$soc $barrier" "buffer #${buffer%%:*} (NvSciBufObjAlloc 8.0 KiB"
        also "$soc $barrier" "cudlaSubmitTask (no stream)"
        also "$soc $barrier" "(NvSciSyncFenceWait)"
    done
    # The last: the DLA has read the input before the CPU wrote it.
    also "$soc pre-fence" "read by cudlaSubmitTask (no stream) and write by the CPU"
    also "$soc pre-fence" "where cudla_standalone/standalone.cu:$(line cudla_standalone/standalone.cu fill)"
    # shellcheck disable=SC2086
    expect "$soc eager pre-fence" 1 "between fences: wrong" $run --soc $soc --policy eager -- ./standalone network.loadable pre-fence
done
expect edition 2 "gives 13, not 0" "$vtegra" run --edition 11.8 --soc xavier -- ./standalone network.loadable
also edition "rule cudla-edition"
finish
