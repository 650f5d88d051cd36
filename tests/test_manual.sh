#!/bin/sh
# SPDX-License-Identifier: MIT
# test_manual.sh BUILD_DIR: manual pages and completion of all commands: made from the tables of --help, so every option of
# --help is in each. The shells read them where they are installed; man pages are checked by groff.
vtegra=$1/bin/vtegra
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 2
failed=0
n=0
check() { # WHAT COMMAND...
    what=$1
    shift
    n=$((n + 1))
    "$@" >out 2>&1 || {
        echo "FAIL $what"
        head -5 out
        failed=$((failed + 1))
    }
}

for shell in bash zsh fish; do
    check "$shell" sh -c '"$1" completion "$2" >"completion.$2"' sh "$vtegra" $shell
    command -v $shell >/dev/null && check "$shell reads it" $shell -n completion.$shell
done
commands=$("$vtegra" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z-]*\) .*/\1/p')
for command in $commands; do
    check "man $command" sh -c '"$1" man "$2" >"$2.1"' sh "$vtegra" "$command"
    command -v groff >/dev/null && check "groff $command" sh -c '! groff -man -Tutf8 -ww -z "$1.1" 2>&1 | grep .' sh "$command"
    for shell in bash zsh fish; do
        check "$command in $shell" grep -q -- "$command" completion.$shell
    done
    case $command in cc | board | dla | vm) continue ;; esac # a parser, or verbs with options, of their own
    "$vtegra" "$command" --help | grep -oE '^  (-., )?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+' >options
    while read -r option; do
        [ "$option" = --help ] && continue
        roff=$(echo "$option" | sed 's/-/\\-/g')
        check "man $command: $option" grep -qF -- "$roff" "$command.1"
        check "bash: $command $option" grep -q "^    $command) words=.*$option " completion.bash
        check "zsh: $option" grep -qF -- "'$option[" completion.zsh
        check "fish: $command $option" grep -q -- "from $command' -l ${option#--} " completion.fish
    done <options
done
check "verbs with options" grep -qF "vtegra dla build" dla.1
check "the page of all" sh -c '"$1" man | grep -qF "vtegra\\-litmus"' sh "$vtegra"

# What bash offers.
offers() { # WORDS... WANTED
    bash -c 'source completion.bash; COMP_WORDS=("${@:1:$#-1}"); COMP_CWORD=$(($# - 2)); _vtegra; printf "%s\n" "${COMPREPLY[@]}"' bash "$@" |
        grep -qxF -- "$(eval echo "\${$#}")"
}
check "a command" offers vtegra sc scenario
check "an option" offers vtegra run --perf --perfetto
check "a SoC" offers vtegra run --soc x xavier-nx
check "a verb" offers vtegra scenario l list
check "bad shell" sh -c '"$1" completion tcsh; [ $? = 2 ]' sh "$vtegra"
check "bad command" sh -c '"$1" man nothing; [ $? = 2 ]' sh "$vtegra"
echo "$((n - failed)) of $n as expected"
[ $failed = 0 ]
