/* SPDX-License-Identifier: MIT */
/* What AddressSanitizer does in fuzzers besides its checks. */

const char *__asan_default_options(void);

/* What is freed is kept from reuse until the next inputs: 256 MiB of it, the default, are hundreds
 * of inputs, and each of them finds its memory out of all caches, or not mapped. */
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=8:thread_local_quarantine_size_kb=256:malloc_context_size=12";
}
