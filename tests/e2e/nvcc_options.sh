#!/bin/sh
# SPDX-License-Identifier: MIT
# nvcc's options with vtegra cc: each common one is read and does what nvcc's documentation says.
# Usage: nvcc_options.sh BUILD_DIR WORK_DIR [long]
. "$(dirname "$0")/lib.sh"
cp "$source/nvcc_options.cu" app.cu
echo '-DFROM_FILE=1 -O2' >words.opt

# The table in docs/vtegra-cc.md, row by row: | `OPTIONS` | RESULT |. OPTIONS, tab, RESULT:
sed -n '/^### The common options/,/^##* What/s/^| `\(.*\)` | \(.*\) |$/\1\t\2/p' "$source/../../docs/vtegra-cc.md" >rows
expect "the table has its rows" 0 "" test "$(wc -l <rows)" -ge 75
tab=$(printf '\t')
while IFS=$tab read -r options result; do
    # shellcheck disable=SC2086 # a list of words
    case $result in
    'refused: '*) expect "$options" 2 "${options%% *} is not supported: ${result#refused: }" "$vtegra" cc $options app.cu ;;
    'note: '*) expect "$options" 0 "note: ${result#note: }" "$vtegra" cc -dryrun $options app.cu ;;
    'nothing to do' | '`'*'`')
        words=${result#nothing to do}
        words=${words#?}
        expect "$options" 0 "${words%?}" "$vtegra" cc -dryrun $options app.cu
        not_there "$options: no note" "note: "
        ;;
    *) expect "$options has a result" 0 "" false ;;
    esac
    case $thorough.$result in
    long.refused*) ;;
    long.*) # and not only as a list of words
        only=
        [ "$options" != "-cudart none" ] || only=-c # the link is the user's
        expect "$options, done" 0 "" "$vtegra" cc $options $only app.cu
        ;;
    esac
done <rows

runs() { # OUT OPTION...
    out=$1
    shift
    by_clang "$out" "$@" app.cu
    expect "$out: $*" 0 "1 2 3 4" "$vtegra" run -q -- ./"$out"
}
runs fast -use_fast_math -default-stream per-thread -extended-lambda -DWITH_LAMBDA -lineinfo
expect "the kernel is launched into the thread's stream" 0 cudaLaunchKernel_ptsz nm -u fast
expect "-ptx" 0 "" "$vtegra" cc -ptx --arch sm_87 app.cu
expect "-ptx: a division as IEEE 754 has it" 0 "div.rn.f32" cat app.ptx
expect "-ptx -o" 0 "" "$vtegra" cc --ptx -use_fast_math --arch sm_87 app.cu -o fast.ptx
expect "-use_fast_math: an approximate one" 0 "div.approx.ftz.f32" cat fast.ptx
expect "-fatbin" 0 "" "$vtegra" cc -fatbin app.cu
expect "-fatbin: the container's first word" 0 "ba55ed50" od -An -tx4 -N4 app.fatbin
rm -f none
expect "-dryrun" 0 "clang" "$vtegra" cc -dryrun app.cu -o none
expect "-dryrun makes nothing" 1 "" test -e none
expect "--version" 0 "vtegra" "$vtegra" cc --version
if [ "$thorough" = long ]; then
    runs debug -G
    runs std -std c++17 --optimize 3 --compiler-options -Wall,-fPIC -Xlinker -rpath,/x -Werror all-warnings
    runs named -x cu -Xptxas -v,-O3 -maxrregcount=32 -m64 -ccbin g++
    # Each name in nvcc --help is one of ours or of clang's.
    if [ -n "$nvcc" ]; then
        "$nvcc" --help | sed -n 's/^--\([A-Za-z0-9_-]*\).*(-\([A-Za-z0-9_-]*\)).*/\1 \2/p' >names
        expect "nvcc --help has its options" 0 "" test "$(wc -l <names)" -gt 100
        while read -r long short; do
            case $short in rdc | dc | dlink | h | V | r) continue ;; esac
            expect "nvcc's --$long (-$short)" 0 "" grep -E "^NVCC\(\"$long\"," "$source/../../tools/cc/nvcc.def"
        done <names
    fi
fi
finish
