/* SPDX-License-Identifier: MIT */
/* vtegra dla inspect: a loadable in words. */
#include "tools/dla/dla_inspect.h"

#include <stdio.h>
#include <string.h>

#include "model/dla/buffer.h"
#include "tools/cmd.h"
#include "tools/dla/dla.h"
#include "tools/dla/dla_emu.h"

#define CMD "dla inspect"
#define LINE 100

static const char description[] =
    "Prints what is in a loadable: its tensors, memories, addresses and blobs, and of every task "
    "for\n"
    "a DLA 1 the operations with all their fields. Fields that are 0 are left out of the text, "
    "--json\n"
    "has all. Descriptors of Orin's DLA 2 are not published: of such files the container is "
    "shown.\n"
    "\n"
    "A damaged file gives the list, the entry and the field that is wrong, and exit status 1.";

void inspect_word(const char *words, int64_t value, char *buf, size_t size)
{
    if (!desc_word(words, value, buf, size)) {
        g_snprintf(buf, size, "%" G_GINT64_FORMAT, value);
    }
}

void inspect_flags(unsigned flags, char *buf, size_t size)
{
    static const char *const name[] = { "ALLOC", "SET", "INPUT", "OUTPUT" };

    *buf = '\0';
    for (unsigned i = 0; i < 4; i++) {
        if (flags >> i & 1) {
            g_strlcat(buf, *buf ? " " : "", size);
            g_strlcat(buf, name[i], size);
        }
    }
}

/* Text of a file: what is not printable becomes a question mark. */
static void text_print(struct loadable_text t)
{
    for (size_t i = 0; i < t.len && i < 80; i++) {
        putchar(g_ascii_isprint(t.at[i]) ? t.at[i] : '?');
    }
}

static void tensors_print(const struct loadable *l)
{
    char type[24], category[24], format[24], pixel[24];

    printf("\ntensors: %zu\n", l->tensors);
    for (size_t i = 0; i < l->tensors; i++) {
        const struct loadable_tensor *t = &l->tensor[i];

        inspect_word(INSPECT_TYPES, t->type, type, sizeof(type));
        inspect_word(INSPECT_CATEGORIES, t->category, category, sizeof(category));
        inspect_word(INSPECT_FORMATS, t->format, format, sizeof(format));
        inspect_word(PIXEL_FORMATS, t->pixel_format, pixel, sizeof(pixel));
        printf("  %u \"", t->id);
        text_print(t->name);
        printf("\": %s, n %d, c %d, h %d, w %d, %s %s %s, memory %u, %" G_GUINT64_FORMAT
               " bytes at %" G_GUINT64_FORMAT ", strides",
               type, t->n, t->c, t->h, t->w, category, format, pixel, t->memory_id, t->size,
               t->offset);
        for (unsigned k = 0; k < 8 && (k == 0 || t->stride[k]); k++) {
            printf(" %u", t->stride[k]);
        }
        putchar('\n');
    }
}

static void memories_print(const struct loadable *l)
{
    char flags[40];

    printf("\nmemories: %zu\n", l->memories);
    for (size_t i = 0; i < l->memories; i++) {
        const struct loadable_memory *m = &l->memory[i];

        inspect_flags(m->flags, flags, sizeof(flags));
        printf("  %u: %" G_GUINT64_FORMAT " bytes, %s, %s", m->id, m->size,
               m->domain ? "CVSRAM" : "DRAM", flags);
        if (m->flags & (LOADABLE_INPUT | LOADABLE_OUTPUT)) {
            printf(", bind %u, tensor %u", m->bind_id, m->tensor_id);
        }
        for (uint32_t k = 0; k < m->contents.count && k < m->offsets.count; k++) {
            printf(", \"");
            text_print(loadable_text_at(&m->contents, k));
            printf("\" at %" G_GUINT64_FORMAT, loadable_u64(&m->offsets, k));
        }
        putchar('\n');
    }
}

