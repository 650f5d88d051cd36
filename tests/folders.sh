#!/bin/sh
# SPDX-License-Identifier: MIT
# No folder of the product has more than 60 C files, headers and tables (.c, .h, .def) directly in it: a folder with more is several
# rooms, and its name says what none of its files does. No file (.c, .h; tables and the published headers in include/ may) has more than
# 600 lines. Usage: folders.sh ROOT [FOLDER|FILE...]      these may have more for now
set -eu
limit=60
lines=600
cd "$1"
shift
counts=$(find . \( -name .git -o -path ./build -o -path ./tests -o -path ./bench -o -path ./scenarios \) -prune -o \
    -type f \( -name '*.c' -o -name '*.h' -o -name '*.def' \) -print | sed 's/^\.\///; s/\/[^/]*$//' | sort | uniq -c)
[ -n "$counts" ] || {
    echo "FAIL: no C file below $PWD"
    exit 1
}
long=$(find . \( -name .git -o -path ./build -o -path ./tests -o -path ./bench -o -path ./scenarios -o -path ./include \) -prune -o \
    -type f \( -name '*.c' -o -name '*.h' \) -exec awk -v most=$lines 'FNR == most + 1 { print substr(FILENAME, 3) }' {} +)
for folder in "$@"; do
    case $folder in
    *.[ch])
        echo "$long" | grep -qxF "$folder" || echo "$folder has no more than $lines lines: take it off the list"
        long=$(echo "$long" | grep -vxF "$folder" || true)
        continue
        ;;
    esac
    echo "$counts" | awk -v folder="$folder" -v limit=$limit '
        $2 == folder && $1 > limit { more = 1 }
        END { if (!more) print folder " has no more than " limit " files: take it off the list" }'
    counts=$(echo "$counts" | awk -v folder="$folder" '$2 != folder')
done
[ -z "$long" ] || {
    echo "FAIL: more than $lines lines, split them by what they do:"
    echo "$long"
    exit 1
}
echo "$counts" | awk -v limit=$limit '
    $1 > limit { print "FAIL: " $2 " has " $1 " files, more than " limit ": divide it by what its files do"; bad = 1 }
    $1 > most { most = $1; largest = $2 }
    END { if (!bad) print NR " folders; the largest, " largest ", has " most " files"; exit bad }'
