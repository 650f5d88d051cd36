/* SPDX-License-Identifier: MIT */
#include "runtime/driver/module/fatbin_internal.h"

#include <errno.h>
#include <glib.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#define WRAPPER_MAGIC 0x466243B1u
#define CONTAINER_MAGIC 0xBA55ED50u
#define ELF_MAGIC 0x464C457Fu
#define ELF_MACHINE_CUDA 190 /* EM_CUDA of the ELF machine list */

/* An entry: {u16 kind, u16 version, u32 header bytes, u64 payload bytes, u32 packed bytes,
 * u32 offset of the options, u16 and u16 format version, u32 sm, u32 offset and u32 length of the
 * ident, u64 flags, u64 0, u64 unpacked bytes}, then inside the header: ident, {u32 offset of the
 * options' text, u32 length}, that text. Offsets count from the entry's first byte. */
#define ENTRY_BYTES 64
#define ENTRY_VERSION 0x101
#define FLAG_LZ4 0x2000u
#define FLAG_ZSTD 0x8000u
#define FLAG_ARCH 0x100000u   /* sm_90a */
#define FLAG_FAMILY 0x200000u /* compute_100f */

/* Far above what compilers write (a library's largest container is some hundred MB, a PTX text some
 * ten): what lies beyond is a damaged header or a decompression bomb. */
#define CONTAINER_MAX (UINT64_C(4) << 30)
#define PTX_MAX (UINT64_C(256) << 20)
#define HEADER_MAX 65536u
#define ENTRIES_MAX 65536u
#define UNITS_MAX 65536u

/* Bytes being read. An unknown size becomes known step by step, from headers. */
struct source {
    const uint8_t *base;
    uint64_t size;
    bool known;
};

int fatbin_fail(char **error, int code, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (error) {
        *error = g_strdup_vprintf(format, args);
    }
    va_end(args);
    return code;
}

/* One byte a page through the kernel, which answers EFAULT instead of a signal. Where that call is
 * forbidden (a container's seccomp filter) memory is taken to be readable, as any driver does. */
bool fatbin_readable(const uint8_t *p, uint64_t len)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t at = (uint64_t)(uintptr_t)p;
    const uint64_t end = at + len;

    if (end < at) {
        return false;
    }
    while (at < end) {
        struct iovec remote[64];
        uint8_t bytes[64];
        size_t n = 0;

        for (; n < G_N_ELEMENTS(remote) && at < end; n++) {
            remote[n] = (struct iovec){ (void *)(uintptr_t)at, 1 };
            at = (at & ~(page - 1)) + page;
            if (at == 0) { /* past the last page there is */
                at = end;
            }
        }
        struct iovec local = { bytes, n };
        ssize_t got = process_vm_readv(gettid(), &local, 1, remote, n, 0);
        if (got < 0 && errno != EFAULT) {
            return true;
        }
        if (got != (ssize_t)n) {
            return false;
        }
    }
    return true;
}

/* The bytes [offset, offset + len) of @src, or NULL. */
static const uint8_t *source_span(const struct source *src, uint64_t offset, uint64_t len)
{
    if (offset > src->size || len > src->size - offset) {
        return NULL;
    }
    if (!src->known && !fatbin_readable(src->base + offset, len)) {
        return NULL;
    }
    return src->base + offset;
}

static int source_fail(const struct source *src, uint64_t offset, uint64_t len, const char *what,
                       char **error)
{
    if (src->known) {
        return fatbin_fail(error, -EINVAL,
                           "the image is truncated: %s needs %" PRIu64 " bytes at offset %" PRIu64
                           ", the image has %" PRIu64,
                           what, len, offset, src->size);
    }
    return fatbin_fail(error, -EFAULT,
                       "%s at offset %" PRIu64 " (%" PRIu64 " bytes) is not readable memory", what,
                       offset, len);
}

