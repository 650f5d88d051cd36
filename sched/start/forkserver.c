/* SPDX-License-Identifier: MIT */
#include "sched/start/forkserver.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sched/calls/real.h"
#include "sched/start/start.h"
#include "sched/turn/turn.h"

static bool forkserver_get(int fd, void *to, size_t len)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = REAL(read)(fd, (char *)to + done, len - done);

        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            return false;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool forkserver_put(int fd, const void *from, size_t len)
{
    return REAL(write)(fd, from, len) == (ssize_t)len; /* less than a pipe takes at once */
}

static unsigned forkserver_tasks(void)
{
    DIR *dir = opendir("/proc/self/task");
    unsigned n = 0;

    while (dir && readdir(dir)) {
        n++;
    }
    if (dir) {
        closedir(dir);
    }
    return n > 2 ? n - 2 : 1; /* without . and .. */
}

static void env_number(const char *name, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRIu64, value);
    setenv(name, text, 1);
}

static void env_path(const char *name, const char *path)
{
    if (*path) {
        setenv(name, path, 1);
    } else {
        unsetenv(name);
    }
}

/* In the copy: become the run that the job describes. */
static void forkserver_become(const struct forkserver_job *job, struct sched_shared *shared)
{
    static const char *const strategies[] = { "pct", "random", "none" };
    int out = *job->output ? open(job->output, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    int null = open("/dev/null", O_RDWR);

    dup2(null, 0);
    dup2(out >= 0 ? out : null, 1);
    dup2(out >= 0 ? out : null, 2);
    close(null);
    close(out);
    unsetenv("VTEGRA_FORKSERVER");
    if (getenv("VTEGRA_FORKSERVER_BIND")) { /* vtegra explore's, not the user's */
        unsetenv("VTEGRA_FORKSERVER_BIND");
        unsetenv("LD_BIND_NOW");
    }
    env_number("VTEGRA_SEED", job->seed);
    env_number("VTEGRA_LENGTH", job->length);
    env_number("VTEGRA_DEPTH", job->depth);
    setenv("VTEGRA_STRATEGY", strategies[job->strategy % 3], 1);
    setenv("VTEGRA_POLICY", "seeded", 1);
    env_path("VTEGRA_JSON", job->json);
    env_path("VTEGRA_SCHEDULE", job->schedule);
    env_path("VTEGRA_RECORD", job->record);
    sched_share(shared);
    sched_start();
}

#define LOOK_MS 200u /* how often it is looked how much has been printed */

static bool prints_too_much(const char *output)
{
    struct stat st;

    return *output && stat(output, &st) == 0 && st.st_size > (off_t)FORKSERVER_OUTPUT_MAX;
}

/* Return: true if the time was over before it ended. One that prints without end is killed, too:
 * its output shows. */
static bool forkserver_await(pid_t child, const struct forkserver_job *job, int *status)
{
    struct pollfd fd = { .fd = (int)REAL(syscall)(SYS_pidfd_open, child, 0), .events = POLLIN };
    uint32_t left = job->timeout_ms ? job->timeout_ms : UINT32_MAX;
    bool ended = fd.fd < 0, too_much = false;

    while (!ended && !too_much && left) {
        uint32_t slice = left < LOOK_MS ? left : LOOK_MS;

        ended = REAL(poll)(&fd, 1, (int)slice) > 0;
        too_much = !ended && prints_too_much(job->output);
        left -= job->timeout_ms ? slice : 0;
    }
    close(fd.fd);
    if (!ended) {
        kill(child, SIGKILL);
    }
    while (REAL(waitpid)(child, status, 0) < 0 && errno == EINTR) {
    }
    return !ended && !too_much;
}

/* A program with a static CUDA runtime loads the driver at its first call: that is done once for
 * all runs, as is reading the board's profile and the debug information. A program without CUDA is
 * no worse for it. */
void *forkserver_load(void)
{
    bool outer = turn_self && turn_self->inside;
    void *driver, *core;

    if (turn_self) {
        turn_self->inside = true; /* what they lock is not the program's */
    }
    driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    core = driver ? dlopen("libvtegra.so", RTLD_NOW | RTLD_LOCAL) : NULL;
    if (turn_self) {
        turn_self->inside = outer;
    }
    return core;
}

static void forkserver_warm(const uintptr_t *pc, unsigned n)
{
    void (*rt_warm)(const uintptr_t *, unsigned) = NULL;
    void *core = forkserver_load();
    void *symbol = core ? dlsym(core, "rt_warm") : NULL;

    memcpy(&rt_warm, &symbol, sizeof(symbol));
    if (rt_warm) {
        rt_warm(pc, n);
    }
}

bool forkserver_run(const uintptr_t *pc, unsigned n)
{
    const char *fds = getenv("VTEGRA_FORKSERVER");
    struct forkserver_hello hello = { .version = FORKSERVER_VERSION };
    struct sched_shared *shared;
    struct forkserver_job job;
    int in, out;

    if (!fds || sscanf(fds, "%d,%d", &in, &out) != 2) {
        return false;
    }
    forkserver_warm(pc, n);
    hello.state = turn_board               ? FORKSERVER_HAS_BOARD
                  : forkserver_tasks() > 1 ? FORKSERVER_HAS_THREADS
                                           : FORKSERVER_READY;
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || !forkserver_put(out, &hello, sizeof(hello)) ||
        hello.state != FORKSERVER_READY) {
        _exit(125);
    }
    while (forkserver_get(in, &job, sizeof(job))) {
        struct forkserver_result result = { 0 };
        pid_t child;
        int status = 0;

        *shared = (struct sched_shared){ 0 };
        child = fork();
        if (child == 0 && job.bare) {
            REAL(syscall)(SYS_exit_group, 0);
        }
        if (child == 0) {
            close(in);
            close(out);
            forkserver_become(&job, shared);
            return true;
        }
        if (child < 0) {
            _exit(125);
        }
        result.timed_out = forkserver_await(child, &job, &status);
        result.status = status;
        result.counts = shared->counts;
        result.report_error = shared->report_error;
        if (!forkserver_put(out, &result, sizeof(result))) {
            break;
        }
    }
    _exit(0);
}
