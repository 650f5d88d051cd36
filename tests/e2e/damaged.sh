#!/bin/sh
# SPDX-License-Identifier: MIT
# Damaged device code in a whole program: 200 draws of flipped bits (20 in ./check), 40 cuts.
# Usage: damaged.sh BUILD_DIR WORK_DIR [long]
. "$(dirname "$0")/lib.sh"
draws=10
[ "$thorough" != long ] || draws=100
build damaged cc -O1 "$source/damaged.c"
by_clang vadd "$source/vadd.cu"
if [ -n "$nvcc" ]; then
    by_nvcc_shared vadd_compressed --compress-mode=size "$source/vadd.cu"
    expect "clang's, PTX as text" 0 "" ./damaged "$vtegra" ./vadd $draws
    cat out
    expect "nvcc's, compressed" 0 "" ./damaged "$vtegra" ./vadd_compressed $draws
else
    expect "clang's, PTX as text" 0 "" ./damaged "$vtegra" ./vadd $((2 * draws))
fi
cat out
# A file cut off in the middle is no program any more; that is said before anything runs.
head -c 12000 vadd >short && chmod +x short
expect "half a file" 126 "damaged ELF file" "$vtegra" run -- ./short
finish
