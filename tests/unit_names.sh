#!/bin/sh
# SPDX-License-Identifier: MIT
# A static function of the product is named unit_object_verb: a backtrace that says `load` or `tell` says nothing. Counts those that are
# one word, and fails above LIMIT. Usage: unit_names.sh ROOT [LIMIT]      without LIMIT: prints them
set -eu
cd "$1"
limit=${2:-}
list=$(find . \( -name .git -o -path ./build -o -path ./tests -o -path ./bench -o -path ./scenarios \) -prune -o -type f -name '*.c' -print |
    LC_ALL=C sort | xargs awk '
/^static [^=;]*[a-z0-9]\(/ {
    name = $0
    sub(/\(.*/, "", name)
    sub(/.*[ *]/, "", name)
    if (name ~ /^[a-z0-9]+$/ && name != "main") print substr(FILENAME, 3) ": " name
}' | LC_ALL=C sort -u)
count=$(printf '%s' "$list" | grep -c . || true)
if [ -z "$limit" ]; then
    printf '%s\n' "$list"
elif [ "$count" -gt "$limit" ]; then
    echo "FAIL: $count static functions are named by one word, $limit were: name the unit and the object, too ($0 $1 lists them)"
    exit 1
fi
echo "$count static functions are named by one word"
