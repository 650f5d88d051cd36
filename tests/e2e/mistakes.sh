#!/bin/sh
# SPDX-License-Identifier: MIT
# Mistakes are named for what they are, and what is none is not called one.
# Usage: mistakes.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
by_clang mistakes -g "$source/mistakes.cu"
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

# --- the end of the program: work that the program launched and never waited for, nothing else
run="$vtegra run --soc orin"
for case in copied freed recorded; do
    expect ${case}_and_gone 0 "" $run -- ./mistakes ${case}_and_gone
    not_there ${case}_and_gone "nobody waited for"
done
# ends_with CASE MARK: one stream with work, and where it came from
ends_with() {
    expect "$1" 0 "" $run -- ./mistakes "$1"
    also "$1" "1 stream still had work that nobody waited for where e2e/mistakes.cu:$(mark "$2")"
}
ends_with filled_and_gone async_fill
ends_with copying_and_gone async_copy
ends_with called_back_and_gone host_function
expect launched_and_gone 0 "" $run -- ./mistakes launched_and_gone
also launched_and_gone "2 streams still had work that nobody waited for; the newest was launched here"
also launched_and_gone "where e2e/mistakes.cu:$(mark last_launch)"
also launched_and_gone "kernel fill rule unfinished-work"
finish
