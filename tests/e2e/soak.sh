#!/bin/sh
# SPDX-License-Identifier: MIT
# soak.sh BUILD_DIR WORK_DIR [long]: what a round of a long run leaves in memory with checks, once tables of fixed size
# have filled up: at most 200 bytes, whatever the round does, and on the heap, where a thread's lock or a stream's label would
# stay, at most 64: a table that grows once is 50.
. "$(dirname "$0")/lib.sh"
by_clang soak -O1 "$source/soak.cu" -lcuda -lEGL -lGLESv2 -lnvscibuf
kinds="launch copies events graphs new_graphs textures pool frames threads detached modules host_functions images sci_buffers"
warm=20000 rounds=12000
if [ "$thorough" = long ]; then
    kinds="$kinds streams contexts buffers registrations arrays mutexes"
    rounds=20000
fi
limit=3600
by_clang hooked --track -O1 "$source/soak.cu" -lcuda -lEGL -lGLESv2 -lnvscibuf # a thread has a history of its own
expect hooked 0 "threads: " "$vtegra" run -q --soc orin --check on -- ./hooked threads 6000 4000
bytes=$(awk '{ print $2 }' out)
[ "${bytes:-999999}" -le 200 ] || fail "threads with hooks: $bytes bytes a round"
for kind in $kinds; do
    expect "$kind" 0 "$kind: " "$vtegra" run -q --soc orin --check on -- ./soak $kind $warm $rounds
    read -r bytes heap <<EOF
$(awk '{ print $2, $6 }' out)
EOF
    [ "${bytes:-999}" -le 200 ] || fail "$kind: $bytes bytes a round"
    [ "${heap:-999}" -le 64 ] || fail "$kind: $heap bytes a round on the heap"
done
finish
