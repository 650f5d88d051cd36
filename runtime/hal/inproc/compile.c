/* SPDX-License-Identifier: MIT */
/* When kernels are compiled, and by which process; see compile.h. */
#include "runtime/hal/inproc/compile.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/soc.h"

#define COMPILER "clang-19"
/* About a third of a second of interpretation: what a compiler takes. */
#define WARM_INSTS (UINT64_C(8) << 20)
#define STACK_BYTES (64u << 10)
#define CACHE_BYTES (UINT64_C(512) << 20)
/* A compiler that takes longer hangs. The longest module allowed takes it some 20 s. */
#define LIMIT_SECONDS 300
#define STATUS_HANGS 2

/* As model/igpu/CMakeLists.txt compiles the handlers; the SoC adds the vector width. */
#define FLAGS                                                                          \
    "-std=gnu17 -O2 -w -fPIC -shared -nostdlib -fvisibility=hidden -ffp-contract=off " \
    "-fno-strict-aliasing -fno-trapping-math -fno-math-errno -fno-stack-protector "    \
    "-fno-asynchronous-unwind-tables -Werror=frame-larger-than=131072 "                \
    "-Wl,-z,defs,-z,norelro,-z,separate-code,-z,noexecstack,--hash-style=gnu "         \
    "-Wl,--build-id=none,-s,-e,native_door"

/* One compilation */
struct job {
    uint64_t code_id;
    char key[CACHE_KEY_CHARS + 1];
    int place;                      /* descriptor of @folder */
    char *folder, *source, *object; /* paths */
    char **argv, *environment[4];
    unsigned limit; /* seconds */
    void *stack;
    pid_t pid;               /* of the process between; 0: waits for its turn */
    volatile pid_t compiler; /* also of its group; 0: none yet */
};

struct compile {
    struct soc *soc;
    bool wait, complained;
    unsigned limit;
    char *folder, *compiler, *headers;
    GQueue jobs; /* struct job; the first is running */
};

/* Once: from here on everything is interpreted, as with VTEGRA_COMPILE=off. */
static void compile_complain(struct compile *c, const char *what, int err)
{
    if (!c->complained) {
        fprintf(stderr, "vtegra: kernels are interpreted, not compiled: %s%s%s\n", what,
                err ? ": " : "", err ? g_strerror(err) : "");
    }
    c->complained = true;
}

/* --- a process --- */

#if defined(__x86_64__)

/* A system call, and no more: errno belongs to the program's threads. Return: -errno on failure. */
static inline long compile_call(long number, long a, long b, long c, long d)
{
    register long r10 __asm__("r10") = d;
    long r;

    __asm__ volatile("syscall"
                     : "=a"(r)
                     : "0"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                     : "rcx", "r11", "memory");
    return r;
}

static void compiler_become(const struct job *job)
{
    static const uint64_t no_signals;
    long null = compile_call(SYS_open, (long)"/dev/null", O_RDWR, 0, 0);

    for (long fd = 0; fd < 3; fd++) {
        compile_call(SYS_dup2, null, fd, 0, 0);
    }
    compile_call(SYS_setpgid, 0, 0, 0, 0); /* its own processes end with it */
    compile_call(SYS_close_range, 3, (long)~0u, 0, 0);
    compile_call(SYS_setpriority, PRIO_PROCESS, 0, 10, 0);
    compile_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&no_signals, 0, sizeof(no_signals));
    compile_call(SYS_execve, (long)job->argv[0], (long)job->argv, (long)job->environment, 0);
    compile_call(SYS_exit, 127, 0, 0, 0);
}

static long monotonic_seconds(void)
{
    struct timespec t = { 0 };

    compile_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&t, 0, 0);
    return t.tv_sec;
}

