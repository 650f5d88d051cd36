#!/bin/sh
# SPDX-License-Identifier: MIT
# Compares what a matrix of codes printed with what NVIDIA's driver answered. Usage: compare_codes.sh GOLDEN OURS DIFFERENCES
#
# A line of DIFFERENCES is "[section] call: THEIRS -> OURS", or "[section] * -> OURS" for all of a section, below a comment
# that gives the reason; one that is no longer needed is an error. Where NVIDIA's driver crashed ("signal") ours must not, and the rest of that section is not compared.
exec awk -v golden="$1" -v ours="$2" -v differences="$3" '
function load(file, lines, count,    line, section) {
    while ((getline line < file) > 0) {
        if (line ~ /^\[/) {
            section = line
            order[section] = 1
        } else if (line != "") {
            lines[section, ++count[section]] = line
        }
    }
    close(file)
}
function split_last(line) { # sets call and code
    match(line, /.*(: | = )/)
    call = substr(line, 1, RLENGTH)
    code = substr(line, RLENGTH + 1)
}
function complain(text) {
    print text
    bad = 1
}
BEGIN {
    while ((getline line < differences) > 0) {
        if (line ~ /^\[/) {
            allowed[line] = 1
        }
    }
    load(golden, g, ng)
    load(ours, o, no)
    for (section in order) {
        for (i = 1; i <= ng[section]; i++) {
            theirs = g[section, i]
            mine = o[section, i]
            if (theirs == mine) {
                same++
                continue
            }
            split_last(theirs); their_call = call; their_code = code
            split_last(mine)
            if (their_code ~ /^signal/) {
                if (mine == "" || code ~ /^signal/) {
                    complain(section " " (mine == "" ? theirs " -> nothing" : mine))
                }
                break
            }
            if (mine == "" || call != their_call) {
                complain(section " line " i ": expected \"" theirs "\", got \"" mine "\"")
                break
            }
            key = section " " call their_code " -> " code
            whole = section " * -> " code
            if (key in allowed) {
                used[key] = 1
            } else if (whole in allowed) {
                used[whole] = 1
            } else {
                complain(key)
            }
        }
    }
    for (key in allowed) {
        if (!(key in used)) {
            complain("no longer a difference: " key)
        }
    }
    if (same < 100) {
        complain("only " same + 0 " lines are the same: is this the right program?")
    }
    exit bad
}'
