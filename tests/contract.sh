#!/bin/sh
# SPDX-License-Identifier: MIT
# The hash that runtime and board compare: the same for the same sources wherever they lie, another one for any change to
# what both must read alike, and the time of the last commit to that. Usage: contract.sh SOURCE
set -u
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE

fail() {
    echo "FAILED: $*"
    failed=1
}

mkdir "$work/a"
for folder in contract ptx trace model qemu-plugin runtime; do
    cp -r "$source/$folder" "$work/a/"
done

# values TREE: "0xHASH TIME" of it
values() {
    cmake -D SOURCE="$1" -D OUT="$work/values.c" -P "$1/contract/make.cmake" || fail "make.cmake"
    sed -n 's/.*UINT64_C(\(0x[0-9a-f]*\)), .time = \([0-9]*\).*/\1 \2/p' "$work/values.c"
}

cp -r "$work/a" "$work/another place"
first=$(values "$work/a")
[ "$(values "$work/a")" = "$first" ] || fail "two runs, two hashes"
[ "$(values "$work/another place")" = "$first" ] || fail "another place, another hash"
[ "${first#* }" = 0 ] || fail "a time without a clone: $first"
[ ${#first} = 20 ] || fail "no hash: $first"

for file in ptx/op.def ptx/link.c model/regs/igpu.def trace/record.def model/engines.def qemu-plugin/control.def qemu-plugin/record.h runtime/hal/board/board.h; do
    cp "$work/a/$file" "$work/saved"
    echo >>"$work/a/$file"
    [ "$(values "$work/a")" != "$first" ] || fail "$file does not count"
    cp "$work/saved" "$work/a/$file"
done
echo >>"$work/a/runtime/hal/guest/guest.c"
[ "$(values "$work/a")" = "$first" ] || fail "what only one side reads counts"

# In a clone: the time of the last commit to those sources, one more when they are changed.
commit() {
    GIT_COMMITTER_DATE="$1 +0000" git -C "$work/a" -c user.name=t -c user.email=t@example.com commit -q --no-verify --date="$1 +0000" -m t
}
if command -v git >/dev/null; then
    git -C "$work/a" init -q
    git -C "$work/a" add -A
    commit 1700000000
    [ "$(values "$work/a")" = "${first% *} 1700000000" ] || fail "the time of the commit: $(values "$work/a")"
    echo >>"$work/a/runtime/hal/guest/guest.c"
    git -C "$work/a" add -A
    commit 1700000500
    [ "$(values "$work/a")" = "${first% *} 1700000000" ] || fail "another commit counts: $(values "$work/a")"
    echo >>"$work/a/ptx/op.def"
    changed=$(values "$work/a")
    [ "${changed#* }" = 1700000001 ] || fail "a change is not younger: $changed"
fi
[ -z "$failed" ]
