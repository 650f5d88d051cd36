#!/bin/sh
# SPDX-License-Identifier: MIT
# suppressions.sh BUILD_DIR WORK_DIR: --suppressions leaves a finding out, --gen-suppressions prints what it takes (docs/suppressions.md).
. "$(dirname "$0")/lib.sh"
by_clang found -g "$source/error_exitcode.cu"
run="$vtegra run --error-exitcode 9"

# hidden NAME TEXT: not in the output of the last expect
hidden() {
    tests=$((tests + 1))
    ! grep -qF -- "$2" out || fail "$1: \"$2\" in the output"
}

# shellcheck disable=SC2086 # words
{
    expect "no file" 9 "kernel-fault" $run -- ./found mistake exit
    hidden "no file" "suppressed"
    expect "entry" 9 "suppress      rule=kernel-fault file=e2e/error_exitcode.cu function=store" \
        $run --gen-suppressions -- ./found mistake exit
    sed -n 's/^ *suppress  *//p' out | sort -u >known.supp
    expect "covered" 7 "suppressed    1 finding (kernel-fault)" $run --suppressions known.supp --trace trace -- ./found mistake exit
    hidden "covered" "null pointer"
    expect "trace" 0 "suppressed    1 finding (kernel-fault)" "$vtegra" report trace
    hidden "trace" "null pointer"
    expect "environment" 7 "suppressed    1 finding" env VTEGRA_SUPPRESSIONS=known.supp $run -- ./found mistake exit
    echo 'rule=kernel-fault function=other' >other.supp
    expect "another function" 9 "suppressed    0 findings; 1 entry fitted none" $run --suppressions other.supp -- ./found mistake exit
    also "another function" "kernel-fault"
    printf '# mine\nrule=race line=4\n' >wrong.supp
    expect "wrong entry" 125 'wrong.supp:2:11: "line" is none of rule=, file=, function=' $run --suppressions wrong.supp -- ./found mistake exit
    expect "no such file" 125 "none.supp" $run --suppressions none.supp -- ./found mistake exit
    expect "help" 0 "--gen-suppressions" "$vtegra" run --help
}
finish
