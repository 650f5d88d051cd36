/* SPDX-License-Identifier: MIT */
/* makecontext(3), and a page without access below the stack. */
#include "model/dla/fiber.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#define LEAVE(saved, bottom, size) __sanitizer_start_switch_fiber(saved, bottom, size)
#define ENTERED(saved, bottom, size) __sanitizer_finish_switch_fiber(saved, bottom, size)
#else
#define LEAVE(saved, bottom, size) ((void)(saved), (void)(bottom), (void)(size))
#define ENTERED(saved, bottom, size) ((void)(saved), (void)(bottom), (void)(size))
#endif

#define GUARD_BYTES 4096u
#define STACK_BYTES (256u << 10)

/* @memory: NULL before the first turn
 * @fake, @own_fake: what AddressSanitizer keeps for each of the two stacks; @caller_bottom,
 * @caller_size: the caller's */
struct fiber {
    ucontext_t caller, own;
    uint8_t *memory;
    void (*body)(void *arg);
    void *arg;
    bool busy;
    void *fake, *own_fake;
    const void *caller_bottom;
    size_t caller_size;
};

void fiber_pause(struct fiber *f)
{
    LEAVE(&f->own_fake, f->caller_bottom, f->caller_size);
    swapcontext(&f->own, &f->caller);
    ENTERED(f->own_fake, &f->caller_bottom, &f->caller_size);
}

/* Each turn is one computation. */
static void fiber_main(unsigned high, unsigned low)
{
    struct fiber *f = (struct fiber *)((uintptr_t)high << 32 | low);

    ENTERED(NULL, &f->caller_bottom, &f->caller_size);
    for (;;) {
        f->body(f->arg);
        f->busy = false;
        fiber_pause(f);
    }
}

struct fiber *fiber_new(void)
{
    struct fiber *f = calloc(1, sizeof(*f));

    if (!f) {
        abort(); /* the host has no memory: as g_malloc() */
    }
    return f;
}

static void stack_make(struct fiber *f)
{
    size_t bytes = GUARD_BYTES + STACK_BYTES;

    f->memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (f->memory == MAP_FAILED || mprotect(f->memory, GUARD_BYTES, PROT_NONE) != 0 ||
        getcontext(&f->own) != 0) {
        abort(); /* the host has no memory: as g_malloc() */
    }
    f->own.uc_stack.ss_sp = f->memory + GUARD_BYTES;
    f->own.uc_stack.ss_size = STACK_BYTES;
    makecontext(&f->own, (void (*)(void))fiber_main, 2, (unsigned)((uintptr_t)f >> 32),
                (unsigned)(uintptr_t)f);
}

void fiber_free(struct fiber *f)
{
    if (f && f->memory) {
        munmap(f->memory, GUARD_BYTES + STACK_BYTES);
    }
    free(f);
}

bool fiber_run(struct fiber *f, void (*body)(void *arg), void *arg)
{
    if (!f->memory) {
        stack_make(f);
    }
    if (!f->busy) {
        f->body = body;
        f->arg = arg;
        f->busy = true;
    }
    /* The blocked signals are those of the thread that resumes it, not of the one that began it. */
    getcontext(&f->caller);
    f->own.uc_sigmask = f->caller.uc_sigmask;
    LEAVE(&f->fake, f->memory + GUARD_BYTES, STACK_BYTES);
    swapcontext(&f->caller, &f->own);
    ENTERED(f->fake, NULL, NULL);
    return !f->busy;
}
