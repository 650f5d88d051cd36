#!/bin/sh
# SPDX-License-Identifier: MIT
# vtegra compare and run --calls, with a stand-in for NVIDIA's driver. Usage: compare.sh BUILD_DIR FOLDER
# FOLDER has the programs and driver/libcuda.so.1.
vtegra=$1/bin/vtegra
here=$2
known=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
unset VTEGRA_SOC VTEGRA_EDITION VTEGRA_OS VTEGRA_POLICY VTEGRA_BACKEND VTEGRA_CALLS LD_PRELOAD
failed=0

# expect NAME STATUS LINE... -- ARGUMENTS...: the status, and each line somewhere in the output, blanks counted as one
expect() {
    name=$1
    want=$2
    shift 2
    : >lines
    while [ "$1" != -- ]; do
        echo "$1" >>lines
        shift
    done
    shift
    "$vtegra" compare "$@" >out 2>&1
    got=$?
    tr -s ' ' <out >flat
    [ $got = "$want" ] || {
        echo "FAIL $name: status $got, want $want"
        cat out
        failed=1
    }
    while read -r line; do
        grep -qF -- "$line" flat || {
            echo "FAIL $name: no \"$line\" in:"
            cat out
            failed=1
        }
    done <lines
}

# No driver: the machine's own, if it has one, is not in this test.
if ! ldconfig -p 2>/dev/null | grep -q 'libcuda\.so\.1'; then
    expect no_driver 77 "vtegra compare: there is no libcuda.so.1" "nothing was run" -- -- "$here/compare_app"
fi
LD_LIBRARY_PATH=$here/driver
export LD_LIBRARY_PATH
app=$here/compare_app
expect same 0 "exit status 0 and 0" "API calls 7 and 7: the same names and return codes" "stdout 1 and 1 lines: the same" \
    "stderr 0 and 0 lines: the same" -- -- "$app"
expect code 1 "API calls 8 and 8: they differ at call 8, cuMemAlloc_v2" \
    "model cuMemAlloc_v2 returned 2, CUDA_ERROR_OUT_OF_MEMORY" "silicon cuMemAlloc_v2 returned 0, CUDA_SUCCESS" \
    "stdout 3 and 3 lines: the same" -- -- "$app" code
expect name 1 "API calls 8 and 8: the same" "stdout 4 and 4 lines: they differ" "model line 3: Orin" "silicon line 3: stand-in" \
    -- --soc orin -- "$app" name
expect ignored 0 "stdout 3 and 3 lines: the same" -- --ignore '^Orin$' --ignore stand -- "$app" name
expect stderr 1 "stderr 1 and 1 lines: they differ" "model line 1: on Orin" "silicon line 1: on stand-in" -- -- "$app" stderr
expect more 1 "API calls 8 and 9: they differ at call 9, cuMemAlloc_v2" "model makes no further call" \
    "silicon cuMemAlloc_v2 returned 0" -- -- "$app" more
expect status 1 "exit status 3 and signal 15 (Terminated): they differ" -- -- "$app" status
printf 'x' >input
expect input 0 "exit status 0 and 0" -- --keep kept --input input -- "$app" input
grep -q 'read x' kept/silicon.stdout || {
    echo "FAIL input: $(cat kept/silicon.stdout)"
    failed=1
}
expect no_program 2 "no program given" --
expect not_found 127 "" -- -- ./nowhere
expect bad_pattern 2 "--ignore (" -- --ignore '(' -- "$app"
unset LD_LIBRARY_PATH

# The record of calls, of a program whose calls are known, with both forms of the runtime.
"$vtegra" run --quiet --calls calls -- "$here/compare_runtime" >out || failed=1
grep -qx '5a 5a' out || {
    echo "FAIL runtime: arguments are lost: $(cat out)"
    failed=1
}
diff "$known/runtime.calls" calls || {
    echo "FAIL runtime: the record (>) is not the program's calls (<)"
    failed=1
}
if [ -x "$here/compare_runtime_static" ]; then # its own calls are the driver's
    "$vtegra" run --quiet --calls calls -- "$here/compare_runtime_static" >out || failed=1
    grep -q '^1 cuMemFree_v2 0$' calls && ! grep -q cuda calls || {
        echo "FAIL static: $(cat calls)"
        failed=1
    }
fi
exit $failed
