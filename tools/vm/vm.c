/* SPDX-License-Identifier: MIT */
/* vtegra vm: what the arguments say. */
#include "tools/vm/vm.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiles/nearest.h"
#include "profiles/profile.h"
#include "tools/cmd.h"
#include "tools/paths.h"

enum verb { VERB_UP, VERB_RUN, VERB_CONSOLE, VERB_DOWN, VERB_LIST, VERB_XML, VERB_COUNT };

static const struct {
    const char *name, *usage, *summary;
} verbs[VERB_COUNT] = {
    [VERB_UP] = { "up", "- start a guest and come back when it is ready", "start a guest" },
    [VERB_RUN] = { "run",
                   "[--] PROGRAM [ARGUMENTS] - boot a guest, run a program in it, end with its "
                   "status",
                   "boot a guest, run a program in it, end with its status" },
    [VERB_CONSOLE] = { "console", "[NAME] - the console of a guest; Ctrl-] leaves",
                       "the console of a guest" },
    [VERB_DOWN] = { "down", "[NAME] - end a guest at once", "end a guest" },
    [VERB_LIST] = { "list", "- the guests: name, SoC, state", "the guests: name, SoC, state" },
    [VERB_XML] = { "xml", "- the definition that up would use, for a libvirt of your own",
                   "the definition that up would use, for a libvirt of your own" },
};

static const char description[] =
    "The guest is an aarch64 machine of stock QEMU with vtegra's device, run by libvirt. Without\n"
    "--connect libvirt's driver works inside this command and needs no daemon; its files and each\n"
    "guest's are in $VTEGRA_VM_DIR ($XDG_RUNTIME_DIR/vtegra, else /tmp/vtegra-UID).\n"
    "run: 125 means that vtegra could not do it, anything else is the program's own status.\n"
    "\n"
    "Examples:\n"
    "  vtegra vm run ./app-aarch64 input.ppm\n"
    "  vtegra vm run --soc tx2 --kernel stale_source.elf          a program without a system\n"
    "  vtegra vm up && vtegra vm console\n"
    "  vtegra vm xml >board.xml && virsh -c qemu:///system define board.xml";

static gboolean vm_absolute(char **path)
{
    if (*path) {
        char *full = g_canonicalize_filename(*path, NULL);

        g_free(*path);
        *path = full;
    }
    return TRUE;
}

static gboolean vm_readable(const char *option, const char *path)
{
    if (access(path, R_OK) == 0) {
        return TRUE;
    }
    cmd_error(VM_CMD, "--%s: %s: %s", option, path, g_strerror(errno));
    return FALSE;
}

/* Four bytes distinguish a program without a system from Linux' Image. */
static gboolean is_elf(const char *path)
{
    FILE *file = fopen(path, "rb");
    char magic[4] = { 0 };
    gboolean elf = file && fread(magic, 1, 4, file) == 4 && memcmp(magic, "\177ELF", 4) == 0;

    if (file) {
        fclose(file);
    }
    return elf;
}

/* Letters, digits, - and _, as a file's name and libvirt's. */
static gboolean name_check(const char *name)
{
    if (*name && *name != '-' && strlen(name) <= 50 &&
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") ==
            strlen(name) &&
        *name != '.') {
        return TRUE;
    }
    cmd_error(VM_CMD, "--name \"%s\": 1 to 50 letters, digits, -, _ and ., no - or . first", name);
    return FALSE;
}

static gboolean number_check(const char *option, int value, int min, int max)
{
    if (value >= min && value <= max) {
        return TRUE;
    }
    cmd_error(VM_CMD, "--%s %d: from %d to %d", option, value, min, max);
    return FALSE;
}