static void lists_print(const struct loadable *l)
{
    char interface[24];

    printf("\naddresses: %zu\n", l->addresses);
    for (size_t i = 0; i < l->addresses; i++) {
        const struct loadable_address *a = &l->address[i];

        printf("  %u: memory %u at %" G_GUINT64_FORMAT ", %" G_GUINT64_FORMAT " bytes\n", a->id,
               a->memory_id, a->offset, a->size);
    }
    printf("\nblobs: %zu\n", l->blobs);
    for (size_t i = 0; i < l->blobs; i++) {
        const struct loadable_blob *b = &l->blob[i];

        inspect_word(INSPECT_INTERFACES, b->interface, interface, sizeof(interface));
        printf("  \"");
        text_print(b->name);
        printf("\": %u bytes, interface %s, sub-interface %u, version %u.%u.%u\n", b->data.count,
               interface, b->sub_interface, b->version.major, b->version.minor,
               b->version.sub_minor);
    }
    printf("\nevents: %zu\n", l->events);
    for (size_t i = 0; i < l->events; i++) {
        const struct loadable_event *e = &l->event[i];

        printf("  %u: %s, type %u, target %u, value %u\n", e->id, e->op ? "signal" : "wait",
               e->type, e->target, e->value);
    }
    printf("\nrelocations: %zu, submits: %zu\n", l->relocs, l->submits);
}

/* "  a, b, c", broken before column 100. */
struct flow {
    int column;
    gboolean any;
};

static void flow_put(struct flow *f, const char *text)
{
    int len = (int)strlen(text);

    if (f->any && f->column + len + 2 > LINE) {
        printf(",\n      ");
        f->column = 6;
    } else if (f->any) {
        printf(", ");
        f->column += 2;
    } else {
        printf("      ");
        f->column = 6;
    }
    fputs(text, stdout);
    f->column += len;
    f->any = TRUE;
}

static void fields_print(enum desc_kind kind, const uint8_t *at, size_t first)
{
    struct flow flow = { 0 };
    char word[32], text[96];
    size_t count;
    const struct desc_field *f = desc_fields(kind, &count);

    for (size_t i = first; i < count; i++) {
        int64_t v = desc_get(at + f[i].offset, f[i].bytes, f[i].is_signed);
        gboolean precision = g_str_has_suffix(f[i].name, "recision") && !strchr(f[i].name, '1') &&
                             !strchr(f[i].name, '2') && f[i].name[0] != 'y';

        if (v || precision || kind == DESC_NETWORK) {
            inspect_word(f[i].words, v, word, sizeof(word));
            g_snprintf(text, sizeof(text), "%s %s", f[i].name, word);
            flow_put(&flow, text);
        }
    }
    if (flow.any) {
        putchar('\n');
    }
}

static void cubes_print(const struct dla_net *net, unsigned op)
{
    enum desc_op type = dla_net_op(net, op);
    struct desc_cube c;
    const char *name;

    for (unsigned i = 0; (name = desc_surface_name(type, i)); i++) {
        desc_cube_get(dla_net_surface(net, op), i, net->cube_bytes, &c);
        if (c.type == 2 && c.channels == 0) {
            continue; /* not used */
        }
        printf("    %-8s", name);
        if (c.type == 2) {
            printf("on the fly");
        } else {
            printf("%s address %d", c.type ? "CVSRAM" : "DRAM", c.address);
            if (c.offset) {
                printf(" + %u", c.offset);
            }
        }
        printf(", c %u, h %u, w %u", c.channels, c.height, c.width);
        if (c.type != 2) {
            printf(", %u bytes, line %u, surface %u", c.size, c.line_stride, c.surf_stride);
            if (c.plane_stride) {
                printf(", plane %u", c.plane_stride);
            }
        }
        putchar('\n');
    }
}

static void transfers_print(const struct dla_net *net, unsigned op)
{
    const uint8_t *s = dla_net_surface(net, op);
    int64_t n = DESC_GETU(dla_net_operation(net, op), BDMA, num_transfers);

    printf("    from %s to %s\n", s[0] ? "CVSRAM" : "DRAM", s[1] ? "CVSRAM" : "DRAM");
    for (int64_t i = 0; i < n; i++) {
        fields_print(DESC_TRANSFER, s + 4 + DESC_BYTES_TRANSFER * i, 0);
    }
}

