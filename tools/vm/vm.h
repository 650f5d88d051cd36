/* SPDX-License-Identifier: MIT */
/* vtegra vm: an aarch64 guest with the device, through libvirt. vm.c reads the arguments,
 * vm_domain.c writes the domain's definition, vm_job.c what the guest is to run, vm_lines.c reads
 * its console, vm_host.c, vm_guest.c and vm_console.c talk to libvirt. */
#ifndef TOOLS_VM_H
#define TOOLS_VM_H

#include <glib.h>

#define VM_CMD "vm"
#define VM_XMLNS "urn:vtegra:board"

/**
 * struct vm_options - what the command line says
 * @name: of the domain
 * @bases: of @initrd, which vm.c writes; NULL: it is the user's
 * @bare: the kernel is a program without an operating system (an ELF file)
 * @connect: a libvirt URI; NULL: the driver inside this process
 * @others: QEMU is started by another libvirt than that one, perhaps as another user
 * @dir: absolute: the embedded driver's root, and a folder a domain
 */
struct vm_options {
    char *name, *soc, *policy, *seed, *evict, *kernel, *initrd, *append, *qemu, *cpu, *plugin;
    char *check;
    char **bases;
    char *trace, *report, *connect, *dir, *profiles;
    int memory_mib, cpus, timeout_s;
    gboolean pci, verbose, bare, others;
};

/**
 * vm_domain_xml - libvirt's definition of the domain
 * @socket: where the console is to connect to; NULL: the console is a terminal, as virsh console
 * has it
 * @log: a file that keeps what the console shows; NULL: none
 */
char *vm_domain_xml(const struct vm_options *o, const char *socket, const char *log);

/**
 * vm_initrd_write - a first file system, and a program for /init to run
 * @bases: archives, NULL behind the last
 * @argv: a program of this machine's files and its arguments; NULL: none, the guest has a shell
 * @check: as vtegra run --check, for its runtime; NULL: its default
 * Return: TRUE; FALSE with @error.
 */
gboolean vm_initrd_write(char **bases, const char *to, char **argv, const char *check,
                         GError **error);

/* What marks a program's output on the console, each on a line of its own. A guest of Linux writes
 * them by the job's script (vm_job.c), one without by its library (qemu-plugin/baremetal). */
#define VM_LINE_READY "vtegra: ready"        /* without a system */
#define VM_LINE_UP "vtegra-guest: up after " /* Linux: qemu-plugin/guest/init */
#define VM_LINE_RUN "vtegra: run"
#define VM_LINE_EXIT "vtegra: exit "

/**
 * struct vm_lines - the console's text, cut into lines
 * @show_from_run: pass nothing on before VM_LINE_RUN
 * @status: what VM_LINE_EXIT said, -1 before
 * @out: where the program's output goes; @line: called with every line, without its end; may be
 * NULL
 */
struct vm_lines {
    gboolean show_from_run, ran, ready;
    int status;
    GString *partial, *out;
    gboolean newline_held;
    void (*line)(void *opaque, const char *text);
    void *opaque;
};

void vm_lines_init(struct vm_lines *l, gboolean show_from_run);
void vm_lines_clear(struct vm_lines *l);
/* More of the console. What is to be shown is appended to @l->out, which the caller empties. */
void vm_lines_feed(struct vm_lines *l, const char *bytes, gsize n);
/* The console has ended: what its last line has without an end is shown too. */
void vm_lines_end(struct vm_lines *l);

/* vm_host.c, or vm_host_none.c where libvirt was not there at configure time. Each returns an exit
 * status. */
int vm_host_up(const struct vm_options *o);
int vm_host_run(const struct vm_options *o);
int vm_host_console(const struct vm_options *o);
int vm_host_down(const struct vm_options *o);
int vm_host_list(const struct vm_options *o);

#endif