/* A string that lies inside an entry's header. */
static int entry_string(struct fatbin *fb, const uint8_t *entry, uint32_t header, uint32_t offset,
                        uint32_t len, const char **out)
{
    if (offset > header || len > header - offset) {
        return -EINVAL;
    }
    const char *text = (const char *)entry + offset;
    *out = g_string_chunk_insert_len(fb->strings, text, (gssize)strnlen(text, len));
    return 0;
}

static int entry_strings(struct fatbin *fb, const uint8_t *entry, uint32_t header,
                         struct fatbin_entry *out)
{
    const uint32_t options = read32(entry + 20);
    const uint32_t ident = read32(entry + 32);

    out->ident = out->options = "";
    if (ident && entry_string(fb, entry, header, ident, read32(entry + 36), &out->ident)) {
        return -EINVAL;
    }
    if (options == 0) {
        return 0;
    }
    if (options > header || header - options < 8) {
        return -EINVAL;
    }
    const uint8_t *where = entry + options;
    return entry_string(fb, entry, header, read32(where), read32(where + 4), &out->options);
}

static enum fatbin_kind entry_kind(uint32_t number)
{
    switch (number) {
    case 1:
        return FATBIN_KIND_PTX;
    case 2:
        return FATBIN_KIND_ELF;
    case 8:
        return FATBIN_KIND_LTO;
    default:
        return FATBIN_KIND_OTHER;
    }
}

/* Packing and sizes; everything else in the header has been bounded before. */
static int entry_sizes(const uint8_t *entry, uint64_t payload, uint64_t offset, struct piece *piece,
                       char **error)
{
    const uint64_t flags = read64(entry + 40);
    const uint64_t packed = read32(entry + 16);
    struct fatbin_entry *out = &piece->entry;

    if ((flags & FLAG_LZ4) && (flags & FLAG_ZSTD)) {
        return fatbin_fail(error, -EINVAL,
                           "the entry at offset %" PRIu64
                           " says both LZ4 and zstd (flags 0x%" PRIx64 ")",
                           offset, flags);
    }
    out->packing = flags & FLAG_ZSTD ? FATBIN_ZSTD : flags & FLAG_LZ4 ? FATBIN_LZ4 : FATBIN_RAW;
    out->size = out->packing == FATBIN_RAW ? payload : read64(entry + 56);
    piece->payload_bytes = out->packing == FATBIN_RAW ? payload : packed;
    if (piece->payload_bytes > payload) {
        return fatbin_fail(error, -EINVAL,
                           "the entry at offset %" PRIu64 " has %" PRIu64
                           " packed bytes in a payload of %" PRIu64,
                           offset, packed, payload);
    }
    if (out->kind == FATBIN_KIND_PTX && out->size > PTX_MAX) {
        return fatbin_fail(error, -E2BIG,
                           "the PTX at offset %" PRIu64 " says it unpacks to %" PRIu64
                           " bytes; more than %" PRIu64 " is taken for damage",
                           offset, out->size, PTX_MAX);
    }
    return 0;
}

/* One entry at @offset of a container that ends at @end. *@next is where the following one starts.
 */