/* Who waits for this operation. */
static void consumers_print(const uint8_t *common)
{
    static const char *const event[] = { "none",    "completed",       "programmed",
                                         "enabled", "weights fetched", "data fetched" };

    for (unsigned k = 0; k < DESC_OPS + 1u; k++) {
        const uint8_t *at = common + DESC_AT_COMMON_bdma_index + 4 * (size_t)k;
        int64_t to = desc_get(at, 2, true);

        if (to >= 0) {
            printf("%s %" G_GINT64_FORMAT " when %s",
                   k == DESC_OPS ? "; notifies its parent" : "; notifies", to,
                   at[2] < G_N_ELEMENTS(event) ? event[at[2]] : "?");
        }
    }
}

/* What of its banks a convolution takes, by the size of its input and of a group of kernels. */
static void buffer_print(const struct dla_net *net, unsigned i)
{
    g_autofree char *name = dla_net_config(net->file);
    const struct dla_config *cfg = dla_config_find(name ? name : "nv_full");
    const uint8_t *op = dla_net_operation(net, i);
    gboolean image = DESC_GETU(op, CONV, data_format) != DESC_FEATURE;
    enum dla_precision p = (enum dla_precision)DESC_GETU(op, CONV, in_precision);
    struct desc_cube src, dst;
    uint64_t line, kernel, group;

    if (!cfg || p > DLA_FP16 || DESC_GETU(op, CONV, conv_mode)) {
        return;
    }
    desc_cube_get(dla_net_surface(net, i), 3, net->cube_bytes, &src);
    desc_cube_get(dla_net_surface(net, i), 4, net->cube_bytes, &dst);
    line = dla_cbuf_line(cfg, src.width, src.channels, p == DLA_INT8 ? 1 : 2, image);
    group = MIN(dst.channels, p == DLA_INT8 ? cfg->kernels_int8 : cfg->kernels_16);
    kernel = (uint64_t)DESC_GETU(op, CONV, bytes_per_kernel);
    printf("    convolution buffer: input %" G_GUINT64_FORMAT " of %" G_GINT64_FORMAT
           " banks (%" G_GUINT64_FORMAT " entries a line), a group of kernels %" G_GUINT64_FORMAT
           " of %" G_GINT64_FORMAT "; %s has %u\n",
           dla_cbuf_banks(cfg, line * src.height), DESC_GETU(op, CONV, data_bank), line,
           dla_cbuf_weight_banks(cfg, kernel * group), DESC_GETU(op, CONV, weight_bank), cfg->name,
           cfg->cbuf_banks);
}

static void operation_print(const struct dla_net *net, unsigned i)
{
    const uint8_t *common = dla_net_common(net, i);
    enum desc_op type = dla_net_op(net, i);
    char *name = dla_net_name(net->file, net->index, i);
    char word[8];

    inspect_word("BDMA|CONV|SDP|PDP|CDP|RUBIK", type, word, sizeof(word));
    printf("  operation %u: %s%s%s%s; waits for %" G_GINT64_FORMAT " events", i, word,
           name ? " \"" : "", name ? name : "", name ? "\"" : "",
           DESC_GETU(common, COMMON, dependency_count));
    consumers_print(common);
    putchar('\n');
    if (type == DESC_OP_BDMA) {
        transfers_print(net, i);
    } else {
        cubes_print(net, i);
    }
    fields_print(desc_op_kind(type), dla_net_operation(net, i), 0);
    if (type == DESC_OP_CONV) {
        buffer_print(net, i);
    }
    g_free(name);
}

static void network_print(const struct dla_net *net)
{
    printf(
        "  network: blob version %u.%u.%u (cubes of %u bytes), %u operations, %u look-up tables\n",
        net->version.major, net->version.minor, net->version.sub_minor, net->cube_bytes,
        net->operations, net->luts);
    fields_print(DESC_NETWORK, net->desc, 0);
    for (unsigned i = 0; i < net->operations; i++) {
        operation_print(net, i);
    }
    for (unsigned i = 0; i < net->luts; i++) {
        printf("  look-up table %u\n", i);
        fields_print(DESC_LUT, dla_net_lut(net, i), 0);
    }
}

