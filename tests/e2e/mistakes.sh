#!/bin/sh
# SPDX-License-Identifier: MIT
# Mistakes are named for what they are, and what is none is not called one.
# Usage: mistakes.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
by_clang mistakes -g "$source/mistakes.cu" -lcuda
run="$vtegra run -q --soc tx2"

# mark NAME: its line in mistakes.cu
mark() {
    grep -n "MARK $1\$" "$source/mistakes.cu" | cut -d: -f1
}

# --- memory that is gone
for policy in lazy eager; do
    expect use_after_free 0 "another address cudaErrorIllegalAddress" $run --policy $policy -- ./mistakes use_after_free
    also use_after_free "out-of-bounds store"
    also use_after_free "The address lies 0 bytes into"
    also use_after_free "which was freed before"
    also use_after_free "e2e/mistakes.cu:$(mark freed_alloc)"
    also use_after_free "where e2e/mistakes.cu:$(mark store)"
    also use_after_free "Free the buffer after the last kernel that uses it"
done
expect use_after_free_async 0 "cudaErrorIllegalAddress" "$vtegra" run -q --soc orin -- ./mistakes use_after_free_async
also use_after_free_async "which was freed before"

# --- what a module keeps for itself
expect write_constant 0 "cudaErrorIllegalAddress" $run -- ./mistakes write_constant
also write_constant "store to constant memory"
also write_constant "The address lies 0 bytes into the __constant__ variables of a module"
also write_constant "inferred: PTX ISA 5.1.3, .const"
expect write_code 0 "cudaErrorIllegalAddress" $run -- ./mistakes write_code
also write_code "store to the code of a module"
not_there write_code "is in no buffer"

# --- code for a newer GPU than the board's
by_clang newer --arch sm_72 -g "$source/mistakes.cu" -lcuda
expect newer 0 "another address" "$vtegra" run --soc tx2 -- ./newer use_after_free
also newer "The program's PTX is for sm_72. This model runs it; the board, sm_62, does not"
expect newer 0 "another address" "$vtegra" run --soc orin -- ./newer use_after_free
not_there newer "The program's PTX is for"

# --- refused calls, in the words of the API that was called
run="$vtegra run --soc tx2"
expect refused_calls 0 "cudaErrorInvalidMemcpyDirection cudaErrorInvalidValue cudaErrorInvalidDevice" $run -- ./mistakes refused_calls
# refused CALL ERROR-AND-WHY TIMES MARK
refused() {
    also refused_calls "$1 returned $2, $3, at e2e/mistakes.cu:$(mark "$4")"
}
refused cudaMemcpy "cudaErrorInvalidMemcpyDirection: the last argument is none of enum cudaMemcpyKind" "1 time" kind
refused cudaMemcpy "cudaErrorInvalidValue: the copy is named the wrong way round: the source is the memory that the GPU \
can reach. Swap the two addresses, or name the other direction (CUDA Driver API, cuMemcpy)" "1 time" direction
refused cudaSetDevice "cudaErrorInvalidDevice: devices are numbered from 0, and cudaGetDeviceCount() says how many there \
are: a Tegra has one" "1 time" device
refused cudaMemsetAsync "cudaErrorInvalidResourceHandle: the stream is none: never created, or destroyed before (CUDA \
Driver API, stream management)" "1 time" stream
refused cudaHostAlloc cudaErrorInvalidValue "3 times" thrice
also refused_calls "cudaDeviceGetHostAtomicCapabilities: not supported by vtegra, 1 time, at e2e/mistakes.cu:$(mark absent)"
also refused_calls "cudaMemset returned cudaErrorInvalidValue: the destination is named as device memory and is no memory"
also refused_calls "error: cudaMemcpy of 8192 bytes ends 4096 bytes behind the end of the buffer"
also refused_calls "error: cudaFree of memory that was freed before"
not_there refused_calls "CUDA_ERROR_"
not_there refused_calls "0x5" # an address of the host
expect driver_calls 0 "cuMemFree of memory that was freed before (16 bytes)" $run -- ./mistakes driver_calls
also driver_calls "cuMemFree returned CUDA_ERROR_INVALID_VALUE: the address is not the start of an allocation"
also driver_calls "at e2e/mistakes.cu:$(mark driver_free)"
not_there driver_calls "_v2"
not_there driver_calls "cudaError"
expect ptx_operands 0 "PTX line 8: \`add.s32\` takes 3 operands, not 2" $run -- ./mistakes ptx_operands

