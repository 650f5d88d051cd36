#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC1091,SC2086,SC2154
# perfetto.sh BUILD_DIR WORK_DIR: the timelines of three scenarios, decoded by decode.py and, where it is installed, protoc;
# each has the arrow that the scenario is about.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
scenarios=$source/../../scenarios
decode=$here/decode.py

program() { # NAME [LIBRARY...]
    name=$1
    shift
    by_clang "$name" --track -g -O1 -fno-inline "$scenarios/$name/$name.cu" "$@"
}

# draw NAME "SOC [OPTIONS]" RUN-ARGUMENTS...: NAME.live by run, NAME.file by report of a trace of everything
draw() {
    drawn=$1
    soc=$2
    shift 2
    timeout 120 "$vtegra" run -q --soc $soc --perfetto "$drawn.live" -- "$@" >/dev/null 2>&1
    VTEGRA_TRACE_CLASSES=all timeout 120 "$vtegra" run -q --soc $soc --trace "$drawn.trace" -- "$@" >/dev/null 2>&1
    expect "$drawn from a trace" 0 "" "$vtegra" report --report report --perfetto "$drawn.file" "$drawn.trace"
    expect "$drawn: the same live and from a trace" 0 "" cmp "$drawn.live" "$drawn.file"
    if command -v protoc >/dev/null; then
        expect "$drawn, protoc" 0 "terminating_flow_ids" sh -c \
            'protoc -I"$1" --decode=Trace track_event.proto <"$2"' sh "$here" "$drawn.live"
        tests=$((tests + 1))
        grep -qE '^ *[0-9]+:' out && fail "$drawn: fields that track_event.proto does not have"
    else
        echo "SKIP: protoc is not installed; $drawn was decoded by decode.py alone"
    fi
}

program read_before_sync
program attach_other_stream
program dla_output_early -lcudla
[ -e network.loadable ] || "$vtegra" dla build "$scenarios/cudla_hybrid/network.json" -o network.loadable || exit 1

draw read_before_sync orin ./read_before_sync
expect "race with a kernel" 0 "CPU thread 0 (main) load" "$decode" read_before_sync.live --flow race "CPU thread 0" "stream 0" \
    --slice "stream 0: scale" --slice "CPU thread 0 (main): cudaMallocHost" \
    --slice "CPU thread 0 (main): cudaDeviceSynchronize" --slice copy \
    --counter "dirty lines, CPU caches" --counter "I/O port, read" --counter "I/O port, written"
draw attach_other_stream orin ./attach_other_stream
expect "stale read" 0 "stream 2 store" "$decode" attach_other_stream.live --flow stale-l2-clean-missing "stream 2" "CPU thread 0" \
    --counter "dirty lines, iGPU L2"
draw dla_output_early xavier ./dla_output_early network.loadable
expect "race with a DLA" 0 "CPU thread 0 (main) load" "$decode" dla_output_early.live --flow race "CPU thread 0" "dla queue" \
    --slice "dla queue 0: DLA task" --slice "cudlaSubmitTask"

# Queues: which resource was busy with what, and who waited for it.
by_clang queues -g -O1 "$here/queues.cu"
expect "queues, live" 0 "" "$vtegra" run -q --soc orin --perfetto queues.live -- ./queues
expect "queues" 0 "" "$decode" queues.live --slice "busy: iGPU SMs: stretch" --slice "waiting for iGPU SMs: igpu channel" \
    --slice "waiting for DRAM: " --behind "waiting for iGPU SMs" stretch

# Which thread calls what is the program's: capture() is made first, encode() second and calls nothing.
by_clang threads --track -g -O1 -fno-inline "$here/threads.cu" -lpthread
for seed in 0 1; do
    draw threads "orin --policy seeded --seed $seed" ./threads
    expect "calls are on their thread, seed $seed" 0 "" "$decode" threads.live --only "CPU thread 1" launch \
        --only "CPU thread 1" cudaStreamSynchronize --only "CPU thread 0 (main)" cudaMallocHost
done

# A million kernels stay under 200 MB.
by_clang many --track -g "$here/many.cu"
expect "many kernels" 0 "" "$vtegra" run -q --perfetto many.pf -- ./many
tests=$((tests + 1))
[ "$(wc -c <many.pf)" -lt 400000 ] || fail "2000 kernels are $(wc -c <many.pf) bytes, a million would be over 200 MB"

# Bad input: the file cannot be made, or the disk is full.
expect "no such folder" 125 "make the folder nowhere" "$vtegra" run --perfetto nowhere/f -- ./read_before_sync
expect "full disk" 1 "No space left on device" "$vtegra" report --report report --perfetto /dev/full read_before_sync.trace
finish
