/* SPDX-License-Identifier: MIT */
/* start VTEGRA [TIMES]: what `vtegra run -- true` costs over `true`: medians, taken in turn so that
 * a busy machine slows both. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double run_ms(char *const *argv)
{
    double start = now_ms();
    int status = 1;
    pid_t pid = fork();

    if (pid == 0) {
        dup2(open("/dev/null", O_WRONLY), 2);
        execvp(argv[0], argv);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0) {
        fprintf(stderr, "%s: does not run\n", argv[0]);
        exit(1);
    }
    return now_ms() - start;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *t, size_t n)
{
    qsort(t, n, sizeof(*t), compare);
    return (t[(n - 1) / 2] + t[n / 2]) / 2;
}

int main(int argc, char **argv)
{
    char *plain[] = { "true", NULL };
    char *ours[] = { argc > 1 ? argv[1] : "vtegra", "run", "--", "true", NULL };
    size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 20;
    double *t, *u, a, b;

    if (n < 1 || n > 100000) {
        fprintf(stderr, "usage: start VTEGRA [TIMES]\n");
        return 2;
    }
    t = malloc(n * sizeof(*t));
    u = malloc(n * sizeof(*u));
    for (size_t i = 0; i < n; i++) {
        t[i] = run_ms(plain);
        u[i] = run_ms(ours);
    }
    a = median(t, n);
    b = median(u, n);
    printf("start: true %.1f ms, vtegra run -- true %.1f ms: %.1f ms more (at most 30)\n", a, b,
           b - a);
    free(t);
    free(u);
    return b - a > 30;
}
