#!/bin/sh
# SPDX-License-Identifier: MIT
# usage: mistakes.sh BUILD_FOLDER OWN_FOLDER
here=$(dirname "$0")
vtegra=$1/bin/vtegra
app=$2/mistakes
failed=0

"$vtegra" cc -g -O1 "$here/mistakes.cu" -o "$app" || exit 1

fail()
{
    echo "FAILED: $*"
    failed=1
}

line()
{
    grep -n "MARK $1 " "$here/mistakes.cu" | cut -d: -f1
}

# run NAME STATUS: the words of report and output, one space between them, in $text
run()
{
    "$vtegra" run --soc tx2 -- "$app" "$1" >"$2/mistakes.out" 2>&1
    status=$?
    [ "$status" = "$3" ] || fail "$1: exit status $status, not $3"
    text=$(tr -s ' \n' '  ' <"$2/mistakes.out")
    name=$1
}

has()
{
    case $text in
    *"$1"*) ;;
    *) fail "$name: no \"$1\" in: $text" ;;
    esac
}

run none "$2" 0
has "Findings none"

run null "$2" 0
has "out-of-bounds store in block (0,0,0), thread (0,0,0): cudaErrorIllegalAddress. The address 0x0 is a null pointer."
has "mistakes.cu:$(line store) kernel fill"
has "Check what the allocation returned and which pointer the launch passes."
has "cudaErrorIllegalAddress"

run outside "$2" 0 # as a board: it has mapped 2 MiB (tests/golden/gen/oob_codes.txt)
has "Out-of-bounds store of a kernel."
has "is in no buffer: it lies 0 bytes behind the end of the nearest one, #1 (cudaMalloc 4.0 KiB"
has "mistakes.cu:$(line store)"
has "cudaSuccess"
export VTEGRA_OOB=fault
run outside "$2" 0
has "block (4,0,0), thread (0,0,0)"
has "is in no buffer: it lies 0 bytes behind the end of the nearest one, #1 (cudaMalloc 4.0 KiB"
unset VTEGRA_OOB
has "Check the index against the buffer's size"

run freed "$2" 0
has "0 bytes into #4 (cudaMalloc 4.0 KiB" # #2: the heap of kernels, #3: a __device__ variable
has "which was freed before"
has "Free the buffer after the last kernel that uses it has ended."

run freed-cpu "$2" 139
has "CPU write to memory that was freed before."
has "mistakes.cu:$(line freed) in main"
has "offset 0x8"
has "use-after-free"

run heap "$2" 0
has "store to pageable memory of the CPU"
has "which this SoC's iGPU cannot reach (pageableMemoryAccess = 0)"
has "cudaErrorIllegalAddress"

run system "$2" 0 # note 3.6: from compute capability 7.2 on
has "a system-wide atomic, which this SoC does not have"
has "Use atomics of device scope"
has "CUDA for Tegra 3.6"

run free "$2" 0
has "free() of what malloc() did not return, or freed before"
has "Free in kernels once"

run shared "$2" 0
has "out of its shared memory"
has "Compare the index with the size of the __shared__ array"

run throw "$2" 134 # abort() by std::terminate(): the report comes all the same
has "The address 0x0 is a null pointer"
has "mistakes.cu:$(line store) kernel fill"

run block "$2" 0 # cudaErrorInvalidValue: measured with CUDA 13.0 on an H200
has "cudaErrorInvalidValue: fill: block size x is 2048, allowed is 1 to 1024"
has "cudaErrorInvalidValue"

run copy "$2" 0
has "Kernels used the device buffer 1.0 times its size"
has "Pinned memory would not do: below compute capability 7.2 the CPU does not cache it."

run register "$2" 0
has "cudaHostRegister: registering host memory needs I/O coherency"
has "cudaErrorNotSupported"

exit $failed
