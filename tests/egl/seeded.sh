#!/bin/sh
# SPDX-License-Identifier: MIT
# seeded.sh BUILD_DIR WORK_DIR: EGLStreams of two processes under one seed are one run: traces and output of both are the same bytes each
# time, and another seed has another order.
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$1/lib/libEGL_vtegra.so.0" ] || { echo "skipped: no EGL in this build (scripts/install-deps.sh)"; exit 77; }
ldconfig -p 2>/dev/null | grep -q libEGL_mesa.so.0 || { echo "skipped: no libegl-mesa0 (scripts/install-deps.sh)"; exit 77; }
. "$here/../e2e/lib.sh"
by_clang two -g -O1 "$here/two.cu" -lEGL

# run_once SEED CASE TEXT: one run, and its sum
run_once() {
    rm -f ./*.trace
    VTEGRA_TRACE=first.trace timeout 100 "$vtegra" run -q --shared --soc orin --policy seeded --seed "$1" -- "./$program" "$2" >text 2>err
    status=$?
    [ $status = 0 ] || fail "$2, seed $1: status $status"
    grep -qxF "$3" text || fail "$2, seed $1: $(cat text)"
    [ ! -s err ] || fail "$2, seed $1: on stderr: $(head -1 err)"
    now=$(cat first.trace second.trace text | cksum)
}

# one_run SEED CASE TEXT: five times the same. Not by luck: both have work in their traces.
one_run() {
    tests=$((tests + 1))
    first=
    for i in 1 2 3 4 5; do
        run_once "$@"
        [ "${first:-$now}" = "$now" ] || fail "$2, seed $1: run $i is another than the first"
        first=$now
    done
    [ "$(grep -c DOORBELL first.trace)" -ge 3 ] && [ "$(grep -c DOORBELL second.trace)" -ge 3 ] || fail "$2, seed $1: the traces: $(wc -l ./*.trace)"
    echo "$first" >>sums
}

: >sums
program=two
for seed in 1 2 3; do
    one_run $seed frames "20 frames, 0 wrong, status 0"
done
[ "$(sort -u sums | wc -l)" -gt 1 ] || fail "all seeds are one run"
one_run 4 arrays "20 frames, 0 wrong, status 0"
by_clang gl_two -g -O1 "$here/gl_two.cu" -lEGL -lGLESv2
program=gl_two
one_run 5 to_gl "0 wrong"
one_run 5 from_gl "0 wrong"
finish
