/* SPDX-License-Identifier: MIT */
/* Starting a guest: up, which comes back when it is ready, and run, which comes back when it has
 * ended. */
#include <errno.h>
#include <fcntl.h>
#include <libvirt/virterror.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/vm/vm_host.h"

#define LOOK_MS 50
#define GONE_S 5       /* libvirt hears that the process has ended */
#define POWER_OFF_S 10 /* a guest that has sent its status ends by itself */

static double seconds_since(gint64 start_us)
{
    return (double)(g_get_monotonic_time() - start_us) / G_USEC_PER_SEC;
}

/* Start it. NULL after saying why not. */
/* A guest whose QEMU was killed keeps its name until a thread of libvirt has removed it. A lookup
 * does not find the name any more, but creating fails until then: so this tries again. */
static virDomainPtr guest_create(struct vm_host *h, const char *xml, unsigned flags)
{
    gint64 start_us = g_get_monotonic_time();
    virDomainPtr domain;

    while ((domain = virDomainCreateXML(h->conn, xml, flags)) == NULL &&
           virGetLastErrorCode() == VIR_ERR_OPERATION_FAILED &&
           strstr(virGetLastErrorMessage(), "already exists") && seconds_since(start_us) < GONE_S) {
        g_usleep(LOOK_MS * 1000);
    }
    return domain;
}

static virDomainPtr vm_guest_start(const struct vm_options *o, struct vm_host *h,
                                   const char *socket, const char *log, unsigned flags)
{
    virDomainPtr domain = vm_host_find(h, o->name);
    char *xml;

    if (domain) {
        virDomainFree(domain);
        cmd_error(VM_CMD,
                  "a guest \"%s\" is running already: vtegra vm down %s ends it, --name gives "
                  "another one a name",
                  o->name, o->name);
        return NULL;
    }
    xml = vm_domain_xml(o, socket, log);
    domain = guest_create(h, xml, flags);
    if (!domain) {
        vm_host_error("the guest does not start");
    }
    g_free(xml);
    return domain;
}

/* Let a domain that was started paused go on. One that has ended at once has started too; libvirt
 * may hear of that only after its command has failed. */
static gboolean vm_guest_resume(virDomainPtr domain)
{
    gint64 start_us = g_get_monotonic_time();
    gboolean ended = FALSE;
    char *why;

    if (virDomainResume(domain) == 0) {
        return TRUE;
    }
    why = g_strdup(virGetLastErrorMessage());
    while (virDomainIsActive(domain) == 1 && seconds_since(start_us) < GONE_S) {
        g_usleep(LOOK_MS * 1000);
    }
    if (virDomainIsActive(domain) == 1) {
        cmd_error(VM_CMD, "the guest does not start: %s", why);
        vm_host_destroy(domain);
    } else {
        ended = TRUE;
    }
    g_free(why);
    return ended;
}

/* --- a console that is only read: a file or a stream --- */

struct source {
    int fd;
    virStreamPtr stream;
};

static gboolean stream_open(struct vm_host *h, virDomainPtr domain, virStreamPtr *stream)
{
    *stream = virStreamNew(h->conn, VIR_STREAM_NONBLOCK);
    if (*stream && virDomainOpenConsole(domain, NULL, *stream, 0) == 0) {
        return TRUE;
    }
    vm_host_error("console");
    if (*stream) {
        virStreamFree(*stream);
        *stream = NULL;
    }
    return FALSE;
}

/* Return: bytes; 0: nothing at the moment, or at the end of the file; -1: the end. */
static gssize source_read(struct source *s, char *buffer, gsize n)
{
    int got;

    if (!s->stream) {
        gssize r = read(s->fd, buffer, n);

        return r < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : r;
    }
    got = virStreamRecv(s->stream, buffer, n);
    return got == -2 ? 0 : got <= 0 ? -1 : got;
}

static void source_close(struct source *s)
{
    if (s->fd >= 0) {
        close(s->fd);
    }
    if (s->stream) {
        virStreamAbort(s->stream);
        virStreamFree(s->stream);
    }
}

/* --- up --- */