/* Return: false: it hangs, and was killed. */
static bool compiler_wait(const struct job *job, long pid, int *status)
{
    static const struct timespec pause = { .tv_nsec = 2000000 };
    long start = monotonic_seconds(), r;
    bool late = false;

    do {
        r = compile_call(SYS_wait4, pid, (long)status, __WALL | (late ? 0 : WNOHANG), 0);
        if (r == 0) {
            late = monotonic_seconds() - start >= (long)job->limit;
            if (late) {
                compile_call(SYS_kill, -pid, SIGKILL, 0, 0);
            } else {
                compile_call(SYS_nanosleep, (long)&pause, 0, 0, 0);
            }
        }
    } while (r == 0 || r == -EINTR);
    return !late;
}

/* A process between the program and the compiler: the compiler's end is a SIGCHLD, and what wait()
 * finds, for this one alone. It shares the program's memory and uses none of it but @opaque. */
static int compile_between(void *opaque)
{
    struct job *job = opaque;
    int status = -1;
    long pid = compile_call(SYS_vfork, 0, 0, 0, 0);

    if (pid == 0) {
        compiler_become(job);
    }
    job->compiler = pid > 0 ? (pid_t)pid : 0;
    if (pid > 0 && !compiler_wait(job, pid, &status)) {
        return STATUS_HANGS;
    }
    return status == 0 ? 0 : 1;
}

/* It ends without a signal, and only __WCLONE waits for it. */
static void compile_spawn(struct job *job)
{
    sigset_t all, old;

    job->stack =
        mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    job->pid = -1;
    if (job->stack != MAP_FAILED) {
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &old);
        job->pid = clone(compile_between, (uint8_t *)job->stack + STACK_BYTES, CLONE_VM, job);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
    }
}

#else /* the SoC asks for no code there: grid_compile_flags() */

static void compile_spawn(struct job *job)
{
    job->pid = -1;
    errno = ENOSYS;
}

#endif

/* How a compilation ended */
enum outcome { GOOD, FAILED, HANGS };

/* Return: true when it has ended */
static bool compile_ended(struct job *job, bool wait, enum outcome *outcome)
{
    int status = 0;
    pid_t pid;

    do {
        pid = waitpid(job->pid, &status, __WCLONE | (wait ? 0 : WNOHANG));
    } while (pid < 0 && errno == EINTR);
    *outcome = pid != job->pid || !WIFEXITED(status) ? FAILED
               : WEXITSTATUS(status) == STATUS_HANGS ? HANGS
               : WEXITSTATUS(status) == 0            ? GOOD
                                                     : FAILED;
    return pid != 0;
}

/* --- jobs --- */

static void job_free(struct job *job)
{
    if (job->place >= 0) {
        workplace_close(job->place, job->folder);
    }
    if (job->stack && job->stack != MAP_FAILED) {
        munmap(job->stack, STACK_BYTES);
    }
    g_free(job->folder);
    g_free(job->source);
    g_free(job->object);
    g_free(job->environment[0]);
    g_strfreev(job->argv);
    g_free(job);
}

static void job_start(struct compile *c, struct job *job)
{
    compile_spawn(job);
    if (job->pid < 0) {
        compile_complain(c, "cannot start " COMPILER, errno);
    }
}

/* What its compiler has left: into the cache, and into memory. */
static code_door *job_finish(struct compile *c, struct job *job, enum outcome outcome)
{
    g_autofree char *code = NULL, *part = g_build_filename(job->folder, "entry", NULL);
    size_t len = 0;
    code_door *door;
    int err;

    if (outcome == HANGS) {
        g_autofree char *late = g_strdup_printf(
            COMPILER " had not ended after %u s (VTEGRA_COMPILE_SECONDS)", job->limit);

        compile_complain(c, late, 0);
        return NULL;
    }
    if (outcome == FAILED || !g_file_get_contents(job->object, &code, &len, NULL)) {
        compile_complain(c, COMPILER " failed", 0);
        return NULL;
    }
    door = code_map((const uint8_t *)code, len);
    if (!door) {
        compile_complain(c, "what " COMPILER " made cannot be mapped", 0);
        return NULL;
    }
    err = cache_write(c->folder, job->key, part, code, len);
    if (err) {
        compile_complain(c, c->folder, -err);
    }
    cache_trim(c->folder, CACHE_BYTES);
    return door;
}

