#!/bin/sh
# SPDX-License-Identifier: MIT
# test_cudart_exports.sh LIBCUDART DEF ARCHIVE [NVIDIA_LIBCUDART]
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
names() { nm -D --defined-only "$1" | awk '$2 == "T" { print $3 }' | sort; }
names "$1" >"$dir/ours"
sed -n -E 's/^(CONTEXT_THEN|HAND|STUB)\(([A-Za-z0-9_]+), (ONE|PT..).*/\2 \3/p' "$2" |
    awk '{ print $1 } $2 != "ONE" { print $1 "_" tolower($2) }' | sed 's/$/@@libcudart.so.13/' | sort >"$dir/list"
diff "$dir/list" "$dir/ours"
# In the archive nothing but the API is global, and no name is there twice.
nm --defined-only "$3" | awk '$2 ~ /^[A-Z]$/ { print $3 "@@libcudart.so.13" }' | sort >"$dir/archive"
diff "$dir/list" "$dir/archive"
nvidia=${4:-/usr/local/cuda/lib64/libcudart.so.13}
[ -e "$nvidia" ] || exit 0
names "$nvidia" >"$dir/nvidia"
diff "$dir/nvidia" "$dir/ours"
