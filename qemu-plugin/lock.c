/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The board's lock. Where the guest has one CPU, that CPU's thread takes it a hundred times more
 * often than anyone else: for it an atomic exchange costs as much as all the rest of an access. So
 * it owns the lock: it says that it is inside by a plain store, and looks whether another thread
 * has it. The others make all threads of the process pass a barrier (membarrier(2)) between their
 * store and their look: one of the two always sees the other one. */
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "qemu-plugin/board.h"

static atomic_bool taken;        /* by a thread that does not own it */
static atomic_bool owner_inside; /* written by the owner alone */
static void *_Atomic owner;      /* the thread's pointer; NULL: none */
static bool can_own;

static inline bool is_owner(void)
{
    return atomic_load_explicit(&owner, memory_order_relaxed) == __builtin_thread_pointer();
}

static void taken_wait(void)
{
    while (atomic_exchange_explicit(&taken, true, memory_order_acquire)) {
        g_thread_yield();
    }
}

void board_lock(void)
{
    if (!is_owner()) {
        taken_wait();
        if (owner) {
            syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
            while (atomic_load_explicit(&owner_inside, memory_order_acquire)) {
                g_thread_yield();
            }
        }
        return;
    }
    atomic_store_explicit(&owner_inside, true, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* the others' barrier does the rest */
    while (atomic_load_explicit(&taken, memory_order_acquire)) {
        atomic_store_explicit(&owner_inside, false, memory_order_release);
        g_thread_yield();
        atomic_store_explicit(&owner_inside, true, memory_order_relaxed);
        atomic_signal_fence(memory_order_seq_cst);
    }
}

void board_unlock(void)
{
    atomic_store_explicit(is_owner() ? &owner_inside : &taken, false, memory_order_release);
}

void board_lock_start(void)
{
    can_own = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

void board_lock_own(void)
{
    if (can_own && !owner) {
        board_lock();
        atomic_store(&owner, __builtin_thread_pointer());
        atomic_store_explicit(&taken, false, memory_order_release);
    }
}
