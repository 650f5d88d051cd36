/* SPDX-License-Identifier: MIT */
/* Images written by hand from the layout in runtime/driver/module/fatbin.h. What compilers really write is
 * tests/test_fatbin_compilers.c. */
#include <check.h>
#include <errno.h>
#include <glib.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

#include "runtime/driver/module/fatbin.h"
#include "tests/emulated.h"

#define PTX_A ".version 8.3\n.target sm_87\n.address_size 64\n.visible .entry a() { ret; }\n"
#define PTX_B ".version 8.3\n.target sm_62\n.address_size 64\n.visible .entry b() { ret; }\n"

enum { PTX = 1, ELF = 2, LTO = 8 };
enum { LZ4 = 0x2000, ZSTD = 0x8000, ARCH = 0x100000 };

static void put(uint8_t *p, uint64_t value, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        p[i] = (uint8_t)(value >> 8 * i);
    }
}

static GByteArray *container_new(void)
{
    GByteArray *c = g_byte_array_new();
    uint8_t header[16];

    put(header, 0xBA55ED50, 4);
    put(header + 4, 1, 2);
    put(header + 6, 16, 2);
    put(header + 8, 0, 8);
    return g_byte_array_append(c, header, sizeof(header));
}

/* @data is stored as it is; @raw: what the header says of its unpacked size. Ident "k.cu", options
 * "-g". */
static void add_packed(GByteArray *c, unsigned kind, unsigned sm, uint64_t flags, const void *data,
                       size_t size, uint64_t raw)
{
    uint8_t entry[96] = { 0 };
    static const uint8_t zeros[8];
    const size_t pad = -size & 7;

    put(entry, kind, 2);
    put(entry + 2, 0x101, 2);
    put(entry + 4, sizeof(entry), 4);
    put(entry + 8, size + pad, 8);
    put(entry + 16, flags & (LZ4 | ZSTD) ? size : 0, 4);
    put(entry + 20, 72, 4);
    put(entry + 28, sm, 4);
    put(entry + 32, 64, 4);
    put(entry + 36, 4, 4);
    put(entry + 40, flags | 0x11, 8);
    put(entry + 56, flags & (LZ4 | ZSTD) ? raw : 0, 8);
    memcpy(entry + 64, "k.cu", 4);
    put(entry + 72, 80, 4);
    put(entry + 76, 2, 4);
    memcpy(entry + 80, "-g", 2);
    g_byte_array_append(c, entry, sizeof(entry));
    g_byte_array_append(c, data, (guint)size);
    g_byte_array_append(c, zeros, (guint)pad);
    put(c->data + 8, c->len - 16, 8);
}

static void add(GByteArray *c, unsigned kind, unsigned sm, uint64_t flags, const char *text)
{
    const size_t size = strlen(text) + 1;
    char packed[1024];
    size_t n = size;

    memcpy(packed, text, size);
    if (flags & ZSTD) {
        n = ZSTD_compress(packed, sizeof(packed), text, size, 3);
        ck_assert(!ZSTD_isError(n));
    } else if (flags & LZ4) {
        n = (size_t)LZ4_compress_default(text, packed, (int)size, sizeof(packed));
    }
    add_packed(c, kind, sm, flags, packed, n, size);
}

static struct fatbin *open_good(const void *image, size_t size)
{
    struct fatbin *fb = NULL;
    char *error = NULL;
    int rc = fatbin_open(image, size, &fb, &error);

    ck_assert_msg(rc == 0, "%d: %s", rc, error);
    ck_assert_ptr_null(error);
    return fb;
}

/* The error's sentence contains @needle. */
static void open_bad(const void *image, size_t size, int code, const char *needle)
{
    struct fatbin *fb = NULL;
    char *error = NULL;

    ck_assert_int_eq(fatbin_open(image, size, &fb, &error), code);
    ck_assert_ptr_null(fb);
    ck_assert_ptr_nonnull(error);
    ck_assert_msg(strstr(error, needle) != NULL, "'%s' is not in: %s", needle, error);
    g_free(error);
    ck_assert_int_eq(fatbin_open(image, size, &fb, NULL), code);
}

