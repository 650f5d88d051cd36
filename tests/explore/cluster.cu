/* SPDX-License-Identifier: MIT */
/* Two bugs that the order of two threads decides: locks in two orders, and a result that depends on
 * which thread comes last. */
#include <pthread.h>
#ifdef __CUDACC__
#include <cuda_runtime.h>
#endif

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int last;

static void both(pthread_mutex_t *one, pthread_mutex_t *other, int name)
{
    pthread_mutex_lock(one); /* held */
    pthread_mutex_lock(other); /* wanted */
    last = name;
    pthread_mutex_unlock(other);
    pthread_mutex_unlock(one);
}

static void *first(void *unused)
{
    both(&a, &b, 1);
    return unused;
}

static void *second(void *unused)
{
    both(&b, &a, 2);
    return unused;
}

int main(void)
{
    pthread_t threads[2];

#ifdef __CUDACC__
    cudaFree(NULL); /* a board, and with it a report */
#endif
    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return last == 1;
}
