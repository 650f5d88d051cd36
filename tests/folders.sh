#!/bin/sh
# SPDX-License-Identifier: MIT
# No folder of the product has more than 60 C files, headers and tables (.c, .h, .def) directly in it: a folder with more is several
# rooms, and its name says what none of its files does. Usage: folders.sh ROOT [FOLDER...]      FOLDER: may have more for now
set -eu
limit=60
cd "$1"
shift
counts=$(find . \( -name .git -o -path ./build -o -path ./tests -o -path ./bench -o -path ./scenarios \) -prune -o \
    -type f \( -name '*.c' -o -name '*.h' -o -name '*.def' \) -print | sed 's/^\.\///; s/\/[^/]*$//' | sort | uniq -c)
[ -n "$counts" ] || {
    echo "FAIL: no C file below $PWD"
    exit 1
}
for folder in "$@"; do
    echo "$counts" | awk -v folder="$folder" -v limit=$limit '
        $2 == folder && $1 > limit { more = 1 }
        END { if (!more) { print "FAIL: " folder " has no more than " limit " files: take it off the list"; exit 1 } }'
    counts=$(echo "$counts" | awk -v folder="$folder" '$2 != folder')
done
echo "$counts" | awk -v limit=$limit '
    $1 > limit { print "FAIL: " $2 " has " $1 " files, more than " limit ": divide it by what its files do"; bad = 1 }
    $1 > most { most = $1; largest = $2 }
    END { if (!bad) print NR " folders; the largest, " largest ", has " most " files"; exit bad }'
