/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entry: what QEMU calls when it loads the plugin, and the arguments behind -plugin vtegra-qemu.so.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiles/profile.h"
#include "qemu-plugin/board.h"
#include "qemu-plugin/calibrate.h"

__attribute__((visibility("default"))) int
qemu_plugin_install(qemu_plugin_id_t id, const struct plugin_info *info, int argc, char **argv);

static bool number_parse(const char *text, uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == '\0' && *text != '-';
}

static bool choice_parse(const char *text, const char *const *names, unsigned n, unsigned *choice)
{
    for (unsigned i = 0; i < n; i++) {
        if (strcmp(text, names[i]) == 0) {
            *choice = i;
            return true;
        }
    }
    return false;
}

static bool track_parse(const char *text, struct options *opt)
{
    char *address = g_strdup(text), *plus = strchr(address, '+');
    bool ok = plus != NULL;

    if (ok) {
        *plus = '\0';
        ok = number_parse(address, &opt->track_pa) && number_parse(plus + 1, &opt->track_bytes) &&
             opt->track_pa % PAGE == 0 && opt->track_bytes % PAGE == 0 && opt->track_bytes != 0;
    }
    g_free(address);
    return ok;
}

static bool text_take(char **to, const char *value)
{
    g_free(*to);
    *to = g_strdup(value);
    return *value != '\0';
}

/* Return: what would be right, NULL if it is; "" for an unknown name. */
static const char *option_parse(const char *name, const char *value, struct options *opt,
                                char **soc)
{
    static const char *const policies[] = { "eager", "lazy", "seeded" };
    static const char *const evicts[] = { "never", "lru", "seeded" };
    static const char *const off_on[] = { "off", "on" };
    unsigned choice;

    if (strcmp(name, "soc") == 0) {
        return text_take(soc, value) ? NULL : "a name as orin, or a profile's file";
    }
    if (strcmp(name, "policy") == 0) {
        bool ok = choice_parse(value, policies, 3, &choice);

        opt->policy = ok ? (enum policy)choice : opt->policy;
        return ok ? NULL : "eager, lazy or seeded";
    }
    if (strcmp(name, "evict") == 0) {
        bool ok = choice_parse(value, evicts, 3, &choice);

        opt->evict = ok ? (enum evict)choice : opt->evict;
        return ok ? NULL : "never, lru or seeded";
    }
    if (strcmp(name, "platform") == 0 || strcmp(name, "cpu") == 0) {
        bool ok = choice_parse(value, off_on, 2, &choice);

        *(name[0] == 'p' ? &opt->platform : &opt->cpu) = ok && choice;
        return ok ? NULL : "on or off";
    }
    if (strcmp(name, "seed") == 0) {
        return number_parse(value, &opt->seed) ? NULL : "a number";
    }
    if (strcmp(name, "track") == 0) {
        return track_parse(value, opt) ? NULL : "ADDRESS+BYTES, both multiples of 4096";
    }
    if (strcmp(name, "trace") == 0) {
        return text_take(&opt->trace, value) ? NULL : "a file";
    }
    if (strcmp(name, "report") == 0) {
        return text_take(&opt->report, value) ? NULL : "a file";
    }
    if (strcmp(name, "elf") == 0) {
        return text_take(&opt->elf, value) ? NULL : "a file";
    }
    if (strcmp(name, "ivshmem") == 0) {
        return text_take(&opt->ivshmem, value) ? NULL : "the file of the shared memory";
    }
    if (strcmp(name, "ram") == 0) {
        return text_take(&opt->ram, value) ? NULL : "the file of the machine's RAM";
    }
    return "";
}

/* What excludes what. */
static bool options_fit(struct options *opt)
{
    const char *wrong = NULL;

    if (!opt->ivshmem != !opt->ram) {
        wrong = "ivshmem=FILE and ram=FILE belong together";
    } else if (opt->ivshmem && opt->platform) {
        wrong = "ivshmem= and platform=on exclude each other";
    } else if (opt->ivshmem && opt->track_bytes) {
        wrong = "ivshmem= and track= exclude each other: write to TRACK";
    }
    if (wrong) {
        fprintf(stderr, "vtegra: %s\n", wrong);
    }
    if (opt->ivshmem && opt->cpu && !calibrate_registers()) {
        fprintf(stderr,
                "vtegra: this QEMU's plugin interface does not show the CPU's registers, as it "
                "does from 9.0 on: the CPU's caches are not seen (cpu=off says so)\n");
        opt->cpu = false;
    }
    return !wrong;
}

static bool options_parse(int argc, char **argv, struct options *opt)
{
    g_autofree char *soc = g_strdup("orin");
    g_autoptr(GError) error = NULL;

    *opt = (struct options){ .evict = EVICT_LRU, .seed = 1, .cpu = true };
    for (int i = 0; i < argc; i++) {
        g_auto(GStrv) part = g_strsplit(argv[i], "=", 2);
        const char *wrong = option_parse(part[0], part[1] ? part[1] : "", opt, &soc);

        if (wrong && *wrong) {
            fprintf(stderr, "vtegra: %s is wrong: %s= takes %s\n", argv[i], part[0], wrong);
            return false;
        }
        if (wrong) {
            fprintf(stderr,
                    "vtegra: unknown argument %s; there are soc, policy, seed, evict, platform, "
                    "track, cpu, "
                    "trace, report, elf, ivshmem, ram\n",
                    argv[i]);
            return false;
        }
    }
    opt->profile = profile_load(soc, &error);
    if (!opt->profile) {
        fprintf(stderr, "vtegra: %s\n", error->message);
        return false;
    }
    if (!opt->profile->gpu.integrated) {
        fprintf(stderr, "vtegra: soc=%s is an x86 PC; a guest is for Arm\n", soc);
        return false;
    }
    if (soc_profile_gpus(opt->profile) > 1) {
        fprintf(stderr, "vtegra: soc=%s has two GPUs, and a guest has one\n", soc);
        return false;
    }
    return options_fit(opt);
}

static void machine_reset(void *opaque)
{
    (void)opaque;
    board_reset();
}

static void machine_ready(struct notifier *n, void *data)
{
    (void)n;
    (void)data;
    cpu_machine_ready();
    if (board.opt.platform && !platform_map()) {
        exit(1);
    }
    board_ram_find();
    qemu_register_reset(machine_reset, NULL);
}

static void qemu_ends(qemu_plugin_id_t id, void *data)
{
    (void)id;
    (void)data;
    board_lock();
    report_close();
    board_unlock();
}

int qemu_plugin_install(qemu_plugin_id_t id, const struct plugin_info *info, int argc, char **argv)
{
    static struct notifier ready = { .notify = machine_ready };
    struct options opt;

    if (!info->system_emulation || strcmp(info->target_name, "aarch64") != 0) {
        fprintf(stderr, "vtegra: this plugin is for qemu-system-aarch64, not %s%s\n",
                info->system_emulation ? "qemu-system-" : "qemu-", info->target_name);
        return -1;
    }
    if (!options_parse(argc, argv, &opt) ||
        !(opt.ivshmem ? calibrate_public() : calibrate_symbols(opt.cpu) && device_register())) {
        return -1;
    }
    board_init(&opt);
    if (opt.elf && !line_open(opt.elf)) {
        return -1;
    }
    if ((opt.cpu && !cpu_start(id)) || (opt.ivshmem && !shared_start(id))) {
        return -1;
    }
    qemu_plugin_register_atexit_cb(id, qemu_ends, NULL);
    if (!opt.ivshmem) {
        qemu_add_machine_init_done_notifier(&ready);
    }
    return 0;
}
