/* SPDX-License-Identifier: MIT */
/* One thread waits in semop() while another runs; main() ends the wait. Each prints a line at once.
 * No CUDA. */
#include <pthread.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/sem.h>

static int id;

static void change(int by)
{
    if (semop(id, &(struct sembuf){ .sem_op = (short)by }, 1) != 0) {
        perror("semop");
    }
}

static void *wait_for_post(void *x)
{
    change(-1);
    puts("waiter");
    return x;
}

static void *run(void *x)
{
    for (volatile int i = 0; i < 1000; i++) {
    }
    puts("other");
    return x;
}

int main(void)
{
    pthread_t waiter, other;

    id = semget(IPC_PRIVATE, 1, 0600);
    pthread_create(&waiter, NULL, wait_for_post, NULL);
    pthread_create(&other, NULL, run, NULL);
    pthread_join(other, NULL);
    change(1);
    puts("posted");
    pthread_join(waiter, NULL);
    return semctl(id, 0, IPC_RMID) != 0;
}
