#!/bin/sh
# SPDX-License-Identifier: MIT
# soak_all.sh BUILD_DIR WORK_DIR [long]: streams, threads, events, graphs, textures, modules, NvSci fences and EGL frames at once, in
# two processes on a board that they share: what each process and the board have in memory has a plateau. SOAK_SECONDS: 600
. "$(dirname "$0")/lib.sh"
unset VTEGRA_BOARD
by_clang soak_all -O1 "$source/soak_all.cu" -lcuda -lEGL -lnvscisync -lnvscibuf -lnvsciipc
seconds=${SOAK_SECONDS:-600}
sockets=$(mktemp -d /tmp/vtsXXXXXX) # a socket's path is short
"$vtegra" board --soc orin --socket "$sockets/s" 2>board.err &
board=$!
trap 'kill $board 2>/dev/null; rm -rf "$sockets"' EXIT
for i in $(seq 300); do
    [ -S "$sockets/s" ] && break
    sleep 0.1
done
kib() {
    awk '/^VmRSS/ { print $2 }' "/proc/$board/status"
}
"$vtegra" run -q --board "$sockets/s" --check on -- ./soak_all "$seconds" >soak.out 2>soak.err &
run=$!
for tenth in 1 2 3 4 5 6 7 8 9; do
    sleep "$(awk -v s="$seconds" 'BEGIN { print s / 10 }')"
    now=$(kib)
    echo "board: $tenth tenths, $now KiB"
    [ $tenth != 5 ] || half=$now
done
wait $run || fail "soak_all: exit status $?: $(tail -3 soak.err)"
cat soak.out
tests=$((tests + 2))
[ "$(grep -c 'bytes a thing' soak.out)" = 2 ] || fail "two processes were to end"
# The board keeps nothing: a mebibyte is for the host's allocator.
[ $((now - half)) -le 1024 ] || fail "the board has grown by $((now - half)) KiB in four tenths"
finish
