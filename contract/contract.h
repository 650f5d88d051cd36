/* SPDX-License-Identifier: MIT */
/* Do a runtime and the board it talks to fit together?
 *
 * Where the two are built apart (the runtime for aarch64 and the plugin in QEMU; a program and its
 * board in another process), each carries a hash of all that both must read alike: PTX, registers,
 * records, requests (sources.cmake has the list). They compare it when they meet. */
#ifndef CONTRACT_CONTRACT_H
#define CONTRACT_CONTRACT_H

#include <stdint.h>

/**
 * struct contract - what one side was built from
 * @hash: of the sources' bytes; 0: it is from before there was one
 * @time: of the last commit to them, seconds since 1970, one more if they were changed since; 0:
 * not built in a git clone. It decides nothing: it only says who is older
 */
struct contract {
    uint64_t hash;
    uint32_t time;
};

/* Of this build: made by make.cmake. */
extern const struct contract contract_here;

/**
 * struct contract_side - how a line names one of the two
 * @name: "this runtime"
 * @mend: what makes a new one: "scripts/guest.sh builds it anew"
 */
struct contract_side {
    const char *name, *mend;
};

/**
 * contract_refusal - why the two cannot work together: who is older, and what to do
 * Return: NULL: they fit. Else a text without a newline, g_free() it.
 */
char *contract_refusal(const struct contract *a, const struct contract_side *a_is,
                       const struct contract *b, const struct contract_side *b_is);

#endif
