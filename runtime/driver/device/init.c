/* SPDX-License-Identifier: MIT */
/* From the environment to a running board, and back at exit. */
#include "runtime/driver/core/channel.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/device/devices.h"
#include "runtime/driver/device/rt_device.h"
#include "runtime/driver/device/rt_init.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "model/rules/port.h"
#include "profiles/profile.h"
#include "ptx/ptx.h"
#include "runtime/driver/core/again.h"
#include "runtime/driver/core/board_agent.h"
#include "runtime/driver/core/core.h"
#include "runtime/driver/core/fence.h"
#include "runtime/driver/core/interrupt.h"
#include "runtime/driver/core/report.h"
#include "runtime/driver/core/rules.h"
#include "runtime/driver/core/turns.h"
#include "runtime/driver/device/context.h"
#include "runtime/driver/memory/memory_use.h"
#include "runtime/driver/memory/room.h"
#include "runtime/driver/module/fault.h"
#include "runtime/driver/module/module.h"
#include "runtime/observe/range.h"
#include "runtime/observe/sched_lookup.h"

static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;

static const char *init_env(const char *name, const char *otherwise)
{
    const char *value = getenv(name);

    return value && *value ? value : otherwise;
}

/* Of "N,M"; 0: there is none. */
static int exitcode_at(unsigned i)
{
    const char *at = init_env("VTEGRA_ERROR_EXITCODE", "0");

    if (i) {
        at = strchr(at, ',');
    }
    return at ? (int)strtol(at + i, NULL, 10) : 0;
}

