#!/bin/sh
# SPDX-License-Identifier: MIT
# list_is_complete.sh INCLUDE HERE ROWS: the rows of the golden lists name everything that the headers declare today.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 "$2/list.py" "$1" "$dir"
for list in driver.def runtime.def library.def; do
    sort "$3/$list" >"$dir/golden"
    sort "$dir/$list" | diff "$dir/golden" - || {
        echo "tests/golden/headers_${list%.def}_13.0.txt lacks the line of a name that the headers declare, or has one that they do not"
        exit 1
    }
done
