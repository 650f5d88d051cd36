/* SPDX-License-Identifier: MIT */
/* Without CUDA: a thread that waits for itself. The call's return address is of the next line. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int main(void)
{
    pthread_mutex_lock(&lock); /* MARK held */
    pthread_mutex_lock(&lock); /* MARK waits */
    pthread_mutex_unlock(&lock);
    return 0;
}
