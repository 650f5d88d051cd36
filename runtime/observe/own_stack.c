/* SPDX-License-Identifier: MIT */
#include "runtime/observe/own_stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <ucontext.h>

#define GUARD_BYTES 4096u
#define STACK_BYTES (1024u * 1024u)

/* @stack: of all threads, one at a time; made at the first call and kept */
static struct {
    char *stack;
    bool busy;
    void (*function)(void *data);
    void *data;
} own;

static void own_main(void)
{
    own.function(own.data);
}

#ifdef __SANITIZE_ADDRESS__ /* it cannot follow a change of stacks, and says so */
#define ADDRESS_SANITIZER true
#else
#define ADDRESS_SANITIZER false
#endif

static bool stack_get(void)
{
    void *at;

    if (!own.stack) {
        at = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
        if (at != MAP_FAILED && mprotect(at, GUARD_BYTES, PROT_NONE) == 0) {
            own.stack = (char *)at + GUARD_BYTES;
        }
    }
    return own.stack != NULL;
}

void own_stack_call(void (*function)(void *data), void *data)
{
    ucontext_t back, there;

    if (ADDRESS_SANITIZER || own.busy || !stack_get() || getcontext(&there) != 0) {
        function(data);
        return;
    }
    own.busy = true;
    own.function = function;
    own.data = data;
    there.uc_stack.ss_sp = own.stack;
    there.uc_stack.ss_size = STACK_BYTES;
    there.uc_link = &back;
    makecontext(&there, own_main, 0);
    swapcontext(&back, &there);
    own.busy = false;
}
