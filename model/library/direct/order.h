/* SPDX-License-Identifier: MIT */
/* The graph of A + A^T, which orders are found on. */
#ifndef MODEL_LIBRARY_DIRECT_ORDER_H
#define MODEL_LIBRARY_DIRECT_ORDER_H

#include "model/library/direct/direct.h"

/* @neighbor: of vertex v from @begin[v] on, ascending, without v */
struct direct_graph {
    uint32_t n, *begin, *neighbor;
};

struct direct_graph direct_graph_new(const struct direct_matrix *a);
void direct_graph_free(struct direct_graph *g);
/* Of least degree first, in the graph of what is left to eliminate */
void direct_order_degree(const struct direct_graph *g, uint32_t *order);

#endif
