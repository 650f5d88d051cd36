/* SPDX-License-Identifier: MIT */
/* A run of vtegra explore is a copy of a program that stands before main(): what it must not see of
 * that, and what it must. Each way ends with 0 if all is well. Usage: copy WAY */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void *sleeps(void *x)
{
    pause();
    return x;
}

/* It cannot be copied then: a copy would be without the thread, and of the board there is one. */
static __attribute__((constructor)) void before(void)
{
    void *driver = getenv("COPY_BOARD") ? dlopen("libcuda.so.1", RTLD_NOW) : NULL;
    int (*init)(unsigned) = driver ? (int (*)(unsigned))dlsym(driver, "cuInit") : NULL;
    pthread_t thread;

    if (init && init(0) != 0) {
        _exit(3);
    }
    if (getenv("COPY_THREAD")) {
        pthread_create(&thread, NULL, sleeps, NULL);
    }
}

static int is(const char *name, const char *value)
{
    const char *got = getenv(name);

    if (value ? !got || strcmp(got, value) != 0 : got != NULL) {
        printf("%s=%s\n", name, got ? got : "(not set)");
        return 0;
    }
    return 1;
}

/* The one that vtegra explore talks to has a pipe to it, which is none of the copy's. */
static int pipes(void)
{
    struct stat st;
    int n = 0;

    for (int fd = 3; fd < 64; fd++) {
        n += fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
    }
    return n;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "";
    char c;

    if (strcmp(way, "environment") == 0) {
        return !(is("VTEGRA_FORKSERVER", NULL) && is("VTEGRA_FORKSERVER_BIND", NULL) &&
                 is("LD_BIND_NOW", NULL) && is("VTEGRA_POLICY", "seeded") &&
                 is("VTEGRA_SEED", "7") && is("VTEGRA_DEPTH", "3") && is("VTEGRA_LENGTH", "50") &&
                 is("VTEGRA_STRATEGY", "random"));
    }
    if (strcmp(way, "prints") == 0) { /* more than is kept, and does not end by itself */
        for (int i = 0; i < 300; i++) {
            printf("%01000000d\n", 0);
        }
        fflush(stdout);
        for (;;) {
            pause();
        }
    }
    if (strcmp(way, "bound") == 0) { /* the user's own */
        return !is("LD_BIND_NOW", "1");
    }
    if (strcmp(way, "stdin") == 0) {
        return read(0, &c, 1) != 0;
    }
    if (strcmp(way, "descriptors") == 0) {
        return pipes() != 0;
    }
    if (strcmp(way, "errors") == 0) { /* they stand where the output does, in its order */
        printf("first\n");
        fflush(stdout);
        fprintf(stderr, "second\n");
        return 0;
    }
    if (strcmp(way, "dies") == 0) {
        abort();
    }
    if (strcmp(way, "sleeps") == 0) {
        for (;;) {
            pause();
        }
    }
    if (strcmp(way, "ends_late") == 0) { /* a time of the host's: the run's own is over at once */
        alarm(5);
        pause();
    }
    return 2;
}