/* The same text, compiler and processor features give the same code. The compiler is known by its
 * file: asking for its version would take a process. */
static void key_make(struct compile *c, const char *text, const char *flags, char key[])
{
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    struct stat s = { 0 };
    g_autofree char *compiler = NULL;

    if (stat(c->compiler, &s) != 0) {
        s.st_size = 0;
    }
    compiler =
        g_strdup_printf("%s %lld %lld", c->compiler, (long long)s.st_size, (long long)s.st_mtime);
    for (const char *const *p =
             (const char *const[]){ NATIVE_ABI, FLAGS, flags, compiler, text, NULL };
         *p; p++) {
        g_checksum_update(sum, (const guchar *)*p, (gssize)strlen(*p) + 1);
    }
    g_strlcpy(key, g_checksum_get_string(sum), CACHE_KEY_CHARS + 1);
    g_checksum_free(sum);
}

static struct job *job_new(struct compile *c, uint64_t code_id, const char *key, const char *text,
                           const char *flags)
{
    static char path[] = "PATH=/usr/bin:/bin", locale[] = "LC_ALL=C";
    struct job *job = g_new0(struct job, 1);
    g_autofree char *all = g_strjoin(" ", FLAGS, flags, NULL);
    GPtrArray *argv = g_ptr_array_new();
    char **words = g_strsplit(all, " ", -1);

    job->code_id = code_id;
    g_strlcpy(job->key, key, sizeof(job->key));
    job->limit = c->limit;
    job->place = workplace_open(c->folder, &job->folder);
    if (job->place < 0) {
        compile_complain(c, c->folder, -job->place);
        g_strfreev(words);
        g_ptr_array_unref(argv);
        job_free(job);
        return NULL;
    }
    job->source = g_build_filename(job->folder, "code.c", NULL);
    job->object = g_build_filename(job->folder, "code.so", NULL);
    job->environment[0] = g_strconcat("TMPDIR=", job->folder, NULL);
    job->environment[1] = path;
    job->environment[2] = locale;
    g_ptr_array_add(argv, g_strdup(c->compiler));
    for (char **w = words; *w; w++) {
        g_ptr_array_add(argv, *w);
    }
    g_free(words);
    g_ptr_array_add(argv, g_strdup_printf("-I%s", c->headers));
    g_ptr_array_add(argv, g_strdup("-o"));
    g_ptr_array_add(argv, g_strdup(job->object));
    g_ptr_array_add(argv, g_strdup(job->source));
    g_ptr_array_add(argv, NULL);
    job->argv = (char **)g_ptr_array_free(argv, FALSE);
    if (!g_file_set_contents(job->source, text, -1, NULL)) {
        compile_complain(c, c->folder, errno);
        g_clear_pointer(&job, job_free);
    }
    return job;
}

static soc_door *compile_wanted(void *opaque, uint64_t code_id, const char *text, const char *flags)
{
    struct compile *c = opaque;
    char key[CACHE_KEY_CHARS + 1];
    code_door *door = NULL;
    struct job *job;
    enum outcome outcome;
    GBytes *kept;

    if (c->complained) {
        return NULL;
    }
    key_make(c, text, flags, key);
    kept = cache_read(c->folder, key);
    if (kept) {
        door = code_map(g_bytes_get_data(kept, NULL), g_bytes_get_size(kept));
        g_bytes_unref(kept);
    }
    job = door ? NULL : job_new(c, code_id, key, text, flags);
    if (!job) {
        return door;
    }
    if (c->wait) {
        job_start(c, job);
        door =
            job->pid > 0 && compile_ended(job, true, &outcome) ? job_finish(c, job, outcome) : NULL;
        job_free(job);
        return door;
    }
    g_queue_push_tail(&c->jobs, job);
    return NULL;
}

