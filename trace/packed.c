/* SPDX-License-Identifier: MIT */
#include "trace/packed.h"

#include <errno.h>
#include <glib.h>
#include <stdint.h>
#include <string.h>
#include <zstd.h>

#define FRAME ((size_t)256 << 10) /* of text */
#define LEVEL 6

/* RFC 8878, 3.1.2: little endian */
#define MAGIC_SKIPPABLE 0x184d2a5eu
/* Zstandard seekable format, 0.1.0 */
#define MAGIC_SEEKABLE 0x8f92eab1u

/* @index: of each frame its compressed and its decompressed size, as the file has them */
struct packed {
    packed_write *write;
    void *opaque;
    ZSTD_CCtx *zstd;
    size_t used, room;
    char *text, *out;
    GByteArray *index;
    unsigned frames;
};

struct packed *packed_new(packed_write *write, void *opaque)
{
    struct packed *p = g_new0(struct packed, 1);

    p->write = write;
    p->opaque = opaque;
    p->zstd = ZSTD_createCCtx();
    if (p->zstd) { /* with checksums: a damaged literal is a valid frame of another text */
        ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_compressionLevel, LEVEL);
        ZSTD_CCtx_setParameter(p->zstd, ZSTD_c_checksumFlag, 1);
    }
    p->text = g_malloc(FRAME);
    p->room = ZSTD_compressBound(FRAME);
    p->out = g_malloc(p->room);
    p->index = g_byte_array_new();
    return p;
}

void packed_free(struct packed *p)
{
    if (p) {
        ZSTD_freeCCtx(p->zstd);
        g_free(p->text);
        g_free(p->out);
        g_byte_array_free(p->index, TRUE);
        g_free(p);
    }
}

static void number_add(GByteArray *to, uint32_t value)
{
    uint8_t bytes[4] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                         (uint8_t)(value >> 24) };

    g_byte_array_append(to, bytes, sizeof(bytes));
}

int packed_frame_end(struct packed *p)
{
    size_t n;

    if (p->used == 0) {
        return 0;
    }
    n = p->zstd ? ZSTD_compress2(p->zstd, p->out, p->room, p->text, p->used) : 0;
    if (!p->zstd || ZSTD_isError(n)) {
        return ENOMEM;
    }
    number_add(p->index, (uint32_t)n);
    number_add(p->index, (uint32_t)p->used);
    p->frames++;
    p->used = 0;
    return p->write(p->opaque, p->out, n);
}

int packed_add(struct packed *p, const void *data, size_t len)
{
    const char *from = data;
    int error = 0;

    while (len > 0 && !error) {
        size_t n = MIN(len, FRAME - p->used);

        memcpy(p->text + p->used, from, n);
        p->used += n;
        from += n;
        len -= n;
        error = p->used == FRAME ? packed_frame_end(p) : 0;
    }
    return error;
}

int packed_end(struct packed *p)
{
    static const uint8_t no_checksums = 0;
    GByteArray *table = g_byte_array_new();
    int error = packed_frame_end(p);

    number_add(table, MAGIC_SKIPPABLE);
    number_add(table, p->index->len + 9); /* the footer has 9 bytes */
    g_byte_array_append(table, p->index->data, p->index->len);
    number_add(table, p->frames);
    g_byte_array_append(table, &no_checksums, 1);
    number_add(table, MAGIC_SEEKABLE);
    error = error ? error : p->write(p->opaque, table->data, table->len);
    g_byte_array_free(table, TRUE);
    return error;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* struct text - a compact file being read; @in: what was read of it and not decompressed yet */
struct text {
    FILE *f;
    ZSTD_DCtx *zstd;
    ZSTD_inBuffer in;
    char buffer[65536];
};

static ssize_t text_read(void *cookie, char *to, size_t len)
{
    struct text *t = cookie;
    ZSTD_outBuffer out = { to, len, 0 };

    while (out.pos == 0) {
        size_t before = t->in.pos, n;

        if (t->in.pos == t->in.size) {
            t->in = (ZSTD_inBuffer){ t->buffer, fread(t->buffer, 1, sizeof(t->buffer), t->f), 0 };
        }
        n = ZSTD_decompressStream(t->zstd, &out, &t->in);
        if (ZSTD_isError(n)) {
            errno = EBADMSG;
            return -1;
        }
        if (t->in.size == 0 || (out.pos == 0 && t->in.pos == before && feof(t->f))) {
            break; /* the end, or the place where it was cut */
        }
    }
    return (ssize_t)out.pos;
}

static int text_close(void *cookie)
{
    struct text *t = cookie;

    ZSTD_freeDCtx(t->zstd);
    fclose(t->f);
    g_free(t);
    return 0;
}

FILE *packed_text(FILE *f)
{
    static const cookie_io_functions_t calls = { .read = text_read, .close = text_close };
    struct text *t = g_new0(struct text, 1);

    t->f = f;
    t->zstd = ZSTD_createDCtx();
    return fopencookie(t, "r", calls);
}
