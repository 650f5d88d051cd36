#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Every lesson of qemu-plugin/baremetal/lessons shows what the table beside it says: data and finding, with the place in
# the source. Usage: lessons.sh SOURCE BUILD QEMU
. "$(dirname "$0")/vm.sh"
count=0

while read -r name soc verdict finding; do
    case $name in '' | '#'*) continue ;; esac
    machine=
    device=
    attach=,platform=on
    case $name in iommu*)
        machine=,iommu=smmuv3
        device="-device vtegra"
        attach=
        ;;
    esac
    # shellcheck disable=SC2086 # $device is two words
    vm "$name" "soc=$soc$attach,elf=$build/bare/$name.elf" $device
    status=$?
    count=$((count + 1))
    want=$([ "$verdict" = right ] && echo 0 || echo 1)
    if [ $status != "$want" ]; then
        fail "$name on $soc: status $status, $want expected: $(cat "$work/console" "$work/err")"
        continue
    fi
    if [ "$finding" = - ]; then
        grep -q '^vtegra: 0 findings' "$work/report" || fail "$name on $soc: $(cat "$work/report")"
    else
        grep -qF "$finding" "$work/report" || fail "$name on $soc: no \"$finding\" in: $(cat "$work/report")"
        case $name in
        # the channel's error has no address of its own (its second argument is the kind, CHAN_ERROR_BUS = 2)
        iommu*) ! grep -q '^ *address *0x2$' "$work/report" || fail "$name on $soc: an address that is none: $(cat "$work/report")" ;;
        *) grep -q " $name\.c:[1-9][0-9]* (main)" "$work/report" ||
            fail "$name on $soc: the place is missing: $(cat "$work/report")" ;;
        esac
    fi
done <"$source/qemu-plugin/baremetal/lessons/expected"

# A program of one's own, built as scripts/qemu-lesson.sh does: the report names its lines, not those of the library.
"$build/bare/cc" "$source/tests/qemu/ring.c" "$work/ring.elf" || fail "bare/cc"
elf=$work/ring.elf vm ring "soc=tx2,platform=on,elf=$work/ring.elf" || fail "ring: status $?: $(cat "$work/console")"
for line in 'store32(&ring->read' 'cache_invalidate(&ring->slot'; do
    number=$(grep -nF "$line" "$source/tests/qemu/ring.c" | cut -d : -f 1)
    grep -q "ring\.c:$number (main)" "$work/report" || fail "ring: no line $number in: $(cat "$work/report")"
done

echo "$count runs on $("$qemu" --version | head -n 1)"
[ "$count" -ge 20 ] || fail "the table was not read"
[ -z "$failed" ]
