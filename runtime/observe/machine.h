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

/* Is the instruction @code of AArch64 a store (Arm ARM C4.1, loads and stores)? An atomic one is
 * none: it loads first, and WnR is 0 where that load faults (ESR_ELx, ISS of data aborts). */
static inline bool machine_code_stores(uint32_t code)
{
    const bool is_vector = code >> 26 & 1, load_bit = code >> 22 & 1, bit21 = code >> 21 & 1;
    const unsigned opc = code >> 22 & 3;

    if ((code & 0xffffffe0) == 0xd50b7420) { /* DC ZVA */
        return true;
    }
    if ((code & 0x0a000000) != 0x08000000) { /* not of this group */
        return false;
    }
    switch (code >> 28 & 3) {
    case 0: /* exclusive, ordered, compare and swap; structures of vectors */
        return !load_bit && (is_vector || !bit21 || (!(code >> 23 & 1) && code >> 31));
    case 1: /* literal: loads; ordered with an offset */
        return (code & 0x01000000) && !is_vector && opc == 0;
    case 2: /* pairs */
        return !load_bit;
    default: /* one register; opc 2 of a vector is a store of 128 bits */
        if (!(code & 0x01000000) && bit21 && (code >> 10 & 3) != 2) {
            return false; /* atomic, or a load with an authenticated pointer */
        }
        return opc == 0 || (is_vector && opc == 2 && code >> 30 == 0);
    }
}

/* Was the access that faulted a store? x86: bit 1 of the page fault's error code (Intel SDM
 * 3A, 4.7). Arm: WnR of the syndrome (Arm ARM, ESR_ELx, ISS of data aborts), which Linux adds to
 * the context as a record. qemu-user 7.2 adds none: there the instruction says it. */
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
    if (context->uc_mcontext.fault_address == context->uc_mcontext.pc) {
        return false; /* the instruction cannot be read */
    }
    uint32_t code;

    memcpy(&code, (const void *)(uintptr_t)context->uc_mcontext.pc, sizeof(code));
    return machine_code_stores(code);
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