static gboolean soc_check(struct vm_options *o)
{
    GError *error = NULL;
    struct soc_profile *profile = profile_load(o->soc, &error);
    bool tegra;

    if (!profile) {
        cmd_error(VM_CMD, "%s", error->message);
        g_error_free(error);
        return FALSE;
    }
    tegra = profile->gpu.integrated && soc_profile_gpus(profile) == 1;
    if (!tegra) {
        cmd_error(VM_CMD, "%s %s: --soc orin, for example", o->soc,
                  profile->gpu.integrated ? "has two GPUs, and a guest has one"
                                          : "is an x86 PC; a guest is for Arm");
    }
    profile_free(profile);
    if (!tegra) {
        return FALSE;
    }
    return strchr(o->soc, '/') || g_str_has_suffix(o->soc, ".profile") ? vm_absolute(&o->soc)
                                                                       : TRUE;
}

/* The program that libvirt is to start. */
static gboolean qemu_find(struct vm_options *o)
{
    char *found = g_find_program_in_path(o->qemu ? o->qemu : "qemu-system-aarch64");

    if (!found) {
        cmd_error(VM_CMD,
                  "no program %s; it is in the package qemu-system-arm, --qemu names another one",
                  o->qemu ? o->qemu : "qemu-system-aarch64");
        return FALSE;
    }
    g_free(o->qemu);
    o->qemu = found;
    return vm_absolute(&o->qemu);
}

static void default_text(char **value, char *otherwise)
{
    if (*value) {
        g_free(otherwise);
    } else {
        *value = otherwise;
    }
}

static gboolean is_there(const char *dir, const char *file)
{
    char *path = g_build_filename(dir, file, NULL);
    gboolean there = access(path, R_OK) == 0;

    g_free(path);
    return there;
}

/* The guest that scripts/guest.sh makes: installed, beside the build folder, or where VTEGRA_GUEST
 * says. */
static gboolean guest_find(struct vm_options *o)
{
    static const char *const runtimes[] = { "guest.cpio", "../aarch64/guest.cpio" };
    const char *env = g_getenv("VTEGRA_GUEST");
    char *dirs[] = { g_strdup(env && *env ? env : "/nowhere"), paths_get("share/vtegra/guest"),
                     paths_get("../guest") };
    GPtrArray *bases = g_ptr_array_new();

    for (gsize i = 0; i < G_N_ELEMENTS(dirs) && !o->kernel; i++) {
        if (is_there(dirs[i], "vmlinuz") && is_there(dirs[i], "base.cpio")) {
            o->kernel = g_build_filename(dirs[i], "vmlinuz", NULL);
            g_ptr_array_add(bases, g_build_filename(dirs[i], "base.cpio", NULL));
        }
        for (gsize k = 0; k < G_N_ELEMENTS(runtimes) && o->kernel && bases->len == 1; k++) {
            if (is_there(dirs[i], runtimes[k])) {
                g_ptr_array_add(bases, g_build_filename(dirs[i], runtimes[k], NULL));
            }
        }
    }
    for (gsize i = 0; i < G_N_ELEMENTS(dirs); i++) {
        g_free(dirs[i]);
    }
    g_ptr_array_add(bases, NULL);
    o->bases = (char **)g_ptr_array_free(bases, FALSE);
    if (!o->kernel) {
        cmd_error(
            VM_CMD,
            "there is no guest: scripts/guest.sh makes one, VTEGRA_GUEST or --kernel and --initrd "
            "name another");
    }
    return o->kernel != NULL;
}

static gboolean kernel_find(struct vm_options *o)
{
    if (!o->kernel && !guest_find(o)) {
        return FALSE;
    }
    o->bare = is_elf(o->kernel);
    return vm_absolute(&o->kernel) && vm_absolute(&o->initrd) && vm_readable("kernel", o->kernel) &&
           (!o->initrd || vm_readable("initrd", o->initrd));
}

static gboolean plugin_find(struct vm_options *o)
{
    o->plugin = paths_get("lib/vtegra-qemu.so");
    if (access(o->plugin, R_OK) == 0) {
        return TRUE;
    }
    cmd_error(VM_CMD, "%s is missing: this vtegra was built without its part for QEMU", o->plugin);
    return FALSE;
}