void compile_poll(struct compile *c)
{
    struct job *job = g_queue_peek_head(&c->jobs);
    enum outcome outcome = FAILED;
    code_door *door;

    if (!job) {
        return;
    }
    if (job->pid == 0) {
        job_start(c, job);
    }
    if (job->pid > 0 && !compile_ended(job, false, &outcome)) {
        return;
    }
    door = job->pid > 0 ? job_finish(c, job, outcome) : NULL;
    if (door) {
        soc_compiled(c->soc, job->code_id, door);
    }
    g_queue_pop_head(&c->jobs);
    job_free(job);
}

/* --- life --- */

/* <folder of this library>/../share/vtegra/native, as profiles are found */
static char *headers_find(void)
{
    static const char anchor;
    Dl_info info;
    g_autofree char *real = NULL;
    g_autofree char *folder = NULL;
    g_autofree char *body = NULL;
    char *found = NULL;

    if (dladdr(&anchor, &info) && (real = realpath(info.dli_fname, NULL))) {
        folder = g_path_get_dirname(real);
        found = g_build_filename(folder, "..", "share", "vtegra", "native", NULL);
        body = g_build_filename(found, "model", "igpu", "native_body.h", NULL);
        if (!g_file_test(body, G_FILE_TEST_EXISTS)) {
            g_clear_pointer(&found, g_free);
        }
    }
    return found;
}

/* VTEGRA_COMPILE_SECONDS, 1 .. 1 day */
static unsigned limit_read(void)
{
    const char *text = g_getenv("VTEGRA_COMPILE_SECONDS");
    guint64 seconds = LIMIT_SECONDS;

    if (text && *text && !g_ascii_string_to_unsigned(text, 10, 1, 86400, &seconds, NULL)) {
        fprintf(stderr, "vtegra: VTEGRA_COMPILE_SECONDS=%s: must be 1 to 86400; %u is taken\n",
                text, LIMIT_SECONDS);
        seconds = LIMIT_SECONDS;
    }
    return (unsigned)seconds;
}

struct compile *compile_new(struct soc *soc)
{
    const char *mode = g_getenv("VTEGRA_COMPILE");
    struct compile *c;

    if (!mode || !*mode || strcmp(mode, "off") == 0) {
        return NULL;
    }
    if (strcmp(mode, "on") != 0 && strcmp(mode, "wait") != 0) {
        fprintf(stderr, "vtegra: VTEGRA_COMPILE=%s: must be off, on or wait; off is taken\n", mode);
        return NULL;
    }
    c = g_new0(struct compile, 1);
    c->soc = soc;
    c->wait = mode[0] == 'w';
    c->limit = limit_read();
    c->compiler = g_find_program_in_path(COMPILER);
    c->headers = headers_find();
    c->folder = cache_folder();
    if (!c->folder) {
        compile_complain(c, "no cache folder", errno);
    } else if (!c->compiler || !c->headers) {
        compile_complain(
            c, c->compiler ? "share/vtegra/native is missing" : "there is no " COMPILER, 0);
    } else {
        workplace_sweep(c->folder);
        soc_compile_hook(soc, compile_wanted, c, c->wait ? 0 : WARM_INSTS);
    }
    return c;
}

void compile_free(struct compile *c)
{
    struct job *job;

    while (c && (job = g_queue_pop_head(&c->jobs))) {
        enum outcome outcome;

        if (job->pid > 0) {
            if (job->compiler) {
                kill(-job->compiler, SIGKILL);
            }
            compile_ended(job, true, &outcome);
        }
        job_free(job);
    }
    if (c) {
        g_free(c->folder);
        g_free(c->compiler);
        g_free(c->headers);
        g_free(c);
    }
}
