/* SPDX-License-Identifier: MIT */
/* Machine code (a cubin): how many registers a thread of each kernel has.
 *
 * A cubin is an ELF64 file. Section .nv.info is records {u8 format, u8 attribute, u16 bytes}, with
 * payload where the format is 4; attribute 0x2f, EIATTR_REGCOUNT, is {u32 symbol, u32 registers}.
 * Bits 23 to 0 of sh_info of section .text.KERNEL are that symbol. (Bits 31 to 24 are the registers
 * too, but not from sm_90 on.) Not documented by NVIDIA; measured with nvcc 13.0 for sm_75 to
 * sm_120 against `ptxas -v`, which tests/test_fatbin_compilers.c repeats. */
#include <string.h>

#include "runtime/driver/module/fatbin_internal.h"

#define CODE_MAX (UINT64_C(256) << 20) /* as for PTX: what is larger is damage */
#define ELF64_HEADER 64u
#define ELF64_SECTION 64u

#define INFO_SIZED 4u
#define INFO_REGCOUNT 0x2fu

static const char text_prefix[] = ".text.";

struct code {
    const uint8_t *base;
    uint64_t size;
};

/* Section header @index, or NULL if it is outside the file. */
static const uint8_t *section_get(const struct code *code, uint32_t index)
{
    const uint64_t table = read64(code->base + 40);
    const uint64_t offset = table + (uint64_t)index * ELF64_SECTION;

    return table <= code->size && offset + ELF64_SECTION <= code->size ? code->base + offset : NULL;
}

/* What a section header says is its bytes, or NULL if they lie outside the file. */
static const uint8_t *section_bytes(const struct code *code, const uint8_t *header, uint64_t *size)
{
    const uint64_t offset = read64(header + 24);

    *size = read64(header + 32);
    return offset <= code->size && *size <= code->size - offset ? code->base + offset : NULL;
}

/* The name of section @index in the string table @names, NULL unless it ends inside. */
static const char *section_name(const struct code *code, const uint8_t *names, uint32_t index)
{
    const uint8_t *header = section_get(code, index);
    uint64_t size = 0;
    const uint8_t *table = header ? section_bytes(code, names, &size) : NULL;
    const char *name = table && read32(header) < size ? (const char *)table + read32(header) : NULL;

    return name && memchr(name, 0, size - read32(header)) ? name : NULL;
}

/* The registers that .nv.info @info gives to @symbol; 0 if it does not name it. */
static unsigned registers_of(const struct code *code, const uint8_t *info, uint32_t symbol)
{
    uint64_t size = 0;
    const uint8_t *p = section_bytes(code, info, &size);
    const uint8_t *end = p ? p + size : NULL;

    while (p && end - p >= 4) {
        const uint32_t bytes = p[0] == INFO_SIZED ? read16(p + 2) : 0;

        if (bytes > (uint64_t)(end - p) - 4) {
            return 0;
        }
        if (p[0] == INFO_SIZED && p[1] == INFO_REGCOUNT && bytes == 8 && read32(p + 4) == symbol) {
            return MIN(read32(p + 8), 255u);
        }
        p += 4 + bytes;
    }
    return 0;
}

static const uint8_t *section_find(const struct code *code, const uint8_t *names, uint32_t sections,
                                   const char *wanted)
{
    for (uint32_t i = 0; i < sections; i++) {
        const char *name = section_name(code, names, i);

        if (name && !strcmp(name, wanted)) {
            return section_get(code, i);
        }
    }
    return NULL;
}

static void code_read(const struct code *code, fatbin_kernel_fn kernel, void *data)
{
    const uint8_t *names, *info;
    uint32_t sections;

    if (code->size < ELF64_HEADER || memcmp(code->base, "\177ELF\2", 5) != 0 ||
        read16(code->base + 58) != ELF64_SECTION) {
        return;
    }
    sections = read16(code->base + 60);
    names = section_get(code, read16(code->base + 62));
    info = names ? section_find(code, names, sections, ".nv.info") : NULL;
    for (uint32_t i = 0; info && i < sections; i++) {
        const char *name = section_name(code, names, i);

        if (name && g_str_has_prefix(name, text_prefix)) {
            uint32_t symbol = read32(section_get(code, i) + 44) & 0xffffff;

            kernel(name + strlen(text_prefix), registers_of(code, info, symbol), data);
        }
    }
}

static void piece_read(const struct piece *piece, fatbin_kernel_fn kernel, void *data)
{
    struct code code = { piece->payload, piece->entry.size };
    g_autofree uint8_t *unpacked = NULL;

    if (code.size > CODE_MAX ||
        (!piece->known && !fatbin_readable(piece->payload, piece->payload_bytes))) {
        return;
    }
    if (piece->entry.packing != FATBIN_RAW) {
        unpacked = g_malloc(code.size + 1);
        code.base = unpacked;
        if (fatbin_unpack(piece, unpacked) != (int64_t)code.size) {
            return;
        }
    }
    code_read(&code, kernel, data);
}

bool fatbin_is_loadable(const struct fatbin_entry *entry, unsigned cc)
{
    return entry->kind == FATBIN_KIND_ELF &&
           (entry->specific ? entry->sm == cc : entry->sm / 10 == cc / 10 && entry->sm <= cc);
}

void fatbin_registers(const struct fatbin *fb, unsigned cc, fatbin_kernel_fn kernel, void *data)
{
    const unsigned units = fb->linked ? 1 : fb->units;

    for (unsigned unit = 0; unit < units; unit++) {
        const struct piece *best = NULL;

        for (size_t i = 0; i < fb->pieces->len; i++) {
            const struct piece *piece = &g_array_index(fb->pieces, struct piece, i);

            if (piece->entry.unit == unit && fatbin_is_loadable(&piece->entry, cc) &&
                (!best || piece->entry.sm > best->entry.sm)) {
                best = piece;
            }
        }
        if (best) {
            piece_read(best, kernel, data);
        }
    }
}
