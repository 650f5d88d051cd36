#!/bin/sh
# SPDX-License-Identifier: MIT
# Texture fetches and surface accesses against those of a GPU (tests/golden). Usage: textures.sh BUILD_DIR WORK_DIR; 77: no nvcc
#
# textures.differences lists the cases that differ, how many fetches of each may, and why; a case that is listed and no longer
# differs is an error.
. "$(dirname "$0")/lib.sh"
need_nvcc
# program ENOUGH: runs it here and compares it with the GPU's rows, of which there are more than ENOUGH
compare() {
    by_nvcc_shared "$1" -std=c++17 -arch=sm_87 "$source/../golden/gen/$1.cu"
    VTEGRA_CHECK=off "$vtegra" run -q --soc orin -- "./$1" >ours.txt 2>errors.txt || fail "$1: exit status $?"
    tests=$((tests + 1))
    awk -v golden="$golden/$1_h200_580.159.04.txt" -v differences="$source/textures.differences" -v enough="$2" \
        "$rows" ours.txt || fail "$1: fetches differ from those of the GPU"
}

# shellcheck disable=SC2016 # of awk
rows='
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
    if (seen < enough) {
        print "only " seen + 0 " cases"
        bad = 1
    }
    exit bad
}'
compare tex_fetch 450
compare tex_filter 240
finish
