#!/bin/sh
# SPDX-License-Identifier: MIT
# two_soak.sh BUILD_DIR WORK_DIR [long]: two processes pass frames on one board, with checks. What the board and each of
# them keep does not grow with the number of frames.
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$1/lib/libEGL_vtegra.so.0" ] || { echo "skipped: no EGL in this build (scripts/install-deps.sh)"; exit 77; }
ldconfig -p 2>/dev/null | grep -q libEGL_mesa.so.0 || { echo "skipped: no libegl-mesa0 (scripts/install-deps.sh)"; exit 77; }
. "$here/../e2e/lib.sh"
by_clang two -g -O1 "$here/two.cu" -lEGL
frames=60
[ "$thorough" != long ] || frames=2000
grows=4096 # KiB: caches of the model and of the checker that fill up

# peak FRAMES: the peaks of board, producer and consumer in KiB
peak() {
    rm -f board.socket
    "$vtegra" board --socket board.socket --soc orin >board.out 2>&1 &
    board=$!
    while [ ! -S board.socket ] && kill -0 $board 2>/dev/null; do sleep 0.1; done
    FRAMES=$1 timeout 1200 "$vtegra" run -q --soc orin --board board.socket -- ./two frames >out 2>&1 ||
        { fail "$1 frames: status $?"; cat out; }
    grep -q "$1 frames, 0 wrong, status 0" out || fail "$1 frames: $(cat out)"
    board_kib=$(awk '/VmHWM/ { print $2 }' /proc/$board/status)
    kill $board
    wait $board
    producer_kib=$(awk '/producer KiB/ { print $3 }' out)
    consumer_kib=$(awk '/consumer KiB/ { print $3 }' out)
}

peak $((2 * frames))
few="$board_kib $producer_kib $consumer_kib"
peak $((20 * frames))
many="$board_kib $producer_kib $consumer_kib"
echo "KiB of board, producer and consumer: $few, after 10 times as many frames $many"
set -- $few $many
for who in board producer consumer; do
    tests=$((tests + 1))
    [ $(($4 - $1)) -lt $grows ] || fail "$who: $1 KiB grow to $4"
    shift
done
finish
