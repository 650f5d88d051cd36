/* SPDX-License-Identifier: MIT */
/*
 * An entry for each API function: keeps the arguments, asks calls_target() for the function, calls it with the same
 * registers and a copy of the stack's arguments, and reports the answer to calls_done(). Unwinders see an ordinary frame.
 * STACK_WORDS: more than any entry has (cudaMemcpy3DPeerAsync's structs lie behind pointers; cudaMemset3DAsync has 7).
 */
#define STACK_WORDS 24

#if defined(__x86_64__)

#define CALL(n, name)                \
    .globl name;                     \
    .type name, @function;           \
    .balign 16;                      \
name:                                \
    .cfi_startproc;                  \
    endbr64;                         \
    movl $n, %r11d;                  \
    jmp enter;                       \
    .cfi_endproc;                    \
    .size name, . - name

    .text
    .type enter, @function
enter:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    subq $(192 + STACK_WORDS * 8), %rsp
    movq %r11, -8(%rbp)
    movq %rdi, -16(%rbp)
    movq %rsi, -24(%rbp)
    movq %rdx, -32(%rbp)
    movq %rcx, -40(%rbp)
    movq %r8, -48(%rbp)
    movq %r9, -56(%rbp)
    movaps %xmm0, -80(%rbp)
    movaps %xmm1, -96(%rbp)
    movaps %xmm2, -112(%rbp)
    movaps %xmm3, -128(%rbp)
    movaps %xmm4, -144(%rbp)
    movaps %xmm5, -160(%rbp)
    movaps %xmm6, -176(%rbp)
    movaps %xmm7, -192(%rbp)
    movl %r11d, %edi
    call calls_target
    movq %rax, %r11
    xorl %ecx, %ecx
1:  movq 16(%rbp,%rcx,8), %rax
    movq %rax, (%rsp,%rcx,8)
    incl %ecx
    cmpl $STACK_WORDS, %ecx
    jb 1b
    movq -16(%rbp), %rdi
    movq -24(%rbp), %rsi
    movq -32(%rbp), %rdx
    movq -40(%rbp), %rcx
    movq -48(%rbp), %r8
    movq -56(%rbp), %r9
    movaps -80(%rbp), %xmm0
    movaps -96(%rbp), %xmm1
    movaps -112(%rbp), %xmm2
    movaps -128(%rbp), %xmm3
    movaps -144(%rbp), %xmm4
    movaps -160(%rbp), %xmm5
    movaps -176(%rbp), %xmm6
    movaps -192(%rbp), %xmm7
    call *%r11
    movq %rax, -16(%rbp)
    movl -8(%rbp), %edi
    movl %eax, %esi
    call calls_done
    movq -16(%rbp), %rax
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size enter, . - enter

#elif defined(__aarch64__)

#define CALL(n, name)                \
    .globl name;                     \
    .type name, %function;           \
    .balign 16;                      \
name:                                \
    .cfi_startproc;                  \
    mov w16, n;                      \
    b enter;                         \
    .cfi_endproc;                    \
    .size name, . - name

#define FRAME 240

    .text
    .type enter, %function
enter:
    .cfi_startproc
    stp x29, x30, [sp, -FRAME]!
    .cfi_def_cfa_offset FRAME
    .cfi_offset 29, -FRAME
    .cfi_offset 30, -(FRAME - 8)
    mov x29, sp
    .cfi_def_cfa_register 29
    stp x0, x1, [x29, 16]
    stp x2, x3, [x29, 32]
    stp x4, x5, [x29, 48]
    stp x6, x7, [x29, 64]
    stp x8, x16, [x29, 80]
    stp q0, q1, [x29, 96]
    stp q2, q3, [x29, 128]
    stp q4, q5, [x29, 160]
    stp q6, q7, [x29, 192]
    mov w0, w16
    bl calls_target
    mov x16, x0
    sub sp, sp, STACK_WORDS * 8
    add x9, x29, FRAME
    mov x10, sp
    mov w11, STACK_WORDS
1:  ldr x12, [x9], 8
    str x12, [x10], 8
    subs w11, w11, 1
    b.ne 1b
    ldp x0, x1, [x29, 16]
    ldp x2, x3, [x29, 32]
    ldp x4, x5, [x29, 48]
    ldp x6, x7, [x29, 64]
    ldr x8, [x29, 80]
    ldp q0, q1, [x29, 96]
    ldp q2, q3, [x29, 128]
    ldp q4, q5, [x29, 160]
    ldp q6, q7, [x29, 192]
    blr x16
    mov sp, x29
    str x0, [x29, 16]
    ldr w1, [x29, 16]
    ldr w0, [x29, 88]
    bl calls_done
    ldr x0, [x29, 16]
    ldp x29, x30, [sp], FRAME
    .cfi_def_cfa 31, 0
    ret
    .cfi_endproc
    .size enter, . - enter

#else
#error "an entry that keeps the arguments is not written for this machine"
#endif

#include "calls_list.h"

    .section .note.GNU-stack, "", %progbits