static void G_GNUC_PRINTF(1, 2) complain(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fputs("vtegra: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
}

/* One word out of a list, or a line that says what could stand there. */
static int init_word(const char *name, const char *otherwise, const char *const *words)
{
    const char *value = init_env(name, otherwise);
    g_autofree char *list = g_strjoinv(", ", (char **)words);

    for (int i = 0; words[i]; i++) {
        if (!strcmp(words[i], value)) {
            return i;
        }
    }
    complain("%s=%s: must be one of %s", name, value, list);
    return -1;
}

static bool init_number(const char *name, uint64_t *value)
{
    const char *text = init_env(name, "0");
    char *end;

    *value = g_ascii_strtoull(text, &end, 0);
    if (*end || *text == '-') {
        complain("%s=%s: must be a number of at most 64 bits", name, text);
        return false;
    }
    return true;
}

static bool os_choose(void)
{
    const char *os = init_env("VTEGRA_OS", "linux");

    if (board_system_choose(os)) {
        return true;
    }
    complain("VTEGRA_OS=%s: %s runs %s", os, board_profile()->soc.name, board_profile()->soc.os);
    return false;
}

/* What the machine's board is stays so; a wish for another one is reported. */
static bool given_agrees(const char *name, const char *what)
{
    const char *wish = init_env(name, what);

    if (strcmp(wish, what) != 0) {
        complain("%s=%s: the board of this machine is %s, which a program cannot change (QEMU: "
                 "arguments of -plugin)",
                 name, wish, what);
        return false;
    }
    return true;
}

/* The library was found without `vtegra run`: say which board that gives. */
static void report_defaults(const struct check_config *check)
{
    struct hal_given given;

    if (!getenv("VTEGRA_SOC") && !check->quiet && !hal_given(&given)) {
        complain("started without `vtegra run`: the board is %s (%s), policy %s. Other boards: "
                 "vtegra run --soc NAME -- PROGRAM, or VTEGRA_SOC",
                 board_profile()->soc.name, board_profile()->soc.marketing, check->policy);
    }
}

/* Of rt_warm(): the profile that the run will most likely want. */
static struct {
    char *soc;
    struct soc_profile *profile;
} warmed;

static struct soc_profile *profile_get(const char *soc, GError **error)
{
    struct soc_profile *profile = g_strcmp0(warmed.soc, soc) == 0 ? warmed.profile : NULL;

    if (profile) {
        warmed.profile = NULL;
        return profile;
    }
    return profile_load(soc, error);
}

/* Also before the board is up. @own: to be freed. NULL: there is no such profile */
static const struct soc_profile *profile_peek(struct soc_profile **own)
{
    const struct soc_profile *known = board_profile() ? board_profile() : warmed.profile;

    *own = known ? NULL : profile_load(init_env("VTEGRA_SOC", "orin"), NULL);
    return known ? known : *own;
}

bool rt_gpu_integrated(void)
{
    struct soc_profile *own;
    const struct soc_profile *p = profile_peek(&own);
    bool integrated = !p || !soc_profile_discrete(p);

    profile_free(own);
    return integrated;
}

unsigned rt_gpus(void)
{
    struct soc_profile *own;
    const struct soc_profile *p = profile_peek(&own);
    unsigned n = p ? soc_profile_gpus(p) : 1;

    profile_free(own);
    return n;
}

int rt_gpu_ordinal(bool discrete)
{
    struct soc_profile *own;
    const struct soc_profile *p = profile_peek(&own);
    int found = p ? devices_visible_ordinal(p, discrete) : 0;

    profile_free(own);
    return found;
}

void rt_warm(const uintptr_t *pc, unsigned n)
{
    static const char ptx[] = ".version 8.0\n.target sm_50\n.address_size 64\n";
    struct ptx_error error;

    warmed.soc = g_strdup(getenv("VTEGRA_SOC"));
    warmed.profile = warmed.soc ? profile_load(warmed.soc, NULL) : NULL; /* cuInit() complains */
    ptx_module_free(ptx_parse(ptx, sizeof(ptx) - 1, &error));
    check_warm(pc, n);
}

/* What the run is; false after a line on stderr. */
/* Engines of this board that do not see the CPU's caches; 0 where the SoC's port cannot either. */
static uint64_t past_caches(const struct soc_profile *p)
{
    uint64_t agents = 0;

    for (unsigned a = 0; p->soc.io_coherent && a < BUS_AGENT_COUNT; a++) {
        agents |= (uint64_t)!rules_port_snoops(p, (enum bus_agent)a) << a;
    }
    return agents;
}

/* Whether races between a kernel's threads are looked for. Below compute capability 7.0 the lanes
 * of a warp go in step (CUDA Programming Guide, independent thread scheduling). */
static enum check_races races_of(const char *word, const struct soc_profile *p)
{
    if (strcmp(word, "off") == 0) {
        return CHECK_RACES_OFF;
    }
    return strcmp(word, "lockstep") == 0 || soc_profile_cc(p) < 70 ? CHECK_RACES_LOCKSTEP
                                                                   : CHECK_RACES_ON;
}

/* @shared: of a board with other processes: this one's number. In a guest the board is QEMU's. */
static void races_set(const struct check_config *config, uint32_t number)
{
    uint32_t flags = config->races_auto ? QMD_RACES_AUTO : 0;

    switch (check_races(core_check())) {
    case CHECK_RACES_OFF:
        flags = 0;
        break;
    case CHECK_RACES_LOCKSTEP:
        flags |= QMD_RACES | QMD_RACES_LOCKSTEP;
        break;
    case CHECK_RACES_ON:
        flags |= QMD_RACES;
        break;
    }
    launch_races_set(flags, number);
}

/* Where two GPUs are, the discrete one is the first. */
static void devices_make(struct soc_profile *board)
{
    unsigned all = soc_profile_gpus(board), order[2], n = devices_visible(board, order, NULL);

    for (unsigned i = 0; i < n; i++) {
        bool discrete = all > 1 && order[i] == 0;
        struct soc_profile *profile = discrete ? g_new(struct soc_profile, 1) : board;

        if (discrete) {
            *profile = soc_profile_gpu(board, 1);
        }
        device_add(profile, discrete ? UNIT_DGPU : UNIT_IGPU);
    }
    if (!n) {
        complain("CUDA_VISIBLE_DEVICES=%s leaves the program no GPU of %s, which has %u",
                 getenv("CUDA_VISIBLE_DEVICES"), board->soc.name, all);
    }
}

static bool init_configure(struct hal_config *hal, struct check_config *check)
{
    static const char *const policies[] = { "eager", "lazy", "seeded", NULL };
    static const char *const evictions[] = { "never", "lru", "seeded", NULL };
    static const char *const checks[] = { "auto", "on", "off", NULL };
    g_autoptr(GError) error = NULL;
    struct hal_given given = { .soc = "orin", .policy = HAL_POLICY_LAZY };
    bool settled = hal_given(&given);
    int policy = init_word("VTEGRA_POLICY", policies[given.policy], policies);
    int evict = init_word("VTEGRA_EVICT",
                          settled                       ? evictions[given.evict]
                          : policy == HAL_POLICY_SEEDED ? "seeded"
                                                        : "lru",
                          evictions);
    static const char *const classes_of[] = { "usual", "caches", "all", NULL };
    static const unsigned trace_classes[] = { 0, TRACE_ALL & ~(unsigned)TRACE_ACCESS, TRACE_ALL };
    /* In a guest each observed access costs an exit of the VM. */
    int hb = init_word("VTEGRA_CHECK", settled ? "auto" : "on", checks);
    static const char *const races_words[] = { "auto", "on", "off", "lockstep", NULL };
    int races = init_word("VTEGRA_RACES", "auto", races_words);
    static const char *const oob_words[] = { "finding", "fault", NULL };
    int oob = init_word("VTEGRA_OOB", "finding", oob_words);
    struct soc_profile *profile;
    uint64_t step_limit;
    const char *wrong;
    int classes = init_word("VTEGRA_TRACE_CLASSES", "usual", classes_of);

    if (settled && !(given_agrees("VTEGRA_SOC", given.soc) &&
                     given_agrees("VTEGRA_POLICY", policies[given.policy]) &&
                     given_agrees("VTEGRA_EVICT", evictions[given.evict]))) {
        return false;
    }
    if (policy < 0 || evict < 0 || hb < 0 || races < 0 || oob < 0 || classes < 0 ||
        !init_number("VTEGRA_SEED", &hal->seed) || !init_number("VTEGRA_STEP_LIMIT", &step_limit)) {
        return false;
    }
    profile = profile_get(init_env("VTEGRA_SOC", given.soc), &error);
    if (!profile) {
        complain("%s", error->message);
        return false;
    }
    board_begin(profile);
    if (!os_choose()) {
        return false;
    }
    if (oob == 1) {
        as_beside_faults();
    }
    devices_make(profile);
    core_run_set((enum hal_policy)policy, step_limit);
    wrong = memory_use_configure(soc_profile_system_bytes(profile), policy == HAL_POLICY_SEEDED);
    if (wrong) {
        complain("%s=%s: must be a number of MiB", wrong, getenv(wrong));
        return false;
    }
    hal->profile = profile;
    hal->policy = core_policy();
    hal->evict = (enum evict)evict;
    sched_configure(hal);
    *check = (struct check_config){
        .profile = profile,
        .os = board_system(),
        .policy = policies[policy],
        .evict = evictions[evict],
        .seed = hal->seed,
        .report_path = getenv("VTEGRA_REPORT"),
        .json_path = getenv("VTEGRA_JSON"),
        .json_if_found = !strcmp(init_env("VTEGRA_JSON_IF_FOUND", "0"), "1"),
        .trace_path = getenv("VTEGRA_TRACE"),
        .folder = getenv("VTEGRA_FOLDER"),
        .form_path = { [REPORT_SARIF] = getenv(report_forms[REPORT_SARIF].variable),
                       [REPORT_HTML] = getenv(report_forms[REPORT_HTML].variable) },
        .perfetto_path = getenv("VTEGRA_PERFETTO"),
        .trace_classes = trace_classes[classes],
        .quiet = !strcmp(init_env("VTEGRA_QUIET", "0"), "1"),
        .error_exitcode = exitcode_at(0),
        .unchecked_exitcode = exitcode_at(1),
        .suppressions_path = getenv("VTEGRA_SUPPRESSIONS"),
        .gen_suppressions = !strcmp(init_env("VTEGRA_GEN_SUPPRESSIONS", "0"), "1"),
        .safety = !strcmp(init_env("VTEGRA_SAFETY", "0"), "1"),
        .shared = !strcmp(init_env("VTEGRA_SHARED", "0"), "1"),
        .hb = (enum check_hb)hb,
        .races = races_of(races_words[races], profile),
        .races_auto = races == 0,
        .past_caches = past_caches(profile),
        .machine_sees_cpu = given.sees_cpu,
        .again = settled ? NULL : again_text(),
    };
    return true;
}

static void units_make(void)
{
    fault_init();
    hostop_init();
    stream_init();
    pool_init();
    interrupt_install();
}

/* Work that the program launched of its own will has not run. */
static bool work_pending(const struct channel *ch)
{
    const struct launched *l = channel_launched(ch);

    return !context_error(channel_context(ch)) && l->order &&
           !fence_reached((struct fence){ channel_fence(ch).id, l->threshold });
}

#define COPY_STEPS (1u << 20)

/* A call may return before its copy is done, and then nothing else makes the copy run: a board does
 * it all the same, and it may race with what came meanwhile. Only where races are looked for, and
 * nothing of the program's own is left that the copy might wait for. */
static void copies_finish(void)
{
    bool pending = !(check_mask(core_check()) & TRACE_ACCESS);

    for (unsigned i = 0; i < channel_count() && !pending; i++) {
        pending = work_pending(channel_nth(i));
    }
    for (unsigned i = 0; i < channel_count() && !pending; i++) {
        const struct channel *ch = channel_nth(i);

        if (!context_error(channel_context(ch))) {
            hal_wait(core_hal(), channel_fence(ch).id, channel_fence(ch).threshold, COPY_STEPS);
        }
    }
}

/* At exit, and before the process dies of a signal (runtime/observe). What was never waited for has
 * not run under the lazy policy: that is worth a line, because a board would have begun it. Work of
 * the driver's own that is left (a pageable copy that was staged, a stream-ordered free) is not. */
static void report_pending(void)
{
    const struct launched *last = NULL;
    g_autofree char *text = NULL;
    unsigned n = 0;
    struct check_finding f;

    for (unsigned i = 0; i < channel_count(); i++) {
        const struct channel *ch = channel_nth(i);
        const struct launched *l = channel_launched(ch);

        if (!work_pending(ch)) {
            continue;
        }
        n++;
        last = !last || l->order > last->order ? l : last;
    }
    if (!n || core_lost()) {
        return;
    }
    text = g_strdup_printf(
        "the program ends while %u stream%s still had work that was never waited for%s", n,
        n == 1 ? "" : "s", n == 1 ? "" : "; the newest was launched here");
    f = check_finding_of(CHECK_RULE_UNFINISHED_WORK);
    f.text = text;
    f.grid_id = last->grid_id;
    f.caller = last->caller;
    check_finding(core_check(), &f);
}

static void init_teardown(int status, void *unused)
{
    int wanted;

    (void)unused;
    if (!core_is_up() || !core_is_owner()) {
        return;
    }
    sched_orders_note();
    core_free_report();
    if (core_lock_to_exit()) { /* if not, report all the same */
        interrupt_service();
        copies_finish();
        hal_cpu_lease_end(core_hal());
        sched_board_down();
        report_pending();
        core_ends();
        core_unlock();
    } else {
        core_ends();
    }
    check_ends(core_check(), status, NULL);
    check_close(core_check());
    /* From a handler of exit(): glibc runs the handlers that are left and takes the new status
     * (exit(3), NOTES). */
    wanted = check_exit_status(core_check(), status);
    if (wanted != status) {
        exit(wanted);
    }
}

/* Thor: pageable memory. */
static void pageable_open(void)
{
    for (unsigned i = 0; i < device_count(); i++) {
        uint32_t id;

        if (device_pageable_open(device_nth(i), &id)) {
            check_pageable(core_check(), id);
        }
    }
}

/* For /proc/meminfo, from any thread, at any time: no lock, one word. */
static void memory_figures_now(struct memory_figures *out)
{
    room_figures(HAL_MEM_PINNED, out);
}

static CUresult bring_up(void)
{
    struct hal_config hal = { 0 };
    struct check_config check;
    uint64_t arena_base, arena_size, board;
    uint32_t process;
    bool others;

    if (!init_configure(&hal, &check)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    if (!device_count()) {
        g_free(check.again);
        return devices_none(board_profile());
    }
    report_defaults(&check);
    core_begins();
    core_check_open(&check);
    g_free(check.again);
    if (!core_hal_open(&hal)) {
        complain("the board of %s does not come up", board_profile()->soc.name);
        return CUDA_ERROR_NO_DEVICE;
    }
    others = hal_shared_board(core_hal(), &board, &process);
    if (others) {
        check_others(core_check());
    }
    if (others && check.shared) {
        check_process(core_check(), process);
    }
    races_set(&check, others ? process : 0);
    hal_observe(core_hal(), check_mask(core_check()), check_sink, core_check());
    hal_spare(core_hal(), check_spare(core_check()));
    check_fault_install(core_check(), core_hal(), NULL, NULL);
    hal_arena_bounds(core_hal(), &arena_base, &arena_size);
    check_hooks_install(core_check(), core_hal(), arena_base, arena_size);
    pageable_open();
    check_memory_files(memory_figures_now);
    units_make();
    sched_board_up();
    return CUDA_SUCCESS;
}

CUresult rt_init(unsigned flags)
{
    CUresult error;
    int cancel;

    if (flags) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel); /* it reads files */
    pthread_mutex_lock(&init_lock);
    if (core_life() == CORE_NEW) {
        core_began(bring_up());
        if (core_is_up()) {
            on_exit(init_teardown, NULL); /* atexit() would not say the status */
            pthread_atfork(NULL, NULL, core_forked);
        }
    }
    error = core_state();
    pthread_mutex_unlock(&init_lock);
    pthread_setcancelstate(cancel, NULL);
    return error;
}

/* Once a name. @name lives for ever. */
static bool say_first(const char *name)
{
    static pthread_mutex_t said_lock = PTHREAD_MUTEX_INITIALIZER;
    static GHashTable *said;
    bool first;

    pthread_mutex_lock(&said_lock);
    if (!said) {
        said = g_hash_table_new(g_str_hash, g_str_equal);
    }
    first = g_hash_table_add(said, (void *)name);
    pthread_mutex_unlock(&said_lock);
    return first;
}

void rt_say_once(const char *what, const char *why)
{
    what = g_intern_string(what);
    if (say_first(what)) {
        complain("%s: %s", what, why);
    }
}

void rt_machine_code_only(const char *library)
{
    static const char why[] = "has machine code only, which only a GPU runs: its calls fail with "
                              "its own errors";

    library = g_intern_string(library);
    if (say_first(library)) {
        complain("%s %s", library, why);
        check_api_note(core_check(), &(struct check_note){ .kind = CHECK_NOTE_UNSUPPORTED,
                                                           .api = library,
                                                           .detail = why,
                                                           .caller = check_caller_get() });
    }
}

/* What this board does not have is a finding; what vtegra does not have is a line, once a name. */
CUresult rt_unsupported(const char *api)
{
    const struct rule *rule = rule_find(api);

    if (rule && core_check() && strcmp(rule->section, "vtegra") != 0) {
        return rule_check(api);
    }
    if (say_first(api)) {
        struct check_caller caller = check_caller_get();
        g_autofree char *called = check_called(core_check(), api, &caller);

        complain("%s: %s", called, rule ? rule->text : "not supported by vtegra");
        check_api_note(core_check(), &(struct check_note){
                                         .kind = CHECK_NOTE_UNSUPPORTED,
                                         .api = api,
                                         .detail = rule ? rule->text : "not supported by vtegra",
                                         .section = rule ? rule->section : NULL,
                                         .caller = caller,
                                     });
    }
    return report_known(rule ? rule->result : CUDA_ERROR_NOT_SUPPORTED);
}
