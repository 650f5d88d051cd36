#!/bin/sh
# SPDX-License-Identifier: MIT
# pack.sh FILE...: packs golden files; the same bytes make the same packed file, whatever xz's options in the environment are.
unset XZ_DEFAULTS XZ_OPT
set -e
for file; do
    xz -9e -T1 --check=crc32 <"$file" >"$file.xz"
    rm "$file"
done
