#!/bin/sh
# SPDX-License-Identifier: MIT
# list_is_complete.sh INCLUDE HERE: the lists name everything that the headers declare today.
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
python3 "$2/list.py" "$1" "$dir"
for list in driver.def runtime.def library.def; do
    diff "$2/$list" "$dir/$list" || {
        echo "run: tests/api/headers/list.py include tests/api/headers"
        exit 1
    }
done
