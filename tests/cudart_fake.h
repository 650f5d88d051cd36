/* SPDX-License-Identifier: MIT */
/* A libcuda.so.1 that does nothing but write down what it is asked: for tests of the runtime. */
#ifndef TESTS_CUDART_FAKE_H
#define TESTS_CUDART_FAKE_H

#define FAKE_DEVICES 2

/* What was called since the last look, one line a call, and forget it. */
typedef const char *fake_calls_fn(void);

/* The next call of a function answers this, once. */
typedef void fake_fail_fn(const char *function, int result);

#endif