# --- as measured
expect measured_answers 0 "cudaErrorInvalidValue cudaErrorMemoryAllocation cudaSuccess cudaErrorIllegalAddress cudaErrorIllegalAddress" $run -- ./mistakes measured_answers

# --- no mistake
expect dynamic_each 0 "dynamic: 0 bad" $run -- ./mistakes dynamic_each
not_there dynamic_each "warning"

# --- how it was started
if [ -z "$sanitized" ]; then # ASan wants to be first: only `vtegra run` sees to that
    expect no_run 0 "vtegra: started without \`vtegra run\`: the board is orin (Jetson AGX Orin" env "LD_LIBRARY_PATH=$lib" ./mistakes driver_calls
    expect no_run_quiet 0 "" env "LD_LIBRARY_PATH=$lib" VTEGRA_QUIET=1 ./mistakes driver_calls
    not_there no_run_quiet "started without"
    expect no_run_named 0 "tx2: Jetson TX2 8GB" env "LD_LIBRARY_PATH=$lib" VTEGRA_SOC=tx2 ./mistakes driver_calls
    not_there no_run_named "started without"
fi
if ! ldconfig -p | grep -q 'libcuda\.so\.1'; then
    expect no_silicon 125 "there is no libcuda.so.1, the driver of an NVIDIA GPU" env -u LD_LIBRARY_PATH "$vtegra" run --backend silicon -- touch started
    expect no_silicon_started 1 "" test -e started
fi
# Outside `vtegra run` the loader finds no driver.
if ! ldconfig -p | grep -q 'libcuda\.so\.1' && [ -z "$sanitized" ]; then
    by_clang early -g --track "$source/../../scenarios/read_before_sync/read_before_sync.cu"
    expect no_driver 0 "start the program with \`vtegra run -- ./early\`" sh -c './early fixed; true'
    expect no_driver_quiet 0 "" env VTEGRA_QUIET=1 sh -c './early fixed; true'
    not_there no_driver_quiet "vtegra run"
fi
expect own_silicon 125 "the libcuda.so.1 that the loader finds is vtegra's own" env "LD_LIBRARY_PATH=$lib" "$vtegra" run --backend silicon -- true

# What a CI system shows of a run that failed: the place, the cure and the command.
by_clang early -g --track "$source/../../scenarios/read_before_sync/read_before_sync.cu"
expect junit_runs 1 "2 failed" "$vtegra" explore --runs 2 --junit runs.xml -- ./early
expect junit 0 'name="seed 0" time="' cat runs.xml
also junit_message 'message="finding race at read_before_sync/'
also junit_place 'read_before_sync.cu" line="'
also junit_cure "what to do: Let the CPU wait for that stream"
also junit_command "again: vtegra run --soc orin --os linux --policy seeded"

# A fault of the program's own is in the report's head and in its JSON, beside the findings.
expect own_fault 139 "by SIGSEGV" "$vtegra" run --json own_fault.json -- ./mistakes own_fault
expect own_fault_json 0 SIGSEGV grep '"signal"' own_fault.json

# The report of a program that dies has all accesses that came before.
by_clang dies -g --track "$source/dies.cu"
expect dies 139 "managed-active-touch" "$vtegra" run --soc orin -- ./dies
also dies "CPU 257 loads, read 1.0 KiB"
not_there dies "only the iGPU touched it"
# What stdio held back dies with it, as on a board, and is said; with its cure.
also dies "6 bytes that the program printed are lost: stdout is no terminal, so they waited in its buffer when SIGSEGV killed the program"
expect dies_line 139 "32640" "$vtegra" run --soc orin -- stdbuf -oL ./dies
not_there dies_line "that the program printed are lost"
# Details of a finding stand in the report alone, if one follows on stderr.
also dies "vtegra: error: managed-active-touch at e2e/dies.cu:23 in main: finding 1 of the report"
[ "$(grep -c "what to do" out)" = 1 ] || fail "dies: printed more than once"
expect dies_quiet 139 "seen with     vtegra run --soc orin" "$vtegra" run -q --soc orin -- ./dies

