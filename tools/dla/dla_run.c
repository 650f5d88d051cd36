/* SPDX-License-Identifier: MIT */
/* vtegra dla run: a loadable on the model's DLA, over plain memory. */
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/dla/desc.h"
#include "profiles/profile.h"
#include "tools/cmd.h"
#include "tools/dla/dla.h"
#include "tools/dla/dla_build.h"
#include "tools/dla/dla_compare.h"
#include "tools/dla/dla_emu.h"
#include "tools/dla/dla_exec.h"

#define CMD "dla run"
#define GOLDEN_ATOM 32u /* bytes: found by comparison with the goldens of nvdla/sw */

static const char description[] =
    "Runs the tasks of a loadable in their order on the bit-exact DLA. Files, by extension: .npy\n"
    "(NumPy: channels, height, width), .dimg (NVDLA regression), .pgm and .ppm (pictures), "
    "anything\n"
    "else raw numbers in that order. Give --input and --output once for each tensor, in the order "
    "of\n"
    "vtegra dla inspect. --dump-layers writes what every operation wrote, one .npy each; compare "
    "two\n"
    "such folders with vtegra dla diff. Dumps of a run before are removed from DIR.\n"
    "\n"
    "Examples:\n"
    "  vtegra dla run net.loadable --input photo.ppm --output out.npy --dump-layers dump\n"
    "  vtegra dla run net.loadable --input image.npy --compare model.onnx";

/**
 * struct runner - a run
 * @port: what the DLA sees: the memories of @f
 * @nets: of its tasks for the DLA; @net: the one under way
 * @last: the operation that was announced last, -1: none
 */
struct runner {
    struct dla_memory_port port;
    struct dla_net_file *f;
    const struct dla_config *cfg;
    struct dla_net *nets, *net;
    unsigned count;
    char **inputs, **outputs, *dump, *model, **shapes, **constants;
    struct dla_compare *compare; /* with the model; NULL: not wanted */
    gboolean quiet, progress;
    int last;
    unsigned done;
    struct array whole; /* of a layer whose parts several operations write; v NULL: none */
    GError *error;
};

static const char *const kind[] = { "bdma", "conv", "sdp", "pdp", "cdp", "rubik" };

/* @a is what the last operation wrote: a part of the layer goes to its place, and once the last one
 * is there @a becomes the whole. Return: is it to be written? */
static gboolean dump_join(struct runner *r, struct array *a)
{
    struct dla_net_part p;
    size_t plane = (size_t)a->height * a->width;

    if (!dla_net_part(r->f, r->net->index, (unsigned)r->last, &p) || p.channels > 8192 ||
        p.lines > 8192 || p.channel + a->channels > p.channels || p.line + a->height > p.lines) {
        return TRUE;
    }
    if (!r->whole.v || r->whole.channels != p.channels || r->whole.height != p.lines ||
        r->whole.width != a->width) {
        g_free(r->whole.v);
        r->whole = (struct array){ a->type, p.channels, p.lines, a->width, NULL, FALSE };
        r->whole.v = g_new0(int32_t, array_count(&r->whole) + 1);
    }
    for (size_t i = 0; i < array_count(a); i++) {
        size_t c = i / plane + p.channel, rest = i % plane + (size_t)p.line * a->width;

        r->whole.v[c * p.lines * a->width + rest] = a->v[i];
    }
    if (p.channel + a->channels < p.channels || p.line + a->height < p.lines) {
        return FALSE;
    }
    array_free(a);
    *a = r->whole;
    r->whole.v = NULL;
    return TRUE;
}

static void dump_write(struct runner *r, enum desc_op op, const char *name, const struct layout *l,
                       const struct array *a)
{
    g_autofree char *file = g_strdup_printf("%s/%03d_%s%s%s.npy", r->dump, r->last, kind[op],
                                            name ? "_" : "", name ? name : "");

    array_save(a, file, l->line_stride, l->surf_stride, l->bytes, &r->error);
}

