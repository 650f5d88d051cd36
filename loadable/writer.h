/* SPDX-License-Identifier: MIT */
/* Loadables, written: the FlatBuffer that loadable_open() and NVIDIA's readers take. */
#ifndef LOADABLE_WRITER_H
#define LOADABLE_WRITER_H

#include "loadable/loadable.h"

/**
 * loadable_write - the bytes of a loadable
 * @l: what is in it. Lists inside entries point to the caller's bytes (little-endian elements);
 *     memory[i].contents is not looked at
 * @contents: contents[i][k]: name of the blob at memory[i].offsets[k]
 * @len: bytes of the result
 *
 * Return: the file, with the identifier "NVDA"; free() it. NULL when it would exceed 2 GiB.
 */
uint8_t *loadable_write(const struct loadable *l, const struct loadable_text *const *contents,
                        size_t *len);

#endif
