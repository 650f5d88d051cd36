// SPDX-License-Identifier: MIT
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

int main(int argc, char **)
{
    bool fixed = argc > 1;
    int *head;

    if (fixed) {
        head = (int *)malloc(sizeof(int));
    } else {
        cudaMallocHost((void **)&head, sizeof(int));
    }
    *head = 0;
    __atomic_fetch_add(head, 1, __ATOMIC_SEQ_CST); /* <-- found here */
    printf("%d\n", *head);
    return 0;
}
