#!/bin/sh
# SPDX-License-Identifier: MIT
# Texture fetches and surface accesses against those of a GPU (tests/golden). Usage: textures.sh BUILD_DIR WORK_DIR; 77: no nvcc
#
# textures.differences lists the cases that differ, how many fetches of each may, and why; a case that is listed and no longer
# differs is an error.
. "$(dirname "$0")/lib.sh"
need_nvcc
by_nvcc_shared tex_fetch -arch=sm_87 "$source/../golden/gen/tex_fetch.cu"
VTEGRA_CHECK=off "$vtegra" run -q --soc orin -- ./tex_fetch >ours.txt 2>errors.txt || fail "tex_fetch: exit status $?"
tests=1
awk -v golden="$source/../golden/tex_fetch_h200_580.159.04.txt" -v differences="$source/textures.differences" '
BEGIN {
    while ((getline line < differences) > 0) {
        if (line !~ /^#/ && split(line, f, " ") == 2) {
            limit[f[1]] = f[2]
        }
    }
    while ((getline line < golden) > 0) {
        name = line
        sub(/ .*/, "", name)
        theirs[name] = line
    }
}
NR > 1 {
    seen++
    name = $1
    n = split(theirs[name], t, " ")
    different = n != NF ? NF : 0
    for (i = 2; i <= NF && n == NF; i++) {
        different += $i != t[i]
    }
    most = name in limit ? limit[name] : 0
    if (different > most) {
        print name ": " different " fetches differ, not " most
        bad = 1
    }
    if (most && !different) {
        print name ": no longer different"
        bad = 1
    }
}
END {
    if (seen < 450) {
        print "only " seen + 0 " cases"
        bad = 1
    }
    exit bad
}' ours.txt || fail "fetches differ from those of the GPU"
finish
