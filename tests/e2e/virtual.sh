#!/bin/sh
# SPDX-License-Identifier: MIT
# Virtual memory management: a vector that grows, one memory at two addresses, and kernels that come too early, may not
# write, or come too late. Usage: virtual.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
by_clang virtual -g "$source/virtual.cu" -lcuda
at="e2e/virtual.cu:$(grep -n 'MARK store$' "$source/virtual.cu" | cut -d: -f1)"

for policy in lazy eager "seeded --seed 3"; do
    run="$vtegra run --soc orin --policy $policy --check on"
    expect grow 0 "0 wrong" $run -- ./virtual grow
    not_there grow "error:"
    also grow "cuMemCreate at e2e/virtual.cu"
    expect alias 0 "alias 100 103" $run -- ./virtual alias
    not_there alias "error:"
    expect early 0 "cudaErrorIllegalAddress" $run -- ./virtual early
    also early "Memory is mapped there, but no access to it was given"
    also early "$at"
    expect readonly 0 "cudaErrorIllegalAddress" $run -- ./virtual readonly
    also readonly "Access to the memory there was given for reading only"
    expect unmapped 0 "cudaErrorIllegalAddress" $run -- ./virtual unmapped
    also unmapped "The memory there was unmapped before"
done
expect nano 1 "CUDA_ERROR_NOT_SUPPORTED" "$vtegra" run --soc nano -- ./virtual grow
also nano "virtualMemoryManagementSupported is 0"
finish
