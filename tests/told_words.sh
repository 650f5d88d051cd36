#!/bin/sh
# SPDX-License-Identifier: MIT
# Words that name no one: "told", "tell", "nobody", "somebody" in identifiers, comments, texts and documents. Write "reported", "notify",
# "no thread", "the caller" (CONTRIBUTING.md, Words). Counts the lines of the product that have one, and fails above LIMIT.
# Usage: told_words.sh ROOT [LIMIT]      without LIMIT: prints them
set -eu
cd "$1"
limit=${2:-}
list=$(find . \( -name .git -o -path ./build -o -path ./tests -o -path ./bench \) -prune -o -type f \
    \( -name '*.c' -o -name '*.h' -o -name '*.def' -o -name '*.md' -o -name '*.sh' -o -name '*.cmake' -o -name CMakeLists.txt \) -print |
    LC_ALL=C sort | xargs grep -nE '(^|[^[:alpha:]])(told|tell|tells|telling|nobody|somebody)([^[:alpha:]]|$)')
count=$(printf '%s\n' "$list" | wc -l)
if [ -z "$limit" ]; then
    printf '%s\n' "$list"
elif [ "$count" -gt "$limit" ]; then
    echo "FAIL: $count lines with such a word, $limit were ($0 $1 lists them)"
    exit 1
fi
echo "$count lines with such a word"