/* What the operation that ran last has written: as NNN_kind_name.npy, and to the comparison. */
static void dump_last(struct runner *r)
{
    struct layout l;
    struct array a;
    enum desc_op op;
    char *name;

    if ((!r->dump && !r->compare) || r->error || r->last < 0) {
        return;
    }
    op = dla_net_op(r->net, (unsigned)r->last);
    if (layout_dst(op) < 0 ||
        !layout_of_cube(&l, r->net, (unsigned)r->last, (unsigned)layout_dst(op), r->cfg->atom)) {
        return;
    }
    name = dla_net_name(r->f, r->net->index, (unsigned)r->last);
    if (name) { /* of a file that may be damaged: no path in it */
        g_strdelimit(name, "/", '_');
    }
    if (layout_get(&l, r->f, &a, &r->error)) {
        if (dump_join(r, &a)) {
            if (r->dump) {
                dump_write(r, op, name, &l, &a);
            }
            if (r->compare) {
                dla_compare_layer(r->compare, name, &a, name ? dla_net_scale(r->f, name) : 0);
            }
        }
        array_free(&a);
    }
    g_free(name);
}

static void dla_run_layer(void *opaque, unsigned index, enum dla_op_type type)
{
    struct runner *r = opaque;

    (void)type;
    dump_last(r);
    r->last = (int)index;
    r->done++;
    if (r->progress) {
        char *name = dla_net_name(r->f, r->net->index, index);

        fprintf(stderr, "\rtask %u: operation %u of %u %-32.32s", r->net->index, r->done,
                r->net->operations, name ? name : "");
        g_free(name);
    }
}

static gboolean cpu_task_run(struct runner *r, struct dla_net *net)
{
    if (dla_emu_run(net, &r->error) && !r->quiet) {
        fprintf(stderr, "task %u: %u operations on the CPU (EMU1)\n", net->index,
                net->cpu_operations);
    }
    return !r->error;
}

static gboolean task_run(struct runner *r, struct dla_net *net)
{
    struct dla_task task = { .address = net->address,
                             .size = net->size,
                             .addresses = net->addresses,
                             .cube_bytes = net->cube_bytes,
                             .layer = dla_run_layer,
                             .opaque = r };
    struct dla_stats stats = { 0 };
    struct dla_task_error why;
    enum dla_status status;
    char text[256];

    r->net = net;
    r->last = -1;
    r->done = 0;
    status = dla_task_run(r->cfg, &r->port.port, &task, &stats, &why);
    if (r->progress) {
        fputc('\n', stderr);
    }
    if (status != DLA_OK) {
        dla_task_error_format(&why, text, sizeof(text));
        g_set_error(&r->error, DLA_TOOL_ERROR, 0, "task %u: %s", net->index, text);
        return FALSE;
    }
    dump_last(r);
    if (!r->quiet) {
        fprintf(stderr, "task %u: %u operations on %s; saturated: %u in convolutions, %u in SDP\n",
                net->index, r->done, r->cfg->name, stats.conv_saturated, stats.sdp_saturated);
    }
    return !r->error;
}

/* A cube of atoms of 8 bytes has lines of width * 8: what a loadable says that names no
 * configuration. */
static const struct dla_config *config_guess(const struct runner *r)
{
    struct layout l;

    for (unsigned t = 0; t < r->count; t++) {
        for (unsigned op = 0; op < r->nets[t].operations; op++) {
            enum desc_op type = dla_net_op(&r->nets[t], op);
            int dst = layout_dst(type);

            if (dst >= 0 && layout_of_cube(&l, &r->nets[t], op, (unsigned)dst, 32) &&
                (uint64_t)l.line_stride < (uint64_t)l.width * 32) {
                return dla_config_find("nv_small");
            }
        }
    }
    return dla_config_find("nv_full");
}

/* Another configuration than the loadable's has other atoms: every cube would be read wrongly. */
static gboolean config_choose(struct runner *r, const char *wanted)
{
    g_autofree char *said = dla_net_config(r->f);
    const char *name = wanted ? wanted : said;

    r->cfg = name ? dla_config_find(name) : config_guess(r);
    if (!r->cfg) {
        g_set_error(&r->error, DLA_TOOL_ERROR, 0, "there is no configuration \"%s\"", name);
        return FALSE;
    }
    if (wanted && said && strcmp(wanted, said) != 0) {
        g_set_error(&r->error, DLA_TOOL_ERROR, 0,
                    "--config %s: the loadable says that it was made for %s; leave --config out",
                    wanted, said);
        return FALSE;
    }
    return TRUE;
}

