/* SPDX-License-Identifier: MIT */
/* Connecting to libvirt; down, list. */
#include "tools/vm/vm_host.h"

#include <errno.h>
#include <fcntl.h>
#include <libvirt/virterror.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "tools/cmd.h"

/* The embedded driver has no other process for logs, and asks nothing of the machine that a user
 * may not have (drvqemu.html, "Security"). */
static const char qemu_conf[] = "stdio_handler = \"file\"\n"
                                "security_driver = \"none\"\n"
                                "namespaces = []\n"
                                "cgroup_controllers = []\n"
                                "dynamic_ownership = 0\n"
                                "remember_owner = 0\n";
static const char qemu_conf_root[] = "user = \"root\"\n"
                                     "group = \"root\"\n";

/* libvirt.html, virConnectOpen: monitor.sock lies at DIR/lib/qemu/domain-N-NAME/, NAME cut at 20
 * bytes. */
#define DIR_BYTES_MAX (107 - sizeof("/lib/qemu/domain-9999-/monitor.sock") - 20)

static void *vm_host_loop(void *unused)
{
    while (virEventRunDefaultImpl() == 0) {
    }
    return unused;
}

/* libvirt has written the error to stderr itself otherwise. */
static void error_quiet(void *opaque, virErrorPtr error)
{
    (void)opaque;
    (void)error;
}

void vm_host_error(const char *doing)
{
    const char *text = virGetLastErrorMessage(), *todo = "";

    if (strstr(text, "libvirt-qemu'")) {
        todo = "\n  As root libvirt wants that account to exist: useradd --system --user-group "
               "libvirt-qemu";
    } else if (strstr(text, "driver_qemu") || strstr(text, "no connection driver available")) {
        todo = "\n  The driver is in the package libvirt-daemon-driver-qemu";
    } else if (strstr(text, "Cannot check QEMU binary") ||
               strstr(text, "unable to find any emulator")) {
        todo =
            "\n  qemu-system-aarch64 is in the package qemu-system-arm; --qemu names another one";
    } else if (strstr(text, "cause is unknown")) {
        todo = "\n  libvirt.log in VTEGRA_VM_DIR says more; a QEMU may be too new for this "
               "libvirt's questions";
    }
    cmd_error(VM_CMD, "%s: %s%s", doing, text, todo);
}

static gboolean folder_make(const char *dir)
{
    return cmd_folder_own(VM_CMD, dir, "VTEGRA_VM_DIR names another folder");
}

/* Written once: a guest in a folder whose disk is full can still be listed and ended. */
static gboolean file_holds(const char *path, const char *text)
{
    g_autofree char *old = NULL;

    return g_file_get_contents(path, &old, NULL, NULL) && strcmp(old, text) == 0;
}

/* libvirt 9.0 writes the status file of each guest that it connects to again, and ends the guest
 * where it cannot [measured]. The folder keeps room for that: given up here when the disk is full,
 * taken again at the end. */
#define RESERVE_BYTES (256 << 10)

static gboolean reserve_give(const struct vm_options *o, struct vm_host *h)
{
    g_autofree char *guests = g_build_filename(o->dir, "run", "qemu", NULL);
    struct statvfs disk;

    h->reserve = g_build_filename(o->dir, "reserve", NULL);
    if (statvfs(o->dir, &disk) != 0 || (guint64)disk.f_bavail * disk.f_frsize >= RESERVE_BYTES ||
        unlink(h->reserve) == 0 || !g_file_test(guests, G_FILE_TEST_IS_DIR)) {
        return TRUE;
    }
    cmd_error(VM_CMD,
              "the disk of %s is full, and libvirt ends a guest whose state it cannot write: free "
              "%u KiB there",
              o->dir, RESERVE_BYTES >> 10);
    return FALSE;
}