/* Not root's $XDG_RUNTIME_DIR for a libvirt of its own: its QEMU runs as another user there. */
static void dir_find(struct vm_options *o)
{
    const char *dir = g_getenv("VTEGRA_VM_DIR"), *runtime = g_getenv("XDG_RUNTIME_DIR");

    if (dir && *dir) {
        o->dir = g_canonicalize_filename(dir, NULL);
    } else if (runtime && *runtime == '/' && !(o->others && geteuid() == 0)) {
        o->dir = g_build_filename(runtime, "vtegra", NULL);
    } else {
        o->dir = g_strdup_printf("/tmp/vtegra-%u", (unsigned)geteuid());
    }
}

/* What a new guest needs. */
static gboolean check_check(const struct vm_options *o)
{
    if (!o->check || strcmp(o->check, "on") == 0 || strcmp(o->check, "off") == 0) {
        return TRUE;
    }
    cmd_error(VM_CMD, "--check takes on or off, not %s", o->check);
    return FALSE;
}

static gboolean guest_check(struct vm_options *o)
{
    const char *profiles = g_getenv("VTEGRA_PROFILES"), *dir = g_getenv("VTEGRA_VM_DIR");
    g_autofree char *parent = dir && *dir ? g_path_get_dirname(o->dir) : NULL;

    if (parent && !g_file_test(parent, G_FILE_TEST_IS_DIR)) {
        cmd_error(VM_CMD, "VTEGRA_VM_DIR is %s, and there is no %s: make it, or mend the name",
                  o->dir, parent);
        return FALSE;
    }
    default_text(&o->soc, g_strdup("orin"));
    default_text(&o->cpu, g_strdup("cortex-a57"));
    o->profiles = profiles && *profiles ? g_canonicalize_filename(profiles, NULL) : NULL;
    if (!soc_check(o)) {
        return FALSE;
    }
    return number_check("memory", o->memory_mib, 64, 1 << 20) &&
           number_check("cpus", o->cpus, 1, 8) && qemu_find(o) && plugin_find(o) &&
           kernel_find(o) && check_check(o) && vm_absolute(&o->trace) && vm_absolute(&o->report);
}

/* The QEMU of another libvirt may run as another user. libvirt makes that user the owner of the
 * file; the folders above it have mode 0711: others can open a file in them, and list none. */
static gboolean folders_open(const struct vm_options *o, const char *dir)
{
    g_autofree char *vm = g_path_get_dirname(dir);
    const char *const all[] = { o->dir, vm, dir };

    for (gsize i = 0; o->others && i < G_N_ELEMENTS(all); i++) {
        if (chmod(all[i], 0711) != 0) {
            cmd_error(VM_CMD, "%s: %s", all[i], g_strerror(errno));
            return FALSE;
        }
    }
    return TRUE;
}

/* One file of the guest's archives and the program, in the guest's folder. @argv may be NULL. */
static gboolean initrd_make(struct vm_options *o, char **argv)
{
    char *dir = g_build_filename(o->dir, "vm", o->name, NULL);
    char *to = g_build_filename(dir, "initrd", NULL), *own[] = { o->initrd, NULL };
    GError *error = NULL;
    gboolean ok = FALSE;

    if (!o->initrd && !o->bases) {
        cmd_error(VM_CMD, "--kernel without --initrd: there is nothing that could start %s",
                  argv[0]);
    } else if (!cmd_folder_own(VM_CMD, o->dir, "VTEGRA_VM_DIR names another folder") ||
               !cmd_folder_own(VM_CMD, dir, "VTEGRA_VM_DIR names another folder") ||
               !folders_open(o, dir)) {
        ok = FALSE;
    } else if (!vm_initrd_write(o->initrd ? own : o->bases, to, argv, o->check, &error)) {
        cmd_error(VM_CMD, "%s", error->message);
        g_error_free(error);
        unlink(to);
    } else {
        g_free(o->initrd);
        o->initrd = g_strdup(to);
        ok = TRUE;
    }
    g_free(to);
    g_free(dir);
    return ok;
}

/* QEMU's stderr is a log of libvirt's: the report takes a file on its way to ours. NULL: it has
 * one. */