/* Does the SoC have a DLA, and one that takes these descriptors? */
static gboolean soc_check(struct runner *r, const char *name)
{
    struct soc_profile *p = profile_load(name, &r->error);

    if (!p) {
        return FALSE;
    }
    if (p->dla.cores == 0) {
        g_set_error(&r->error, DLA_TOOL_ERROR, 0, "%s has no DLA (Xavier and Orin modules have)",
                    p->soc.marketing);
    } else if (!r->quiet && g_ascii_strcasecmp(p->soc.chip, "T194") != 0) {
        fprintf(stderr,
                "note: %s has a DLA 2, whose descriptors are not published; this runs the "
                "loadable's DLA 1 descriptors with the same numbers as Xavier's\n",
                p->soc.marketing);
    }
    profile_free(p);
    return !r->error;
}

static gboolean nets_init(struct runner *r)
{
    const struct loadable *l = r->f->l;

    r->nets = g_new0(struct dla_net, l->tasks + 1);
    for (size_t i = 0; i < l->tasks; i++) {
        if (l->task[i].interface != LOADABLE_DLA1 && l->task[i].interface != LOADABLE_EMU1) {
            g_set_error(&r->error, DLA_TOOL_ERROR, 0,
                        "task_list[%zu].interface = %u: 1 (the DLA) or 2 (the CPU: EMU1)", i,
                        l->task[i].interface);
            return FALSE;
        }
        r->count++;
        if (!dla_net_init(&r->nets[r->count - 1], r->f, (unsigned)i, &r->error)) {
            return FALSE;
        }
    }
    if (r->count == 0) {
        g_set_error(&r->error, DLA_TOOL_ERROR, 0, "task_list: no task");
    }
    return r->count > 0;
}

static unsigned end_count(const struct runner *r, unsigned flag)
{
    unsigned n = 0;

    while (dla_net_end(r->f, flag, n) >= 0) {
        n++;
    }
    return n;
}

static const char *dla_run_plural(unsigned n)
{
    return n == 1 ? "" : "s";
}

/* As many files as tensors, before anything runs. Outputs that are not wanted may be left out. */
static gboolean files_check(struct runner *r)
{
    unsigned in = end_count(r, LOADABLE_INPUT), out = end_count(r, LOADABLE_OUTPUT);
    unsigned given_in = r->inputs ? g_strv_length(r->inputs) : 0;
    unsigned given_out = r->outputs ? g_strv_length(r->outputs) : 0;

    if (given_in != in) {
        g_set_error(
            &r->error, DLA_TOOL_ERROR, 0,
            "the loadable has %u input%s, --input is given %u time%s: give it once for each", in,
            dla_run_plural(in), given_in, dla_run_plural(given_in));
    } else if (given_out > out) {
        g_set_error(&r->error, DLA_TOOL_ERROR, 0,
                    "the loadable has %u output%s, --output is given %u times", out,
                    dla_run_plural(out), given_out);
    }
    return !r->error;
}

/* NNN_kind_name.npy, as dump_last() writes them. */
static gboolean is_dump(const char *name)
{
    size_t digits = strspn(name, "0123456789");

    if (digits < 3 || name[digits] != '_' || !g_str_has_suffix(name, ".npy")) {
        return FALSE;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(kind); i++) {
        const char *at = name + digits + 1;
        size_t n = strlen(kind[i]);

        if (strncmp(at, kind[i], n) == 0 && (at[n] == '_' || at[n] == '.')) {
            return TRUE;
        }
    }
    return FALSE;
}

/* Dumps of a run before would stand beside ours and be compared as if they were. So the folder is
 * emptied of them, unless it holds anything else. */
