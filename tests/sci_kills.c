/* SPDX-License-Identifier: MIT */
/* Two processes on one board, and one of the three is killed at a moment that is drawn from a seed:
 *
 *   sci_kills VTEGRA PROGRAM KILLS SEED
 *
 * PROGRAM is sci_two, which dies as kill_point.c says. After each kill: no process hangs, none ends
 * well with wrong bytes, those that are left end well or with the documented error, two new ones
 * pass their frames, and the board has what it had before. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HANG_S 120 /* a limit for what hangs, not for what is slow */
#define FRAMES "3"

enum { OTHER_GONE = 7, WRONG_BYTE = 9, /* of sci_two */ NO_RUN = 125 /* of vtegra run */ };

/* @status: as of waitpid(); @log: all that it says */
struct child {
    pid_t pid;
    int status, input;
    unsigned cpu_us; /* that it has used */
    char log[128];
};

static const char *vtegra, *program, *policy;
static char folder[] = "/tmp/vtkXXXXXX", at[128];
static struct child board, keeper, cam, app;
static char before[256];
static uint64_t state;
static unsigned failures;

/* splitmix64 */
static uint32_t draw(uint32_t below)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) >> 32) % below;
}

static void nap(void)
{
    nanosleep(&(struct timespec){ .tv_nsec = 2000000 }, NULL);
}

static void read_log(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, size - 1, file) : 0;

    text[n] = '\0';
    if (file) {
        fclose(file);
    }
}

static void __attribute__((format(printf, 1, 2))) fail(const char *format, ...)
{
    struct child *all[] = { &cam, &app, &board };
    va_list args;
    char text[2048];

    failures++;
    printf("FAIL: ");
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    for (unsigned i = 0; i < 3; i++) {
        read_log(all[i]->log, text, sizeof(text));
        printf("  %s: status 0x%x: %s\n", all[i]->log, (unsigned)all[i]->status, text);
    }
    fflush(stdout);
}

/* --- processes --- */

/* @kill_at: VTEGRA_KILL; "": its packets are counted; NULL: neither. */
static void start(struct child *c, const char *name, const char *kill_at, const char *const *argv)
{
    int ends[2] = { -1, -1 };
    char packets[160];

    snprintf(c->log, sizeof(c->log), "%s/%s", folder, name);
    unlink(c->log); /* of the one before */
    if (pipe2(ends, O_CLOEXEC)) {
        exit(1);
    }
    c->pid = fork();
    if (c->pid == 0) {
        int log = open(c->log, O_WRONLY | O_CREAT | O_TRUNC, 0600);

        dup2(ends[0], 0);
        dup2(log, 1);
        dup2(log, 2);
        close(log);
        if (kill_at && *kill_at) {
            setenv("VTEGRA_KILL", kill_at, 1);
        } else if (kill_at) {
            snprintf(packets, sizeof(packets), "%s.packets", c->log);
            setenv("VTEGRA_KILL_COUNT", packets, 1);
        }
        execv(vtegra, (char *const *)argv);
        _exit(127);
    }
    close(ends[0]);
    c->input = ends[1];
    c->status = -1;
}

static void start_two(struct child *c, const char *role, const char *frames, const char *how,
                      const char *kill_at)
{
    start(c, role, kill_at,
          (const char *[]){ vtegra, "run", "-q", "--soc", "orin", "--policy", policy, "--board", at,
                            "--", program, role, frames, how, NULL });
}