static int entry_read(struct fatbin *fb, const struct source *src, uint64_t offset, uint64_t end,
                      uint64_t *next, char **error)
{
    const uint8_t *p = source_span(src, offset, ENTRY_BYTES);

    if (end - offset < ENTRY_BYTES) {
        return fatbin_fail(error, -EINVAL,
                           "the container ends %" PRIu64 " bytes after offset %" PRIu64
                           ", an entry's header has %d",
                           end - offset, offset, ENTRY_BYTES);
    }
    if (!p) {
        return source_fail(src, offset, ENTRY_BYTES, "an entry's header", error);
    }
    const uint32_t header = read32(p + 4);
    const uint64_t payload = read64(p + 8);
    if (read16(p + 2) != ENTRY_VERSION || header < ENTRY_BYTES || header > HEADER_MAX) {
        return fatbin_fail(error, -EINVAL,
                           "the entry at offset %" PRIu64
                           " has version 0x%x and a header of %u bytes: "
                           "not a layout that nvcc or clang writes",
                           offset, read16(p + 2), header);
    }
    if (header > end - offset || payload > end - offset - header) {
        return fatbin_fail(error, -EINVAL,
                           "the entry at offset %" PRIu64 " needs %u + %" PRIu64
                           " bytes, its container has %" PRIu64 " left",
                           offset, header, payload, end - offset);
    }
    p = source_span(src, offset, header);
    if (!p) {
        return source_fail(src, offset, header, "an entry's header", error);
    }
    const uint64_t flags = read64(p + 40);
    struct piece piece = {
        .entry = { .unit = fb->units,
                   .kind = entry_kind(read16(p)),
                   .sm = read32(p + 28),
                   .specific = (flags & (FLAG_ARCH | FLAG_FAMILY)) != 0,
                   .flags = flags },
        .payload = src->base + offset + header,
        .known = src->known,
    };
    int rc = entry_sizes(p, payload, offset, &piece, error);
    if (rc) {
        return rc;
    }
    if (entry_strings(fb, p, header, &piece.entry)) {
        return fatbin_fail(error, -EINVAL,
                           "the entry at offset %" PRIu64
                           " has a string outside its header of %u bytes",
                           offset, header);
    }
    if (fb->pieces->len >= ENTRIES_MAX) {
        return fatbin_fail(error, -E2BIG, "more than %u entries at offset %" PRIu64, ENTRIES_MAX,
                           offset);
    }
    g_array_append_val(fb->pieces, piece);
    *next = offset + header + payload;
    return 0;
}

/* A container at @offset; *@next is its end. */
static int container_read(struct fatbin *fb, struct source *src, uint64_t offset, uint64_t *next,
                          char **error)
{
    const uint8_t *p = source_span(src, offset, 16);

    if (!p) {
        return source_fail(src, offset, 16, "a container's header", error);
    }
    const uint32_t header = read16(p + 6);
    const uint64_t size = read64(p + 8);
    if (read32(p) != CONTAINER_MAGIC || read16(p + 4) != 1 || header < 16) {
        return fatbin_fail(error, -EINVAL,
                           "no container at offset %" PRIu64
                           ": magic 0x%08x, version %u, header of %u bytes; expected 0x%08x, 1, 16",
                           offset, read32(p), read16(p + 4), header, CONTAINER_MAGIC);
    }
    if (size > CONTAINER_MAX || fb->units >= UNITS_MAX) {
        return fatbin_fail(error, -E2BIG,
                           "a container of %" PRIu64 " bytes, number %u, at offset %" PRIu64, size,
                           fb->units, offset);
    }
    const uint64_t end = offset + header + size;
    if (src->known && end > src->size) {
        return source_fail(src, offset, header + size, "a container", error);
    }
    if (!src->known) {
        src->size = end;
    }
    for (uint64_t at = offset + header; at < end;) {
        int rc = entry_read(fb, src, at, end, &at, error);
        if (rc) {
            return rc;
        }
    }
    fb->units++;
    *next = end;
    return 0;
}

/* Containers one after another, zeros between them. */
static int containers_read(struct fatbin *fb, struct source *src, char **error)
{
    uint64_t at = 0;

    do {
        int rc = container_read(fb, src, at, &at, error);
        if (rc || !src->known) {
            return rc; /* what follows in memory may be the next module's */
        }
        while (at < src->size && src->base[at] == 0) {
            at++;
        }
    } while (at < src->size);
    return 0;
}