START_TEST(entry_gives_all_its_header_says)
{
    GByteArray *c = container_new();
    size_t size = 0;

    add(c, PTX, 87, 0, PTX_A);
    struct fatbin *fb = open_good(c->data, c->len);
    ck_assert_uint_eq(fatbin_form(fb), FATBIN_FORM_CONTAINER);
    ck_assert_uint_eq(fatbin_entries(fb), 1);
    ck_assert_uint_eq(fatbin_units(fb), 1);
    const struct fatbin_entry *e = fatbin_entry(fb, 0);
    ck_assert_uint_eq(e->kind, FATBIN_KIND_PTX);
    ck_assert_uint_eq(e->sm, 87);
    ck_assert_uint_eq(e->unit, 0);
    ck_assert_uint_eq(e->packing, FATBIN_RAW);
    ck_assert_uint_eq(e->flags, 0x11);
    ck_assert_str_eq(e->ident, "k.cu");
    ck_assert_str_eq(e->options, "-g");
    ck_assert(!e->specific);
    ck_assert_str_eq(fatbin_ptx(fb, 0, &size, NULL), PTX_A);
    ck_assert_uint_eq(size, strlen(PTX_A));
    ck_assert_ptr_null(fatbin_entry(fb, 1));
    fatbin_close(fb);
    g_byte_array_unref(c);
}
END_TEST

START_TEST(packed_ptx_unpacks_to_its_text)
{
    GByteArray *c = container_new();

    add(c, PTX, 87, LZ4, PTX_A);
    add(c, PTX, 62, ZSTD, PTX_B);
    struct fatbin *fb = open_good(c->data, c->len);
    ck_assert_uint_eq(fatbin_entry(fb, 0)->packing, FATBIN_LZ4);
    ck_assert_uint_eq(fatbin_entry(fb, 1)->packing, FATBIN_ZSTD);
    ck_assert_uint_eq(fatbin_entry(fb, 0)->size, strlen(PTX_A) + 1);
    ck_assert_str_eq(fatbin_ptx(fb, 0, NULL, NULL), PTX_A);
    ck_assert_str_eq(fatbin_ptx(fb, 1, NULL, NULL), PTX_B);
    ck_assert_ptr_eq(fatbin_ptx(fb, 1, NULL, NULL), fatbin_ptx(fb, 1, NULL, NULL));
    fatbin_close(fb);
    g_byte_array_unref(c);
}
END_TEST

/* Programs of several files have their containers one after another in .nv_fatbin, each with a
 * wrapper of its own. */
START_TEST(wrapper_means_one_container_and_not_its_neighbour)
{
    GByteArray *c = container_new(), *neighbour = container_new();
    add(c, PTX, 87, ZSTD, PTX_A);
    add(neighbour, PTX, 87, 0, PTX_B);
    g_byte_array_append(c, neighbour->data, neighbour->len);
    const void *wrapper[3] = { NULL, c->data, "ignored" };
    put((uint8_t *)wrapper, 0x466243B1, 4);
    put((uint8_t *)wrapper + 4, 1, 4);

    struct fatbin *fb = open_good(wrapper, FATBIN_SIZE_UNKNOWN);
    ck_assert_uint_eq(fatbin_form(fb), FATBIN_FORM_WRAPPER);
    ck_assert_uint_eq(fatbin_entries(fb), 1);
    ck_assert_str_eq(fatbin_ptx(fb, 0, NULL, NULL), PTX_A);
    fatbin_close(fb);
    g_byte_array_unref(c);
    g_byte_array_unref(neighbour);
}
END_TEST

