/* SPDX-License-Identifier: MIT */
/* vtegra check-app: says before a run what would go wrong in it. */
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <string.h>

#include "tools/app/app_info.h"
#include "tools/cmd.h"
#include "trace/printable.h"

#define CMD "check-app"

static const char description[] =
    "Looks at the file only; nothing of it runs. Exit status: 0 it can run here, 1 something "
    "stands\n"
    "in the way (each problem comes with what to do), or its calls are not known (a static runtime "
    "in a\n"
    "stripped program), 2 the file cannot be read or is damaged.";

static const char *const library_states[] = {
    [APP_LIBRARY_OURS] = "vtegra",
    [APP_LIBRARY_HERE] = "here",
    [APP_LIBRARY_MISSING] = "missing",
    [APP_LIBRARY_OTHER_TOOLKIT] = "of another toolkit",
    [APP_LIBRARY_NVIDIA] = "NVIDIA's, missing",
    [APP_LIBRARY_MACHINE_CODE] = "NVIDIA's, machine code",
};
static const char *const call_states[] = {
    [APP_CALL_HERE] = "here",
    [APP_CALL_UNSUPPORTED] = "unsupported",
    [APP_CALL_MISSING] = "missing",
};
static const char *const cudart_names[] = {
    [ELF_CUDART_NONE] = "none",
    [ELF_CUDART_SHARED] = "shared",
    [ELF_CUDART_STATIC_OURS] = "static (vtegra)",
    [ELF_CUDART_STATIC_NVIDIA] = "static (NVIDIA)",
};

static unsigned calls_in(const struct app_info *info, enum app_call state)
{
    unsigned n = 0;

    for (guint i = 0; i < info->calls->len; i++) {
        n += g_array_index(info->calls, struct app_need, i).state == (int)state;
    }
    return n;
}

/* Names of libraries and symbols are the file's: any bytes. */
static void G_GNUC_PRINTF(1, 2) line_print(const char *format, ...)
{
    g_autofree char *text = NULL, *line = NULL;
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    line = printable(text);
    fputs(line, stdout);
}

static void text_print(const char *path, const struct app_info *info)
{
    line_print("%s: %s, CUDA runtime: %s\n", path, info->elf->machine_name,
               cudart_names[info->elf->cudart]);
    line_print("libraries\n");
    for (guint i = 0; i < info->libraries->len; i++) {
        const struct app_need *need = &g_array_index(info->libraries, struct app_need, i);

        line_print("  %-28s %s\n", need->name, library_states[need->state]);
    }
    if (info->calls_known) {
        line_print("CUDA calls: %u %s, %u unsupported, %u missing\n", info->calls->len,
                   info->elf->cudart >= ELF_CUDART_STATIC_OURS ? "linked" : "imported",
                   calls_in(info, APP_CALL_UNSUPPORTED), calls_in(info, APP_CALL_MISSING));
    } else {
        line_print(
            "CUDA calls: not known: the runtime is linked into it and it has no symbols (strip)\n");
    }
    line_print("device code%s\n", info->code->len ? "" : ": none");
    for (guint i = 0; i < info->code->len; i++) {
        const struct app_code *code = &g_array_index(info->code, struct app_code, i);
        char *bytes = code->bytes ? g_strdup_printf(", %" G_GUINT64_FORMAT " bytes", code->bytes)
                                  : g_strdup("");

        line_print("  %-12s for sm_%-4u %s%s (%s, container %u)\n", code->kind, code->sm,
                   code->packing, bytes, code->section, code->container);
        g_free(bytes);
    }
    for (guint i = 0; i < info->notes->len; i++) {
        line_print("note: %s\n", (char *)g_ptr_array_index(info->notes, i));
    }
    for (guint i = 0; i < info->problems->len; i++) {
        line_print("problem: %s\n", (char *)g_ptr_array_index(info->problems, i));
    }
    if (info->cure) {
        line_print("to mend it: %s\n", info->cure);
    }
    if (info->problems->len == 0 && !info->calls_known) {
        line_print(
            "not known whether it can run: build it without strip, or with -cudart shared\n");
    } else if (info->problems->len == 0) {
        line_print("can run: vtegra run -- %s%s\n", strchr(path, '/') ? "" : "./", path);
    }
}

