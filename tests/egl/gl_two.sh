#!/bin/sh
# SPDX-License-Identifier: MIT
# gl_two.sh BUILD_DIR WORK_DIR: OpenGL ES at the ends of EGLStreams of two processes. Codes as in one process (gl.sh), pixels from the
# programs' formulas; ABGR (0xe) is what docs/egl.md has for surfaces.
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$1/lib/libEGL_vtegra.so.0" ] || { echo "skipped: no EGL in this build (scripts/install-deps.sh)"; exit 77; }
ldconfig -p 2>/dev/null | grep -q libEGL_mesa.so.0 || { echo "skipped: no libegl-mesa0 (scripts/install-deps.sh)"; exit 77; }
. "$here/../e2e/lib.sh"
by_clang gl_two -g -O1 "$here/gl_two.cu" -lEGL -lGLESv2

# shows NAME TEXT SOC POLICY...: one case; the output has these lines, in this order, and no process has a finding
shows() {
    title=$1 wanted=$2 soc=$3
    shift 3
    rm -f report
    expect "$title" 0 "" "$vtegra" run --shared --soc $soc --policy "$@" -- ./gl_two "$title"
    printf '%s\n' "$wanted" >want
    grep -xF -f want out | diff want - >difference || { fail "$title, $soc, $*: other lines:" && cat difference out; }
    [ "$(grep -c -A1 '^Findings' out)" = "$(grep -A1 '^Findings' out | grep -c none)" ] || fail "$title, $soc, $*: findings"
}

for how in "orin lazy" "xavier eager" "orin seeded --seed 3"; do
    # shellcheck disable=SC2086
    shows to_gl "the last: 63 15 111 255
0 wrong
status 0, state 0x321a, acquire 0 0x321c" $how
    # shellcheck disable=SC2086
    shows from_gl "64 x 16, format 0xe
0 wrong
status 0" $how
    # shellcheck disable=SC2086
    shows gl_gl "0 wrong
status 0, state 0x321a, acquire 0 0x321c" $how
    # shellcheck disable=SC2086
    shows handles "the other handle: 0 0x3002
CUDA to a texture: 9 3 101 255
state 0x321a
64 x 16, format 0xe
a surface to CUDA: 0 wrong
state 0x321a" $how
done
WIDTH=bytes shows to_gl "the last: 63 15 111 255
0 wrong
status 0, state 0x321a, acquire 0 0x321c" orin lazy
shows surface_killed "status -9, state 0x321a, acquire 0 0x321c
the frame: 30 0 0 255" orin lazy
shows texture_killed "swap 0x3007, killed -9, state 0x321a" orin lazy
finish