static void reserve_take(struct vm_host *h)
{
    int fd = h->reserve ? open(h->reserve, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;

    if (fd >= 0) {
        if (posix_fallocate(fd, 0, RESERVE_BYTES) != 0) {
            unlink(h->reserve);
        }
        close(fd);
    }
    g_clear_pointer(&h->reserve, g_free);
}

static gboolean embed_prepare(const struct vm_options *o, struct vm_host *h)
{
    char *etc = g_build_filename(o->dir, "etc", NULL);
    char *conf = g_build_filename(etc, "qemu.conf", NULL);
    char *lock = g_build_filename(o->dir, "lock", NULL);
    char *log = g_strconcat("3:file:", o->dir, "/libvirt.log", NULL);
    char *text = g_strconcat(qemu_conf, geteuid() == 0 ? qemu_conf_root : NULL, NULL);
    GError *error = NULL;
    gboolean ok = folder_make(o->dir) && folder_make(etc);

    if (ok && strlen(o->dir) > DIR_BYTES_MAX) {
        cmd_error(VM_CMD,
                  "%s is too long for the sockets in it (%zu bytes at most); VTEGRA_VM_DIR names "
                  "another folder",
                  o->dir, (size_t)DIR_BYTES_MAX);
        ok = FALSE;
    }
    if (ok) {
        h->lock = open(lock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        if (h->lock < 0 || flock(h->lock, LOCK_EX) != 0) {
            cmd_error(VM_CMD, "%s: %s", lock, g_strerror(errno));
            ok = FALSE;
        }
    }
    ok = ok && reserve_give(o, h);
    if (ok && !file_holds(conf, text) && !g_file_set_contents(conf, text, -1, &error)) {
        cmd_error(VM_CMD, "%s", error->message);
        g_error_free(error);
        ok = FALSE;
    }
    g_setenv("LIBVIRT_LOG_OUTPUTS", log, FALSE);
    g_free(text);
    g_free(log);
    g_free(lock);
    g_free(conf);
    g_free(etc);
    return ok;
}

gboolean vm_host_open(const struct vm_options *o, struct vm_host *h)
{
    static gboolean started;
    char *uri =
        o->connect ? g_strdup(o->connect) : g_strconcat("qemu:///embed?root=", o->dir, NULL);
    pthread_t thread;

    *h = (struct vm_host){ .lock = -1 };
    if (!o->connect && !embed_prepare(o, h)) {
        vm_host_close(h);
        g_free(uri);
        return FALSE;
    }
    virSetErrorFunc(NULL, error_quiet);
    if (!started && (virInitialize() != 0 || virEventRegisterDefaultImpl() != 0 ||
                     pthread_create(&thread, NULL, vm_host_loop, NULL) != 0)) {
        vm_host_error("libvirt does not start");
        vm_host_close(h);
        g_free(uri);
        return FALSE;
    }
    started = TRUE;
    h->conn = virConnectOpen(uri);
    if (!h->conn) {
        vm_host_error(uri);
        vm_host_close(h);
    }
    g_free(uri);
    return h->conn != NULL;
}

void vm_host_close(struct vm_host *h)
{
    if (h->conn) {
        virConnectClose(h->conn);
        h->conn = NULL;
    }
    reserve_take(h);
    if (h->lock >= 0) {
        close(h->lock);
        h->lock = -1;
    }
}

/* The embedded driver connects to the monitors of domains that were there before it in the
 * background; this waits for that. What has ended meanwhile is gone then. */
static void vm_host_settle(virDomainPtr domain)
{
    virDomainMemoryStatStruct stats[VIR_DOMAIN_MEMORY_STAT_NR];

    virDomainMemoryStats(domain, stats, VIR_DOMAIN_MEMORY_STAT_NR, 0);
}

virDomainPtr vm_host_find(struct vm_host *h, const char *name)
{
    virDomainPtr domain = virDomainLookupByName(h->conn, name);

    if (domain) {
        vm_host_settle(domain);
        if (virDomainIsActive(domain) != 1) {
            virDomainFree(domain);
            domain = NULL;
        }
    }
    return domain;
}

gboolean vm_host_destroy(virDomainPtr domain)
{
    if (virDomainDestroy(domain) == 0 || virGetLastErrorCode() == VIR_ERR_NO_DOMAIN ||
        virGetLastErrorCode() == VIR_ERR_OPERATION_INVALID) {
        return TRUE; /* or it has just ended by itself */
    }
    vm_host_error(virDomainGetName(domain));
    return FALSE;
}

char *vm_host_file(const struct vm_options *o, const char *file)
{
    char *dir = g_build_filename(o->dir, "vm", o->name, NULL);
    char *path = folder_make(dir) ? g_build_filename(dir, file, NULL) : NULL;

    g_free(dir);
    return path;
}

/* A folder that only looking at guests shall not make: one that is not there has none. */
static gboolean folder_missing(const struct vm_options *o)
{
    return !o->connect && !g_file_test(o->dir, G_FILE_TEST_EXISTS);
}

static int no_guest(const struct vm_options *o)
{
    cmd_error(VM_CMD, "no guest \"%s\" is running; vtegra vm list shows those that are", o->name);
    return CMD_FOUND;
}

int vm_host_down(const struct vm_options *o)
{
    struct vm_host h;
    virDomainPtr domain;
    int status = CMD_OK;

    if (folder_missing(o)) {
        return no_guest(o);
    }
    if (!vm_host_open(o, &h)) {
        return CMD_FAILED;
    }
    domain = vm_host_find(&h, o->name);
    if (!domain) {
        status = no_guest(o);
    } else {
        status = vm_host_destroy(domain) ? CMD_OK : CMD_FAILED;
        virDomainFree(domain);
    }
    vm_host_close(&h);
    return status;
}

/* The value of soc='...' in what vm_domain.c has put there; NULL: none of ours. */
static char *soc_of(virDomainPtr domain)
{
    char *xml = virDomainGetMetadata(domain, VIR_DOMAIN_METADATA_ELEMENT, VM_XMLNS, 0);
    char *soc = NULL;

    if (xml) {
        const char *at = strstr(xml, "soc=");

        if (at && at[4] != '\0') {
            const char *end = strchr(at + 5, at[4]);

            soc = end ? g_strndup(at + 5, (gsize)(end - at - 5)) : NULL;
        }
        free(xml);
    }
    return soc;
}

static const char *state_name(virDomainPtr domain)
{
    static const char *const names[] = {
        [VIR_DOMAIN_RUNNING] = "running",   [VIR_DOMAIN_BLOCKED] = "blocked",
        [VIR_DOMAIN_PAUSED] = "paused",     [VIR_DOMAIN_SHUTDOWN] = "shutting down",
        [VIR_DOMAIN_SHUTOFF] = "shut off",  [VIR_DOMAIN_CRASHED] = "crashed",
        [VIR_DOMAIN_PMSUSPENDED] = "asleep"
    };
    int state, reason;

    if (virDomainGetState(domain, &state, &reason, 0) != 0) {
        return NULL;
    }
    return state > 0 && (gsize)state < G_N_ELEMENTS(names) ? names[state] : "unknown";
}

#define LIST_LINE "%-20s %-12s %s\n"

int vm_host_list(const struct vm_options *o)
{
    struct vm_host h;
    virDomainPtr *domains;
    int n;

    if (folder_missing(o)) {
        printf(LIST_LINE, "NAME", "SOC", "STATE");
        cmd_error(VM_CMD, "note: %s is not there: no guest was started with it", o->dir);
        return CMD_OK;
    }
    if (!vm_host_open(o, &h)) {
        return CMD_FAILED;
    }
    n = virConnectListAllDomains(h.conn, &domains, 0);
    if (n < 0) {
        vm_host_error("list");
        vm_host_close(&h);
        return CMD_FAILED;
    }
    printf(LIST_LINE, "NAME", "SOC", "STATE");
    for (int i = 0; i < n; i++) {
        char *soc = soc_of(domains[i]);
        const char *state;

        vm_host_settle(domains[i]);
        state = state_name(domains[i]);
        if (soc && state) {
            printf(LIST_LINE, virDomainGetName(domains[i]), soc, state);
        }
        g_free(soc);
        virDomainFree(domains[i]);
    }
    free(domains);
    vm_host_close(&h);
    return CMD_OK;
}