static gboolean dump_prepare(struct runner *r)
{
    GDir *dir = g_mkdir_with_parents(r->dump, 0777) == 0 ? g_dir_open(r->dump, 0, NULL) : NULL;
    const char *name;

    if (!dir) {
        g_set_error(&r->error, DLA_TOOL_ERROR, 0, "%s: cannot make this folder", r->dump);
        return FALSE;
    }
    while (!r->error && (name = g_dir_read_name(dir))) {
        if (!is_dump(name)) {
            g_set_error(
                &r->error, DLA_TOOL_ERROR, 0,
                "--dump-layers %s: \"%s\" there is no dump of a layer; name an empty folder, "
                "or a new one",
                r->dump, name);
        }
    }
    g_dir_rewind(dir);
    while (!r->error && (name = g_dir_read_name(dir))) {
        g_autofree char *path = g_build_filename(r->dump, name, NULL);

        if (g_remove(path) != 0) {
            g_set_error(&r->error, DLA_TOOL_ERROR, 0, "%s: cannot remove this old dump", path);
        }
    }
    g_dir_close(dir);
    return !r->error;
}

static gboolean end_layout(struct runner *r, unsigned flag, unsigned n, struct layout *l)
{
    int memory = dla_net_end(r->f, flag, n);

    if (memory < 0) {
        g_set_error(&r->error, DLA_TOOL_ERROR, 0, "the loadable has only %u %s", n,
                    flag == LOADABLE_INPUT ? "inputs" : "outputs");
        return FALSE;
    }
    return layout_of_memory(l, r->f, (size_t)memory, r->nets, r->count, r->cfg->atom, &r->error);
}

static gboolean inputs_load(struct runner *r)
{
    unsigned n = 0;

    for (; r->inputs && r->inputs[n]; n++) {
        struct array a, shape;
        struct layout l;
        gboolean ok;

        if (!end_layout(r, LOADABLE_INPUT, n, &l)) {
            return FALSE;
        }
        shape = (struct array){
            .type = l.type, .channels = l.channels, .height = l.height, .width = l.width
        };
        if (!array_load(&a, r->inputs[n], &shape, &r->error)) {
            return FALSE;
        }
        ok = layout_put(&l, r->f, &a, r->inputs[n], &r->error);
        array_free(&a);
        if (!ok) {
            return FALSE;
        }
    }
    return TRUE;
}

/* Before anything runs: what an output's name asks for can be had. */
static gboolean outputs_check(struct runner *r)
{
    for (unsigned n = 0; r->outputs && r->outputs[n]; n++) {
        struct array a;
        struct layout l;

        if (!end_layout(r, LOADABLE_OUTPUT, n, &l)) {
            return FALSE;
        }
        a = (struct array){ .type = l.type, .channels = l.channels };
        if (!array_can_save(&a, r->outputs[n], &r->error)) {
            return FALSE;
        }
    }
    return TRUE;
}

/* Channels are written in order. The golden images that nvdla/sw publishes for nv_small were read
 * out of its memory as if an atom had 32 bytes, so they hold the same bytes in another order. */
static void golden_note(const struct runner *r, const char *path)
{
    if (!r->quiet && r->cfg->atom != GOLDEN_ATOM && g_str_has_suffix(path, ".dimg")) {
        fprintf(
            stderr,
            "%s: channels in order; published golden images of nv_small are not: they were read "
            "as if an atom had %u bytes, and have %u\n",
            path, GOLDEN_ATOM, r->cfg->atom);
    }
}

static gboolean outputs_save(struct runner *r)
{
    for (unsigned n = 0; r->outputs && r->outputs[n]; n++) {
        struct layout l;
        struct array a;
        gboolean ok;

        if (!end_layout(r, LOADABLE_OUTPUT, n, &l) || !layout_get(&l, r->f, &a, &r->error)) {
            return FALSE;
        }
        ok = array_save(&a, r->outputs[n], l.line_stride, l.surf_stride, l.bytes, &r->error);
        array_free(&a);
        if (!ok) {
            return FALSE;
        }
        golden_note(r, r->outputs[n]);
    }
    return TRUE;
}

/* The model in floats gets what the loadable gets. */
static gboolean compare_prepare(struct runner *r)
{
    struct build_args args = { .shapes = r->shapes, .constants = r->constants };
    struct onnx_options options;

    if (build_options_read(&args, &options, &r->error)) {
        struct layout l;

        options.config = r->cfg->name;
        options.layers_of_int8 = end_layout(r, LOADABLE_INPUT, 0, &l) && l.type == ARRAY_INT8;
        r->compare = dla_compare_open(r->model, &options, &r->error);
    }
    build_options_clear(&options);
    for (unsigned n = 0; r->compare && r->inputs && r->inputs[n] && !r->error; n++) {
        struct layout l;
        struct array a;

        if (end_layout(r, LOADABLE_INPUT, n, &l) && layout_get(&l, r->f, &a, &r->error)) {
            dla_compare_input(r->compare, n, &a, dla_net_scale(r->f, l.name), &r->error);
            array_free(&a);
        }
    }
    return !r->error;
}

