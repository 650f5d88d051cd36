/* SPDX-License-Identifier: MIT */
/* Devices among the descriptors of an epoll. The kernel refuses what stands for one, so they are
 * kept here and asked beside what the kernel has. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>

#include "sched/calls/device.h"
#include "sched/calls/real.h"

#define WATCHES 64u

/* @fd: -1: free. @asleep: EPOLLONESHOT, has reported */
struct watch {
    int epoll, fd;
    bool asleep;
    struct epoll_event event;
};

static struct watch watches[WATCHES];
static unsigned used; /* of them, free ones between included */
static atomic_flag busy = ATOMIC_FLAG_INIT;

static void watches_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) {
    }
}

static void watches_unlock(void)
{
    atomic_flag_clear_explicit(&busy, memory_order_release);
}

static struct watch *watch_find(int epoll, int fd)
{
    for (unsigned i = 0; i < used; i++) {
        if (watches[i].fd >= 0 && watches[i].epoll == epoll && watches[i].fd == fd) {
            return &watches[i];
        }
    }
    return NULL;
}

static struct watch *watch_new(int epoll, int fd)
{
    struct watch *w = NULL;

    for (unsigned i = 0; i < used && !w; i++) {
        w = watches[i].fd < 0 ? &watches[i] : NULL;
    }
    if (!w && used < WATCHES) {
        w = &watches[used++];
    }
    if (w) {
        *w = (struct watch){ .epoll = epoll, .fd = fd };
    }
    return w;
}

/* Return: 0 or an errno, as epoll_ctl(2) has them. */
static int watch_change(int epoll, int op, int fd, const struct epoll_event *event)
{
    struct watch *w = watch_find(epoll, fd);

    if (op != EPOLL_CTL_ADD && op != EPOLL_CTL_MOD && op != EPOLL_CTL_DEL) {
        return EINVAL;
    }
    if (op == EPOLL_CTL_ADD ? w != NULL : w == NULL) {
        return w ? EEXIST : ENOENT;
    }
    if (op == EPOLL_CTL_DEL) {
        w->fd = -1;
        return 0;
    }
    if (!event) {
        return EFAULT;
    }
    w = w ? w : watch_new(epoll, fd);
    if (!w) {
        return ENOSPC;
    }
    w->event = *event;
    w->asleep = false;
    return 0;
}

bool device_epoll_ctl(int epoll, int op, int fd, const struct epoll_event *event, int *result)
{
    int error;

    if (!device_is(fd)) {
        return false;
    }
    if (fcntl(epoll, F_GETFD) < 0) {
        *result = -1;
        return true;
    }
    watches_lock();
    error = watch_change(epoll, op, fd, event);
    watches_unlock();
    *result = error ? -1 : 0;
    errno = error ? error : errno;
    return true;
}

void device_epoll_closed(int fd)
{
    watches_lock();
    for (unsigned i = 0; i < used; i++) {
        if (watches[i].epoll == fd || watches[i].fd == fd) {
            watches[i].fd = -1;
        }
    }
    watches_unlock();
}

/* The @n-th of an epoll that may report. Return: false: there is no such one. */
static bool watch_get(int epoll, unsigned n, struct watch *out)
{
    bool found = false;

    watches_lock();
    for (unsigned i = 0; i < used && !found; i++) {
        found = watches[i].fd >= 0 && watches[i].epoll == epoll && !watches[i].asleep && n-- == 0;
        *out = watches[i];
    }
    watches_unlock();
    return found;
}

static void watch_reported(const struct watch *w)
{
    struct watch *kept;

    watches_lock();
    kept = watch_find(w->epoll, w->fd);
    if (kept && kept->event.events & EPOLLONESHOT) {
        kept->asleep = true;
    }
    watches_unlock();
}

bool device_epoll_any(int epoll)
{
    struct watch w;

    return used && watch_get(epoll, 0, &w);
}

/* EPOLLIN and its like are POLLIN and its like. Return: events, -1 with errno */
static int epoll_look(int epoll, struct epoll_event *events, int n)
{
    int got = REAL(epoll_wait)(epoll, events, n, 0);
    struct watch w, reported[WATCHES];
    unsigned reports = 0;

    for (unsigned i = 0; got >= 0 && got < n && watch_get(epoll, i, &w); i++) {
        short ready = device_ready(w.fd, (short)(w.event.events & 0x3fff), 0);

        if (ready) {
            events[got++] = (struct epoll_event){ (uint32_t)(uint16_t)ready, w.event.data };
            reported[reports++] = w;
        }
    }
    for (unsigned i = 0; i < reports; i++) {
        watch_reported(&reported[i]);
    }
    return got;
}

int device_epoll_wait(int epoll, struct epoll_event *events, int n, int64_t timeout_us)
{
    int got = epoll_look(epoll, events, n);
    struct watch w;

    if (got || timeout_us == 0 || !watch_get(epoll, 0, &w)) {
        return got;
    }
    /* As device_poll(): what is ready behind the limit came too late. */
    if (!device_ready(w.fd, (short)(w.event.events & 0x3fff), timeout_us)) {
        return REAL(epoll_wait)(epoll, events, n, 0);
    }
    return epoll_look(epoll, events, n);
}
