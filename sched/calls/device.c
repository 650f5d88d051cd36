/* SPDX-License-Identifier: MIT */
#include "sched/calls/device.h"

#include <stdatomic.h>

#include "sched/calls/real.h"

static const struct device_ops *_Atomic device_ops;

void device_register(const struct device_ops *ops)
{
    atomic_store(&device_ops, ops);
}

bool device_ioctl(int fd, unsigned long request, void *what, int *result)
{
    const struct device_ops *ops = atomic_load(&device_ops);

    return ops && ops->ioctl(fd, request, what, result);
}

bool device_read(int fd, void *to, size_t n, ssize_t *result)
{
    const struct device_ops *ops = atomic_load(&device_ops);

    return ops && ops->read(fd, to, n, result);
}

bool device_is(int fd)
{
    const struct device_ops *ops = atomic_load(&device_ops);

    return ops && fd >= 0 && ops->is(fd);
}

short device_ready(int fd, short events, int64_t timeout_us)
{
    return atomic_load(&device_ops)->poll(fd, events, timeout_us);
}

void device_closed(int fd)
{
    const struct device_ops *ops = atomic_load(&device_ops);

    if (ops) {
        device_epoll_closed(fd);
        ops->closed(fd);
    }
}

bool device_any(struct pollfd *fds, nfds_t n)
{
    const struct device_ops *ops = atomic_load(&device_ops);
    bool any = false;

    for (nfds_t i = 0; ops && i < n && !any; i++) {
        any = fds[i].fd >= 0 && ops->is(fds[i].fd);
    }
    return any;
}

/* The descriptor behind a device's number says nothing of the device. *@device: one that is not
 * ready, -1: none */
static int device_look(const struct device_ops *ops, struct pollfd *fds, nfds_t n, nfds_t *device)
{
    int ready = 0;

    *device = n;
    if (REAL(poll)(fds, n, 0) < 0) {
        return -1;
    }
    for (nfds_t i = 0; i < n; i++) {
        if (fds[i].fd >= 0 && ops->is(fds[i].fd)) {
            fds[i].revents = ops->poll(fds[i].fd, fds[i].events, 0);
            *device = fds[i].revents || !fds[i].events ? *device : i;
        }
        ready += fds[i].revents != 0;
    }
    return ready;
}

/* Without the devices. */
static int device_others(const struct device_ops *ops, struct pollfd *fds, nfds_t n)
{
    int ready = 0;

    for (nfds_t i = 0; i < n; i++) {
        if (fds[i].fd >= 0 && ops->is(fds[i].fd)) {
            fds[i].revents = 0;
        }
        ready += fds[i].revents != 0;
    }
    return ready;
}

int device_poll(struct pollfd *fds, nfds_t n, int64_t timeout_us)
{
    const struct device_ops *ops = atomic_load(&device_ops);
    nfds_t device;
    int ready = device_look(ops, fds, n, &device);

    if (ready || timeout_us == 0 || device == n) {
        return ready;
    }
    /* The board may have got beyond the limit: what is ready then came too late. */
    if (!ops->poll(fds[device].fd, fds[device].events, timeout_us)) {
        return REAL(poll)(fds, n, 0) < 0 ? -1 : device_others(ops, fds, n);
    }
    return device_look(ops, fds, n, &device);
}
