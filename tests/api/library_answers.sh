#!/bin/sh
# SPDX-License-Identifier: MIT
# Asks a library of ours what NVIDIA's was asked on a GPU (golden/gen/NAME_work.cpp), and compares the answers: codes are the same,
# values within the bound of their row, errors of a result no larger than NVIDIA's or the bound (golden/gen/library_case.h).
# Usage: library_answers.sh SOURCE LIB NAME GOLDEN CXX [FLAG...]     the flags are the build's, a sanitizer's among them
#
# Questions at which NVIDIA's library ended with a signal, or lost the context, are not asked.
set -eu
source=$1
lib=$2
name=$3
golden=$4
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$@" -O1 -I"$source/include" "$source/tests/golden/gen/${name}_work.cpp" -o "$work/ask" -L"$lib" "-l${name%Sp}" -lcusparse -lcudart
# shellcheck disable=SC2046
VTEGRA_SOC=orin VTEGRA_CHECK=off VTEGRA_QUIET=1 VTEGRA_REPORT=/dev/null LD_LIBRARY_PATH=$lib ASAN_OPTIONS=detect_leaks=0 \
    "$work/ask" $(sed -n '1s/.*left out: //p' "$golden") >"$work/ours"
awk '
function what() { match($0, /.* [=~<] /); return substr($0, 1, RLENGTH - 3) }
/^#/ || / = signal$/ { next }
FNR == NR { key = what(); row[key, ++n[key]] = $0; rows++; next }
{
    key = what()
    id = key SUBSEP (++m[key])
    asked++
    theirs = split(substr(row[id], length(key) + 2), a, " ")
    ours = split(substr($0, length(key) + 2), b, " ")
    wrong = !(id in row) || theirs != ours || a[1] != b[1]
    bound = a[1] == "~" ? a[2] + 0 : 0
    for (i = 2; i <= ours && !wrong; i++) {
        difference = a[i] - b[i]
        difference = difference < 0 ? -difference : difference
        wrong = a[1] == "=" ? a[i] != b[i] : a[1] == "~" ? i > 2 && a[i] != b[i] && !(difference <= bound) : i > 2 && b[i] + 0 > a[2] + 0 && b[i] + 0 > a[3] + 0
    }
    if (wrong) {
        print "theirs: " substr(row[id], 1, 300)
        print "ours:   " substr($0, 1, 300)
        failed++
    }
}
END {
    if (failed || asked != rows || rows < 500) {
        print failed + 0 " answers differ; " asked + 0 " of " rows + 0 " rows"
        exit 1
    }
    print rows " answers as NVIDIA'"'"'s"
}' "$golden" "$work/ours"
