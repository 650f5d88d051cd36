#!/bin/sh
# SPDX-License-Identifier: MIT
# What the documents show is what the tool prints: each "$ vtegra litmus ..." of README.md and docs/ is run, and its output compared with the
# lines below it, up to an empty one. Usage: doc_commands.sh SOURCE_DIR BUILD_DIR
cd "$1" || exit 2
bin=$2/bin
bad=0
ran=0
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
for page in README.md docs/*.md; do
    awk -v dir="$work" '
        /^    \$ vtegra litmus / { n++; sub(/^    \$ vtegra /, ""); print > (dir "/" n ".command"); shown = 1; next }
        shown && /^    / { sub(/^    /, ""); print > (dir "/" n ".want"); next }
        { shown = 0 }' "$page"
    for command in "$work"/*.command; do
        [ -e "$command" ] || continue
        ran=$((ran + 1))
        # shellcheck disable=SC2046 # words of a command
        "$bin/vtegra" $(cat "$command") >"$work/got" 2>&1 || true
        diff "${command%.command}.want" "$work/got" || {
            echo "$page: vtegra $(cat "$command"): the document (<) is not what is printed (>)"
            bad=1
        }
    done
    rm -f "$work"/*.command "$work"/*.want
done
[ "$ran" -ge 8 ] || {
    echo "only $ran commands were found"
    bad=1
}
exit $bad
