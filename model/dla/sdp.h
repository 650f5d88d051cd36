/* SPDX-License-Identifier: MIT */
/* The SDP under way, asked for its output a line at a time. */
#ifndef MODEL_DLA_SDP_H
#define MODEL_DLA_SDP_H

#include "model/dla/conv.h"

/* Operands of a stage from memory: of one line, or of one pixel for all lines. */
struct dla_operands {
    int32_t *alu, *mul;
    uint8_t *bytes;
};

/**
 * struct dla_sdp
 * @stride: elements from pixel to pixel: channels in whole atoms
 * @fp: the pipeline carries fp32 bits
 * @compare: EQL: nothing is written, a status says whether all were equal
 */
struct dla_sdp {
    const struct dla_config *cfg;
    struct dla_port *port;
    const struct dla_sdp_op *op;
    struct dla_stats *stats;
    struct dla_conv conv;
    struct dla_line in;
    struct dla_operands operands[3];
    unsigned stride;
    bool fp, compare;
};

enum dla_status dla_sdp_check(const struct dla_config *cfg, struct dla_port *port,
                              const struct dla_sdp_op *op);
enum dla_status dla_sdp_init(struct dla_sdp *p, const struct dla_config *cfg, struct dla_port *port,
                             const struct dla_sdp_op *op, const struct dla_conv_op *conv,
                             struct dla_stats *stats);
void dla_sdp_free(struct dla_sdp *p);
/* Line @y of batch @batch as it would go to memory: v[x * stride + channel]. Lines in rising order.
 */
enum dla_status dla_sdp_line(struct dla_sdp *p, uint32_t batch, uint32_t y, int32_t *v);

/* Pooling on the fly; @p is initialised. */
enum dla_status dla_pdp_from_sdp(const struct dla_config *cfg, struct dla_port *port,
                                 const struct dla_pdp_op *op, struct dla_sdp *p,
                                 struct dla_stats *stats);

#endif
