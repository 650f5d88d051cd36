#!/bin/sh
# SPDX-License-Identifier: MIT
# Thor: the iGPU uses the page tables of the process; the other boards do not.
# Usage: pageable.sh BUILD_DIR WORK_DIR [long]
. "$(dirname "$0")/lib.sh"
one_target="--arch sm_62"
by_clang pageable -g "$source/pageable.cu"
run="$vtegra run --soc thor"

mark() {
    grep -n "MARK $1\$" "$source/pageable.cu" | cut -d: -f1
}

for policy in $(some 2 lazy eager seeded); do
    expect everywhere 0 "5: right" $run --policy $policy -- ./pageable everywhere
    not_there everywhere "WRONG"
    not_there everywhere "error:"
    also everywhere "pageable"
    expect calls 0 "pageable 1" $run --policy $policy -- ./pageable calls
    also calls "memset cudaSuccess filled 5000 counted 320, length 9"
    expect talk 0 "answer 42" $run --policy $policy -- ./pageable talk

    expect readonly 0 "cudaErrorIllegalAddress read only" $run --policy $policy -- ./pageable readonly
    also readonly "store to memory that the process itself may only read"
    also readonly "in a page of the process that is mapped read-only"
    also readonly "where e2e/pageable.cu:$(mark store)"
    also readonly "kernel poke"
done
# eager: it has run before the memory goes
for policy in $(some 2 lazy seeded); do
    for case in unmapped remapped; do
        expect $case 0 "cudaErrorIllegalAddress" $run --policy $policy -- ./pageable $case
        also $case "the process has nothing mapped there (any more)"
        also $case "where e2e/pageable.cu:$(mark load)"
        also $case "kernel peek"
    done
done
expect remapped 0 "out 5" $run --policy eager -- ./pageable remapped
not_there remapped IllegalAddress

# The hooks tell nothing of pageable memory: the report says that races in it were not checked, and only then.
by_clang pageable_hooks --track -g "$source/pageable.cu"
expect hooks 0 "5: right" $run -- ./pageable_hooks everywhere
also hooks "not checked races in pageable memory"
expect hooks 0 "" "$vtegra" run --soc orin -- ./pageable_hooks calls
not_there hooks "races in pageable memory"

# AddressSanitizer forbids the CPU what lies beside a block; an engine that touches the cache line is no mistake.
if [ -z "$sanitized" ]; then
    by_clang pageable_asan -g -Xarch_host -fsanitize=address "$source/pageable.cu" -fsanitize=address
    expect asan 0 "5: right" $run -- ./pageable_asan everywhere
    not_there asan AddressSanitizer
fi

# Pages that the program registered and took away: on a board they stay until they are unregistered.
for soc in orin thor; do
    expect registered 0 "cudaSuccess" "$vtegra" run --soc $soc -- ./pageable registered
    also registered "unmapped-in-use"
done

# The other boards: illegal, and the attribute says so.
for soc in tx2 orin; do
    expect elsewhere 0 "pageable 0" "$vtegra" run --soc $soc -- ./pageable calls
    also elsewhere "memset cudaErrorInvalidValue"
    expect elsewhere 0 "cudaErrorIllegalAddress" "$vtegra" run --soc $soc -- ./pageable unmapped
    expect heap 3 "cudaErrorIllegalAddress" "$vtegra" run --soc $soc -- ./pageable everywhere
    also heap "from pageable memory of the CPU in block"
    also heap "(pageableMemoryAccess = 0)"
    also heap "CUDA for Tegra Table 1"
    not_there heap "out-of-bounds"
done
finish