/* Lines of the guest that say how far it is. */
static void vm_guest_milestone(void *opaque, const char *text)
{
    static const char *const known[] = { "Booting Linux", "Run /init", "Kernel panic", "vtegra" };
    const gint64 *start_us = opaque;

    for (gsize i = 0; i < G_N_ELEMENTS(known); i++) {
        if (strstr(text, known[i])) {
            fprintf(stderr, "%6.1f s  %s\n", seconds_since(*start_us), text);
            return;
        }
    }
}

static void vm_guest_tail(const char *text, gsize lines)
{
    const char *at = text + strlen(text);

    while (at > text && lines) {
        at--;
        lines -= *at == '\n' && at[1] != '\0';
    }
    fputs(*at == '\n' ? at + 1 : at, stderr);
}

/* Until the guest says that it is ready. */
static int vm_guest_follow(const struct vm_options *o, virDomainPtr domain, struct source *s,
                           gint64 *start_us)
{
    struct vm_lines lines;
    GString *all = g_string_new(NULL);
    gboolean alive = TRUE, more = TRUE;
    char buffer[4096];
    gssize n;
    int status = CMD_FAILED;

    vm_lines_init(&lines, FALSE);
    lines.line = vm_guest_milestone;
    lines.opaque = start_us;
    while ((alive || more) && !lines.ready && lines.status < 0 && !vm_signal_caught() &&
           (!o->timeout_s || seconds_since(*start_us) < o->timeout_s)) {
        n = source_read(s, buffer, sizeof(buffer));
        more = n > 0;
        if (more) {
            vm_lines_feed(&lines, buffer, (gsize)n);
            g_string_append_len(all, buffer, n);
        } else {
            alive = virDomainIsActive(domain) == 1; /* first this, then once more what is left */
            g_usleep(LOOK_MS * 1000);
        }
    }
    if (lines.ready) {
        fprintf(stderr, "%6.1f s  %s is up: vtegra vm console%s%s, vtegra vm down%s%s\n",
                seconds_since(*start_us), o->name, strcmp(o->name, "vtegra") ? " " : "",
                strcmp(o->name, "vtegra") ? o->name : "", strcmp(o->name, "vtegra") ? " " : "",
                strcmp(o->name, "vtegra") ? o->name : "");
        status = CMD_OK;
    } else if (alive) {
        cmd_error(VM_CMD, "%s; %s keeps running: vtegra vm console, vtegra vm down",
                  vm_signal_caught() ? "interrupted"
                                     : "the guest does not say \"" VM_LINE_READY "\"",
                  o->name);
    } else {
        cmd_error(VM_CMD, "the guest has ended before it was ready; its last lines:");
        vm_guest_tail(all->str, 10);
    }
    g_string_free(all, TRUE);
    vm_lines_clear(&lines);
    return status;
}

int vm_host_up(const struct vm_options *o)
{
    struct vm_host h;
    struct source source = { .fd = -1 };
    gint64 start_us = g_get_monotonic_time();
    char *log = o->connect ? NULL : vm_host_file(o, "console.log");
    virDomainPtr domain = NULL;
    int status = CMD_FAILED;

    vm_signals_catch();
    if (!(o->connect || log) || !vm_host_open(o, &h)) {
        g_free(log);
        return CMD_FAILED;
    }
    if (log) {
        unlink(log);
    }
    fprintf(stderr, "%6.1f s  %s\n", seconds_since(start_us), "libvirt is there");
    domain = vm_guest_start(o, &h, NULL, log,
                            VIR_DOMAIN_START_PAUSED); /* nothing is said before we listen */
    if (domain) {
        fprintf(stderr, "%6.1f s  QEMU runs %s on %s\n", seconds_since(start_us), o->kernel,
                o->soc);
        source.fd = log ? open(log, O_RDONLY | O_CLOEXEC) : -1;
        if ((source.fd >= 0 || stream_open(&h, domain, &source.stream)) &&
            vm_guest_resume(domain)) {
            status = vm_guest_follow(o, domain, &source, &start_us);
        }
        source_close(&source);
        virDomainFree(domain);
    }
    vm_host_close(&h);
    g_free(log);
    return status;
}

