/* SPDX-License-Identifier: MIT */
/* The instruction as carry.c has encoded it again is run between two pieces of code that load and
 * save all registers but one. The processor decides what it does, flags included; nothing here
 * knows what an instruction means. */
#include "runtime/observe/carry_internal.h"

#ifdef __x86_64__

#define FLAGS_OF_PROGRAM 0x8d5u /* carry, parity, adjust, zero, sign, overflow */
#define VECTOR_STATE 0xe6u      /* SSE, AVX, and the three of AVX-512: x87 is never carried */
#define MXCSR_ALL_MASKED 0x1f80u
#define SP 4u /* the stack pointer's number */

/* In the order of their numbers in instructions. */
const int carry_gregs[16] = { REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                              REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                              REG_R12, REG_R13, REG_R14, REG_R15 };

/**
 * struct frame - lies where the stack pointer points while the instruction runs
 * @gpr: by number; @xstate: NULL: it uses no vector register
 */
struct frame {
    uint64_t below[4]; /* flags are pushed here */
    uint64_t gpr[16], flags;
    const void *code, *back;
    uint64_t host_sp, xstate, xmask;
};
#define IN_FRAME(field) (offsetof(struct frame, field) - offsetof(struct frame, gpr))
_Static_assert(IN_FRAME(flags) == 128 && IN_FRAME(code) == 136 && IN_FRAME(back) == 144 &&
                   IN_FRAME(host_sp) == 152 && IN_FRAME(xstate) == 160 && IN_FRAME(xmask) == 168,
               "the numbers in the code below");

/* @gpr: of a struct frame. The jump back of a slot has 8 bits for its place: 144 does not fit, so
 * the stack pointer lies 64 bytes higher meanwhile. */
void carry_enter(uint64_t *gpr) __attribute__((visibility("hidden")));
extern const char carry_back[] __attribute__((visibility("hidden")));
__asm__(".pushsection .text\n"
        ".type carry_enter,@function\n"
        ".globl carry_enter\n"
        ".hidden carry_enter\n"
        "carry_enter:\n"
        "push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
        "mov %rsp, 152(%rdi)\n"
        "mov %rdi, %rsp\n"
        "mov 160(%rsp), %rcx\n"
        "test %rcx, %rcx\n"
        "jz 1f\n"
        "mov 168(%rsp), %rax\n"
        "xor %edx, %edx\n"
        "xrstor64 (%rcx)\n"
        "1: pushq 128(%rsp)\n" /* its address is computed before the stack pointer moves */
        "popfq\n"
        "mov 0(%rsp), %rax\n mov 8(%rsp), %rcx\n mov 16(%rsp), %rdx\n mov 24(%rsp), %rbx\n"
        "mov 40(%rsp), %rbp\n mov 48(%rsp), %rsi\n mov 56(%rsp), %rdi\n mov 64(%rsp), %r8\n"
        "mov 72(%rsp), %r9\n mov 80(%rsp), %r10\n mov 88(%rsp), %r11\n mov 96(%rsp), %r12\n"
        "mov 104(%rsp), %r13\n mov 112(%rsp), %r14\n mov 120(%rsp), %r15\n"
        "lea 144(%rsp), %rsp\n"
        "jmp *-8(%rsp)\n"
        ".globl carry_back\n"
        ".hidden carry_back\n"
        "carry_back:\n"
        "lea -144(%rsp), %rsp\n"
        "mov %rax, 0(%rsp)\n mov %rcx, 8(%rsp)\n mov %rdx, 16(%rsp)\n mov %rbx, 24(%rsp)\n"
        "mov %rbp, 40(%rsp)\n mov %rsi, 48(%rsp)\n mov %rdi, 56(%rsp)\n mov %r8, 64(%rsp)\n"
        "mov %r9, 72(%rsp)\n mov %r10, 80(%rsp)\n mov %r11, 88(%rsp)\n mov %r12, 96(%rsp)\n"
        "mov %r13, 104(%rsp)\n mov %r14, 112(%rsp)\n mov %r15, 120(%rsp)\n"
        "pushfq\n"
        "popq 128(%rsp)\n" /* its address is computed after the stack pointer has moved */
        "mov 160(%rsp), %rcx\n"
        "test %rcx, %rcx\n"
        "jz 2f\n"
        "mov 168(%rsp), %rax\n"
        "xor %edx, %edx\n"
        "xsave64 (%rcx)\n"
        "2: mov 152(%rsp), %rsp\n"
        "pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n"
        "cld\n"
        "ret\n"
        ".size carry_enter, .-carry_enter\n"
        ".popsection\n");

/* The vector registers of the context, as the kernel saved them. Return: false: not all there. */
static bool vector_state(ucontext_t *context, struct frame *f)
{
    struct _libc_fpstate *fp = context->uc_mcontext.fpregs;

    if (!fp || !carry_state_parts(fp) || (fp->mxcsr & MXCSR_ALL_MASKED) != MXCSR_ALL_MASKED) {
        return false;
    }
    f->xstate = (uintptr_t)fp;
    f->xmask = carry_state_parts(fp) & VECTOR_STATE;
    return true;
}

bool carry_one(const struct carry *c, ucontext_t *context, void *at)
{
    greg_t *r = context->uc_mcontext.gregs;
    struct frame f = { .code = c->code, .back = carry_back };
    unsigned mxcsr;

    if (c->vector && !vector_state(context, &f)) {
        return false;
    }
    for (unsigned i = 0; i < 16; i++) {
        f.gpr[i] = (uint64_t)r[carry_gregs[i]];
    }
    f.gpr[c->scratch] = (uintptr_t)at;
    f.flags = ((uint64_t)r[REG_EFL] & FLAGS_OF_PROGRAM) | 2;
    __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
    carry_enter(f.gpr);
    __asm__ volatile("ldmxcsr %0" : : "m"(mxcsr));
    for (unsigned i = 0; i < 16; i++) {
        if (i != c->scratch && i != SP) {
            r[carry_gregs[i]] = (greg_t)f.gpr[i];
        }
    }
    r[REG_EFL] = (greg_t)(((uint64_t)r[REG_EFL] & ~(uint64_t)FLAGS_OF_PROGRAM) |
                          (f.flags & FLAGS_OF_PROGRAM));
    r[REG_RIP] += c->length;
    return true;
}

#else

bool carry_one(const struct carry *c, ucontext_t *context, void *at)
{
    (void)c;
    (void)context;
    (void)at;
    return false;
}

#endif
