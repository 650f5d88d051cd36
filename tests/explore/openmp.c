/* SPDX-License-Identifier: MIT */
/* OpenMP: libgomp sleeps and wakes by system calls with instructions of its own. */
#include <omp.h>
#include <stdio.h>

#define N 1000

int main(void)
{
    static int a[N];
    omp_lock_t lock;
    long sum = 0;

    for (int round = 0; round < 2; round++) {
#pragma omp parallel for num_threads(4)
        for (int i = 0; i < N; i++) {
            a[i] = i;
        }
#pragma omp parallel num_threads(4) reduction(+ : sum)
        {
#pragma omp for schedule(dynamic, 50)
            for (int i = 0; i < N; i++) {
                sum += a[i];
            }
#pragma omp barrier
#pragma omp single
            sum += 2;
        }
#pragma omp parallel num_threads(3)
#pragma omp single
        {
            for (int i = 0; i < 5; i++) {
#pragma omp task shared(sum)
                {
#pragma omp critical
                    sum += 1;
                }
            }
        }
    }
    omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
    for (int i = 0; i < 10; i++) {
        omp_set_lock(&lock);
        sum++;
        omp_unset_lock(&lock);
    }
    printf("%ld\n", sum);
    return sum == 2 * (N * (N - 1) / 2 + 2 + 5) + 40 ? 0 : 1;
}
