/* SPDX-License-Identifier: MIT */
/* A connection to libvirt, for the files that use one. */
#ifndef TOOLS_VM_HOST_H
#define TOOLS_VM_HOST_H

#include <libvirt/libvirt.h>

#include "tools/vm/vm.h"

/**
 * struct vm_host - the connection
 * @lock: the embedded driver's folder serves one process at a time; -1 with --connect
 * @reserve: a file there, as large as what libvirt may want to write; NULL with --connect
 */
struct vm_host {
    virConnectPtr conn;
    int lock;
    char *reserve;
};

/* Connect. Return: FALSE after saying why not. */
gboolean vm_host_open(const struct vm_options *o, struct vm_host *h);
/* Domains of the embedded driver go on: the next process finds them again. */
void vm_host_close(struct vm_host *h);

/* The running domain of that name, virDomainFree() it; NULL. */
virDomainPtr vm_host_find(struct vm_host *h, const char *name);

/* End it at once. FALSE after saying why not. */
gboolean vm_host_destroy(virDomainPtr domain);

/* "vtegra vm: DOING: what libvirt says", and what to do where we know. */
void vm_host_error(const char *doing);

/* DIR/NAME/FILE; the folder is there then. */
char *vm_host_file(const struct vm_options *o, const char *file);

/**
 * vm_console_relay - a terminal for a console
 * @fd: of the console, nonblocking; -1: use @stream
 * @seconds: leave after so long, 0 = never
 * Ends at Ctrl-], when the console ends, or soon after the end of a stdin that is no terminal.
 */
void vm_console_relay(int fd, virStreamPtr stream, int seconds);

/* From now on SIGINT, SIGTERM and SIGHUP only set a flag. */
void vm_signals_catch(void);
int vm_signal_caught(void);

#endif
