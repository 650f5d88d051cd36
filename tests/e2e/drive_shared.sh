#!/bin/sh
# SPDX-License-Identifier: MIT
# drive_shared.sh BUILD_DIR WORK_DIR: programs on one board with two GPUs, started together and apart.
. "$(dirname "$0")/lib.sh"
by_clang drive_shared -g "$source/drive_shared.cu"
for how in "drive-pegasus lazy" "drive-px2 eager" "drive-pegasus seeded"; do
    # shellcheck disable=SC2086
    set -- $how
    expect "$how" 0 "" "$vtegra" run --shared --soc "$1" --policy "$2" --quiet -- ./drive_shared
    for line in "bad device 0: cudaErrorIllegalAddress -1" "bad device 1: cudaErrorIllegalAddress -1"; do
        also "$how" "$line"
    done
    tests=$((tests + 1))
    [ "$(grep -c '^good device [01]: cudaSuccess 50$' out)" = 6 ] || fail "$how: the other program's kernels"
done
# vtegra board: programs that are started apart, each with both GPUs or one, while another one's kernels fault.
rm -f socket
"$vtegra" board --soc drive-pegasus --socket "$work/socket" 2>board.err &
board=$!
trap 'kill $board 2>/dev/null' EXIT
for _ in $(seq 300); do
    [ -S socket ] && break
    sleep 0.1
done
on_board="$vtegra run --soc drive-pegasus --board $work/socket --quiet -- ./drive_shared"
$on_board 0 >faults 2>&1 &
both="0 of 2: NVIDIA Turing TU104, 1
1 of 2: Xavier, 1"
# shellcheck disable=SC2086
expect "board: both GPUs" 0 "$both" $on_board names
wait $!
tests=$((tests + 1))
grep -q "^bad device 0: cudaErrorIllegalAddress -1$" faults || fail "board: a fault: $(cat faults)"
# shellcheck disable=SC2086
expect "board: both GPUs, later" 0 "$both" $on_board names
for gpu in "0 NVIDIA Turing TU104" "1 Xavier"; do
    # shellcheck disable=SC2086
    expect "board: GPU ${gpu%% *} alone" 0 "0 of 1: ${gpu#* }, 1" env CUDA_VISIBLE_DEVICES="${gpu%% *}" $on_board names
done
expect "board: another kind of board" 0 "this board is drive-pegasus, the program wants drive-px2" \
    "$vtegra" run --soc drive-px2 --board "$work/socket" --quiet -- ./drive_shared names
kill $board
finish
