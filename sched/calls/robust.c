/* SPDX-License-Identifier: MIT */
/* Robust mutexes. The kernel marks what an owner holds when its thread is gone (robust_list.h:
 * FUTEX_OWNER_DIED); where threads take turns a thread has to learn of it while the owner still has
 * its last turn. */
#include "sched/calls/front.h"
#include "sched/object/order.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* The C library's bits (nptl/pthreadP.h). What inherits priorities is the kernel's alone. */
#define MUTEX_ROBUST 16
#define MUTEX_INHERITS 32

/* Some robust mutex was locked. Stands for what their owners have done by their ends. */
static atomic_bool used;

bool front_is_robust(const pthread_mutex_t *m)
{
    return m->__data.__kind & MUTEX_ROBUST;
}

void front_robust_took(int r, const pthread_mutex_t *m, uintptr_t pc)
{
    if (front_is_robust(m)) {
        atomic_store(&used, true);
    }
    if (r == EOWNERDEAD) {
        front_acquire(&used, pc);
    }
}

void front_owner_ends(void)
{
    if (atomic_load(&used)) {
        object_release(&used);
    }
}

/* pthread_mutex_trylock() of glibc 2.36 leaves it locked. Another process may have seen that; no
 * other thread has had a turn. */
void front_lost(const struct thread *self, pthread_mutex_t *m)
{
    int *word = &m->__data.__lock;

    if ((__atomic_load_n(word, __ATOMIC_RELAXED) & FUTEX_TID_MASK) == self->tid) {
        __atomic_store_n(word, 0, __ATOMIC_RELEASE);
        REAL(syscall)(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0);
    }
}

/* The memory may be gone. */
static bool is_robust_of(const pthread_mutex_t *at, pid_t tid)
{
    pthread_mutex_t m;
    struct iovec here = { &m, sizeof(m) }, there = { (void *)at, sizeof(m) };

    return process_vm_readv(gettid(), &here, 1, &there, 1, 0) == sizeof(m) &&
           (m.__data.__kind & (MUTEX_ROBUST | MUTEX_INHERITS)) == MUTEX_ROBUST &&
           (m.__data.__lock & FUTEX_TID_MASK) == tid;
}

/* Sets the bit and wakes one, in one step. It is the kernel that writes: if the memory has gone
 * meanwhile nothing happens. */
static void mark_dead(const void *word)
{
    unsigned set = FUTEX_OP((FUTEX_OP_OR | FUTEX_OP_OPARG_SHIFT), 30, FUTEX_OP_CMP_LT, 0);

    _Static_assert(FUTEX_OWNER_DIED == 1 << 30, "the kernel's ABI");
    REAL(syscall)(SYS_futex, word, FUTEX_WAKE_OP, 1, NULL, word, set);
}

static void owner_ended(const void *lock)
{
    if (is_robust_of(lock, turn_self->tid)) {
        mark_dead(&((const pthread_mutex_t *)lock)->__data.__lock);
    }
    turn_wake(turn_self, lock, TURN_ALL, UINT32_MAX);
}

void front_owner_ended(struct thread *self)
{
    if (atomic_load(&used)) {
        object_each_held(self, owner_ended);
    }
}
