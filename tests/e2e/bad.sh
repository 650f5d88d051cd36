#!/bin/sh
# SPDX-License-Identifier: MIT
# Bad input: each time the documented code, a line that says what and where, and nothing lost.
# Usage: bad.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
by_clang bad -g "$source/bad.cu" -lcuda
run="$vtegra run -q --soc tx2"
segv=139 # 128 + SIGSEGV

# mark NAME: its line in bad.cu
mark() {
    grep -n "MARK $1\$" "$source/bad.cu" | cut -d: -f1
}

# --- API errors; "kept" is what the program had computed before
for policy in lazy eager; do
    run="$vtegra run -q --soc tx2 --policy $policy"
    expect out_of_bounds 0 "cudaErrorIllegalAddress, kept 100 of 100, then cudaErrorIllegalAddress" $run -- ./bad out_of_bounds
    also out_of_bounds "out-of-bounds store"
    also out_of_bounds "kernel too_far"
    also out_of_bounds "where e2e/bad.cu:$(mark too_far)"
    also out_of_bounds "in out_of_bounds)" # whose buffer is nearest
    expect never_ends 0 "cudaErrorLaunchTimeout, kept 100 of 100" $run --steps 100000 -- ./bad never_ends
    also never_ends "step limit"
    also never_ends "kernel endless"
done
run="$vtegra run -q --soc tx2"
expect misaligned 0 "cudaErrorMisalignedAddress, kept 100 of 100, then cudaErrorMisalignedAddress" $run -- ./bad misaligned
also misaligned "kernel crooked"
expect double_free 0 "cudaErrorInvalidValue, kept 100 of 100, then cudaSuccess" $run -- ./bad double_free
also double_free "freed before"
also double_free "in double_free"
expect free_of_nothing 0 "cudaErrorInvalidValue cudaErrorInvalidValue, kept 100" $run -- ./bad free_of_nothing
expect too_many_threads 0 "cudaErrorInvalidValue, kept 100 of 100, then cudaSuccess" $run -- ./bad too_many_threads
expect too_much_memory 0 "cudaErrorMemoryAllocation, kept 100 of 100, then cudaSuccess" $run -- ./bad too_much_memory
expect copy_too_long 0 "cudaErrorInvalidValue, kept 100 of 100, then cudaSuccess" $run -- ./bad copy_too_long
also copy_too_long "behind the end of the buffer"
expect null_kernel 0 "cudaErrorInvalidDeviceFunction, kept 100 of 100, then cudaSuccess" $run -- ./bad null_kernel

# --- PTX text
expect ptx_syntax 0 "CUDA_ERROR_INVALID_PTX" $run -- ./bad ptx_syntax
also ptx_syntax "PTX line 8:"
also ptx_syntax "kept 100 of 100"
expect ptx_instruction 0 "CUDA_ERROR_INVALID_PTX" $run -- ./bad ptx_instruction
also ptx_instruction "PTX line 8: Unknown instruction 'frobnicate'"
expect lacking 0 "cudaErrorNotSupported, kept 100 of 100" $run -- ./bad lacking
also lacking "vtegra: kernel lacking: PTX line"
also lacking "istypep.texref"
expect ptx_empty 0 "CUDA_ERROR_INVALID_IMAGE" $run -- ./bad ptx_empty
expect ptx_garbage 0 "CUDA_ERROR_INVALID_IMAGE" $run -- ./bad ptx_garbage

# --- what the CPU may not touch: the board's signal, and who, what, where
expect touch_device $segv "before" $run -- ./bad touch_device
also touch_device "CPU read of device memory"
also touch_device "where e2e/bad.cu:$(mark device_touch)"
also touch_device "e2e/bad.cu:$(mark device_alloc)"
also touch_device "offset 0xc"
expect touch_managed $segv "before" $run -- ./bad touch_managed
also touch_managed "CPU write to managed memory while the GPU may use it"
also touch_managed "kernel fill"
also touch_managed "where e2e/bad.cu:$(mark managed_touch)"
also touch_managed "e2e/bad.cu:$(mark managed_alloc)"
also touch_managed "offset 0x14"
also touch_managed "launched at e2e/bad.cu:$(mark managed_launch)"
expect touch_managed_thor 0 "before" "$vtegra" run -q --soc thor -- ./bad touch_managed
expect handler_first 33 "own handler" $run -- ./bad handler_first
also handler_first "CPU write to managed memory"
expect handler_later 33 "own handler" $run -- ./bad handler_later
also handler_later "CPU read of device memory"
expect null_pointer $segv "before" $run -- ./bad null_pointer
not_there null_pointer "vtegra: error"
expect touch_report $segv "Findings" "$vtegra" run --soc tx2 -- ./bad touch_managed
expect touch_report_file $segv "" "$vtegra" run -q --soc tx2 --report touch.txt -- ./bad touch_managed
tests=$((tests + 1))
grep -q "managed-active-touch" touch.txt || fail "the report of a program that dies of its signal is not in its file"

# --- threads, processes, ends
for policy in lazy eager "seeded --seed 2"; do
    # shellcheck disable=SC2086
    expect "threads $policy" 0 "threads: 0 and 0 wrong" $run --policy $policy -- ./bad threads
done
# A child of a process that used CUDA (CUDA Programming Guide, multi-process: not across fork)
expect forked 0 "child: cudaErrorInitializationError" $run -- ./bad forked
also forked "child's exit status 7, signal 0"
also forked "cudaSuccess, kept 100 of 100"
tests=$((tests + 1))
"$vtegra" run --soc tx2 -- ./bad forked 2>err >out
[ "$(grep -c '^vtegra report' err)" = 1 ] || fail "forked: a child writes a report, too"
expect fork_exec 0 "exit status 5" $run -- ./bad fork_exec
also fork_exec "cudaSuccess, kept 100 of 100"
expect exit_in_callback 9 "callback" $run -- ./bad exit_in_callback
expect api_in_callback 0 "callback: cudaErrorNotPermitted" $run -- ./bad api_in_callback
also api_in_callback "cudaSuccess, kept 100 of 100"
expect aborts 134 "before" $run -- ./bad aborts
expect no_reset 4 "end" "$vtegra" run --soc tx2 -- ./bad no_reset
also no_reset "Kernels"
also no_reset "still had work that was never waited for"
expect quick 6 "end" $run -- ./bad quick
expect killed 143 "" $run -- ./bad killed

# --- the command line
expect unknown_soc 125 "known: desktop drive-pegasus" "$vtegra" run --soc tegra2 -- ./bad quick
sed 's/^\(l2_bytes *= *\)/\1-/' "$lib/../share/vtegra/profiles/tx2.profile" >negative.profile 2>/dev/null
cmp -s negative.profile "$lib/../share/vtegra/profiles/tx2.profile" && fail "negative.profile is not negative"
expect negative_size 125 "negative.profile:" "$vtegra" run --soc ./negative.profile -- ./bad quick
expect missing 127 "no such program" "$vtegra" run -- ./none
cp bad not_executable && chmod -x not_executable
expect not_executable 126 "not executable" "$vtegra" run -- ./not_executable

# --- full disk: said once, the program's own result untouched
for option in trace report json; do
    expect "full disk, $option" 0 "cudaSuccess, kept 100 of 100" "$vtegra" run --soc tx2 --$option /dev/full -- ./bad fork_exec
    also "full disk, $option" "No space left on device"
done
finish
