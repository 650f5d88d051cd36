#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# A folder as an archive that the kernel unpacks at boot: the same folder, the same bytes. Several of them may stand one
# behind the other. Usage: qemu-plugin/guest/archive.sh DIR FILE
set -eu
find "$1" -exec touch -h -d @0 {} +
(cd "$1" && find . -mindepth 1 | LC_ALL=C sort | cpio -o -H newc -R 0:0 --reproducible --quiet) >"$2.new"
mv "$2.new" "$2"
