/* SPDX-License-Identifier: MIT */
/*
 * Stands where clang expects NVIDIA's tool of this name: puts PTX into the container that
 * __cudaRegisterFatBinary takes.
 *     fatbinary ... --create OUT --image=profile=sm_62,file=F --image=profile=compute_62,file=F
 * Layout: see runtime/driver/module/fatbin.h; all numbers little endian.
 */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CONTAINER_MAGIC 0xba55ed50u
#define ENTRY_HEADER 80u
#define OPTIONS_AT 64u     /* in the header: where the compiler's options are described */
#define OPTIONS_TEXT_AT 72u /* and their text, empty; NVIDIA's driver reads both (580.159) */
#define KIND_PTX 1u
#define FLAGS_PTX 0x11u /* 64-bit addresses, Linux: what nvcc sets for raw PTX */
#define STATIC "__static__"
#define HEX "0123456789abcdef"
#define STATICS_MAX 4096u
#define PTX_MAX (256u << 20)

/* Little-endian bytes, whatever this machine is. */
static void fatbinary_put(unsigned char *at, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        at[i] = (unsigned char)(value >> (8 * i));
    }
}

/* Reads a file whole, padded with zeros (at least one) to 8 bytes. NULL after printing why not. */
static unsigned char *read_padded(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    unsigned char *data = NULL;
    long len = -1;

    if (file && fseek(file, 0, SEEK_END) == 0 && (len = ftell(file)) >= 0 && len <= (long)PTX_MAX) {
        *size = ((size_t)len + 8) & ~(size_t)7;
        data = calloc(1, *size);
        rewind(file);
        if (data && fread(data, 1, (size_t)len, file) != (size_t)len) {
            free(data);
            data = NULL;
        }
    }
    if (!data) {
        fprintf(stderr, "fatbinary (vtegra): cannot read %s\n", path);
    }
    if (file) {
        fclose(file);
    }
    return data;
}

static size_t word_length(const char *at)
{
    size_t n = 0;

    while (isalnum((unsigned char)at[n]) || at[n] == '_' || at[n] == '$' || at[n] == '%') {
        n++;
    }
    return n;
}

/* Static variables: where a text has their names, NAME__static__HASH. */
struct statics {
    const char *name[STATICS_MAX];
    size_t length[STATICS_MAX]; /* of NAME */
    unsigned n;
};

/* The name of the definition of @word; NULL: it is none of them. */
static const char *static_find(const struct statics *s, const char *word, size_t length)
{
    for (unsigned i = 0; i < s->n; i++) {
        if (s->length[i] == length && memcmp(s->name[i], word, length) == 0) {
            return s->name[i];
        }
    }
    return NULL;
}

/* Return: FALSE if they are too many. */
static bool statics_collect(struct statics *s, const char *text)
{
    for (const char *at = text; (at = strstr(at, STATIC)) != NULL; at += strlen(STATIC)) {
        const char *name = at, *hash = at + strlen(STATIC);

        while (name > text && word_length(name - 1) > 0) {
            name--;
        }
        if (name == at || word_length(hash) == 0 || strspn(hash, HEX) != word_length(hash) ||
            static_find(s, name, (size_t)(at - name))) {
            continue;
        }
        if (s->n == STATICS_MAX) {
            return false;
        }
        s->length[s->n] = (size_t)(at - name);
        s->name[s->n++] = name;
    }
    return true;
}

static void line_write(FILE *out, const struct statics *s, const char *line, size_t length)
{
    const char *end = line + length;

    while (line < end) {
        size_t n = word_length(line);
        const char *name = n > 0 ? static_find(s, line, n) : NULL;

        fwrite(name ? name : line, 1, name ? word_length(name) : n > 0 ? n : 1, out);
        line += n > 0 ? n : 1;
    }
}

/* Is this ".extern .global ... NAME;" of a static variable? */
static bool is_static_extern(const struct statics *s, const char *line, size_t length)
{
    const char *end = line + length;

    if (length < 8 || memcmp(line, ".extern ", 8) != 0) {
        return false;
    }
    while (line < end) {
        size_t n = word_length(line);

        if (n > 0 && static_find(s, line, n)) {
            return true;
        }
        line += n > 0 ? n : 1;
    }
    return false;
}

/* clang 19 calls a static variable NAME__static__HASH (-fgpu-rdc) from the host's first use of it
 * on. What it has compiled before that has NAME, as a variable of another file. Return: @ptx, or
 * the same with one name in its place. */
