/* SPDX-License-Identifier: MIT */
#include "loadable/network.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "loadable/desc.h"

/* Where the reason goes. */
struct reason {
    char *text;
    size_t size;
};

__attribute__((format(printf, 2, 3))) static bool network_fail(const struct reason *r,
                                                               const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(r->text, r->size, format, args);
    va_end(args);
    return false;
}

/* @count entries of @bytes in the place that the network descriptor names. */
static bool list_check(const struct loadable_network *n, const char *name, int64_t list,
                       unsigned count, unsigned bytes, const struct reason *r)
{
    if (count == 0) {
        return true;
    }
    if (list < 0 || list >= n->places) {
        return network_fail(r,
                            "network_desc.%s = %" PRId64 ": an index into the task's %u addresses",
                            name, list, n->places);
    }
    if (!n->place[list].bytes) {
        return network_fail(
            r, "network_desc.%s = %" PRId64 ": that address is a tensor of the program's", name,
            list);
    }
    if ((uint64_t)count * bytes > n->place[list].size) {
        return network_fail(
            r, "%s[%" PRIu64 "]: the blob ends after %" PRIu64 " bytes, %u entries need %u", name,
            n->place[list].size / bytes, n->place[list].size, count, count * bytes);
    }
    return true;
}

static bool lists_check(struct loadable_network *n, const struct reason *r)
{
    unsigned operations = (unsigned)DESC_GETU(n->desc, NETWORK, num_operations);
    unsigned luts = (unsigned)DESC_GETU(n->desc, NETWORK, num_luts);

    if (operations > DESC_MAX_OPERATIONS) {
        return network_fail(r, "network_desc.num_operations = %u: at most %d", operations,
                            DESC_MAX_OPERATIONS);
    }
    if (!list_check(n, "operation_list", DESC_GET(n->desc, NETWORK, operation_list), operations,
                    DESC_OPERATION_BYTES, r) ||
        !list_check(n, "surface_list", DESC_GET(n->desc, NETWORK, surface_list), operations,
                    DESC_SURFACE_BYTES, r) ||
        !list_check(n, "dependency_graph", DESC_GET(n->desc, NETWORK, dependency_graph), operations,
                    DESC_BYTES_COMMON, r) ||
        !list_check(n, "lut_list", DESC_GET(n->desc, NETWORK, lut_list), luts, DESC_BYTES_LUT, r)) {
        return false;
    }
    n->operations = operations;
    n->luts = luts;
    return true;
}

static const uint8_t *network_entry(const struct loadable_network *n, int64_t list, unsigned i,
                                    unsigned bytes)
{
    return n->place[list].bytes + (size_t)i * bytes;
}

static bool consumers_check(const struct loadable_network *n, unsigned i, const uint8_t *common,
                            const struct reason *r)
{
    size_t count;
    const struct desc_field *f = desc_fields(DESC_COMMON, &count);

    for (size_t k = 0; k < count; k++) {
        int64_t v = desc_get(common + f[k].offset, f[k].bytes, f[k].is_signed);
        bool op = f[k].offset >= DESC_AT_COMMON_bdma_index && f[k].is_signed;

        if (op && (v < -1 || v >= n->operations)) {
            return network_fail(
                r, "dependency_graph[%u].%s = %" PRId64 ": one of %u operations, or -1", i,
                f[k].name, v, n->operations);
        }
    }
    return true;
}

static bool cubes_check(const struct loadable_network *n, unsigned i, enum desc_op type,
                        const struct reason *r)
{
    const uint8_t *surface =
        network_entry(n, DESC_GET(n->desc, NETWORK, surface_list), i, DESC_SURFACE_BYTES);
    const char *name;

    for (unsigned k = 0; (name = desc_surface_name(type, k)); k++) {
        struct desc_cube c;

        desc_cube_get(surface, k, n->cube_bytes, &c);
        if (c.type > 2) {
            return network_fail(r,
                                "surface_list[%u].%s.type = %d: 0 DRAM, 1 CVSRAM or 2 on the fly",
                                i, name, c.type);
        }
        if (c.address < -1 || c.address >= (int)n->places) {
            return network_fail(
                r, "surface_list[%u].%s.address = %d: one of the task's %u addresses, or -1", i,
                name, c.address, n->places);
        }
    }
    return true;
}

/* The surface descriptor of a BDMA operation has transfers where others have cubes. */
static bool operation_check(const struct loadable_network *n, unsigned i, const struct reason *r)
{
    const uint8_t *common =
        network_entry(n, DESC_GET(n->desc, NETWORK, dependency_graph), i, DESC_BYTES_COMMON);
    const uint8_t *operation =
        network_entry(n, DESC_GET(n->desc, NETWORK, operation_list), i, DESC_OPERATION_BYTES);
    int64_t type = DESC_GETU(common, COMMON, op_type), transfers;

    if (type >= DESC_OPS) {
        return network_fail(r, "dependency_graph[%u].op_type = %" PRId64 ": 0 to 5", i, type);
    }
    if (type != DESC_OP_BDMA) {
        return cubes_check(n, i, (enum desc_op)type, r) && consumers_check(n, i, common, r);
    }
    transfers = DESC_GETU(operation, BDMA, num_transfers);
    return consumers_check(n, i, common, r) &&
           (transfers <= DESC_MAX_TRANSFERS ||
            network_fail(r, "operation_list[%u].num_transfers = %" PRId64 ": at most %d", i,
                         transfers, DESC_MAX_TRANSFERS));
}

unsigned loadable_cube_bytes(const struct loadable *l, struct loadable_version blob)
{
    bool onnc = l->version.major == 0 && l->version.minor == 7 && blob.major == 1 &&
                (blob.minor == 2 || blob.minor == 3);

    return onnc ? desc_cube_bytes(0, 11) : desc_cube_bytes(blob.major, blob.minor);
}

bool loadable_network_check(struct loadable_network *n, char *why, size_t size)
{
    const struct reason r = { why, size };

    n->operations = n->luts = 0;
    n->desc = n->place[0].size >= DESC_BYTES_NETWORK ? n->place[0].bytes : NULL;
    if (!n->desc) {
        return network_fail(&r, "network_desc: %" PRIu64 " bytes, needs %d",
                            n->place[0].bytes ? n->place[0].size : 0, DESC_BYTES_NETWORK);
    }
    if (!lists_check(n, &r)) {
        return false;
    }
    for (unsigned i = 0; i < n->operations; i++) {
        if (!operation_check(n, i, &r)) {
            n->operations = i;
            return false;
        }
    }
    return true;
}
