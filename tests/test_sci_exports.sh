#!/bin/sh
# SPDX-License-Identifier: MIT
# Each library of NvSci exports the functions of the API reference and nothing else, and answers zeros in every argument without a
# crash. test_sci_exports.sh LIBRARY_DIR LIST CC
list=$2
bad=0
for library in buf sync ipc event; do
    have=$(nm -D --defined-only "$1/libnvsci$library.so.1" | awk '{ print $3 }' | grep -v '^_' | sort)
    want=$(awk -v l="$library" '$1 == l { print $2 }' "$list" | sort)
    [ "$have" = "$want" ] || {
        echo "libnvsci$library.so.1 exports other functions than $list has"
        bad=1
    }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
{
    grep -v '^#' "$list" | awk '{ print "long " $2 "(long, long, long, long, long, long, long, long, long);" }'
    echo 'int main(void) {'
    grep -v '^#' "$list" | awk '{ print $2 "(0, 0, 0, 0, 0, 0, 0, 0, 0);" }'
    echo 'return 0; }'
} >"$work/zeros.c"
"$3" -o "$work/zeros" "$work/zeros.c" -L"$1" -Wl,-rpath,"$1" -lnvscibuf -lnvscisync -lnvsciipc -lnvscievent || exit 1
VTEGRA_REPORT=/dev/null "$work/zeros" || {
    echo "zeros: exit status $?"
    bad=1
}
exit $bad
