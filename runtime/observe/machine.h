/* SPDX-License-Identifier: MIT */
/* What a signal's context says about the instruction that was interrupted, on each machine the
 * runtime runs on. */
#ifndef RUNTIME_OBSERVE_MACHINE_H
#define RUNTIME_OBSERVE_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#error "the signal context of this machine is not known"
#endif

static inline uintptr_t machine_pc(const ucontext_t *context)
{
#ifdef __x86_64__
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#else
    return context->uc_mcontext.pc;
#endif
}

/* Was the access that faulted a store? x86: bit 1 of the page fault's error code (Intel SDM
 * 3A, 4.7). Arm: WnR of the syndrome (Arm ARM, ESR_ELx, ISS of data aborts), which Linux adds to
 * the context as a record. */
static inline bool machine_was_store(const ucontext_t *context)
{
#ifdef __x86_64__
    return context->uc_mcontext.gregs[REG_ERR] & 2;
#else
    enum { SYNDROME_RECORD = 0x45535201, SYNDROME_WRITE = 1 << 6 };
    const uint8_t *at = context->uc_mcontext.__reserved;
    const uint8_t *end = at + sizeof(context->uc_mcontext.__reserved);

    while (end - at >= 16) {
        uint32_t head[2]; /* magic, size */
        uint64_t esr;

        memcpy(head, at, sizeof(head));
        memcpy(&esr, at + sizeof(head), sizeof(esr));
        if (head[0] == SYNDROME_RECORD) {
            return esr & SYNDROME_WRITE;
        }
        if (head[0] == 0 || head[1] < sizeof(head) || head[1] > (size_t)(end - at)) {
            break;
        }
        at += head[1];
    }
    return false;
#endif
}

/* Is it a system call that is about to be started again, or one that has just given up because of
 * the signal? */
static inline bool machine_in_syscall(const ucontext_t *context, int gave_up)
{
#ifdef __x86_64__
    static const uint8_t code[] = { 0x0f, 0x05 };
    bool ended = context->uc_mcontext.gregs[REG_RAX] == gave_up;
#else
    static const uint8_t code[] = { 0x01, 0x00, 0x00, 0xd4 }; /* svc #0 */
    bool ended = (int64_t)context->uc_mcontext.regs[0] == gave_up;
#endif
    const uint8_t *pc = (const uint8_t *)machine_pc(context);

    return memcmp(pc, code, sizeof(code)) == 0 ||
           (ended && memcmp(pc - sizeof(code), code, sizeof(code)) == 0);
}

#endif
