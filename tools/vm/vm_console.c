/* SPDX-License-Identifier: MIT */
/* The terminal for a guest's console. */
#include <errno.h>
#include <fcntl.h>
#include <libvirt/virterror.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "tools/cmd.h"
#include "tools/vm/vm_host.h"

#define LEAVE '\035' /* Ctrl-], as virsh and telnet have it */
#define LOOK_MS 50
#define SILENCE_US 1500000 /* QEMU looks once a second whether a client has opened the terminal */

static volatile sig_atomic_t caught;

static void on_signal(int number)
{
    caught = number;
}

void vm_signals_catch(void)
{
    struct sigaction action = { .sa_handler = on_signal };

    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
    signal(SIGPIPE, SIG_IGN);
}

int vm_signal_caught(void)
{
    return caught;
}

/* --- relay --- */

static gssize console_read(int fd, virStreamPtr stream, char *buffer, gsize n)
{
    gssize got = stream ? virStreamRecv(stream, buffer, n) : read(fd, buffer, n);

    if (stream) {
        return got == -2 ? 0 : got <= 0 ? -1 : got;
    }
    return got < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : got <= 0 ? -1 : got;
}

static gboolean console_write(int fd, virStreamPtr stream, const char *bytes, gsize n)
{
    while (n > 0) {
        gssize done = stream ? virStreamSend(stream, bytes, n) : write(fd, bytes, n);

        if (done == -2 || (done < 0 && !stream && errno == EAGAIN)) {
            g_usleep(LOOK_MS * 1000);
            done = 0;
        }
        if (done < 0) {
            return FALSE;
        }
        bytes += done;
        n -= (gsize)done;
    }
    return TRUE;
}

/* Return: 1 go on, 0 stdin has ended, -1 leave. */
static int keys_pass(int fd, virStreamPtr stream)
{
    char buffer[256], *leave;
    gssize n = read(STDIN_FILENO, buffer, sizeof(buffer));

    if (n <= 0) {
        return n < 0 && errno == EINTR ? 1 : 0;
    }
    leave = memchr(buffer, LEAVE, (size_t)n);
    if (leave) {
        n = leave - buffer;
    }
    return console_write(fd, stream, buffer, (gsize)n) && !leave ? 1 : -1;
}

static void vm_console_bytes_relay(int fd, virStreamPtr stream, int seconds)
{
    struct pollfd fds[2] = { { .fd = STDIN_FILENO, .events = POLLIN },
                             { .fd = fd, .events = POLLIN } };
    gint64 start_us = g_get_monotonic_time(), last_us = start_us;

    while (!caught) {
        gint64 now_us = g_get_monotonic_time();
        char buffer[4096];
        gssize n;

        if ((fds[0].fd < 0 && now_us - last_us > SILENCE_US) ||
            (seconds && now_us - start_us > (gint64)seconds * G_USEC_PER_SEC)) {
            return;
        }
        poll(fds, stream ? 1 : 2, LOOK_MS);
        if (fds[0].fd >= 0 && fds[0].revents) {
            int r = keys_pass(fd, stream);

            if (r < 0) {
                return;
            }
            fds[0].fd = r ? STDIN_FILENO : -1;
            last_us = g_get_monotonic_time();
        }
        n = console_read(fd, stream, buffer, sizeof(buffer));
        if (n < 0) {
            return;
        }
        if (n > 0) {
            last_us = g_get_monotonic_time();
            fwrite(buffer, 1, (size_t)n, stdout);
            fflush(stdout);
        }
    }
}

void vm_console_relay(int fd, virStreamPtr stream, int seconds)
{
    struct termios before, raw;
    gboolean terminal = tcgetattr(STDIN_FILENO, &before) == 0;

    if (terminal) {
        raw = before;
        cfmakeraw(&raw);
        tcsetattr(STDIN_FILENO, TCSANOW, &raw);
        fputs("Ctrl-] leaves\r\n", stderr);
    }
    vm_console_bytes_relay(fd, stream, seconds);
    if (terminal) {
        tcsetattr(STDIN_FILENO, TCSANOW, &before);
        fputc('\n', stderr);
    }
}

/* --- where the console is --- */

/* libvirt names the terminal as <console type='pty' tty='/dev/pts/N'>. */
static void vm_console_element(GMarkupParseContext *context, const char *name, const char **names,
                               const char **values, gpointer opaque, GError **error)
{
    char **tty = opaque;

    (void)context;
    (void)error;
    for (gsize i = 0; names[i] && strcmp(name, "console") == 0 && !*tty; i++) {
        if (strcmp(names[i], "tty") == 0) {
            *tty = g_strdup(values[i]);
        }
    }
}

static char *tty_of(virDomainPtr domain)
{
    static const GMarkupParser parser = { .start_element = vm_console_element };
    char *xml = virDomainGetXMLDesc(domain, 0), *tty = NULL;
    GMarkupParseContext *context = g_markup_parse_context_new(&parser, 0, &tty, NULL);

    if (xml) {
        g_markup_parse_context_parse(context, xml, -1, NULL);
    }
    g_markup_parse_context_free(context);
    free(xml);
    return tty;
}

/* The terminal itself: libvirt is not needed any more, and free for other commands. */
static int relay_here(const char *tty, int seconds)
{
    int fd = tty ? open(tty, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC) : -1;

    if (fd < 0) {
        cmd_error(VM_CMD, "%s: %s", tty ? tty : "the guest's console is no terminal",
                  tty ? g_strerror(errno) : "vtegra vm run has it");
        return CMD_FAILED;
    }
    vm_console_relay(fd, NULL, seconds);
    close(fd);
    return CMD_OK;
}

static int relay_connected(struct vm_host *h, virDomainPtr domain, int seconds)
{
    virStreamPtr stream = virStreamNew(h->conn, VIR_STREAM_NONBLOCK);
    gboolean ok = stream && virDomainOpenConsole(domain, NULL, stream, 0) == 0;

    if (ok) {
        vm_console_relay(-1, stream, seconds);
    } else {
        vm_host_error("console");
    }
    if (stream) {
        virStreamAbort(stream);
        virStreamFree(stream);
    }
    return ok ? CMD_OK : CMD_FAILED;
}

int vm_host_console(const struct vm_options *o)
{
    struct vm_host h;
    virDomainPtr domain;
    char *tty = NULL;
    int status;

    vm_signals_catch();
    if (!vm_host_open(o, &h)) {
        return CMD_FAILED;
    }
    domain = vm_host_find(&h, o->name);
    if (!domain) {
        cmd_error(VM_CMD, "no guest \"%s\" is running; vtegra vm up starts one", o->name);
        vm_host_close(&h);
        return CMD_FOUND;
    }
    if (o->connect) {
        status = relay_connected(&h, domain, o->timeout_s);
        virDomainFree(domain);
        vm_host_close(&h);
        return status;
    }
    tty = tty_of(domain);
    virDomainFree(domain);
    vm_host_close(&h);
    status = relay_here(tty, o->timeout_s);
    g_free(tty);
    return status;
}
