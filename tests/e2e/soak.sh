#!/bin/sh
# SPDX-License-Identifier: MIT
# soak.sh BUILD_DIR WORK_DIR [long]: what a round of a long run leaves in memory with checks, once tables of fixed size
# have filled up: at most 200 bytes, whatever the round does.
. "$(dirname "$0")/lib.sh"
by_clang soak -O1 "$source/soak.cu" -lcuda -lEGL -lGLESv2 -lnvscibuf
kinds="launch copies events graphs new_graphs textures pool frames threads detached modules images sci_buffers"
warm=20000 rounds=5000
if [ "$thorough" = long ]; then
    kinds="$kinds streams contexts buffers registrations arrays host_functions"
    rounds=20000
fi
limit=3600
for kind in $kinds; do
    expect "$kind" 0 "$kind: " "$vtegra" run -q --soc orin --check on -- ./soak $kind $warm $rounds
    bytes=$(awk '{ print $2 }' out)
    [ "${bytes:-999}" -le 200 ] || fail "$kind: $bytes bytes a round"
done
finish
