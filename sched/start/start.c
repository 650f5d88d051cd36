/* SPDX-License-Identifier: MIT */
#include "sched/start/start.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sched/calls/application.h"
#include "sched/calls/dispatch.h"
#include "sched/calls/real.h"
#include "sched/object/order.h"
#include "sched/processes/round.h"
#include "sched/turn/turn.h"

static int record = -1;
static pid_t owner;
static struct sched_shared *shared;

void sched_share(struct sched_shared *with)
{
    shared = with;
}

void sched_report_lost(int error)
{
    if (shared) {
        shared->report_error = error;
    }
}

static const char *start_env(const char *name, const char *otherwise)
{
    const char *value = getenv(name);

    return value && *value ? value : otherwise;
}

/* vtegra run has checked the words; a program started by hand gets a line and the default. */
static uint64_t env_number(const char *name, uint64_t otherwise)
{
    const char *text = start_env(name, NULL);
    char *end;
    uint64_t value;

    if (!text) {
        return otherwise;
    }
    value = strtoull(text, &end, 0);
    if (*end) {
        fprintf(stderr, "vtegra: %s=%s is no number\n", name, text);
        return otherwise;
    }
    return value;
}

static enum decide_strategy env_strategy(void)
{
    const char *text = start_env("VTEGRA_STRATEGY", "pct");

    if (strcmp(text, "pct") != 0 && strcmp(text, "random") != 0 && strcmp(text, "none") != 0) {
        fprintf(stderr, "vtegra: VTEGRA_STRATEGY=%s: must be one of pct, random, none\n", text);
    }
    return strcmp(text, "random") == 0 ? DECIDE_RANDOM
           : strcmp(text, "none") == 0 ? DECIDE_NONE
                                       : DECIDE_PCT;
}

static char *file_read(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    char *text = NULL;
    ssize_t n;

    if (fd >= 0 && fstat(fd, &st) == 0 && (text = malloc((size_t)st.st_size + 1)) != NULL) {
        n = REAL(read)(fd, text, (size_t)st.st_size);
        text[n > 0 ? n : 0] = '\0';
    }
    if (fd >= 0) {
        close(fd);
    }
    return text;
}

static bool is_seeded(void)
{
    return strcmp(start_env("VTEGRA_POLICY", "lazy"), "seeded") == 0;
}

static void start_begin(const struct decide_config *config, const char *schedule, int out)
{
    turn_init(config, schedule, out);
    dispatch_look();
    dispatch_begin(); /* does not survive fork() */
}

void sched_start(void)
{
    const char *schedule = start_env("VTEGRA_SCHEDULE", NULL),
               *out = start_env("VTEGRA_RECORD", NULL);
    struct decide_config config = {
        .strategy = env_strategy(),
        .seed = env_number("VTEGRA_SEED", 0) ^ round_mix(),
        .depth = (unsigned)env_number("VTEGRA_DEPTH", 2),
        .length = env_number("VTEGRA_LENGTH", 0),
        .evict = strcmp(start_env("VTEGRA_EVICT", "seeded"), "seeded") == 0,
    };
    char *text = NULL;

    if (!is_seeded()) {
        start_begin(NULL, NULL, -1);
        return;
    }
    if (schedule && !(text = file_read(schedule))) {
        fprintf(stderr, "vtegra: cannot read the schedule %s\n", schedule);
        _exit(125);
    }
    owner = getpid();
    record = out ? open(out, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666) : -1;
    start_begin(&config, text, record);
    if (shared) {
        decide_count_in(turn_decide(), &shared->counts);
    }
    free(text);
}

void sched_finish(void)
{
    struct decide *d = turn_decide();
    struct decide_counts c;
    char line[160];
    int n;

    if (!d || owner != getpid()) {
        return;
    }
    c = decide_counts(d);
    if (c.strayed && getenv("VTEGRA_SCHEDULE") && !shared) {
        fprintf(stderr,
                "vtegra: this run did not follow the schedule: %" PRIu64
                " of its decisions could not be made\n",
                c.strayed);
    }
    if (record >= 0) {
        n = snprintf(line, sizeof(line),
                     "end steps %" PRIu64 " switches %" PRIu64 " evictions %" PRIu64
                     " strayed %" PRIu64 "\n",
                     c.steps, c.switches, c.evictions, c.strayed);
        if (REAL(write)(record, line, (size_t)n) != n) {
            fprintf(stderr, "vtegra: the schedule could not be written\n");
        }
        close(record);
        record = -1;
    }
}

/* Until main() the default order: a copy of a program that stands before main() (forkserver.h) and
 * a program of its own make the same decisions after that. */
static __attribute__((constructor)) void start_start(void)
{
    static const struct decide_config by_number = { .strategy = DECIDE_NONE };

    start_begin(is_seeded() ? &by_number : NULL, NULL, -1);
}

static __attribute__((destructor)) void start_finish(void)
{
    sched_finish();
}

/* --- before main() ---------------------------------------------------------------------------- */

typedef int main_fn(int argc, char **argv, char **envp);
static main_fn *real_main;

static int main_wrapper(int argc, char **argv, char **envp)
{
    uintptr_t pc[2], main_pc;

    (void)envp;
    memcpy(&main_pc, &real_main, sizeof(main_pc));
    pc[0] = main_pc + 1;
    pc[1] = (uintptr_t)__builtin_return_address(0);
    if (!forkserver_run(pc, 2)) {
        forkserver_load();
        sched_start();
    }
    return application_main(real_main, argc, argv, environ);
}

typedef int start_main_fn(main_fn *main, int argc, char **argv, void (*init)(void),
                          void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

start_main_fn __libc_start_main;
SCHED_EXPORT int __libc_start_main(main_fn *main, int argc, char **argv, void (*init)(void),
                                   void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    start_main_fn *real;
    void *symbol = real_find("__libc_start_main", NULL);
    uintptr_t main_pc;

    memcpy(&main_pc, &main, sizeof(main_pc));
    order_main(main_pc, __builtin_frame_address(0));
    memcpy(&real, &symbol, sizeof(real));
    if (!getenv("VTEGRA_FORKSERVER") && !is_seeded()) {
        return real(main, argc, argv, init, fini, rtld_fini, stack_end);
    }
    real_main = main;
    return real(main_wrapper, argc, argv, init, fini, rtld_fini, stack_end);
}