static void check_app_member(JsonBuilder *b, const char *name, const char *value)
{
    json_builder_set_member_name(b, name);
    json_builder_add_string_value(b, value);
}

static void needs_json(JsonBuilder *b, const char *name, const GArray *needs,
                       const char *const *states)
{
    json_builder_set_member_name(b, name);
    json_builder_begin_array(b);
    for (guint i = 0; i < needs->len; i++) {
        const struct app_need *need = &g_array_index(needs, struct app_need, i);

        json_builder_begin_object(b);
        check_app_member(b, "name", need->name);
        check_app_member(b, "state", states[need->state]);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static void texts_json(JsonBuilder *b, const char *name, const GPtrArray *texts)
{
    json_builder_set_member_name(b, name);
    json_builder_begin_array(b);
    for (guint i = 0; i < texts->len; i++) {
        json_builder_add_string_value(b, g_ptr_array_index(texts, i));
    }
    json_builder_end_array(b);
}

static void code_json(JsonBuilder *b, const GArray *pieces)
{
    json_builder_set_member_name(b, "device_code");
    json_builder_begin_array(b);
    for (guint i = 0; i < pieces->len; i++) {
        const struct app_code *code = &g_array_index(pieces, struct app_code, i);

        json_builder_begin_object(b);
        check_app_member(b, "section", code->section);
        json_builder_set_member_name(b, "container");
        json_builder_add_int_value(b, code->container);
        check_app_member(b, "kind", code->kind);
        json_builder_set_member_name(b, "sm");
        json_builder_add_int_value(b, code->sm);
        check_app_member(b, "packing", code->packing);
        json_builder_set_member_name(b, "bytes");
        json_builder_add_int_value(b, (gint64)code->bytes);
        json_builder_end_object(b);
    }
    json_builder_end_array(b);
}

static void json_print(const char *path, const struct app_info *info)
{
    JsonBuilder *b = json_builder_new();
    JsonGenerator *generator = json_generator_new();
    JsonNode *root;
    char *text;

    json_builder_begin_object(b);
    check_app_member(b, "program", path);
    check_app_member(b, "machine", info->elf->machine_name);
    check_app_member(b, "cudart", cudart_names[info->elf->cudart]);
    json_builder_set_member_name(b, "can_run");
    if (info->problems->len == 0 && !info->calls_known) {
        json_builder_add_null_value(b);
    } else {
        json_builder_add_boolean_value(b, info->problems->len == 0);
    }
    needs_json(b, "libraries", info->libraries, library_states);
    needs_json(b, "calls", info->calls, call_states);
    code_json(b, info->code);
    texts_json(b, "notes", info->notes);
    texts_json(b, "problems", info->problems);
    if (info->cure) {
        check_app_member(b, "cure", info->cure);
    }
    json_builder_end_object(b);
    root = json_builder_get_root(b);
    json_generator_set_root(generator, root);
    json_generator_set_pretty(generator, TRUE);
    text = json_generator_to_data(generator, NULL);
    puts(text);
    g_free(text);
    json_node_unref(root);
    g_object_unref(generator);
    g_object_unref(b);
}

int cmd_check_app(int argc, char **argv)
{
    gboolean json = FALSE;
    const GOptionEntry entries[] = {
        { "json", 0, 0, G_OPTION_ARG_NONE, &json, "for programs", NULL },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    struct app_info *info;
    GError *error = NULL;
    int status;

    if (!cmd_options(CMD, "PROGRAM - what a binary needs, and which flag mends it", description,
                     entries, FALSE, &argc, &argv)) {
        return CMD_USAGE;
    }
    if (argc != 2) {
        cmd_error(CMD, "give one program: vtegra check-app ./app");
        return CMD_USAGE;
    }
    info = app_info_read(argv[1], &error);
    if (!info) {
        cmd_error(CMD, "%s", error->message);
        g_error_free(error);
        return CMD_USAGE;
    }
    if (json) {
        json_print(argv[1], info);
    } else {
        text_print(argv[1], info);
    }
    status = info->problems->len == 0 && info->calls_known ? CMD_OK : CMD_FOUND;
    app_info_free(info);
    return status;
}
