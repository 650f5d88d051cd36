#!/bin/sh
# SPDX-License-Identifier: MIT
# CUDA for Tegra 2.2 (13.4: 3.3): CPU and iGPU have one DRAM. A Jetson Nano has 3963 MiB for programs; a program that has
# touched 2048 of them cannot allocate 2304, however much the host has.
# Usage: memory.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
by_clang memory "$source/memory.cu"
run="$vtegra run --soc nano"

if [ -z "$sanitized" ]; then # whose shadow memory would count as the program's: it is not measured there
    expect touched 0 "cudaMalloc cudaErrorMemoryAllocation" $run -- ./memory 2048 2304
    expect touched_fits 0 "cudaMalloc cudaSuccess" $run -q -- ./memory 2048 1500
    expect twice 0 "free 1978 total 3963 MiB" $run -q -- ./memory 2048 1
    expect again 0 "free 1978 total 3963 MiB" $run -q --policy eager -- ./memory 2048 1
fi
expect untouched 0 "cudaMalloc cudaSuccess" $run -q -- ./memory 2048 2304 untouched
expect host_has_more 0 "cudaMalloc cudaErrorMemoryAllocation" $run -q -- ./memory 0 4000
expect said 0 "cudaMalloc cudaErrorMemoryAllocation" $run -q --host-memory 2048 -- ./memory 1 2304
expect rest 0 "free 1962 total 3963 MiB" $run -q --host-memory 0 --rest 2000 -- ./memory 1 1
# swap is left out of cudaMemGetInfo, not of what can be allocated
expect swap 0 "cudaMalloc cudaSuccess" $run -q --host-memory 2048 --swap 1024 -- ./memory 1 2304
also swap "free 1914 total 3963 MiB"
expect meminfo 0 "MemTotal:        4058432 kB" $run -q --host-memory 0 -- ./memory 1 100
# 100 MiB and the word that the driver has for its own
also meminfo "NvMapMemUsed: 10"
also meminfo "total "
# 2.2 by the note's own commands, none of which calls CUDA: free(1) by fopen() or openat(), cat by open(), grep by openat()
board="$run -q --rest 2000 --swap 512 --"
expect by_cat 0 "MemFree:         2010432 kB" $board cat /proc/meminfo
expect by_grep 0 "SwapTotal:        524288 kB" $board grep SwapTotal /proc/meminfo
expect by_shell 0 "MemFree:         2010432 kB" $board sh -c 'while read -r line; do echo "$line"; done </proc/meminfo'
if command -v free >/dev/null; then
    expect by_free 0 "Mem: 3963 2000 1963" $board sh -c 'free -m | tr -s " "'
    also by_free "Swap: 512 0 512"
fi
# seeded: an input, not measured; a replay agrees
for seed in 1 2; do
    expect seeded$seed 0 "free 1914 total 3963 MiB" $run -q --policy seeded --seed $seed --host-memory 2048 -- ./memory 1 1
done
expect seeded_alone 0 "cudaMalloc cudaSuccess" $run -q --policy seeded -- ./memory 1 2304
expect no_number 125 '--rest "much" must be a whole number of MiB' $run --rest much -- ./memory 1 1
expect qnx_swap 125 "QNX has no swap space" "$vtegra" run --soc orin --os qnx --swap 5 -- ./memory 1 1
[ -n "$sanitized" ] || # ASan wants to be first: only `vtegra run` sees to that
    expect bad_environment 0 "VTEGRA_REST_MIB=much: must be a number of MiB" env "LD_LIBRARY_PATH=$lib" VTEGRA_SOC=nano VTEGRA_REST_MIB=much \
    ./memory 1 1

# vtegra stats: by hand, 3963 - 600 and 3963 - 100 - (2048 + 0 - 500)
expect stats 0 "RAM 600/3963MB" "$vtegra" stats --soc nano --rest 600
also stats "allocatable: 3363 MiB"
expect trace 0 "cudaSuccess" $run -q --trace t.txt -- ./memory 0 100
expect stats_trace 0 "allocatable: 2315 MiB" "$vtegra" stats --host-memory 2048 --swap 500 t.txt
also stats_trace "RAM 2148/3963MB SWAP 0/500MB"
also stats_trace "Mem: 3963 2148 1815"
expect stats_none 1 "not a line of a trace file" "$vtegra" stats "$source/memory.sh"
expect stats_soc 1 'unknown SoC "nan"' "$vtegra" stats --soc nan
finish
