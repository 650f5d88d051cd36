# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# What every run of a mutant opens with: sourced with $source and $patch set. The file that the patch breaks is $broken, its
# faulty copy $dir/$broken; all else in $dir is free to use, and $dir is gone at the end.

# word NAME: what stands in the patch behind "NAME: "
word() {
    sed -n "s/^$1: //p" "$patch"
}

# noticed COMMAND...: the test must fail, by one of its checks and not because it could not run
noticed() {
    if "$@" >"$dir/out" 2>&1; then
        echo "NOT CAUGHT: $(word Rule)"
        exit 1
    fi
    if ! grep -q ':[FE]:' "$dir/out"; then
        cat "$dir/out"
        echo "the test did not run"
        exit 1
    fi
    echo "caught: $(grep -c ':[FE]:' "$dir/out") checks failed"
    sed -n 's/.*\(:[FE]:.*\)/\1/p' "$dir/out" | head -1
}

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tmp"
export TMPDIR="$dir/tmp" # a test that fails leaves its files
broken=$(sed -n 's,^+++ b/\([^[:space:]]*\).*,\1,p' "$patch")
mkdir -p "$dir/$(dirname "$broken")"
cp "$source/$broken" "$dir/$broken"
if ! patch -s -p1 -d "$dir" <"$patch"; then
    echo "the patch no longer fits the sources: bring $patch up to date"
    exit 1
fi
