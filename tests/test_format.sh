#!/bin/sh
# SPDX-License-Identifier: MIT
# format.sh fails on a badly formatted file, and on that alone. test_format.sh SOURCE_DIR
set -u
format=$1/tests/format.sh
command -v clang-format-19 >/dev/null || { echo "skipped: no clang-format-19 (scripts/install-deps.sh installs it)"; exit 77; }
command -v git >/dev/null || { echo "skipped: no git"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
mkdir "$dir/tests"
cp "$1/.clang-format" "$dir/"
echo '# none' >"$dir/tests/format_not_yet.txt"
printf 'int one(void)\n{\n    return 1;\n}\n' >"$dir/good.c"

# expect NAME STATUS TEXT
expect() {
    status=0
    "$format" "$dir" >"$dir/out" 2>&1 || status=$?
    if [ $status != "$2" ] || ! grep -qxF -e "$3" "$dir/out"; then
        echo "FAIL $1: status $status, expected $2 and \"$3\":"
        cat "$dir/out"
        failed=1
    fi
}

export GIT_CEILING_DIRECTORIES="$dir/.."
expect "no git" 77 "skipped: no git here, so no list of files"
git init -q "$dir"
expect "no file" 1 "FAIL: no C file is tracked"
git -C "$dir" add good.c
expect "formatted" 0 "1 files, 0 of them not formatted yet"
printf 'int two(void) {\n  return 2;\n}\n' >"$dir/bad.h"
expect "not tracked" 0 "1 files, 0 of them not formatted yet"
git -C "$dir" add bad.h
expect "badly formatted" 1 "bad.h"
echo bad.h >>"$dir/tests/format_not_yet.txt"
expect "on the list" 0 "2 files, 1 of them not formatted yet"
echo good.c >>"$dir/tests/format_not_yet.txt"
expect "no longer on the list" 0 "clean now, take it off the list: good.c"
printf 'int one(void) {\n  return 1;\n}\n' >"$dir/good.c"
sed -i '/good.c/d' "$dir/tests/format_not_yet.txt"
expect "formatted once, now not" 1 "good.c"
exit $failed