/* Return: it has ended. */
static bool ended(struct child *c)
{
    struct rusage used;

    if (c->pid && wait4(c->pid, &c->status, WNOHANG, &used) == c->pid) {
        c->pid = 0;
        close(c->input);
        c->cpu_us = (unsigned)((used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 +
                               used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    }
    return !c->pid;
}

static void end_now(struct child *c)
{
    if (c->pid) {
        kill(c->pid, SIGKILL);
        waitpid(c->pid, &c->status, 0);
        c->pid = 0;
        close(c->input);
    }
}

/* false: it hangs; it is killed then. */
static bool wait_end(struct child *c, const char *what)
{
    time_t until = time(NULL) + HANG_S;

    while (!ended(c)) {
        if (time(NULL) > until) {
            fail("%s hangs", what);
            end_now(c);
            return false;
        }
        nap();
    }
    return true;
}

static bool log_has(const struct child *c, const char *wanted)
{
    char text[4096];

    read_log(c->log, text, sizeof(text));
    return strstr(text, wanted) != NULL;
}

/* --- the board --- */

static void counts(char *text, size_t size)
{
    char command[512];
    FILE *pipe;

    snprintf(command, sizeof(command), "'%s' board --counts --socket '%s' 2>&1", vtegra, at);
    pipe = popen(command, "r");
    if (!pipe || !fgets(text, (int)size, pipe)) {
        text[0] = '\0';
    }
    if (pipe) {
        pclose(pipe);
    }
}

/* With a program that stays: what others leave there would be gone with the last of them. */
static void board_up(void)
{
    struct stat st;

    policy = draw(2) ? "eager" : "lazy";
    unlink(at);
    start(&board, "board", NULL,
          (const char *[]){ vtegra, "board", "--soc", "orin", "--socket", at, NULL });
    while (stat(at, &st) != 0 && !ended(&board)) {
        nap();
    }
    start_two(&keeper, "keep", "0", "cpu", NULL);
    while (!log_has(&keeper, "kept") && !ended(&keeper)) {
        nap();
    }
    counts(before, sizeof(before));
}

static void board_down(void)
{
    end_now(&cam);
    end_now(&app);
    end_now(&keeper);
    end_now(&board);
}

/* The ends of programs are served when the board comes to it. */
static void check_counts(const char *what)
{
    time_t until = time(NULL) + HANG_S;
    char after[256];

    do {
        counts(after, sizeof(after));
        if (!strcmp(after, before)) {
            return;
        }
        nap();
    } while (time(NULL) <= until);
    fail("%s: the board has %s  and had %s", what, after, before);
    board_down();
    board_up();
}

/* --- one kill --- */

enum { CAM, APP, BOARD };

/* @victim: who is killed, at @point by @by; @gpu: the first app's stream waits for cam's fences */
struct kill {
    unsigned victim, by, restarts;
    bool gpu;
    char point[64], what[160];
};

static bool exited(const struct child *c, int code)
{
    return WIFEXITED(c->status) && WEXITSTATUS(c->status) == code;
}

static bool was_killed(const struct child *c)
{
    return WIFSIGNALED(c->status) && WTERMSIG(c->status) == SIGKILL;
}

static bool frames_passed(void)
{
    return exited(&app, 0) && log_has(&app, FRAMES " frames");
}

static void cam_start(const char *point)
{
    start_two(&cam, "cam", "1000000", NULL, point);
}

/* cam has ended: as it may, and the next one begins. */
static void cam_next(struct kill *k)
{
    if (!exited(&cam, 0) && !(k->victim == CAM && was_killed(&cam)) &&
        !(k->victim == APP && exited(&cam, OTHER_GONE))) {
        fail("%s: cam", k->what);
    }
    k->restarts++;
    cam_start(NULL);
}

static void app_next(struct kill *k)
{
    if (!(k->victim == APP && was_killed(&app)) &&
        !(k->victim == CAM && k->gpu && exited(&app, OTHER_GONE))) {
        fail("%s: app", k->what);
    }
    k->restarts++;
    start_two(&app, "app", FRAMES, "cpu", NULL);
}

/* Until app has had its frames; each that ends is followed by a new one. false: it hangs. */
static bool frames_pass(struct kill *k, bool may_be_killed)
{
    time_t until = time(NULL) + HANG_S;

    for (;;) {
        bool app_ended = ended(&app); /* once: it may end between two questions */

        if (app_ended && (frames_passed() || !may_be_killed)) {
            break;
        }
        if (app_ended) {
            app_next(k);
        }
        if (ended(&cam)) {
            cam_next(k);
        }
        if (time(NULL) > until || k->restarts > 10) {
            fail("%s: %u restarts, and app %s", k->what, k->restarts,
                 may_be_killed ? "has no frames" : "hangs behind the kill");
            return false;
        }
        nap();
    }
    if (!frames_passed()) {
        fail("%s: app behind the kill", k->what);
    }
    return true;
}

/* Return: one was killed. */
static bool program_killed(struct kill *k)
{
    bool struck;

    if (!frames_pass(k, true)) {
        return true;
    }
    struck = k->restarts > 0;
    start_two(&app, "app", FRAMES, "cpu",
              NULL); /* cam may have been killed behind its last frame */
    if (frames_pass(k, false) && (ended(&cam) || log_has(&cam, "established")) &&
        wait_end(&cam, k->what) && !exited(&cam, 0) &&
        !(k->victim == APP && exited(&cam, OTHER_GONE))) {
        fail("%s: cam behind the kill", k->what);
    } /* else it is a new one, which no app is there for */
    end_now(&cam);
    end_now(&app);
    check_counts(k->what);
    return struck;
}

/*
 * It has ended well, or has said that the board is gone; or vtegra run, on a loaded machine, that
 * it was gone before the program began.
 */
static bool board_end(const struct child *c)
{
    return exited(c, 0) || (exited(c, NO_RUN) && log_has(c, "start it first")) ||
           (WIFEXITED(c->status) && !exited(c, WRONG_BYTE) && log_has(c, "vtegra: "));
}

static bool board_killed(struct kill *k)
{
    bool struck;

    wait_end(&app, k->what);
    wait_end(&cam, k->what);
    if (!board_end(&app) || (exited(&app, 0) && !frames_passed())) {
        fail("%s: app", k->what);
    }
    if (!board_end(&cam)) {
        fail("%s: cam", k->what);
    }
    struck = ended(&board);
    if (struck || !frames_passed()) {
        board_down();
        board_up();
    } else {
        check_counts(k->what);
    }
    return struck;
}

/* What a program does that is not killed. */
static struct {
    unsigned packets, cpu_us;
} whole[2];

static bool kill_one(unsigned number)
{
    static const char *const names[] = { "cam", "app", "the board" };
    static const char *const wheres[] = { "send", "receive", "cpu" };
    unsigned where = draw(3);
    struct kill k = { .victim = draw(3), .gpu = draw(2) };

    k.by = k.victim == BOARD ? draw(2) : k.victim;
    snprintf(k.point, sizeof(k.point), "%s %u %d", wheres[where],
             1 + draw(where == 2 ? whole[k.by].cpu_us : whole[k.by].packets),
             k.victim == BOARD ? (int)board.pid : 0);
    snprintf(k.what, sizeof(k.what), "kill %u: %s by %s, %s (app's %s waits, %s)", number,
             names[k.victim], names[k.by], k.point, k.gpu ? "stream" : "CPU", policy);
    cam_start(k.by == CAM ? k.point : NULL);
    start_two(&app, "app", FRAMES, k.gpu ? "gpu" : "cpu", k.by == APP ? k.point : NULL);
    return k.victim == BOARD ? board_killed(&k) : program_killed(&k);
}

static void measure(void)
{
    struct child *both[] = { &cam, &app };
    char path[160], text[64];

    cam_start("");
    start_two(&app, "app", FRAMES, "cpu", "");
    wait_end(&app, "app, not killed");
    wait_end(&cam, "cam, not killed");
    if (!frames_passed() || !exited(&cam, 0)) {
        fail("without a kill");
    }
    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s.packets", both[i]->log);
        read_log(path, text, sizeof(text));
        whole[i].packets = (unsigned)strtoul(text, NULL, 10);
        whole[i].cpu_us = both[i]->cpu_us + 1;
    }
    if (whole[CAM].packets < 100 || whole[APP].packets < 100) {
        fail("only %u and %u packets", whole[CAM].packets, whole[APP].packets);
        exit(1);
    }
}

static void folder_remove(void)
{
    char command[64];

    snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    if (system(command)) {
        perror(folder);
    }
}

int main(int argc, char **argv)
{
    static const char *const unset[] = { "VTEGRA_BOARD", "VTEGRA_SOC", "VTEGRA_POLICY" };
    unsigned wanted, kills = 0, rounds = 0;
    uint64_t seed;
    char path[160];
    FILE *file;

    if (argc != 5 || !mkdtemp(folder)) {
        fprintf(stderr, "sci_kills VTEGRA PROGRAM KILLS SEED\n");
        return 2;
    }
    vtegra = argv[1];
    program = argv[2];
    wanted = (unsigned)strtoul(argv[3], NULL, 10);
    state = seed = strtoull(argv[4], NULL, 10);
    signal(SIGPIPE, SIG_IGN);
    for (unsigned i = 0; i < 3; i++) {
        unsetenv(unset[i]);
    }
    snprintf(path, sizeof(path), "%s/cfg", folder);
    file = fopen(path, "w");
    if (!file || fputs("INTER_PROCESS cam app 16 4096\n", file) < 0 || fclose(file)) {
        return 1;
    }
    setenv("VTEGRA_NVSCIIPC_CFG", path, 1);
    snprintf(at, sizeof(at), "%s/s", folder);
    board_up();
    measure();
    for (; kills < wanted && rounds < 3 * wanted && failures < 10; rounds++) {
        state = seed << 32 | rounds; /* its moments do not depend on the rounds before */
        kills += kill_one(rounds);
    }
    board_down();
    folder_remove();
    printf("%u kills in %u rounds, %u failures\n", kills, rounds, failures);
    return failures || kills < wanted;
}
