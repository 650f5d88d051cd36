/* SPDX-License-Identifier: MIT */
/* How a run begins and ends. Usage: starts before|fork|fork_beside */
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char order[32];
static unsigned n;

static void *thrice(void *name)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        order[n++] = *(char *)name;
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

/* Before main() whoever runs goes on, and the one that came first is next, whatever the seed. */
static __attribute__((constructor)) void before(void)
{
    static char names[] = "12";
    pthread_t t[2];

    for (int i = 0; i < 2; i++) {
        pthread_create(&t[i], NULL, thrice, &names[i]);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(t[i], NULL);
    }
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";

    if (strcmp(what, "before") == 0) {
        return strcmp(order, "111222") != 0;
    }
    if (strcmp(what, "fork") == 0) { /* the child ends as a program does, and is another process */
        if (fork() == 0) {
            return 0;
        }
        wait(NULL);
        return 0;
    }
    if (strcmp(what, "fork_beside") == 0) { /* in the child nobody takes turns: it is alone */
        static char name[] = "3";
        pthread_t t;
        int status;

        pthread_create(&t, NULL, thrice, name);
        if (fork() == 0) {
            thrice(name);
            thrice(name);
            return 5;
        }
        wait(&status);
        pthread_join(t, NULL);
        return !WIFEXITED(status) || WEXITSTATUS(status) != 5;
    }
    return 2;
}
