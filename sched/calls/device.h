/* SPDX-License-Identifier: MIT */
/* Devices that the board has and the host has not: a descriptor of the process stands for one, and
 * calls on it are answered by whoever registered it (runtime/preload). */
#ifndef SCHED_DEVICE_H
#define SCHED_DEVICE_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/types.h>

/**
 * struct device_ops
 * @is: does @fd stand for a device?
 * @ioctl: *@result as ioctl(2) returns it, with errno. Return: false: none of these
 * @closed: close(2) has ended @fd
 * @poll: what of @events is ready; it waits for it, in the board's time; 0: it does not, -1: any
 * time
 * @read: *@result as read(2) returns it, with errno. Return: false: none of these
 */
struct device_ops {
    bool (*is)(int fd);
    bool (*ioctl)(int fd, unsigned long request, void *what, int *result);
    void (*closed)(int fd);
    short (*poll)(int fd, short events, int64_t timeout_us);
    bool (*read)(int fd, void *to, size_t n, ssize_t *result);
};

void device_register(const struct device_ops *ops);

/* For the calls in front of the C library's. */
bool device_ioctl(int fd, unsigned long request, void *what, int *result);
bool device_read(int fd, void *to, size_t n, ssize_t *result);
void device_closed(int fd);
bool device_any(struct pollfd *fds, nfds_t n);
/* poll(2) where device_any() is true: other descriptors are asked before and after the wait for a
 * device. */
int device_poll(struct pollfd *fds, nfds_t n, int64_t timeout_us);

/* device_epoll.c. epoll_ctl(2) of a device. Return: false: it is none */
bool device_epoll_ctl(int epoll, int op, int fd, const struct epoll_event *event, int *result);
bool device_epoll_any(int epoll); /* has it a device? */
/* epoll_wait(2) where it has; as device_poll(). */
int device_epoll_wait(int epoll, struct epoll_event *events, int n, int64_t timeout_us);
void device_epoll_closed(int fd); /* the device, or the epoll itself */
/* For that file. */
bool device_is(int fd);
short device_ready(int fd, short events, int64_t timeout_us);

#endif
