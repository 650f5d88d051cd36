/* SPDX-License-Identifier: MIT */
/* What runs leave behind, for results.sh: print BLOCKS | count FILE FIRST LAST | many FILE FIRST
 * LAST | work | half | crash | fail WORDS | pass WORDS */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Blocks of 4096 bytes. What cannot be printed is not said: so do many programs. */
static int print(long blocks)
{
    char block[4096];

    memset(block, 'x', sizeof(block));
    for (long i = 0; i < blocks && write(1, block, sizeof(block)) > 0; i++) {
    }
    return 0;
}

/* A file remembers how many runs there were: those from @first to @last fail. */
static int count(const char *file, long first, long last)
{
    FILE *f = fopen(file, "a");
    long runs;

    fputc('x', f);
    runs = ftell(f);
    fclose(f);
    return runs >= first && runs <= last;
}

static void *take_turns(void *unused)
{
    for (int i = 0; i < 1000; i++) {
        sched_yield();
    }
    return unused;
}

/* The same, after a thousand decisions. */
static int many(const char *file, long first, long last)
{
    pthread_t thread;

    pthread_create(&thread, NULL, take_turns, NULL);
    take_turns(NULL);
    pthread_join(thread, NULL);
    return count(file, first, last);
}

/* A report that ends in its first line. */
static int half(void)
{
    FILE *f = fopen(getenv("VTEGRA_JSON"), "w");

    fputs("{ \"findings\": [", f);
    return fclose(f);
}

static void *loop(void *flag)
{
    while (!__atomic_load_n((int *)flag, __ATOMIC_ACQUIRE)) {
        sched_yield();
    }
    return NULL;
}

static void *nothing(void *none)
{
    return none;
}

/* Steps without end, until it is killed. Threads that come and go: else it is a livelock; it prints
 * seldom: else it is ended for that. */
static int work(void)
{
    static int flag;
    pthread_t thread, other;

    pthread_create(&thread, NULL, loop, &flag);
    for (unsigned n = 0;; n++) {
        if (n % 64 == 0) {
            printf("x\n");
            fflush(stdout);
        }
        pthread_create(&other, NULL, nothing, NULL);
        pthread_join(other, NULL);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (strcmp(what, "print") == 0) {
        return print(atol(argv[2]));
    }
    if (strcmp(what, "count") == 0) {
        return count(argv[2], atol(argv[3]), atol(argv[4]));
    }
    if (strcmp(what, "many") == 0) {
        return many(argv[2], atol(argv[3]), atol(argv[4]));
    }
    if (strcmp(what, "crash") == 0) {
        abort();
    }
    if (strcmp(what, "half") == 0) {
        return half();
    }
    if (strcmp(what, "work") == 0) {
        return work();
    }
    for (int i = 2; i < argc; i++) {
        printf("%s\n", argv[i]);
    }
    return strcmp(what, "fail") == 0 ? 3 : 0;
}