START_TEST(relocatable_wrapper_gives_one_ptx_an_object)
{
    GByteArray *linked = container_new(), *a = container_new(), *b = container_new();
    GByteArray *no_ptx = container_new();
    size_t picked[8], n;
    add(linked, ELF, 87, 0, "\177ELF");
    add(linked, PTX, 87, 0, PTX_A); /* nvcc writes none here; the parts are what counts */
    add(a, ELF, 87, 0, "\177ELF");
    add(a, PTX, 87, ZSTD, PTX_A);
    add(no_ptx, ELF, 87, 0, "\177ELF");
    add(b, PTX, 62, LZ4, PTX_B);
    const void *list[] = { a->data, no_ptx->data, b->data, NULL };
    const void *wrapper[3] = { NULL, linked->data, list };
    put((uint8_t *)wrapper, 0x466243B1, 4);
    put((uint8_t *)wrapper + 4, 2, 4);

    struct fatbin *fb = open_good(wrapper, FATBIN_SIZE_UNKNOWN);
    ck_assert_uint_eq(fatbin_units(fb), 4);
    ck_assert_uint_eq(fatbin_select(fb, 87, picked, &n), FATBIN_CHOICE_PTX);
    ck_assert_uint_eq(n, 2);
    ck_assert_str_eq(fatbin_ptx(fb, picked[0], NULL, NULL), PTX_A);
    ck_assert_str_eq(fatbin_ptx(fb, picked[1], NULL, NULL), PTX_B);
    ck_assert_uint_eq(fatbin_target(fb, 87, picked, n), 0); /* the board loads what was linked */
    ck_assert_uint_eq(fatbin_target(fb, 110, picked, n), 87);
    fatbin_close(fb);
    g_byte_array_unref(linked);
    g_byte_array_unref(a);
    g_byte_array_unref(b);
    g_byte_array_unref(no_ptx);
}
END_TEST

START_TEST(concatenated_containers_are_units)
{
    GByteArray *c = container_new(), *second = container_new();
    static const uint8_t zeros[8];
    size_t picked[2], n;

    add(c, PTX, 87, 0, PTX_A);
    add(second, PTX, 87, 0, PTX_B);
    g_byte_array_append(c, zeros, sizeof(zeros)); /* a linker's padding */
    g_byte_array_append(c, second->data, second->len);
    struct fatbin *fb = open_good(c->data, c->len);
    ck_assert_uint_eq(fatbin_units(fb), 2);
    ck_assert_uint_eq(fatbin_select(fb, 87, picked, &n), FATBIN_CHOICE_PTX);
    ck_assert_uint_eq(n, 2);
    ck_assert_uint_eq(fatbin_entry(fb, picked[1])->unit, 1);
    fatbin_close(fb);
    g_byte_array_append(c, (const uint8_t *)"junk", 4);
    open_bad(c->data, c->len, -EINVAL, "truncated");
    g_byte_array_unref(c);
    g_byte_array_unref(second);
}
END_TEST

/* The rule of fatbin_select, worked out by hand for the SoCs. A negative number is a target for one
 * architecture alone. */
static const struct {
    int sm[4];
    unsigned cc;
    int expected;
} choices[] = {
    { { 75, 87 }, 87, 87 },        { { 87, 75 }, 87, 87 },     { { 75, 87, 110 }, 87, 87 },
    { { 75, 87, 110 }, 110, 110 }, { { 75, 80 }, 87, 80 },     { { 110, 75, 87 }, 72, 75 },
    { { 110, 90 }, 53, 90 },       { { 53, 62, 72 }, 62, 62 }, { { -90, 100 }, 110, 100 },
    { { -87, 75 }, 87, 75 },       { { -90 }, 87, -90 },       { { -110, 120 }, 110, 120 },
};

START_TEST(selection_takes_the_highest_target_that_is_not_above)
{
    GByteArray *c = container_new();
    size_t picked[1], n;

    for (int i = 0; i < 4 && choices[_i].sm[i]; i++) {
        int sm = choices[_i].sm[i];
        add(c, ELF, choices[_i].cc, 0, "\177ELF");
        add(c, PTX, (unsigned)abs(sm), sm < 0 ? ARCH : 0, PTX_A);
    }
    struct fatbin *fb = open_good(c->data, c->len);
    ck_assert_uint_eq(fatbin_select(fb, choices[_i].cc, picked, &n), FATBIN_CHOICE_PTX);
    ck_assert_uint_eq(n, 1);
    ck_assert_uint_eq(fatbin_entry(fb, picked[0])->kind, FATBIN_KIND_PTX);
    ck_assert_uint_eq(fatbin_entry(fb, picked[0])->sm, (unsigned)abs(choices[_i].expected));
    ck_assert_int_eq(fatbin_entry(fb, picked[0])->specific, choices[_i].expected < 0);
    fatbin_close(fb);
    g_byte_array_unref(c);
}
END_TEST