static void emu_cube_print(const char *name, const struct dla_emu_cube *c)
{
    printf("    %s: %s, %u x %u x %u, line stride %u, surface stride %u\n", name,
           dla_emu_format_name(c->format), c->channels, c->height, c->width, c->line_stride,
           c->surf_stride);
}

/* A task for the CPU. */
static void cpu_print(const struct dla_net *net, GError **error)
{
    for (unsigned i = 0; i < net->cpu_operations; i++) {
        static const char *const name[] = { "power", "softmax", "log" };
        struct dla_emu e;

        if (!dla_emu_get(net, i, &e, error)) {
            return;
        }
        printf("  operation %u: %s", i, name[e.op]);
        if (e.op == DLA_EMU_POWER) {
            printf(" (%g + %g * x)^%g", (double)e.shift, (double)e.scale, (double)e.power);
        }
        printf("; scales %g, %g\n", (double)e.in_scale, (double)e.out_scale);
        emu_cube_print("src", &e.src);
        emu_cube_print("dst", &e.dst);
    }
}

static void task_print(const struct dla_net_file *f, unsigned i)
{
    const struct loadable_task *t = &f->l->task[i];
    char interface[24];

    inspect_word(INSPECT_INTERFACES, t->interface, interface, sizeof(interface));
    printf("\ntask %u: %s, instance %d, %u addresses, %u pre-actions, %u post-actions\n", t->id,
           interface, t->instance, t->addresses.count, t->pre_actions.count, t->post_actions.count);
}

static void head_print(const struct dla_net_file *f)
{
    char *config = dla_net_config(f);

    printf("%s: loadable %u.%u.%u, %zu bytes%s%s%s\n", f->path, f->l->version.major,
           f->l->version.minor, f->l->version.sub_minor, (size_t)f->len,
           f->l->identified ? "" : ", without the identifier NVDA", config ? ", made for " : "",
           config ? config : "");
    g_free(config);
}

/* Text and JSON show what was understood; an error comes after it. */
static GError *dla_inspect_do(const struct dla_net_file *f, gboolean json)
{
    struct dla_net *nets = g_new0(struct dla_net, f->l->tasks + 1);
    GError *error = NULL;
    unsigned count = 0;

    if (!json) {
        head_print(f);
        tensors_print(f->l);
        memories_print(f->l);
        lists_print(f->l);
    }
    for (unsigned i = 0; !error && i < f->l->tasks; i++) {
        if (!json) {
            task_print(f, i);
        }
        if (f->l->task[i].interface == LOADABLE_DLA1 || f->l->task[i].interface == LOADABLE_EMU1) {
            const struct dla_net *net = &nets[count];

            dla_net_init(&nets[count++], f, i, &error);
            if (!json && net->cpu && !error) {
                cpu_print(net, &error);
            } else if (!json && net->desc && !net->cpu) {
                network_print(net);
            }
        }
    }
    if (json) {
        inspect_json(f, nets, count);
    }
    while (count) {
        dla_net_free(&nets[--count]);
    }
    g_free(nets);
    return error;
}

int dla_inspect(int argc, char **argv)
{
    gboolean json = FALSE;
    const GOptionEntry entries[] = { { "json", 0, 0, G_OPTION_ARG_NONE, &json,
                                       "for programs: everything", NULL },
                                     { NULL, 0, 0, 0, NULL, NULL, NULL } };
    struct dla_net_file *f;
    GError *error = NULL;

    if (!cmd_options(CMD, "FILE", description, entries, FALSE, &argc, &argv)) {
        return CMD_USAGE;
    }
    if (argc != 2) {
        cmd_error(CMD, "one file; see vtegra dla inspect --help");
        return CMD_USAGE;
    }
    f = dla_net_open(argv[1], &error);
    if (f) {
        error = dla_inspect_do(f, json);
        fflush(stdout);
    }
    if (error) {
        cmd_error(CMD, "%s", error->message);
        g_error_free(error);
        dla_net_close(f);
        return CMD_FOUND;
    }
    dla_net_close(f);
    return CMD_OK;
}
