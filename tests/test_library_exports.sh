#!/bin/sh
# SPDX-License-Identifier: MIT
# A library of mathematics exports the names of its list, all of one version, as does its archive; where NVIDIA's library is
# installed, those are exactly its names. test_library_exports.sh LIBRARY DEF VERSION ARCHIVE [NVIDIA_LIBRARY]
set -e
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
names() { nm -D --defined-only "$1" | awk '$2 == "T" || $2 == "i" { print $3 }' | LC_ALL=C sort; }
names "$1" >"$dir/ours"
sed -n -E 's/^(FORWARD|HAND|STUB)\(([A-Za-z0-9_]+).*/\2/p' "$2" | sed "s/\$/@@$3/" | LC_ALL=C sort >"$dir/list"
[ "$(wc -l <"$dir/list")" -gt 20 ]
diff "$dir/list" "$dir/ours"
# In the archive nothing but the API is global, and no name is there twice.
nm --defined-only "$4" | awk -v v="@@$3" '$2 ~ /^[A-Z]$/ { print $3 v }' | LC_ALL=C sort >"$dir/archive"
diff "$dir/list" "$dir/archive"
nvidia=${5:-/usr/local/cuda/lib64/$3}
[ -e "$nvidia" ] || exit 0
names "$nvidia" >"$dir/nvidia"
diff "$dir/nvidia" "$dir/ours"