static char *report_place(struct vm_options *o)
{
    if (o->report || o->connect) {
        return NULL;
    }
    o->report = g_strdup_printf("%s/vm/%s/report", o->dir, o->name);
    unlink(o->report);
    return g_strdup(o->report);
}

static void report_show(char *path)
{
    char *text;

    if (path && g_file_get_contents(path, &text, NULL, NULL)) {
        fputs(text, stderr);
        unlink(path);
        g_free(text);
    }
    g_free(path);
}

static int vm_run(struct vm_options *o, char **argv)
{
    gboolean linux_guest = !o->bare;
    char *report;
    int status;

    if (*argv && strcmp(*argv, "--") == 0) {
        argv++;
    }
    if (o->bare ? *argv != NULL : *argv == NULL) {
        cmd_error(VM_CMD,
                  o->bare ? "run: %s is the program; there is no system that could start another"
                          : "run: which program? vtegra vm run [OPTIONS] -- PROGRAM",
                  o->kernel);
        return CMD_FAILED;
    }
    if (linux_guest && !initrd_make(o, argv)) {
        return CMD_FAILED;
    }
    report = report_place(o);
    status = vm_host_run(o);
    report_show(report);
    if (linux_guest) {
        unlink(o->initrd);
    }
    return status;
}

static int vm_xml(const struct vm_options *o)
{
    char *text = vm_domain_xml(o, NULL, NULL);

    fputs(text, stdout);
    g_free(text);
    return CMD_OK;
}

/* Options stand first; one NAME may follow where a guest is meant. */
static int verb_run(enum verb verb, struct vm_options *o, char **rest)
{
    gboolean named = verb == VERB_CONSOLE || verb == VERB_DOWN;

    if (named && *rest) {
        g_free(o->name);
        o->name = g_strdup(*rest++);
    }
    default_text(&o->name,
                 verb == VERB_RUN ? g_strdup_printf("run-%d", (int)getpid()) : g_strdup("vtegra"));
    o->others = verb == VERB_XML || o->connect;
    dir_find(o);
    if (*rest && verb != VERB_RUN) {
        cmd_error(VM_CMD, "%s: \"%s\" is too much; see vtegra vm %s --help", verbs[verb].name,
                  *rest, verbs[verb].name);
        return CMD_USAGE;
    }
    if (!name_check(o->name) || !number_check("timeout", o->timeout_s, 0, 1000000) ||
        ((verb == VERB_UP || verb == VERB_RUN || verb == VERB_XML) && !guest_check(o))) {
        return verb == VERB_RUN ? CMD_FAILED : CMD_USAGE;
    }
    if ((verb == VERB_UP || verb == VERB_XML) && o->bases && !initrd_make(o, NULL)) {
        return CMD_USAGE;
    }
    switch (verb) {
    case VERB_UP:
        return vm_host_up(o);
    case VERB_RUN:
        return vm_run(o, rest);
    case VERB_CONSOLE:
        return vm_host_console(o);
    case VERB_DOWN:
        return vm_host_down(o);
    case VERB_LIST:
        return vm_host_list(o);
    default:
        return vm_xml(o);
    }
}

static void options_free(struct vm_options *o)
{
    char *all[] = { o->check,  o->name,   o->soc,     o->policy, o->seed,    o->evict,
                    o->kernel, o->initrd, o->append,  o->qemu,   o->cpu,     o->plugin,
                    o->trace,  o->report, o->connect, o->dir,    o->profiles };

    for (gsize i = 0; i < G_N_ELEMENTS(all); i++) {
        g_free(all[i]);
    }
    g_strfreev(o->bases);
}

