/* SPDX-License-Identifier: MIT */
/* A stand-in for driver core and board, as small as the checker allows: memory whose protection is
 * set by hand, and calls named as the application knows them. Built as libvtegra-testboard.so. */
#ifndef TESTS_TEST_CHECK_BOARD_H
#define TESTS_TEST_CHECK_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOARD_API __attribute__((visibility("default")))

/* Environment: BOARD_REPORT, BOARD_JSON, BOARD_TRACE: files; BOARD_SIGNAL: SIGSEGV or SIGBUS;
 * BOARD_COHERENT=1: as Orin, else as TX2; BOARD_RESOLVE=1: opens what is touched. */
BOARD_API void *cudaMalloc(size_t size);
BOARD_API void *cudaMallocHost(size_t size);
BOARD_API void *cudaMallocManaged(size_t size);
BOARD_API void *cudaHostRegister(void *memory, size_t size);
BOARD_API void cudaFree(void *memory);
/* A kernel that never ends by itself: managed memory is closed until cudaDeviceSynchronize(). */
BOARD_API void cudaLaunchKernel(const char *name);
BOARD_API void cudaDeviceSynchronize(void);
/* The next touch of this page is the board's own: the program has unmapped it. It reads zeros. */
BOARD_API void board_lose(void *page);

#endif