static int elf_read(struct fatbin *fb, const struct source *src, char **error)
{
    const uint8_t *p = source_span(src, 0, 64);

    if (!p) {
        return source_fail(src, 0, 64, "an ELF header", error);
    }
    if (read16(p + 18) != ELF_MACHINE_CUDA) {
        return fatbin_fail(
            error, -EINVAL,
            "the image is an ELF file for machine %u, not GPU code (%u): give the PTX, the "
            "cubin or the fat binary, not the program that contains it",
            read16(p + 18), ELF_MACHINE_CUDA);
    }
    /* e_flags of ELF64: the target is its second byte since ABI version 8 (nvcc 13), else its
     * first. */
    const uint32_t flags = read32(p + 48);
    struct piece piece = {
        .entry = { .kind = FATBIN_KIND_ELF,
                   .sm = p[8] >= 8 ? flags >> 8 & 0xff : flags & 0xff,
                   .size = src->known ? src->size : 0,
                   .ident = "",
                   .options = "" },
        .payload = src->base,
        .payload_bytes = src->known ? src->size : 0,
        .known = src->known,
    };
    g_array_append_val(fb->pieces, piece);
    fb->units = 1;
    return 0;
}

/* Length of a text: to its NUL or the end of a known size. */
static int text_length(const struct source *src, uint64_t *len, char **error)
{
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t at = 0;

    if (src->known) {
        *len = strnlen((const char *)src->base, src->size);
        return *len <= PTX_MAX ? 0
                               : fatbin_fail(error, -E2BIG, "a text of %" PRIu64 " bytes", *len);
    }
    while (at < PTX_MAX) {
        uint64_t chunk = page - ((uintptr_t)src->base + at) % page;
        const uint8_t *p = source_span(src, at, chunk);
        if (!p) {
            return source_fail(src, at, chunk, "a text without a final NUL", error);
        }
        const uint8_t *nul = memchr(p, 0, chunk);
        if (nul) {
            *len = (uint64_t)(nul - src->base);
            return 0;
        }
        at += chunk;
    }
    return fatbin_fail(error, -E2BIG, "a text has no final NUL within %" PRIu64 " bytes", PTX_MAX);
}

/* Where the first word begins behind blanks and comments. */
static const char *text_start(const char *p, const char *end)
{
    while (p < end) {
        if (*p == ' ' || (*p >= '\t' && *p <= '\r')) {
            p++;
        } else if (end - p >= 2 && p[0] == '/' && p[1] == '/') {
            const char *line = memchr(p, '\n', (size_t)(end - p));
            p = line ? line : end;
        } else if (end - p >= 2 && p[0] == '/' && p[1] == '*') {
            const char *close = memmem(p + 2, (size_t)(end - p - 2), "*/", 2);
            p = close ? close + 2 : end;
        } else {
            break;
        }
    }
    return p;
}

/* PTX ISA, "Source Format": a module begins with .version. */
static bool is_ptx(const char *p, uint64_t len)
{
    static const char first[] = ".version";
    const char *start = text_start(p, p + len);

    return (uint64_t)(p + len - start) >= strlen(first) && memcmp(start, first, strlen(first)) == 0;
}

static int text_read(struct fatbin *fb, const struct source *src, char **error)
{
    uint64_t len = 0;
    int rc = text_length(src, &len, error);

    if (rc) {
        return rc;
    }
    if (!is_ptx((const char *)src->base, len)) {
        return fatbin_fail(
            error, -EINVAL,
            "the image is none of fat binary wrapper, fat binary, cubin or PTX text (which begins "
            "with .version): it starts with bytes %02x %02x %02x %02x",
            len > 0 ? src->base[0] : 0, len > 1 ? src->base[1] : 0, len > 2 ? src->base[2] : 0,
            len > 3 ? src->base[3] : 0);
    }
    struct piece piece = {
        .entry = { .kind = FATBIN_KIND_PTX, .size = len, .ident = "", .options = "" },
        .payload = src->base,
        .payload_bytes = len,
        .known = src->known,
    };
    g_array_append_val(fb->pieces, piece);
    fb->units = 1;
    return 0;
}

static int pointed_container_read(struct fatbin *fb, uint64_t address, char **error)
{
    struct source src = { (const uint8_t *)(uintptr_t)address, UINT64_MAX, false };
    char *why = NULL;
    uint64_t end;
    int rc = container_read(fb, &src, 0, &end, &why);

    if (rc) {
        fatbin_fail(error, rc, "fat binary %u of the wrapper, at 0x%" PRIx64 ": %s", fb->units,
                    address, why);
    }
    g_free(why);
    return rc;
}

