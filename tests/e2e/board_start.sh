#!/bin/sh
# SPDX-License-Identifier: MIT
# How a board is started, found and left: no name that another user can guess, no file that stays, no moment at which its socket
# is there and refuses. Usage: board_start.sh BUILD_DIR WORK_DIR
. "$(dirname "$0")/lib.sh"
unset VTEGRA_BOARD VTEGRA_BOARD_USER
by_clang vadd -g "$source/vadd.cu"
by_clang alone -g --track "$source/alone.cu"
build board_shim.so "${CC:-cc}" -std=c17 -D_GNU_SOURCE -shared -fPIC "$source/board_shim.c" -ldl
sockets=$(mktemp -d /tmp/vtsXXXXXX) # a socket's path is short
boards=
trap 'kill -KILL $boards 2>/dev/null; rm -rf "$sockets"' EXIT
mkdir "$sockets/tmp"
TMPDIR=$sockets/tmp
export TMPDIR

# waits SECONDS COMMAND...: until it succeeds
waits() {
    tenths=$(($1 * 10))
    shift
    while [ $tenths -gt 0 ]; do
        "$@" && return 0
        sleep 0.1
        tenths=$((tenths - 1))
    done
    return 1
}
# board_of NAME: the process that serves it
board_of() {
    pgrep -f "^vtegra board --socket $1 "
}
gone() {
    ! board_of "$1" >/dev/null && ! grep -qF -- "$1" /proc/net/unix
}
# check WHAT COMMAND...
check() {
    what=$1
    shift
    tests=$((tests + 1))
    "$@" || fail "$what"
}
empty() {
    [ -z "$(ls -A "$1")" ]
}

# Two runs have different names, of 128 bits, and nothing is in the temporary folder while they run.
for n in 1 2; do
    "$vtegra" run -q --shared -- sh -c 'echo "$VTEGRA_BOARD"; ls -A "$TMPDIR"' >name.$n || fail "run --shared: status $?"
    tests=$((tests + 1))
    grep -qE '^@vtegra-run-[0-9a-f]{32}$' name.$n && [ "$(wc -l <name.$n)" = 1 ] || fail "name and files: $(cat name.$n)"
done
check "two runs have one name" [ "$(cat name.1)" != "$(cat name.2)" ]
check "the first board is still there" waits 20 gone "$(cat name.1)"

# The program is killed, or the board is: nothing stays.
"$vtegra" run -q --shared -- sh -c 'echo "$VTEGRA_BOARD" >name; exec sleep 60' &
run=$!
check "no program" waits 60 [ -s name ]
name=$(cat name)
kill -KILL $run
wait $run 2>/dev/null
check "a board outlives its run" waits 20 gone "$name"
rm -f name
expect "the board is killed" 1 "Connection refused" "$vtegra" run -q --shared -- sh -c \
    'kill -KILL $(pgrep -f "^vtegra board --socket $VTEGRA_BOARD "); sleep 0.2; ./vadd'
check "files stay: $(ls -A "$TMPDIR")" empty "$TMPDIR"

# A script that numbers its descriptors does not lose the board.
expect "descriptors 3 to 9 are used" 0 "sum 12500000.0" "$vtegra" run -q --shared -- sh -c \
    'exec 3>&1 4>&1 5>&1 6>&1 7>&1 8>&1 9>&1; sleep 0.3; ./vadd'

# A board that does not come up ends the run, at once and with its status.
expect "the board ends at its start" 125 "the board has ended before it was there" env LD_PRELOAD="$work/board_shim.so" BOARD_SHIM=end \
    timeout 8 "$vtegra" run -q --shared -- ./vadd
not_there "the board ends at its start" "sum"

# The socket of a board that is slow to listen: whoever sees it can connect.
expect "a slow start of --shared" 0 "sum 12500000.0" env LD_PRELOAD="$work/board_shim.so" BOARD_SHIM=listen "$vtegra" run -q --shared -- ./vadd
LD_PRELOAD="$work/board_shim.so" BOARD_SHIM=listen "$vtegra" board --socket "$sockets/slow" 2>board.err &
boards="$boards $!"
check "no socket: $(cat board.err)" waits 60 [ -S "$sockets/slow" ]
expect "a slow start of a board" 0 "sum 12500000.0" "$vtegra" run -q --board "$sockets/slow" -- ./vadd
check "a second name stays: $(ls -A "$sockets")" [ "$(ls -A "$sockets" | wc -l)" = 2 ]

