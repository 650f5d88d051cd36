#!/bin/sh
# SPDX-License-Identifier: MIT
# A few rows of bench/timing.sh, of several mechanisms: those that the constants were made from must come out of the model again.
# Usage: rows.sh BUILD_DIR
here=$(cd "$(dirname "$0")" && pwd)
table=$("$here/../../bench/timing.sh" "$1" M13b L2a M33a M6c C2s A6b A6s) || exit 1
echo "$table"
echo "$table" | grep -q '^fit: 7 of 7 in,' && ! echo "$table" | grep -q ' out$'