static gboolean run_all(struct runner *r, const char *config)
{
    if (!nets_init(r) || !config_choose(r, config) || !files_check(r) || !inputs_load(r) ||
        !outputs_check(r) || (r->model && !compare_prepare(r)) || (r->dump && !dump_prepare(r))) {
        return FALSE;
    }
    r->port = (struct dla_memory_port){ .port = { .ops = &dla_memory_port_ops }, .f = r->f };
    for (unsigned i = 0; i < r->count; i++) {
        if (!(r->nets[i].cpu ? cpu_task_run : task_run)(r, &r->nets[i])) {
            return FALSE;
        }
    }
    return (!r->compare || dla_compare_print(r->compare, stdout, &r->error)) && outputs_save(r);
}

static void runner_free(struct runner *r)
{
    for (unsigned i = 0; i < r->count; i++) {
        dla_net_free(&r->nets[i]);
    }
    g_free(r->nets);
    g_free(r->whole.v);
    dla_net_close(r->f);
    g_strfreev(r->inputs);
    g_strfreev(r->outputs);
    g_free(r->dump);
    g_free(r->model);
    g_strfreev(r->shapes);
    g_strfreev(r->constants);
    dla_compare_close(r->compare);
}

int dla_run(int argc, char **argv)
{
    struct runner r = { .last = -1 };
    char *soc = NULL, *config = NULL;
    const GOptionEntry entries[] = {
        { "input", 'i', 0, G_OPTION_ARG_FILENAME_ARRAY, &r.inputs, "fill the next input", "FILE" },
        { "output", 'o', 0, G_OPTION_ARG_FILENAME_ARRAY, &r.outputs, "write the next output",
          "FILE" },
        { "dump-layers", 0, 0, G_OPTION_ARG_FILENAME, &r.dump, "write every layer's result",
          "DIR" },
        { "compare", 0, 0, G_OPTION_ARG_FILENAME, &r.model,
          "print each layer's error against the ONNX model in floats", "MODEL.onnx" },
        { "shape", 0, 0, G_OPTION_ARG_STRING_ARRAY, &r.shapes,
          "of --compare: as for vtegra dla build", "NAME=1x3x224x224" },
        { "constant", 0, 0, G_OPTION_ARG_STRING_ARRAY, &r.constants,
          "of --compare: as for vtegra dla build", "NAME=FILE" },
        { "soc", 0, 0, G_OPTION_ARG_STRING, &soc, "refuse what this SoC cannot do", "SOC" },
        { "config", 0, 0, G_OPTION_ARG_STRING, &config,
          "hardware configuration, where the loadable does not say (nv_full, nv_small ...)",
          "NAME" },
        { "quiet", 'q', 0, G_OPTION_ARG_NONE, &r.quiet, "no progress, no summary", NULL },
        { NULL, 0, 0, 0, NULL, NULL, NULL }
    };
    int status = CMD_FOUND;

    if (!cmd_options(CMD, "LOADABLE [--input FILE]... [--output FILE]...", description, entries,
                     FALSE, &argc, &argv)) {
        return CMD_USAGE;
    }
    r.progress = !r.quiet && isatty(STDERR_FILENO);
    if (argc != 2 || ((r.shapes || r.constants) && !r.model)) {
        cmd_error(CMD, argc != 2 ? "one loadable; see vtegra dla run --help"
                                 : "--shape and --constant belong to --compare");
        status = CMD_USAGE;
    } else if ((!soc || soc_check(&r, soc)) && (r.f = dla_net_open(argv[1], &r.error)) &&
               run_all(&r, config)) {
        status = CMD_OK;
    }
    if (r.error) {
        cmd_error(CMD, "%s", r.error->message);
        g_error_free(r.error);
    }
    runner_free(&r);
    g_free(soc);
    g_free(config);
    return status;
}