static unsigned char *statics_rename(unsigned char *ptx, size_t *size)
{
    static struct statics s;
    const char *text = (const char *)ptx;
    char *made = NULL;
    FILE *out;

    s.n = 0;
    if (!statics_collect(&s, text)) {
        fprintf(stderr,
                "fatbinary (vtegra): more than %u static variables; a kernel may not find "
                "those that the host uses\n",
                STATICS_MAX);
    }
    out = s.n > 0 ? open_memstream(&made, size) : NULL;
    if (!out) {
        return ptx;
    }
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n") + (strchr(line, '\n') != NULL);

        if (!is_static_extern(&s, line, length)) {
            line_write(out, &s, line, length);
        }
        line += length;
    }
    do {
        fputc(0, out);
    } while (ftell(out) % 8 != 0);
    if (fclose(out) != 0) {
        free(made);
        made = NULL;
    }
    free(ptx);
    return (unsigned char *)made;
}

static bool entry_write(FILE *out, const char *path, unsigned sm)
{
    unsigned char header[ENTRY_HEADER] = { 0 };
    size_t size;
    unsigned char *ptx = read_padded(path, &size);
    bool ok;

    ptx = ptx ? statics_rename(ptx, &size) : NULL;
    ok = ptx != NULL;
    if (ok) {
        fatbinary_put(header, KIND_PTX, 2);
        fatbinary_put(header + 2, 0x101, 2);
        fatbinary_put(header + 4, ENTRY_HEADER, 4);
        fatbinary_put(header + 8, size, 8);
        fatbinary_put(header + 20, OPTIONS_AT, 4);
        fatbinary_put(header + 24, 3, 2); /* PTX 8.3, as vtegra cc asks clang for */
        fatbinary_put(header + 26, 8, 2);
        fatbinary_put(header + 28, sm, 4);
        fatbinary_put(header + 40, FLAGS_PTX, 8);
        fatbinary_put(header + OPTIONS_AT, OPTIONS_TEXT_AT, 4);
        ok = fwrite(header, 1, sizeof(header), out) == sizeof(header) &&
             fwrite(ptx, 1, size, out) == size;
    }
    free(ptx);
    return ok;
}

/* --image=profile=compute_62,file=F; newer clangs write --image3=kind=ptx,sm=62,file=F. */
static const char *image_ptx(const char *arg, unsigned *sm)
{
    const char *file = strstr(arg, ",file=");
    const char *at;

    if (strncmp(arg, "--image", 7) != 0 || !file) {
        return NULL;
    }
    if ((at = strstr(arg, "profile=compute_")) != NULL) {
        *sm = (unsigned)strtoul(at + strlen("profile=compute_"), NULL, 10);
        return file + strlen(",file=");
    }
    if (strstr(arg, "kind=ptx") && (at = strstr(arg, "sm=")) != NULL) {
        *sm = (unsigned)strtoul(at + 3, NULL, 10);
        return file + strlen(",file=");
    }
    return NULL;
}

static bool container_write(FILE *out, int argc, char **argv)
{
    unsigned char header[16] = { 0 };
    long end;

    fatbinary_put(header, CONTAINER_MAGIC, 4);
    fatbinary_put(header + 4, 1, 2);
    fatbinary_put(header + 6, sizeof(header), 2);
    if (fwrite(header, 1, sizeof(header), out) != sizeof(header)) {
        return false;
    }
    for (int i = 1; i < argc; i++) {
        unsigned sm;
        const char *file = image_ptx(argv[i], &sm);

        if (file && !entry_write(out, file, sm)) {
            return false;
        }
    }
    end = ftell(out);
    if (end < (long)sizeof(header)) {
        return false;
    }
    fatbinary_put(header + 8, (uint64_t)end - sizeof(header), 8);
    return fseek(out, 0, SEEK_SET) == 0 && fwrite(header, 1, sizeof(header), out) == sizeof(header);
}

int main(int argc, char **argv)
{
    const char *path = NULL;
    FILE *out;
    bool ok;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--create") == 0 && i + 1 < argc) {
            path = argv[i + 1];
        } else if (strncmp(argv[i], "--create=", 9) == 0) {
            path = argv[i] + 9;
        }
    }
    if (!path) {
        fprintf(stderr, "fatbinary (vtegra): no --create given\n");
        return 1;
    }
    out = fopen(path, "wb");
    ok = out && container_write(out, argc, argv);
    if (out && fclose(out) != 0) {
        ok = false;
    }
    if (!ok) {
        perror(path);
        remove(path);
    }
    return ok ? 0 : 1;
}