/* As nvcc 13's -rdc=true with PTX alone: the program's own part, and libcudadevrt with machine code
 * for each architecture but PTX for the newest only. What the board has to translate is by CUDA
 * Programming Guide, "Binary Compatibility" and "PTX Compatibility". */
static const struct {
    unsigned cc, target;
} translated[] = { { 87, 87 }, { 89, 87 }, { 75, 87 }, { 72, 121 }, { 90, 121 } };

START_TEST(ptx_beside_machine_code_of_the_board_is_not_translated)
{
    GByteArray *c = container_new(), *second = container_new();
    size_t picked[2], n;

    add(c, PTX, 87, 0, PTX_A);
    add(second, ELF, 75, 0, "\177ELF");
    add(second, ELF, 86, 0, "\177ELF");
    add(second, PTX, 121, 0, PTX_B);
    g_byte_array_append(c, second->data, second->len);
    struct fatbin *fb = open_good(c->data, c->len);
    ck_assert_uint_eq(fatbin_select(fb, translated[_i].cc, picked, &n), FATBIN_CHOICE_PTX);
    ck_assert_uint_eq(n, 2);
    ck_assert_uint_eq(fatbin_target(fb, translated[_i].cc, picked, n), translated[_i].target);
    fatbin_close(fb);
    g_byte_array_unref(c);
    g_byte_array_unref(second);
}
END_TEST

START_TEST(machine_code_alone_is_told_apart_and_the_fix_named)
{
    GByteArray *c = container_new();
    size_t picked[1], n;

    add(c, ELF, 87, 0, "\177ELF");
    add(c, ELF, 87, 0, "\177ELF");
    add(c, ELF, 90, 0, "\177ELF");
    add(c, LTO, 87, 0, "x");
    struct fatbin *fb = open_good(c->data, c->len);
    ck_assert_uint_eq(fatbin_select(fb, 87, picked, &n), FATBIN_CHOICE_NO_PTX);
    ck_assert_uint_eq(n, 0);
    char *text = fatbin_no_ptx_text(fb, 87);
    ck_assert_ptr_nonnull(strstr(text,
                                 "holds machine code for sm_87, sm_90; link-time intermediate "
                                 "code for sm_87 and no PTX"));
    ck_assert_ptr_nonnull(
        strstr(text, "NVCC_APPEND_FLAGS=\"$NVCC_APPEND_FLAGS -cudart shared -gencode "
                     "arch=compute_87,code=compute_87\" make -B"));
    g_free(text);
    text = fatbin_no_ptx_text(fb, 62); /* nvcc 13 has no compute_62 */
    ck_assert_ptr_nonnull(strstr(text, "arch=compute_75,code=compute_75"));
    g_free(text);
    fatbin_close(fb);
    g_byte_array_unref(c);
}
END_TEST

START_TEST(empty_container_has_nothing_to_choose)
{
    GByteArray *c = container_new();
    size_t picked[1], n;
    struct fatbin *fb = open_good(c->data, FATBIN_SIZE_UNKNOWN);

    ck_assert_uint_eq(fatbin_select(fb, 87, picked, &n), FATBIN_CHOICE_EMPTY);
    fatbin_close(fb);
    g_byte_array_unref(c);
}
END_TEST

START_TEST(ptx_text_is_an_image)
{
    static const size_t sizes[] = { FATBIN_SIZE_UNKNOWN, sizeof(PTX_A), sizeof(PTX_A) - 1 };
    size_t picked[1], n;
    struct fatbin *fb = open_good(PTX_A, sizes[_i]);

    ck_assert_uint_eq(fatbin_form(fb), FATBIN_FORM_TEXT);
    ck_assert_uint_eq(fatbin_select(fb, 53, picked, &n), FATBIN_CHOICE_PTX);
    ck_assert_str_eq(fatbin_ptx(fb, picked[0], &n, NULL), PTX_A);
    ck_assert_uint_eq(n, strlen(PTX_A));
    fatbin_close(fb);
}
END_TEST

