#!/bin/sh
# SPDX-License-Identifier: MIT
# Every mutant's patch fits the sources, also those that are too many to run each time: one that no longer fits shows
# nothing. Usage: mutants_fit.sh SOURCE_DIR
set -u
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tree"
for folder in checker litmus loadable model ptx qemu-plugin runtime sched tools trace; do
    cp -r "$1/$folder" "$dir/tree/"
done
count=0
failed=0
for patch in $(find "$1/tests" "$1/qemu-plugin" -name '*.patch' | sort); do
    count=$((count + 1))
    if ! patch -s -p1 --dry-run -d "$dir/tree" <"$patch" >"$dir/out" 2>&1; then
        failed=$((failed + 1))
        echo "FAIL: no longer fits, bring it up to date: ${patch#"$1"/}"
        cat "$dir/out"
    fi
done
echo "$((count - failed)) of $count patches fit"
[ $count -gt 0 ] && [ $failed = 0 ]