# --- kernels that do not end: who stops them is told where they are
run="$vtegra run -q --soc tx2"
for policy in lazy eager "seeded --seed 2"; do
    expect endless_spin 0 cudaErrorLaunchTimeout $run --policy $policy -- ./mistakes endless_spin
    also endless_spin "thread 0 of the CPU waits for work that only spins on memory that nothing will write; stream 0 runs a kernel that spins"
    also endless_spin "kernel spinner is at mistakes.cu:$(mark spins)"
    expect interrupted_busy 130 "" $run --policy $policy -- ./mistakes interrupted_busy # 128 + SIGINT
    also interrupted_busy "SIGINT while this kernel was under way, then in block (0,0,0), thread (0,0,0). where e2e/mistakes.cu:"
    also interrupted_busy "kernel busy"
    also interrupted_busy "vtegra run --steps N"
    line=$(tr -s ' \n' '  ' <out | sed 's/.*where e2e.mistakes.cu:\([0-9]*\).*/\1/')
    tests=$((tests + 1))
    [ "$line" -ge "$(mark busy_from)" ] && [ "$line" -le "$(mark busy_to)" ] || fail "interrupted_busy: at line $line"
done
expect terminated_busy 143 "SIGTERM while this kernel was under way" $run -- ./mistakes terminated_busy
expect own_interrupt 5 "own handler" $run -- ./mistakes own_interrupt
not_there own_interrupt "SIGINT"
run="$vtegra run --soc tx2"
expect interrupted_cpu 130 "vtegra report" $run -- ./mistakes interrupted_cpu
not_there interrupted_cpu "SIGINT"
expect interrupted_sleep 143 "vtegra report" $run -- ./mistakes interrupted_sleep
expect interrupted_report 130 "" $run --report stopped.txt -- ./mistakes interrupted_busy
tests=$((tests + 1))
grep -q interrupted stopped.txt || fail "the report of a program that was stopped is not in its file"

# --- the end of the program: work that the program launched and never waited for, nothing else
run="$vtegra run --soc orin"
for case in copied_and_gone freed_and_gone recorded_and_gone filled_plainly_and_done copied_plainly_and_done; do
    expect $case 0 "" $run -- ./mistakes $case
    not_there $case "was never waited for"
done
# ends_with CASE MARK: one stream with work, and where it came from
ends_with() {
    expect "$1" 0 "" $run -- ./mistakes "$1"
    also "$1" "1 stream still had work that was never waited for where e2e/mistakes.cu:$(mark "$2")"
}
ends_with filled_and_gone async_fill
ends_with copying_and_gone async_copy
ends_with filled_plainly_and_gone plain_fill
ends_with copied_plainly_and_gone plain_copy
ends_with called_back_and_gone host_function
ends_with waited_and_gone busy_launch
expect gone_in_a_handler 3 "vtegra report" $run -- ./mistakes gone_in_a_handler
expect launched_and_gone 0 "" $run -- ./mistakes launched_and_gone
also launched_and_gone "2 streams still had work that was never waited for; the newest was launched here"
also launched_and_gone "where e2e/mistakes.cu:$(mark last_launch)"
also launched_and_gone "kernel fill rule unfinished-work"
# --- the exit status of a run with findings, however the program ends; without, and by signals, it is the program's
by_clang found "$source/error_exitcode.cu"
expect exitcode_return 42 "destructor" $run --error-exitcode 42 -- ./found mistake return
expect exitcode_exit 42 "destructor" $run --error-exitcode 42 -- ./found mistake exit
expect exitcode_quick 42 "" $run --error-exitcode 42 -- ./found mistake quick
expect exitcode_not_asked 7 "destructor" $run -- ./found mistake return
expect exitcode_clean 7 "destructor" $run --error-exitcode 42 -- ./found clean return
# a second one, if something was not checked and the program ends with 0
expect exitcode_unchecked 43 "" $run --check off --error-exitcode 42,43 -- ./found clean ends
expect exitcode_unchecked_own 7 "" $run --check off --error-exitcode 42,43 -- ./found clean return
expect exitcode_unchecked_found 42 "" $run --check off --error-exitcode 42,43 -- ./found mistake ends
expect exitcode_unchecked_not_asked 0 "" $run --check off --error-exitcode 42 -- ./found clean ends
expect exitcode_checked 0 "" $run --check on --error-exitcode 42,43 -- ./found clean ends
expect exitcode_signal 134 "" $run --error-exitcode 42 -- ./found mistake abort
finish