START_TEST(comments_may_stand_before_ptx)
{
    static const char *const texts[] = {
        "//\n// Generated by a compiler\n//\n\n.version 8.3\n",
        "/* caf\xc3\xa9 */ .version 8.3\n",
        "\n\n\t /**/ // x\n.version 9.0",
    };

    fatbin_close(open_good(texts[_i], FATBIN_SIZE_UNKNOWN));
    fatbin_close(open_good(texts[_i], strlen(texts[_i])));
}
END_TEST

START_TEST(cubin_is_recognised_with_its_target)
{
    uint8_t elf[64] = "\177ELF\2\1\1\x41\x08";
    size_t picked[1], n;

    put(elf + 18, 190, 2);
    put(elf + 48, 0x6005704, 4); /* e_flags of nvcc 13 for sm_87 */
    struct fatbin *fb = open_good(elf, sizeof(elf));
    ck_assert_uint_eq(fatbin_form(fb), FATBIN_FORM_ELF);
    ck_assert_uint_eq(fatbin_entry(fb, 0)->sm, 87);
    ck_assert_uint_eq(fatbin_select(fb, 87, picked, &n), FATBIN_CHOICE_NO_PTX);
    fatbin_close(fb);
    put(elf + 18, 62, 2); /* x86-64: somebody gave the program */
    open_bad(elf, sizeof(elf), -EINVAL, "machine 62");
    open_bad(elf, 63, -EINVAL, "truncated");
}
END_TEST

/* Two pages, the second not readable; the image ends where the first page does. */
static uint8_t *guarded(const void *image, size_t size)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *p = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    ck_assert_ptr_ne(p, MAP_FAILED);
    ck_assert_int_eq(mprotect(p + page, page, PROT_NONE), 0);
    return memcpy(p + page - size, image, size);
}

START_TEST(memory_that_cannot_be_read_is_an_error)
{
    GByteArray *c = container_new();
    const void *wrapper[3] = { NULL, (void *)16, NULL };

    if (emulator_lacks("process_vm_readv()")) {
        return;
    }
    open_bad((const void *)16, FATBIN_SIZE_UNKNOWN, -EFAULT, "not readable");
    open_bad((const void *)-16, FATBIN_SIZE_UNKNOWN, -EFAULT, "not readable");
    add(c, PTX, 87, 0, PTX_A);
    open_bad(guarded(c->data, 16), FATBIN_SIZE_UNKNOWN, -EFAULT, "offset 16");
    open_bad(guarded(c->data, 20), FATBIN_SIZE_UNKNOWN, -EFAULT, "offset 16");
    open_bad(guarded(c->data, 100), FATBIN_SIZE_UNKNOWN, -EFAULT, "offset 16");
    open_bad(guarded(PTX_A, 20), FATBIN_SIZE_UNKNOWN, -EFAULT, "without a final NUL");
    put((uint8_t *)wrapper, 0x466243B1, 4);
    put((uint8_t *)wrapper + 4, 1, 4);
    open_bad(wrapper, FATBIN_SIZE_UNKNOWN, -EFAULT, "at 0x10");
    open_bad(guarded(wrapper, 12), FATBIN_SIZE_UNKNOWN, -EFAULT, "wrapper");
    put((uint8_t *)wrapper + 4, 2, 4);
    wrapper[1] = c->data;
    wrapper[2] = (void *)32;
    open_bad(wrapper, FATBIN_SIZE_UNKNOWN, -EFAULT, "list of fat binaries at 0x20");
    g_byte_array_unref(c);
}
END_TEST

START_TEST(payload_that_cannot_be_read_is_an_error)
{
    GByteArray *c = container_new();
    char *error = NULL;

    if (emulator_lacks("process_vm_readv()")) {
        return;
    }
    add(c, PTX, 87, 0, PTX_A);
    struct fatbin *fb = open_good(guarded(c->data, 112), FATBIN_SIZE_UNKNOWN);
    ck_assert_ptr_null(fatbin_ptx(fb, 0, NULL, &error));
    ck_assert_ptr_nonnull(strstr(error, "not readable"));
    g_free(error);
    fatbin_close(fb);
    g_byte_array_unref(c);
}
END_TEST

