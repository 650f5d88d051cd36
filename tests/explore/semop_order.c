/* SPDX-License-Identifier: MIT */
/* Threads that wait for one semaphore of System V and one file lock, and say in which order they
 * had them: the seed's, each time. No CUDA. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <unistd.h>

#define THREADS 3
#define ROUNDS 5

static char file_name[] = "/tmp/vtegra-semop-XXXXXX";
static int id;

static void change(int by)
{
    if (semop(id, &(struct sembuf){ .sem_op = (short)by }, 1) != 0) {
        perror("semop");
    }
}

static void *take_turns(void *name)
{
    FILE *f = fopen(file_name, "r");

    for (int i = 0; f && i < ROUNDS; i++) {
        change(-1);
        putchar(*(char *)name);
        change(1);
        flock(fileno(f), LOCK_EX);
        putchar(*(char *)name - 'a' + 'A');
        flock(fileno(f), LOCK_UN);
    }
    return f ? (void *)(long)fclose(f) : name;
}

int main(void)
{
    static char names[THREADS] = "abc";
    pthread_t t[THREADS];
    int fd = mkstemp(file_name);

    id = semget(IPC_PRIVATE, 1, 0600);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&t[i], NULL, take_turns, &names[i]);
    }
    change(1);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
    }
    putchar('\n');
    unlink(file_name);
    return close(fd) != 0 || semctl(id, 0, IPC_RMID) != 0;
}
