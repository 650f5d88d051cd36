#!/bin/sh
# SPDX-License-Identifier: MIT
# Tracked C files are as clang-format-19 (the version beside clang-19; others disagree in places) formats them. Files that are
# not yet stand in format_not_yet.txt: format one with the next change to it, and take it off the list.
# Usage: format.sh [--list] SOURCE_DIR      --list: print the files that are not
list=
[ "${1:-}" = --list ] && list=yes && shift
cd "$1" || exit 2
command -v clang-format-19 >/dev/null || { echo "skipped: no clang-format-19 (scripts/install-deps.sh installs it)"; exit 77; }
git ls-files -z '*.c' '*.h' >/dev/null 2>&1 || { echo "skipped: no git here, so no list of files"; exit 77; }
files=$(mktemp) bad=$(mktemp)
trap 'rm -f "$files" "$bad"' EXIT
git ls-files '*.c' '*.h' >"$files"
[ -s "$files" ] || { echo "FAIL: no C file is tracked"; exit 1; }
# Many files a call: most of its time is its start.
xargs -n 50 clang-format-19 --dry-run <"$files" 2>&1 |
    sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: warning: code should be clang-formatted.*/\1/p' | LC_ALL=C sort -u >"$bad"
[ -z "$list" ] || { cat "$bad"; exit 0; }
known=tests/format_not_yet.txt
grep -vxFf "$bad" "$known" | grep -v '^#' | sed 's/^/clean now, take it off the list: /'
new=$(grep -vxFf "$known" "$bad")
[ -z "$new" ] || { echo "FAIL: clang-format-19 -i these:" && echo "$new"; exit 1; }
echo "$(wc -l <"$files") files, $(wc -l <"$bad") of them not formatted yet"
