/* SPDX-License-Identifier: MIT */
/* Any bytes as a program and as a section of device code: an answer or an error, never a crash. */
#include <stdint.h>

#include "tools/app/app_info.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void piece_clear(void *piece)
{
    g_free(((struct app_code *)piece)->section);
}

static void code_read(const unsigned char *data, size_t len)
{
    GArray *code = g_array_new(FALSE, TRUE, sizeof(struct app_code));
    GPtrArray *problems = g_ptr_array_new_with_free_func(g_free);

    g_array_set_clear_func(code, piece_clear);
    app_code_read("fuzz", data, len, code, problems);
    g_array_unref(code);
    g_ptr_array_unref(problems);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    GError *error = NULL;
    struct elf_info *info = elf_info_parse(data, len, "fuzz", &error);

    g_assert((info == NULL) == (error != NULL));
    for (guint i = 0; info && i < info->device->len; i++) {
        const struct elf_section_data *s = &g_array_index(info->device, struct elf_section_data, i);

        code_read(s->data, s->size);
    }
    elf_info_free(info);
    g_clear_error(&error);
    code_read(data, len);
    return 0;
}
