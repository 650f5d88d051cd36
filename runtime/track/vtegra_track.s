# SPDX-License-Identifier: MIT
# Assembled in front of what clang makes of a program with hooks (vtegra cc --track, x86-64): a hook is called only for
# an address below the end of the board's memory. The call alone costs more than the comparison, and the most accesses
# go to stack, heap and data, which lie above. The hooks look again: what is assembled without this works, too.
#
# The compiler writes calls as "callq"; "call" is the same instruction.
.macro callq target:vararg
    .set .Lvtegra_is_hook, 0
    .irp kind, read, write, read_write
    .irp size, 1, 2, 4, 8, 16
    .ifc \target,__tsan_\kind\size
    .set .Lvtegra_is_hook, 1
    .endif
    .ifc \target,__tsan_\kind\size@PLT
    .set .Lvtegra_is_hook, 1
    .endif
    .endr
    .endr
    .if .Lvtegra_is_hook
    cmpq vtegra_track_end__link_with_lvtegra_track(%rip), %rdi
    jae .Lvtegra_\@
    .endif
    call \target
.Lvtegra_\@:
.endm