/* --- run --- */

static gboolean out_flush(struct vm_lines *lines)
{
    fwrite(lines->out->str, 1, lines->out->len, stdout);
    g_string_truncate(lines->out, 0);
    return fflush(stdout) == 0;
}

/* What there is on stdin, to the console: fd or stream. FALSE: no more will come. */
static gboolean input_pass(int fd, virStreamPtr stream)
{
    char buffer[256];
    gssize n = read(STDIN_FILENO, buffer, sizeof(buffer));

    if (n > 0 && stream) {
        virStreamSend(stream, buffer, (size_t)n);
    } else if (n > 0 && write(fd, buffer, (size_t)n) != n) {
        return FALSE;
    }
    return n > 0 || (n < 0 && errno == EINTR);
}

/* The console until it ends. FALSE: something else came first. */
static gboolean vm_guest_converse(const struct vm_options *o, struct source *s,
                                  struct vm_lines *lines, gint64 start_us)
{
    struct pollfd fds[2] = { { .fd = s->fd, .events = POLLIN },
                             { .fd = STDIN_FILENO, .events = POLLIN } };
    gint64 status_us = 0;
    char buffer[4096];

    for (;;) {
        gssize n;

        if (vm_signal_caught() || (o->timeout_s && seconds_since(start_us) > o->timeout_s) ||
            (status_us && seconds_since(status_us) > POWER_OFF_S)) {
            return FALSE;
        }
        poll(fds, 2, s->stream ? LOOK_MS : LOOK_MS * 4);
        if (fds[1].fd >= 0 && fds[1].revents && !input_pass(s->fd, s->stream)) {
            fds[1].fd = -1;
        }
        if (!s->stream && !fds[0].revents) {
            continue;
        }
        n = source_read(s, buffer, sizeof(buffer));
        if (n < 0 || (n == 0 && !s->stream)) {
            return TRUE;
        }
        vm_lines_feed(lines, buffer, (gsize)n);
        out_flush(lines);
        status_us = lines->status >= 0 && !status_us ? g_get_monotonic_time() : status_us;
    }
}

