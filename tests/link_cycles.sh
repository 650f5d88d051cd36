#!/bin/sh
# SPDX-License-Identifier: MIT
# Which files of a folder need each other to be linked? link_cycles.sh BUILD FOLDER LIMIT [HOOK]
# A link cycle is a set of object files of which each needs every other, directly or through others of the set: none of
# them can be tested or reused without the rest. Fails where a cycle has more than LIMIT files, and prints it. A symbol that
# the C library has as well (free(), write()) is no need: a file links without the folder's own.
# HOOK: what names of events begin with (notify_): then a file that calls notify_X() also needs each file that calls
# notify_X_add(), because it calls the function that this file has registered. A file may register functions of its own alone.
set -eu
build=$1 folder=$2 limit=$3 hook=${4:-}
source=$(cd "$(dirname "$0")/.." && pwd)
objects=
# Below __ are sources of other folders. An object without its source is left from before.
for object in $(find "$build/$folder" -name '*.o' -path '*.dir/*' ! -path '*.dir/__/*' | sort); do
    file=${object#"$build"/}
    [ ! -f "$source/${file%%/CMakeFiles/*}/$(echo "$file" | sed 's/^.*\.dir\///; s/\.o$//')" ] || objects="$objects $object"
done
[ -n "$objects" ] || {
    echo "no object files below $build/$folder"
    exit 1
}
[ -z "$hook" ] || {
    foreign=$(grep -rEo --include='*.c' "\b${hook}[a-z0-9_]+_add\([a-z0-9_]+\)" "$source/$folder" | sed 's/:[^(]*(/ /; s/)$//' |
        while read -r file name; do
            [ "$name" = void ] || grep -qE "^[a-z].*[ *]$name\([^;]*\$" "$file" || echo "$file registers $name(), which another file has"
        done)
    [ -z "$foreign" ] || {
        echo "$foreign"
        exit 1
    }
}
libc=$(cc -print-file-name=libc.so.6)
# shellcheck disable=SC2086
{
    nm -D -g -P --defined-only "$libc" | sed 's/@.*//; s/^/C: /'
    nm -A -g -P $objects
} | awk -v limit="$limit" -v hook="$hook" -v folder="$folder" '
$1 == "C:" {
    in_libc[$2] = 1
    next
}
{ # FILE: SYMBOL TYPE [VALUE SIZE]
    file = $1
    sub(/:$/, "", file)
    sub(/^.*\.dir\//, "", file)
    sub(/\.o$/, "", file)
    if (!(file in seen)) {
        seen[file] = 1
        name[++n] = file
    }
    if ($3 == "U" || $3 == "w" || $3 == "v") {
        needs[file, $2] = 1
    } else if (!($2 in home) && !($2 in in_libc)) {
        home[$2] = file
    }
}
# All files that @from needs, in reach[from, ...].
function follow(from,    queue, first, last, at, i, list, k) {
    queue[first = last = 1] = from
    while (first <= last) {
        at = queue[first++]
        k = split(next_of[at], list, "\n")
        for (i = 1; i <= k; i++) {
            if (!((from, list[i]) in reach)) {
                reach[from, list[i]] = 1
                queue[++last] = list[i]
            }
        }
    }
}
function join(from, to) {
    if (to != "" && to != from && !((from, to) in edge)) {
        edge[from, to] = 1
        next_of[from] = next_of[from] (next_of[from] == "" ? "" : "\n") to
        edges++
    }
}
END {
    for (key in needs) {
        split(key, part, SUBSEP)
        join(part[1], home[part[2]])
        if (hook != "" && part[2] ~ "^" hook ".*_add$") {
            event = substr(part[2], 1, length(part[2]) - 4)
            added[event] = added[event] " " part[1]
            hooks++
        }
    }
    if (hook != "" && !hooks) {
        print "no file of " folder " calls " hook "..._add()"
        exit 1
    }
    for (key in needs) {
        split(key, part, SUBSEP)
        k = split(added[part[2]], list, " ")
        for (i = 1; i <= k; i++) {
            join(part[1], list[i])
        }
    }
    for (i = 1; i <= n; i++) {
        follow(name[i])
    }
    for (i = 1; i <= n; i++) {
        size = 0
        text = ""
        for (j = 1; j <= n; j++) {
            if (j == i || ((name[i], name[j]) in reach && (name[j], name[i]) in reach)) {
                if (j < i) {
                    break # counted with that one
                }
                size++
                text = text " " name[j]
            }
        }
        if (j > n && size > largest) {
            largest = size
            members = text
        }
    }
    printf "%s: %d files, %d need another, the largest link cycle has %d\n", folder, n, edges, largest
    if (largest > limit) {
        printf "more than %d:%s\n", limit, members
        exit 1
    }
}'