static int wrapper_read(struct fatbin *fb, const struct source *src, char **error)
{
    const uint8_t *p = source_span(src, 0, 24);

    if (!p) {
        return source_fail(src, 0, 24, "a fat binary wrapper", error);
    }
    const uint32_t version = read32(p + 4);
    const uint64_t data = read64(p + 8), list = read64(p + 16);
    if (version != 1 && version != 2) {
        return fatbin_fail(error, -EINVAL, "a fat binary wrapper of version %u; 1 and 2 are known",
                           version);
    }
    if (data || version == 1) {
        int rc = pointed_container_read(fb, data, error);
        if (rc) {
            return rc;
        }
    }
    fb->linked = version == 2 && fb->units == 1;
    for (uint64_t at = list; version == 2 && list; at += 8) {
        const struct source entry = { (const uint8_t *)(uintptr_t)at, UINT64_MAX, false };
        const uint8_t *address = source_span(&entry, 0, 8);
        if (!address) {
            return fatbin_fail(
                error, -EFAULT,
                "the wrapper's list of fat binaries at 0x%" PRIx64 " is not readable memory", at);
        }
        if (read64(address) == 0) {
            break;
        }
        int rc = pointed_container_read(fb, read64(address), error);
        if (rc) {
            return rc;
        }
    }
    return 0;
}

/* The first four bytes; 0 once they are those of no image we know: a text may have fewer. */
static uint32_t image_magic(const struct source *src)
{
    static const uint32_t known[] = { WRAPPER_MAGIC, CONTAINER_MAGIC, ELF_MAGIC };

    for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
        unsigned same = 0;
        while (same < 4 && source_span(src, same, 1) &&
               src->base[same] == (known[i] >> 8 * same & 0xff)) {
            same++;
        }
        if (same == 4) {
            return known[i];
        }
    }
    return 0;
}

static int image_read(struct fatbin *fb, struct source *src, char **error)
{
    const uint32_t magic = image_magic(src);

    if (magic == WRAPPER_MAGIC && !src->known) {
        fb->form = FATBIN_FORM_WRAPPER;
        return wrapper_read(fb, src, error);
    }
    if (magic == WRAPPER_MAGIC) {
        return fatbin_fail(
            error, -EINVAL,
            "the image is a fat binary wrapper, which holds addresses of the program it was "
            "linked into: a file cannot be one");
    }
    if (magic == CONTAINER_MAGIC) {
        fb->form = FATBIN_FORM_CONTAINER;
        return containers_read(fb, src, error);
    }
    if (magic == ELF_MAGIC) {
        fb->form = FATBIN_FORM_ELF;
        return elf_read(fb, src, error);
    }
    fb->form = FATBIN_FORM_TEXT;
    return text_read(fb, src, error);
}

int fatbin_open(const void *image, size_t size, struct fatbin **out, char **error)
{
    struct source src = { image, size, size != FATBIN_SIZE_UNKNOWN };

    if (error) {
        *error = NULL;
    }
    if (!image || size == 0) {
        return fatbin_fail(error, -EINVAL, "the image is empty");
    }
    struct fatbin *fb = g_new0(struct fatbin, 1);
    fb->pieces = g_array_new(FALSE, TRUE, sizeof(struct piece));
    fb->strings = g_string_chunk_new(256);
    int rc = image_read(fb, &src, error);
    if (rc) {
        fatbin_close(fb);
        return rc;
    }
    *out = fb;
    return 0;
}

void fatbin_close(struct fatbin *fb)
{
    if (!fb) {
        return;
    }
    for (size_t i = 0; i < fb->pieces->len; i++) {
        g_free(g_array_index(fb->pieces, struct piece, i).text);
    }
    g_array_free(fb->pieces, TRUE);
    g_string_chunk_free(fb->strings);
    g_free(fb);
}