static int listen_at(const char *path)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    unlink(path);
    if (strlen(path) >= sizeof(address.sun_path)) {
        errno = ENAMETOOLONG;
    } else {
        g_strlcpy(address.sun_path, path, sizeof(address.sun_path));
        if (fd >= 0 && bind(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
            listen(fd, 1) == 0) {
            return fd;
        }
    }
    cmd_error(VM_CMD, "%s: %s", path, g_strerror(errno));
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

/* The embedded driver serves one process until that ends. So that list and down work while a guest
 * runs, processes that end at once start it and end it. */
static gboolean in_child(const struct vm_options *o, const char *socket,
                         gboolean (*act)(const struct vm_options *o, const char *socket))
{
    pid_t pid;
    int status = 1;

    fflush(NULL);
    pid = fork();
    if (pid == 0) {
        gboolean ok = act(o, socket);

        fflush(NULL);
        _exit(ok ? 0 : 1);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return pid > 0 && status == 0;
}

/* Paused first: a guest of a few milliseconds would be gone before libvirt has called it started.
 */
static gboolean child_start(const struct vm_options *o, const char *socket)
{
    struct vm_host h;
    virDomainPtr domain =
        vm_host_open(o, &h) ? vm_guest_start(o, &h, socket, NULL, VIR_DOMAIN_START_PAUSED) : NULL;

    return domain && vm_guest_resume(domain);
}

/* libvirt notices that it is gone, or we end it. */
static gboolean child_end(const struct vm_options *o, const char *socket)
{
    struct vm_host h;
    virDomainPtr domain;

    (void)socket;
    if (!vm_host_open(o, &h)) {
        return FALSE;
    }
    domain = vm_host_find(&h, o->name);
    return !domain || vm_host_destroy(domain);
}

/* A child process that ends the guest if `vtegra vm run` is killed by SIGKILL, which cannot be
 * caught. It waits for the folder's lock, which a process that starts or ends a guest holds. */
struct guard {
    pid_t pid;
    int alive; /* the other end sees it closed when we are gone */
};

static void guard_watch(const struct vm_options *o, int alive)
{
    static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
    char all_is_well;

    setsid(); /* Ctrl-C is for the command */
    for (size_t i = 0; i < G_N_ELEMENTS(signals); i++) {
        signal(signals[i], SIG_IGN);
    }
    if (read(alive, &all_is_well, 1) == 0) {
        child_end(o, NULL);
    }
    _exit(0);
}

static struct guard guard_start(const struct vm_options *o)
{
    struct guard guard = { .pid = -1, .alive = -1 };
    int ends[2];

    fflush(NULL);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return guard;
    }
    guard = (struct guard){ .pid = fork(), .alive = ends[1] };
    if (guard.pid == 0) {
        close(ends[1]);
        guard_watch(o, ends[0]);
    }
    close(ends[0]);
    return guard;
}

static void guard_stop(const struct guard *guard)
{
    if (guard->pid > 0 && write(guard->alive, "", 1) == 1) {
        waitpid(guard->pid, NULL, 0);
    }
    if (guard->alive >= 0) {
        close(guard->alive);
    }
}

static gboolean run_here(const struct vm_options *o, struct vm_lines *lines, gboolean *ended)
{
    struct source source = { .fd = -1 };
    gint64 start_us = g_get_monotonic_time();
    char *path = vm_host_file(o, "console.sock");
    int server = path ? listen_at(path) : -1;
    struct guard guard = guard_start(o);

    if (server >= 0 && in_child(o, path, child_start)) {
        source.fd =
            accept4(server, NULL, NULL, SOCK_CLOEXEC); /* QEMU has connected when it has started */
    }
    if (source.fd >= 0) {
        *ended = vm_guest_converse(o, &source, lines, start_us);
        source_close(&source);
        in_child(o, NULL, child_end);
    }
    guard_stop(&guard);
    if (path) {
        unlink(path);
    }
    if (server >= 0) {
        close(server);
    }
    g_free(path);
    return source.fd >= 0;
}

/* By a daemon, here or elsewhere: the console comes through libvirt, from the guest's first moment
 * on. */
static gboolean run_connected(const struct vm_options *o, struct vm_lines *lines, gboolean *ended)
{
    struct vm_host h;
    struct source source = { .fd = -1 };
    virDomainPtr domain;
    gboolean ok = FALSE;

    if (!vm_host_open(o, &h)) {
        return FALSE;
    }
    domain =
        vm_guest_start(o, &h, NULL, NULL, VIR_DOMAIN_START_PAUSED | VIR_DOMAIN_START_AUTODESTROY);
    if (domain && stream_open(&h, domain, &source.stream)) {
        ok = vm_guest_resume(domain);
        if (ok) {
            *ended = vm_guest_converse(o, &source, lines, g_get_monotonic_time());
        }
        source_close(&source);
    }
    if (domain) {
        if (virDomainIsActive(domain) == 1) {
            vm_host_destroy(domain);
        }
        virDomainFree(domain);
    }
    vm_host_close(&h);
    return ok;
}

int vm_host_run(const struct vm_options *o)
{
    struct vm_lines lines;
    gboolean ended = FALSE, started;
    int status;

    vm_signals_catch();
    vm_lines_init(&lines, !o->bare && !o->verbose);
    started = o->connect ? run_connected(o, &lines, &ended) : run_here(o, &lines, &ended);
    vm_lines_end(&lines);
    out_flush(&lines);
    status = lines.status;
    if (!started) {
        status = CMD_FAILED;
    } else if (vm_signal_caught()) {
        status = 128 + vm_signal_caught();
        cmd_error(VM_CMD, "interrupted; the guest was ended");
    } else if (status < 0) {
        cmd_error(VM_CMD,
                  ended ? "the guest has ended and its program's status is not known: there was no "
                          "line \"" VM_LINE_EXIT "N\" on the console%s"
                        : "the guest was ended after --timeout%s",
                  ended && lines.show_from_run ? " (--verbose shows all of it)" : "");
        status = CMD_FAILED;
    }
    vm_lines_clear(&lines);
    return status;
}
