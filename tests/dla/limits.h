/* SPDX-License-Identifier: MIT */
/* What an NVDLA's descriptors may hold, checked apart from the builder and the model: limits are
 * written once more, from NVIDIA's documents. */
#ifndef TESTS_DLA_LIMITS_H
#define TESTS_DLA_LIMITS_H

#include "tools/dla/dla_net.h"

/* The first limit that the network does not keep: "operation 3 (CONV): ..."; NULL: none. Free it.
 */
char *limits_of_net(const struct dla_net *net);
/* The same of all the DLA's tasks of a loadable in memory. */
char *limits_of_loadable(const void *bytes, size_t len);

#endif
