/* SPDX-License-Identifier: MIT */
/* CUB and Thrust come as source and use what nobody writes by hand: votes, permission to overlap launches,
 * look-back through flags. Values have one right answer, so that a sum in the wrong order shows. */
#include <algorithm>
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>

int main()
{
    const int n = 5000;
    thrust::host_vector<int> h(n);

    for (int i = 0; i < n; i++) {
        h[i] = (int)((unsigned)i * 2654435761u >> 12); /* no value twice */
    }
    thrust::device_vector<int> radix = h, merge = h, sums(n);
    thrust::sort(radix.begin(), radix.end());
    thrust::sort(merge.begin(), merge.end(), [] __device__(int a, int b) { return a > b; });
    thrust::inclusive_scan(radix.begin(), radix.end(), sums.begin());
    std::sort(h.begin(), h.end());
    thrust::host_vector<int> up = radix, down = merge, scan = sums;
    int bad = 0, sum = 0;

    for (int i = 0; i < n; i++) {
        sum = (int)((unsigned)sum + (unsigned)h[i]);
        bad += up[i] != h[i] || down[i] != h[n - 1 - i] || scan[i] != sum;
    }
    printf("thrust: %d wrong, reduce %s\n", bad, thrust::reduce(merge.begin(), merge.end()) == sum ? "right" : "wrong");
    return bad != 0;
}
