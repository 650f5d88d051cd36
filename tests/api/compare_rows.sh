#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares rows "case value" of a program with those that it printed on NVIDIA's driver.
# Usage: compare_rows.sh GOLDEN OURS DIFFERENCES
#
# A line of DIFFERENCES is "case: THEIRS -> OURS", below a comment that gives the reason; one that is no longer needed is an
# error. The first line, the driver's version, is not compared. Where NVIDIA's driver crashed (SIGSEGV) ours must not, and the
# rest of that section is not compared.
exec awk -v golden="$1" -v ours="$2" -v differences="$3" '
function load(file, rows,    line, name, value) {
    while ((getline line < file) > 0) {
        name = value = line
        sub(/ .*/, "", name)
        sub(/^[^ ]* */, "", value)
        if (name != "driver" && name != "") {
            rows[name] = value
            names[name] = 1
        }
    }
    close(file)
}
BEGIN {
    while ((getline line < differences) > 0) {
        if (line ~ /^[^#].* -> /) {
            allowed[line] = 1
        }
    }
    load(golden, theirs)
    load(ours, mine)
    for (name in theirs) {
        if (theirs[name] ~ /^SIG/) {
            section = name
            sub(/[.].*/, "", section)
            crashed[section] = 1
        }
    }
    for (name in names) {
        if ((name in theirs) && (name in mine) && theirs[name] == mine[name]) {
            same++
            continue
        }
        section = name
        sub(/[.].*/, "", section)
        known = name in theirs
        if (section in crashed && mine[name] !~ /^SIG/ && (!known || theirs[name] ~ /^SIG/)) {
            continue
        }
        row = name ": " (known ? theirs[name] : "nothing") " -> " (name in mine ? mine[name] : "nothing")
        if (row in allowed) {
            used[row] = 1
        } else {
            print row
            bad = 1
        }
    }
    for (row in allowed) {
        if (!(row in used)) {
            print "no longer a difference: " row
            bad = 1
        }
    }
    if (same < 100) {
        print "only " same + 0 " rows are the same: is this the right program?"
        bad = 1
    }
    exit bad
}'
