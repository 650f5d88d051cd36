/* SPDX-License-Identifier: MIT */
/* Two threads that take two locks in different order: some schedules end in a deadlock. */
#include <cuda.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *none)
{
    pthread_mutex_lock(&second);
    pthread_mutex_lock(&first); /* MARK other */
    pthread_mutex_unlock(&first);
    pthread_mutex_unlock(&second);
    return none;
}

int main(void)
{
    pthread_t thread;

    cuInit(0); /* the board is there */
    pthread_create(&thread, NULL, other, NULL);
    pthread_mutex_lock(&first);
    pthread_mutex_lock(&second); /* MARK main */
    pthread_mutex_unlock(&second);
    pthread_mutex_unlock(&first);
    pthread_join(thread, NULL);
    puts("no deadlock");
    return 0;
}