START_TEST(every_truncation_is_an_error)
{
    GByteArray *c = container_new();

    add(c, PTX, 87, ZSTD, PTX_A);
    add(c, PTX, 62, LZ4, PTX_B);
    for (size_t n = 0; n < c->len; n++) {
        struct fatbin *fb = NULL;
        char *error = NULL;
        uint8_t *cut = g_memdup2(c->data, n); /* its own block: a checker sees a read past it */
        ck_assert_msg(fatbin_open(cut, n, &fb, &error) == -EINVAL, "%zu bytes of %u", n, c->len);
        ck_assert_ptr_nonnull(error);
        g_free(error);
        g_free(cut);
    }
    g_byte_array_unref(c);
}
END_TEST

START_TEST(no_flipped_bit_crashes)
{
    GByteArray *c = container_new();
    size_t picked[64], n, opened = 0;

    add(c, PTX, 87, ZSTD, PTX_A);
    add(c, PTX, 62, LZ4, PTX_B);
    for (size_t bit = 0; bit < c->len * (size_t)8; bit++) {
        uint8_t *copy = g_memdup2(c->data, c->len);
        struct fatbin *fb = NULL;
        copy[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (fatbin_open(copy, c->len, &fb, NULL) == 0) {
            opened++;
            fatbin_select(fb, 87, picked, &n);
            for (size_t i = 0; i < n; i++) {
                fatbin_ptx(fb, picked[i], NULL, NULL);
            }
            fatbin_close(fb);
        }
        g_free(copy);
    }
    ck_assert_uint_gt(opened, 0);
    g_byte_array_unref(c);
}
END_TEST

START_TEST(size_that_is_not_sane_is_refused)
{
    GByteArray *c = container_new();
    char *error = NULL;
    char packed[256];
    size_t n = ZSTD_compress(packed, sizeof(packed), PTX_A, sizeof(PTX_A), 3);

    add_packed(c, PTX, 87, ZSTD, packed, n, UINT64_C(1) << 40);
    open_bad(c->data, c->len, -E2BIG, "unpacks to 1099511627776 bytes");
    put(c->data + 8, UINT64_MAX, 8);
    open_bad(c->data, FATBIN_SIZE_UNKNOWN, -E2BIG, "18446744073709551615");
    g_byte_array_unref(c);

    for (int off = -1; off <= 1; off += 2) { /* one byte less and more than there is */
        c = container_new();
        add_packed(c, PTX, 87, ZSTD, packed, n, sizeof(PTX_A) + (uint64_t)(int64_t)off);
        struct fatbin *fb = open_good(c->data, c->len);
        ck_assert_ptr_null(fatbin_ptx(fb, 0, NULL, &error));
        ck_assert_ptr_nonnull(strstr(error, "damaged"));
        g_free(error);
        fatbin_close(fb);
        g_byte_array_unref(c);
    }
}
END_TEST

START_TEST(contradiction_in_a_header_is_named_with_its_offset)
{
    GByteArray *c = container_new();

    add(c, PTX, 87, 0, PTX_A);
    put(c->data + 16 + 40, LZ4 | ZSTD, 8);
    open_bad(c->data, c->len, -EINVAL, "offset 16 says both LZ4 and zstd");
    put(c->data + 16 + 40, ZSTD, 8);
    put(c->data + 16 + 16, 1 << 20, 4);
    open_bad(c->data, c->len, -EINVAL, "1048576 packed bytes");
    put(c->data + 16 + 40, 0, 8);
    put(c->data + 16 + 36, 33, 4); /* ident 64 + 33 > 96 */
    open_bad(c->data, c->len, -EINVAL, "string outside its header");
    put(c->data + 16 + 36, 4, 4);
    put(c->data + 16 + 20, 89, 4); /* the options' two numbers need 8 bytes */
    open_bad(c->data, c->len, -EINVAL, "string outside its header");
    put(c->data + 16 + 20, 0, 4);
    const size_t payload = c->len - 16 - 96;
    put(c->data + 16 + 8, payload + 1, 8);
    open_bad(c->data, c->len, -EINVAL, "needs 96 +");
    put(c->data + 16 + 8, UINT64_MAX, 8);
    open_bad(c->data, c->len, -EINVAL, "needs 96 +");
    put(c->data + 16 + 8, payload, 8);
    put(c->data + 16 + 2, 0x201, 2);
    open_bad(c->data, c->len, -EINVAL, "version 0x201");
    put(c->data + 4, 2, 2);
    open_bad(c->data, c->len, -EINVAL, "version 2");
    g_byte_array_unref(c);
}
END_TEST

enum { TEXT = 128 + 64, NAMES = TEXT + 64, INFO = NAMES + 64, CUBIN = INFO + 64 };

/* A cubin of four sections: none, .text.k of symbol 5, the names, .nv.info with 56 registers for 5.
 */
static void cubin_make(uint8_t *elf)
{
    memset(elf, 0, CUBIN);
    memcpy(elf, "\177ELF\2\1\1\x33\x08", 9);
    put(elf + 18, 190, 2);
    put(elf + 40, 128, 8); /* e_shoff */
    put(elf + 58, 64, 2);  /* e_shentsize, e_shnum, e_shstrndx */
    put(elf + 60, 4, 2);
    put(elf + 62, 2, 2);
    memcpy(elf + 64, "\0.text.k\0.nv.info", 18);
    put(elf + 96, 0x1234ff03, 4); /* a record without payload */
    put(elf + 100, 0x00082f04, 4);
    put(elf + 104, 4, 4);
    put(elf + 108, 99, 4);
    put(elf + 112, 0x00082f04, 4);
    put(elf + 116, 5, 4);
    put(elf + 120, 56, 4);
    put(elf + TEXT, 1, 4);
    put(elf + TEXT + 44, 7u << 24 | 5, 4);
    put(elf + NAMES + 24, 64, 8);
    put(elf + NAMES + 32, 18, 8);
    put(elf + INFO, 9, 4);
    put(elf + INFO + 24, 96, 8);
    put(elf + INFO + 32, 28, 8);
}

static void registers_note(const char *name, unsigned registers, void *data)
{
    ck_assert_str_eq(name, "k");
    *(unsigned *)data = registers;
}

static unsigned registers_of(const uint8_t *elf, uint64_t flags, unsigned cc)
{
    GByteArray *c = container_new();
    unsigned registers = 0;

    add_packed(c, ELF, 86, flags, elf, CUBIN, CUBIN);
    struct fatbin *fb = open_good(c->data, c->len);
    fatbin_registers(fb, cc, registers_note, &registers);
    fatbin_close(fb);
    g_byte_array_unref(c);
    return registers;
}

START_TEST(machine_code_says_how_many_registers_a_thread_has)
{
    uint8_t elf[CUBIN];

    cubin_make(elf);
    ck_assert_uint_eq(registers_of(elf, 0, 86), 56);
    ck_assert_uint_eq(registers_of(elf, 0, 87), 56);
    ck_assert_uint_eq(registers_of(elf, 0, 80), 0); /* newer minor version than the board's */
    ck_assert_uint_eq(registers_of(elf, 0, 72), 0);
    ck_assert_uint_eq(registers_of(elf, 0, 90), 0);
    ck_assert_uint_eq(registers_of(elf, ARCH, 87), 0);
    ck_assert_uint_eq(registers_of(elf, ARCH, 86), 56);
}
END_TEST

/* Offsets of the file's numbers: each set to something else is passed over, without a crash. */
START_TEST(damaged_machine_code_says_nothing)
{
    static const struct {
        unsigned at, bytes;
        uint64_t value;
    } damage[] = {
        { 40, 8, UINT64_MAX }, /* e_shoff */
        { 40, 8, CUBIN - 100 },
        { 58, 2, 40 }, /* e_shentsize */
        { 62, 2, 9 },  /* e_shstrndx */
        { NAMES + 24, 8, CUBIN - 5 },
        { NAMES + 24, 8, UINT64_MAX },
        { NAMES + 32, 8, 17 }, /* the last name has no end */
        { TEXT, 4, UINT32_MAX },
        { INFO + 24, 8, UINT64_MAX },
        { INFO + 32, 8, 27 }, /* the last record is cut */
        { 114, 2, 9 },
        { 114, 2, 4 },
    };

    for (size_t i = 0; i < G_N_ELEMENTS(damage); i++) {
        uint8_t elf[CUBIN];

        cubin_make(elf);
        put(elf + damage[i].at, damage[i].value, damage[i].bytes);
        ck_assert_msg(registers_of(elf, 0, 87) == 0, "damage %zu", i);
    }
}
END_TEST

START_TEST(what_is_no_image_is_refused)
{
    uint8_t wrapper[24] = { 0xB1, 0x43, 0x62, 0x46, 1 };
    const void *odd[3] = { NULL, wrapper, NULL };

    open_bad(NULL, FATBIN_SIZE_UNKNOWN, -EINVAL, "empty");
    open_bad("", FATBIN_SIZE_UNKNOWN, -EINVAL, "none of");
    open_bad(" \n\t", FATBIN_SIZE_UNKNOWN, -EINVAL, "none of");
    open_bad("\1\2\3", 3, -EINVAL, "none of");
    open_bad("PK\3\4", 4, -EINVAL, "50 4b 03 04");
    open_bad("this is no PTX", FATBIN_SIZE_UNKNOWN, -EINVAL, "begins with .version");
    open_bad("// .version", FATBIN_SIZE_UNKNOWN, -EINVAL, "none of");
    open_bad("/* .version", FATBIN_SIZE_UNKNOWN, -EINVAL, "none of");
    open_bad("/*", 2, -EINVAL, "none of");
    open_bad("/", 1, -EINVAL, "none of");
    open_bad(".versio", 7, -EINVAL, "none of");
    open_bad(wrapper, sizeof(wrapper), -EINVAL, "a file cannot be one");
    put((uint8_t *)odd, 0x466243B1, 4);
    put((uint8_t *)odd + 4, 3, 4);
    open_bad(odd, FATBIN_SIZE_UNKNOWN, -EINVAL, "version 3");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("fatbin");
    TCase *tc = tcase_create("fatbin");

    tcase_add_test(tc, entry_gives_all_its_header_says);
    tcase_add_test(tc, packed_ptx_unpacks_to_its_text);
    tcase_add_test(tc, wrapper_means_one_container_and_not_its_neighbour);
    tcase_add_test(tc, relocatable_wrapper_gives_one_ptx_an_object);
    tcase_add_test(tc, concatenated_containers_are_units);
    tcase_add_loop_test(tc, ptx_beside_machine_code_of_the_board_is_not_translated, 0,
                        G_N_ELEMENTS(translated));
    tcase_add_loop_test(tc, selection_takes_the_highest_target_that_is_not_above, 0,
                        G_N_ELEMENTS(choices));
    tcase_add_test(tc, machine_code_alone_is_told_apart_and_the_fix_named);
    tcase_add_test(tc, empty_container_has_nothing_to_choose);
    tcase_add_loop_test(tc, ptx_text_is_an_image, 0, 3);
    tcase_add_loop_test(tc, comments_may_stand_before_ptx, 0, 3);
    tcase_add_test(tc, cubin_is_recognised_with_its_target);
    tcase_add_test(tc, memory_that_cannot_be_read_is_an_error);
    tcase_add_test(tc, payload_that_cannot_be_read_is_an_error);
    tcase_add_test(tc, every_truncation_is_an_error);
    tcase_add_test(tc, no_flipped_bit_crashes);
    tcase_add_test(tc, size_that_is_not_sane_is_refused);
    tcase_add_test(tc, contradiction_in_a_header_is_named_with_its_offset);
    tcase_add_test(tc, machine_code_says_how_many_registers_a_thread_has);
    tcase_add_test(tc, damaged_machine_code_says_nothing);
    tcase_add_test(tc, what_is_no_image_is_refused);
    suite_add_tcase(suite, tc);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
