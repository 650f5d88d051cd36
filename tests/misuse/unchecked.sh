#!/bin/sh
# SPDX-License-Identifier: MIT
# unchecked.sh BUILD_DIR WORK_DIR: a wrong result is not passed over in silence. CUDA Runtime API, API synchronization
# behavior: a copy from pageable memory returns when the bytes are staged, and may not have reached the device.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../e2e/lib.sh"
source=$here
by_clang unchecked -g -O1 "$source/unchecked.cu"
copy=$(grep -n 'MARK copy$' "$source/unchecked.cu" | cut -d: -f1)
line="vtegra: this run was not checked for races and stale bytes; \`vtegra run --check on\` does"

unset VTEGRA_CHECK
expect default 0 "mean 0.0" "$vtegra" run -- ./unchecked
also default "pageable-copy-pending"
not_there default "$line"
expect to_a_file 0 "$line" "$vtegra" run --check auto --report report -- ./unchecked
expect quiet 0 "$line" "$vtegra" run -q --check auto -- ./unchecked
expect auto 0 "$line" "$vtegra" run --check auto -- ./unchecked
expect off 0 "Findings" "$vtegra" run --check off -- ./unchecked
not_there off "this run was not checked"
expect no_kernel 0 "" "$vtegra" run -q -- "$vtegra" --version
not_there no_kernel "this run was not checked"

# Whether or not the program waits for the copy in the end.
for case in wrong later; do
    expect $case 0 "pageable-copy-pending" "$vtegra" run --check on -- ./unchecked $case
    not_there $case "this run was not checked"
    also $case "cudaMemcpyToSymbol at misuse/unchecked.cu:$copy in main returns when the bytes of pageable memory are staged"
    also $case "nothing orders it before the read by kernel mean at misuse/unchecked.cu:"
    also $case "(documented: CUDA Runtime API, API synchronization behavior;"
done
expect right 0 "mean 2.0" "$vtegra" run --check on -- ./unchecked right
not_there right "pageable-copy-pending"
also right "races between the threads of each launch were looked for"
finish
