/* SPDX-License-Identifier: MIT */
/* Bytes as an image of known size, and behind a wrapper whose list points at them twice: opened,
 * chosen from for every SoC, every PTX unpacked. */
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/driver/module/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void kernel_use(const char *name, unsigned registers, void *data)
{
    if (strlen(name) > *(const size_t *)data || registers > 255) {
        abort();
    }
}

static void use(const void *image, size_t size)
{
    static const unsigned cc[] = { 53, 62, 72, 87, 110 };
    struct fatbin *fb = NULL;
    char *error = NULL;
    size_t n = 0;

    if (fatbin_open(image, size, &fb, &error)) {
        if (!error || !*error) {
            abort(); /* every failure says why */
        }
        g_free(error);
        return;
    }
    size_t *picked = g_new(size_t, fatbin_units(fb) + 1);
    for (size_t i = 0; i < G_N_ELEMENTS(cc); i++) {
        if (fatbin_select(fb, cc[i], picked, &n) != FATBIN_CHOICE_PTX) {
            g_free(fatbin_no_ptx_text(fb, cc[i]));
        }
        fatbin_registers(fb, cc[i], kernel_use, &(size_t){ UINT32_MAX });
    }
    g_free(picked);
    for (size_t i = 0; i < fatbin_entries(fb) && i < 4; i++) {
        size_t len = 0;
        if (fatbin_entry(fb, i)->kind != FATBIN_KIND_PTX) {
            continue;
        }
        const char *text = fatbin_ptx(fb, i, &len, &error);
        if (text ? strlen(text) != len : !error) {
            abort();
        }
        g_free(error);
        error = NULL;
    }
    fatbin_close(fb);
}

/* Where an API passes no size those in headers are trusted: the bytes end where memory that faults
 * begins, more of it than the largest container that is accepted. */
static void use_wrapped(const uint8_t *data, size_t size)
{
    enum { ROOM = 1 << 16 };
    static uint8_t *room;

    if (!room) {
        room = mmap(NULL, ROOM + (UINT64_C(5) << 30), PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (room == MAP_FAILED || mprotect(room, ROOM, PROT_READ | PROT_WRITE)) {
            abort();
        }
    }
    if (size > ROOM) {
        return;
    }
    uint8_t *image = memcpy(room + ROOM - size, data, size);
    const void *list[] = { image, image, NULL };
    struct {
        uint32_t magic, version;
        const void *data, *list;
    } wrapper = { 0x466243B1, 1 + (size & 1), image, list };
    use(&wrapper, FATBIN_SIZE_UNKNOWN);
    /* A wrapper inside the bytes would point anywhere readable: only what the bytes say is fuzzed.
     */
    if (size >= 4 && memcmp(image, &wrapper.magic, 4) != 0) {
        use(image, FATBIN_SIZE_UNKNOWN);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    use(data, size);
    use_wrapped(data, size);
    return 0;
}