static int with_options(enum verb verb, int argc, char **argv)
{
    struct vm_options o = { .memory_mib = 1024, .cpus = 1 };
    const GOptionEntry entries[] = {
        { "name", 0, 0, G_OPTION_ARG_STRING, &o.name, "of the guest (vtegra)", "NAME" },
        { "connect", 0, 0, G_OPTION_ARG_STRING, &o.connect,
          "another libvirt, such as qemu:///session (the one inside this command)", "URI" },
        { "soc", 0, 0, G_OPTION_ARG_STRING, &o.soc, "virtual SoC, or a profile file (orin)",
          "SOC" },
        { "policy", 0, 0, G_OPTION_ARG_STRING, &o.policy,
          "when queued work runs: eager, lazy, seeded (eager)", "POLICY" },
        { "seed", 0, 0, G_OPTION_ARG_STRING, &o.seed, "the seed (1)", "N" },
        { "evict", 0, 0, G_OPTION_ARG_STRING, &o.evict,
          "when caches lose lines: never, lru, seeded (lru)", "EVICT" },
        { "check", 0, 0, G_OPTION_ARG_STRING, &o.check,
          "run: look for races and stale bytes in every access of the program: on, off (off)",
          "on|off" },
        { "kernel", 0, 0, G_OPTION_ARG_FILENAME, &o.kernel,
          "Linux' Image, or the ELF file of a program without a system", "FILE" },
        { "initrd", 0, 0, G_OPTION_ARG_FILENAME, &o.initrd, "of --kernel", "FILE" },
        { "append", 0, 0, G_OPTION_ARG_STRING, &o.append, "to Linux' command line", "TEXT" },
        { "pci", 0, 0, G_OPTION_ARG_NONE, &o.pci,
          "a program without a system finds the device on PCI, not at fixed addresses", NULL },
        { "memory", 0, 0, G_OPTION_ARG_INT, &o.memory_mib, "of the guest (1024)", "MIB" },
        { "cpus", 0, 0, G_OPTION_ARG_INT, &o.cpus, "of the guest (1)", "N" },
        { "cpu", 0, 0, G_OPTION_ARG_STRING, &o.cpu, "QEMU's model of it (cortex-a57)", "MODEL" },
        { "qemu", 0, 0, G_OPTION_ARG_FILENAME, &o.qemu, "which QEMU (qemu-system-aarch64)",
          "PROGRAM" },
        { "report", 0, 0, G_OPTION_ARG_FILENAME, &o.report,
          "the findings (QEMU's log, DIR/log/qemu/NAME.log)", "FILE" },
        { "trace", 0, 0, G_OPTION_ARG_FILENAME, &o.trace, "every event of the model", "FILE" },
        { "timeout", 0, 0, G_OPTION_ARG_INT, &o.timeout_s, "give up after so long (never)",
          "SECONDS" },
        { "verbose", 0, 0, G_OPTION_ARG_NONE, &o.verbose, "run: the whole console", NULL },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    char *cmd = g_strconcat(VM_CMD " ", verbs[verb].name, NULL);
    int status = verb == VERB_RUN ? CMD_FAILED : CMD_USAGE;

    if (cmd_options(cmd, verbs[verb].usage, description, entries, TRUE, &argc, &argv)) {
        status = verb_run(verb, &o, argv + 1);
    }
    options_free(&o);
    g_free(cmd);
    return status;
}

static void vm_usage(FILE *out)
{
    fputs("Usage: vtegra vm VERB [OPTIONS]\n\nVerbs:\n", out);
    for (size_t i = 0; i < VERB_COUNT; i++) {
        fprintf(out, "  %-8s %s\n", verbs[i].name, verbs[i].summary);
    }
    fputs("\nvtegra vm VERB --help says more.\n", out);
}

int cmd_vm(int argc, char **argv)
{
    const char *names[VERB_COUNT + 1] = { NULL };
    const char *near;

    if (argc < 2) {
        vm_usage(stderr);
        return CMD_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        vm_usage(stdout);
        return CMD_OK;
    }
    for (int i = 0; i < VERB_COUNT; i++) {
        names[i] = verbs[i].name;
        if (strcmp(argv[1], verbs[i].name) == 0) {
            return with_options((enum verb)i, argc - 1, argv + 1);
        }
    }
    near = nearest_word(argv[1], names);
    cmd_error(VM_CMD, "no verb \"%s\"%s%s%s (vtegra vm --help lists all)", argv[1],
              near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    return CMD_USAGE;
}
