/* SPDX-License-Identifier: MIT */
/* The program a guest is to run, as a second archive behind the guest's initramfs: Linux unpacks
 * archives that follow each other one over the other
 * (Documentation/driver-api/early-userspace/buffer-format.rst). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/vm/vm.h"

#define PROGRAM_MAX (G_GUINT64_CONSTANT(1) << 30)

static gboolean vm_job_failed(GError **error, const char *path)
{
    int number = errno;

    g_set_error(error, G_FILE_ERROR, (gint)g_file_error_from_errno(number), "%s: %s", path,
                g_strerror(number));
    return FALSE;
}

/* "newc": a header of 8-digit hexadecimal numbers, name, bytes; each padded to 4 bytes. */
static void archive_add(GByteArray *to, const char *name, guint mode, const void *bytes, gsize n)
{
    static const guint8 zeros[4];
    static guint inode = 0x7e57;
    gsize name_bytes = strlen(name) + 1;
    char header[111];

    g_snprintf(header, sizeof(header), "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x",
               inode++, mode, 0u, 0u, 1u, 0u, (guint)n, 0u, 0u, 0u, 0u, (guint)name_bytes, 0u);
    g_byte_array_append(to, (const guint8 *)header, 110);
    g_byte_array_append(to, (const guint8 *)name, (guint)name_bytes);
    g_byte_array_append(to, zeros, (4 - to->len % 4) % 4);
    g_byte_array_append(to, bytes, (guint)n);
    g_byte_array_append(to, zeros, (4 - to->len % 4) % 4);
}

/* What the line in /etc/vtegra/run runs. */
static char *vm_job_script(char **argv, const char *check)
{
    GString *text = g_string_new("#!/bin/sh\n");

    if (check) {
        g_string_append_printf(text, "export VTEGRA_CHECK=%s\n", check);
    }
    g_string_append(text, "echo '" VM_LINE_RUN "'\n/srv/program");

    for (char **arg = argv + 1; *arg; arg++) {
        char *quoted = g_shell_quote(*arg);

        g_string_append_printf(text, " %s", quoted);
        g_free(quoted);
    }
    g_string_append(text, "\nprintf '\\n" VM_LINE_EXIT "%d\\n' $?\n");
    return g_string_free(text, FALSE);
}

static gboolean program_read(const char *path, char **bytes, gsize *n, GError **error)
{
    struct stat st;

    if (stat(path, &st) != 0 && errno == ENOENT) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_NOENT,
                    "no such program: %s. Is it built, and there? vtegra cc --target aarch64 "
                    "app.cu -o app builds one for the guest",
                    path);
        return FALSE;
    }
    if (stat(path, &st) != 0) {
        return vm_job_failed(error, path);
    }
    if (!S_ISREG(st.st_mode) || (guint64)st.st_size > PROGRAM_MAX) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s: no file, or more than 1 GiB",
                    path);
        return FALSE;
    }
    if (!g_file_get_contents(path, bytes, n, error)) {
        return FALSE;
    }
    /* ELF64, little endian, EM_AARCH64 = 183; or a script for the guest's shell. */
    if ((*n < 20 || memcmp(*bytes, "\177ELF\2\1", 6) != 0 || (guint8)(*bytes)[18] != 183) &&
        (*n < 2 || memcmp(*bytes, "#!", 2) != 0)) {
        g_set_error(error, G_FILE_ERROR, G_FILE_ERROR_INVAL,
                    "%s is no aarch64 program; vtegra cc --target aarch64 builds one", path);
        g_clear_pointer(bytes, g_free);
        return FALSE;
    }
    return TRUE;
}

static gboolean vm_job_copy(int from, int to)
{
    static const char zeros[4];
    char buffer[65536];
    gsize total = 0;
    gssize n;

    while ((n = read(from, buffer, sizeof(buffer))) > 0) {
        if (write(to, buffer, (gsize)n) != n) {
            return FALSE;
        }
        total += (gsize)n;
    }
    n = n == 0 ? (gssize)((4 - total % 4) % 4)
               : -1; /* the next archive begins at a multiple of 4 */
    return n >= 0 && write(to, zeros, (gsize)n) == n;
}

static void job_archive(GByteArray *archive, const char *text, const char *program, gsize n)
{
    static const char line[] = "sh /srv/job\n";

    archive_add(archive, "etc", S_IFDIR | 0755, "", 0);
    archive_add(archive, "etc/vtegra", S_IFDIR | 0755, "", 0);
    archive_add(archive, "etc/vtegra/run", S_IFREG | 0644, line, sizeof(line) - 1);
    archive_add(archive, "srv", S_IFDIR | 0755, "", 0);
    archive_add(archive, "srv/job", S_IFREG | 0755, text, strlen(text));
    archive_add(archive, "srv/program", S_IFREG | 0755, program, n);
    archive_add(archive, "TRAILER!!!", 0, "", 0);
}

static gboolean file_append(const char *path, int out, const char *to, GError **error)
{
    int from = open(path, O_RDONLY | O_CLOEXEC);
    gboolean ok =
        from >= 0 ? vm_job_copy(from, out) || vm_job_failed(error, to) : vm_job_failed(error, path);

    if (from >= 0) {
        close(from);
    }
    return ok;
}

gboolean vm_initrd_write(char **bases, const char *to, char **argv, const char *check,
                         GError **error)
{
    char *bytes = NULL, *text = NULL;
    GByteArray *archive = g_byte_array_new();
    int out = -1;
    gsize n;
    gboolean ok = !argv || program_read(argv[0], &bytes, &n, error);

    if (ok && argv) {
        text = vm_job_script(argv, check);
        job_archive(archive, text, bytes, n);
    }
    if (ok) {
        out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        ok = out >= 0 || vm_job_failed(error, to);
    }
    for (char **base = bases; ok && *base; base++) {
        ok = file_append(*base, out, to, error);
    }
    if (ok && write(out, archive->data, archive->len) != archive->len) {
        ok = vm_job_failed(error, to);
    }
    if (out >= 0 && close(out) != 0 && ok) {
        ok = vm_job_failed(error, to);
    }
    g_byte_array_free(archive, TRUE);
    g_free(bytes);
    g_free(text);
    return ok;
}
