/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From reset of -M virt (EL1, MMU off) to main(), and exceptions to bare_exception(). */
    .section .text.start, "ax"
    .global _start
_start:
    adr     x0, vectors
    msr     vbar_el1, x0
    mov     x0, #(3 << 20)          /* CPACR_EL1.FPEN: floating point does not trap */
    msr     cpacr_el1, x0
    isb
    adrp    x0, stack_top
    add     sp, x0, :lo12:stack_top
    adrp    x0, bss_start
    add     x0, x0, :lo12:bss_start
    adrp    x1, bss_end
    add     x1, x1, :lo12:bss_end
1:  cmp     x0, x1
    b.hs    2f
    stp     xzr, xzr, [x0], #16
    b       1b
2:  bl      bare_main
3:  wfi
    b       3b

    .macro  vector
    .balign 128
    mrs     x0, esr_el1
    mrs     x1, elr_el1
    mrs     x2, far_el1
    b       bare_exception
    .endm

    .balign 2048
vectors:
    .rept   16
    vector
    .endr

/* A further CPU, started by PSCI CPU_ON with x0 = its struct { stack, function }. */
    .global secondary_start
secondary_start:
    adr     x1, vectors
    msr     vbar_el1, x1
    ldr     x1, [x0]
    mov     sp, x1
    ldr     x19, [x0, #8]
    bl      mmu_on
    blr     x19
1:  wfi
    b       1b
