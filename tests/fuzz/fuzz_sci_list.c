/* SPDX-License-Identifier: MIT */
/* Bytes of another process as lists of attributes: refused, or lists that go through everything
 * that lists do. The first byte chooses library and kind; the checksum is mended, since it keeps
 * out accidents, not enemies. */
#include <stdlib.h>
#include <string.h>

#include "runtime/api/nvsci/attr/reconcile.h"
#include "runtime/api/nvsci/attr/wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is written is what was read, and reads again. */
static void again(const struct sci_list *list)
{
    GByteArray *bytes = sci_wire_write(list);
    struct sci_list *read =
        sci_wire_read(list->schema, list->reconciled, bytes->data, bytes->len, 2);
    const struct sci_slot *slot = sci_list_slot(list, 0);

    if (!read && slot->path->len < SCI_MAX_PATH) {
        abort();
    }
    if (read) {
        sci_list_free(read);
    }
    g_byte_array_unref(bytes);
}

static void reconcile(const struct sci_list *list)
{
    static const struct sci_chip chip = { .gpu = { { .integrated = true } }, .gpus = 1 };
    struct sci_list *out, *conflicts;
    char *why;
    uint64_t align;
    NvSciError error = list->schema == &sci_buf_schema
                           ? sci_buf_reconcile(&list, 1, &chip, &out, &conflicts, &why)
                           : sci_sync_reconcile(&list, 1, &out, &conflicts, &why);

    if ((error == NvSciError_Success) != (out != NULL) || !out == !conflicts || !out != !!why) {
        abort();
    }
    if (!out) {
        sci_list_free(conflicts);
        g_free(why);
        return;
    }
    again(out);
    if (list->schema == &sci_buf_schema && !sci_buf_size(out, &align)) {
        abort();
    }
    sci_list_free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes;
    struct sci_list *list;
    uint32_t crc, len;

    if (size < 17) {
        return 0;
    }
    len = (uint32_t)size - 1;
    bytes = g_memdup2(data + 1, len);
    crc = sci_wire_crc(bytes + 16, len - 16);
    memcpy(bytes + 8, &len, 4);
    memcpy(bytes + 12, &crc, 4);
    list =
        sci_wire_read(data[0] & 1 ? &sci_sync_schema : &sci_buf_schema, data[0] & 2, bytes, len, 1);
    if (list) {
        char *text = sci_list_dump(list);

        g_free(text);
        again(list);
        if (!list->reconciled) {
            reconcile(list);
        }
        sci_list_free(list);
    }
    g_free(bytes);
    return 0;
}