# A path with no room left behind the folder's name, and one without a file.
long=$sockets/$(printf '%*s' $((106 - ${#sockets})) '' | tr ' ' s)
"$vtegra" board --socket "$long" 2>board.err &
boards="$boards $!"
check "no socket: $(cat board.err)" waits 60 [ -S "$long" ]
expect "a path of 107 bytes" 0 "sum 12500000.0" "$vtegra" run -q --board "$long" -- ./vadd
"$vtegra" board --socket "@vtegra-test-$$" 2>board.err &
boards="$boards $!"
check "no board: $(cat board.err)" waits 60 grep -q " at @vtegra-test" board.err
expect "a name without a file" 0 "sum 12500000.0" "$vtegra" run -q --board "@vtegra-test-$$" -- ./vadd
expect "a second board there" 125 "Address already in use" "$vtegra" board --socket "@vtegra-test-$$"

# Two programs that share nothing but the board: what one asks for runs what the other has begun, in the order of its own calls.
for policy in eager lazy; do
    rm -f report.[12]
    expect "two programs on one board, $policy" 0 "" "$vtegra" run -q --shared --policy $policy -- sh -c \
        'for i in 1 2; do VTEGRA_REPORT=report.$i ./alone 300 & pids="$pids $!"; done; for p in $pids; do wait $p || exit 1; done'
    for i in 1 2; do
        check "two programs on one board, $policy, $i: $(sed -n "/^Findings/,/^Advice/p" report.$i)" grep -q "^  none" report.$i
    done
done

# Whose board it is: this one is ours, and another user's is asked for; then it is another user's.
expect "a board of another user, refused by vtegra run" 125 "belongs to user $(id -u), not to user 4242" \
    "$vtegra" run -q --board "$sockets/slow" --board-user 4242 -- ./vadd
expect "a board of another user, refused by the program" 1 "is refused: it belongs to user $(id -u), not to user 4242" \
    "$vtegra" run -q --board "$sockets/slow" -- env VTEGRA_BOARD_USER=4242 ./vadd
expect "no such user" 125 "no such user" "$vtegra" run -q --board "$sockets/slow" --board-user nobody-here -- ./vadd
expect "no such user to serve" 2 "no such user" "$vtegra" board --allow nobody-here --socket "$sockets/x"
nobody="setpriv --reuid=65534 --clear-groups --"
# shellcheck disable=SC2086
if [ "$(id -u)" = 0 ] && chmod 711 "$sockets" && $nobody test -x "$vtegra" 2>/dev/null && $nobody test -x "$work/vadd"; then
    mkdir "$sockets/other"
    chown 65534 "$sockets/other"
    $nobody "$vtegra" board --allow 0 --socket "$sockets/other/s" 2>other.err &
    boards="$boards $!"
    check "no socket: $(cat other.err)" waits 60 [ -S "$sockets/other/s" ]
    expect "another user's board" 125 "belongs to user 65534, not to user 0" "$vtegra" run -q --board "$sockets/other/s" -- ./vadd
    expect "another user's board, by the program" 1 "is refused: it belongs to user 65534, not to user 0" \
        "$vtegra" run -q --board "@vtegra-test-$$" -- env VTEGRA_BOARD="$sockets/other/s" ./vadd
    expect "another user's board, trusted" 0 "sum 12500000.0" "$vtegra" run -q --board "$sockets/other/s" --board-user 65534 -- ./vadd
    # Ours serves nobody else: it has a name that all can call.
    expect "another user's program" 1 "it is user 0's, the program is user 65534's: vtegra board --allow 65534" \
        $nobody env HOME=/nowhere "$vtegra" run -q --board "@vtegra-test-$$" --board-user 0 -- ./vadd
    "$vtegra" board --allow nobody --socket "$sockets/both" 2>board.err &
    boards="$boards $!"
    check "no socket: $(cat board.err)" waits 60 [ -S "$sockets/both" ]
    expect "another user's program, served" 0 "sum 12500000.0" $nobody env HOME=/nowhere "$vtegra" run -q --board "$sockets/both" --board-user root -- ./vadd
    expect "our program beside it" 0 "sum 12500000.0" "$vtegra" run -q --board "$sockets/both" -- ./vadd
else
    echo "not tested: boards of two users (needs root, and folders that all can read)"
fi
finish
