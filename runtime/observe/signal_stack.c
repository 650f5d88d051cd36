/* SPDX-License-Identifier: MIT */
#include "runtime/observe/signal_stack.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#if defined(__SANITIZE_ADDRESS__) || !defined(__x86_64__)
/* The sanitizer cannot follow a change of stacks. */
void signal_stack_call(void (*function)(void *data), void *data)
{
    function(data);
}
#else

#define GUARD_BYTES 4096u
#define STACK_BYTES (256u * 1024)
#define STACKS 64u /* threads in a handler at the same time */

/* Made at first use and kept: a thread has one only while it is in the handler, so that its end
 * needs no care. */
static struct {
    atomic_flag busy;
    char *bottom;
} stacks[STACKS];

/* With unwind information, for the call stack of the access that faulted. */
void signal_stack_switch(void (*function)(void *data), void *data, char *top)
    __attribute__((visibility("hidden")));
__asm__(".pushsection .text\n"
        ".globl signal_stack_switch\n"
        ".hidden signal_stack_switch\n"
        ".type signal_stack_switch,@function\n"
        "signal_stack_switch:\n"
        ".cfi_startproc\n"
        "push %rbp\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbp, -16\n"
        "mov %rsp, %rbp\n"
        ".cfi_def_cfa_register %rbp\n"
        "mov %rdx, %rsp\n"
        "mov %rdi, %rax\n"
        "mov %rsi, %rdi\n"
        "call *%rax\n"
        "leave\n"
        ".cfi_def_cfa %rsp, 8\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size signal_stack_switch, .-signal_stack_switch\n"
        ".popsection\n");

static bool is_on(unsigned i)
{
    return (uintptr_t)__builtin_frame_address(0) - (uintptr_t)stacks[i].bottom < STACK_BYTES;
}

static bool stack_make(unsigned i)
{
    void *at;

    if (!stacks[i].bottom) {
        at = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (at != MAP_FAILED && mprotect(at, GUARD_BYTES, PROT_NONE) == 0) {
            stacks[i].bottom = (char *)at + GUARD_BYTES;
        }
    }
    return stacks[i].bottom != NULL;
}

/* Return: a number below STACKS, or STACKS: none. */
static unsigned stack_take(void)
{
    for (unsigned i = 0; i < STACKS; i++) {
        if (stacks[i].bottom && is_on(i)) {
            return STACKS;
        }
        if (!atomic_flag_test_and_set(&stacks[i].busy)) {
            if (stack_make(i)) {
                return i;
            }
            atomic_flag_clear(&stacks[i].busy);
            return STACKS;
        }
    }
    return STACKS;
}

void signal_stack_call(void (*function)(void *data), void *data)
{
    unsigned i = stack_take();

    if (i == STACKS) {
        function(data);
        return;
    }
    signal_stack_switch(function, data, stacks[i].bottom + STACK_BYTES);
    atomic_flag_clear(&stacks[i].busy);
}

#endif
