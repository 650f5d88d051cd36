/* SPDX-License-Identifier: MIT */
/* Descriptors from memory to operation structs. */
#ifndef MODEL_DLA_DESC_PARSE_H
#define MODEL_DLA_DESC_PARSE_H

#include "model/dla/desc.h"

struct dla_network {
    int16_t operations, surfaces, graph, luts;
    int16_t head[DLA_OP_TYPES];
    uint16_t rois, count, lut_count;
    uint8_t dynamic_roi;
};

struct dla_consumer {
    int16_t index;
    uint8_t event;
};

/* One node of the dependency graph. */
struct dla_node {
    uint8_t type, dependencies;
    struct dla_consumer consumer[DLA_OP_TYPES], parent;
};

#define DLA_BDMA_TRANSFERS 20u

/* An operation with all it needs. */
struct dla_operation {
    enum dla_op_type type;
    union {
        struct dla_conv_op conv;
        struct dla_sdp_op sdp;
        struct dla_pdp_op pdp;
        struct dla_cdp_op cdp;
        struct dla_rubik_op rubik;
        struct {
            struct dla_bdma_op transfer[DLA_BDMA_TRANSFERS];
            unsigned count;
        } bdma;
    };
    struct dla_lut lut;
};

/* Parsing state: what errors and addresses need. */
struct dla_parse {
    const struct dla_config *cfg;
    struct dla_port *port;
    const struct dla_task *task;
    struct dla_task_error *error;
    struct dla_network net;
    const char *blob;
    int index;
};

enum dla_status dla_parse_fail(struct dla_parse *p, enum dla_status status, const char *field,
                               int64_t value, const char *rule);
enum dla_status dla_parse_network(struct dla_parse *p);
enum dla_status dla_parse_node(struct dla_parse *p, unsigned index, struct dla_node *n);
enum dla_status dla_parse_operation(struct dla_parse *p, unsigned index, enum dla_op_type type,
                                    struct dla_operation *op);
/* Entry @index of @size bytes of the blob that address @list names. */
enum dla_status dla_parse_entry(struct dla_parse *p, const char *blob, int16_t list, unsigned index,
                                unsigned size, uint8_t *out);
enum dla_status dla_parse_lut(struct dla_parse *p, int16_t index, enum dla_precision precision,
                              bool cdp, struct dla_lut *lut);

static inline uint16_t dla_le16(const uint8_t *b)
{
    return (uint16_t)(b[0] | b[1] << 8);
}

static inline int16_t dla_les16(const uint8_t *b)
{
    return (int16_t)dla_le16(b);
}

static inline uint32_t dla_le32(const uint8_t *b)
{
    return dla_le16(b) | (uint32_t)dla_le16(b + 2) << 16;
}

static inline uint64_t dla_le64(const uint8_t *b)
{
    return dla_le32(b) | (uint64_t)dla_le32(b + 4) << 32;
}

#endif
