/* SPDX-License-Identifier: MIT */
/* Any bytes as a call of a library, over 64 KiB of memory: a fault, an end, or a call that is left
 * after some steps. */
#include <stdint.h>
#include <string.h>

#include "model/library/call.h"
#include "model/library/library.h"

#define BASE UINT64_C(0x10000)
#define BYTES 0x10000u
#define STEPS 64

static uint8_t memory[BYTES];

static enum bus_status port_fault(struct bus_port *port, uint64_t va, bool write)
{
    port->fault = (struct bus_fault){ .va = va, .write = write, .reason = "fuzz" };
    return BUS_FAULT;
}

static enum bus_status port_load(struct bus_port *port, uint64_t line, unsigned sectors,
                                 unsigned how, const uint8_t **data)
{
    (void)sectors;
    (void)how;
    if (line - BASE > BYTES - BUS_LINE) {
        return port_fault(port, line, false);
    }
    *data = memory + (line - BASE);
    return BUS_OK;
}

static enum bus_status port_store(struct bus_port *port, uint64_t line, const uint8_t *data,
                                  const struct bus_mask *mask, enum bus_scope scope)
{
    (void)scope;
    if (line - BASE > BYTES - BUS_LINE) {
        return port_fault(port, line, true);
    }
    for (unsigned i = 0; i < BUS_LINE; i++) {
        if (mask->word[i / 64] >> i % 64 & 1) {
            memory[line - BASE + i] = data[i];
        }
    }
    return BUS_OK;
}

static const struct bus_port_ops ops = { .load = port_load, .store = port_store };

/* Small sizes, so that most calls get somewhere; the bytes say which fields stay wild. */
static void call_tame(struct library_call *c, uint8_t wild)
{
    c->magic = LIBRARY_MAGIC;
    c->op %= LIBRARY_OP_COUNT;
    c->batches = wild & 1 ? c->batches : c->batches % 3 + 1;
    for (unsigned i = 0; i < LIBRARY_NUMBERS && !(wild & 2); i++) {
        c->n[i] %= 9;
    }
    for (unsigned i = 0; i < LIBRARY_OPERANDS && !(wild & 4); i++) {
        struct library_operand *o = &c->operand[i];

        o->va = BASE + o->va % BYTES / 16 * 16;
        o->pitch %= 256;
        o->rows %= 9;
        o->columns %= 9;
        o->type %= 27;
        o->flags &= 63;
    }
}

/* Sizes that agree, as the checks of matrices ask for: an order, a number of elements. */
static void call_agree(struct library_call *c)
{
    static const uint32_t types[] = { LIBRARY_R_32I, LIBRARY_R_64I, LIBRARY_R_32F,
                                      LIBRARY_R_64F, LIBRARY_C_64F, LIBRARY_R_8U };
    uint64_t order = (uint64_t)c->n[0] % 5, count = (uint64_t)c->n[2] % 7;
    const uint64_t sizes[][2] = { { 1, order }, { order, order }, { 1, order + 1 },
                                  { 1, count }, { 1, 1 },         { 0, 0 } };

    c->n[0] = c->n[1] = (int64_t)order;
    c->n[2] = (int64_t)(c->n[3] & 1 ? order : count);
    c->n[3] = (int64_t)(c->n[3] & 2 ? order : (uint64_t)c->n[3] & 63);
    c->n[6] &= 1;
    c->n[7] &= 1;
    for (unsigned i = 0; i < LIBRARY_SCALARS; i++) {
        c->scalar[i].va = c->scalar[i].va & 1 ? BASE + c->scalar[i].va % BYTES / 16 * 16 : 0;
        c->scalar[i].type = types[2 + c->scalar[i].type % 3];
    }
    for (unsigned i = 0; i < 4; i++) {
        c->mode[i] &= i ? 35 : 1; /* TRANSPOSED, CONJUGATED, COORDINATES; a precision */
    }
    for (unsigned i = 0; i < LIBRARY_OPERANDS; i++) {
        struct library_operand *o = &c->operand[i];
        unsigned kind = (unsigned)(o->rows % 6);

        o->va = BASE + o->va % (BYTES / 2) / 16 * 16;
        o->pitch &= 240;
        o->batch_pitch &= 240;
        o->rows = sizes[kind][0];
        o->columns = sizes[kind][1];
        o->type = types[o->type % 6];
        /* The memory has no addresses. */
        o->flags = o->flags & 1 ? o->flags & (LIBRARY_UPPER | LIBRARY_LOWER) : 0;
    }
}

/* Small integers, as indices are, out of what follows the call. */
static void memory_fill(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < BYTES / 4; i++) {
        uint32_t v = size ? data[i % size] % 10u : 1;

        memcpy(memory + i * 4, &v, sizeof(v));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bus_port port = { .ops = &ops };
    struct library_call c = { 0 };
    struct bus_library_cost cost;
    struct bus_library *l;
    uint8_t whole[LIBRARY_CALL_BYTES + LIBRARY_TAIL_BYTES] = { 0 };

    memcpy(&c, data, size < sizeof(c) ? size : sizeof(c));
    memset(memory, size > sizeof(c) ? data[sizeof(c)] : 0x3f, sizeof(memory));
    call_tame(&c, size ? data[0] & 7 : 0);
    if (size > sizeof(c) + 1 && data[0] & 8) {
        call_agree(&c);
        memory_fill(data + sizeof(c) + 1, size - sizeof(c) - 1);
    }
    for (unsigned i = 0; i < LIBRARY_OPERANDS; i++) {
        if (c.operand[i].columns > 4096 || c.operand[i].rows > 4096) {
            return 0; /* the host would have to find the room */
        }
    }
    memcpy(whole, &c, sizeof(c));
    for (size_t i = sizeof(c); i < sizeof(whole) && size > sizeof(c); i++) {
        whole[i] = data[sizeof(c) + (i - sizeof(c)) % (size - sizeof(c))];
    }
    l = library_ops.open(&port, whole);
    for (unsigned i = 0; i < STEPS && library_ops.step(l, &cost) == BUS_LIBRARY_MORE; i++) {
    }
    library_ops.close(l);
    return 0;
}
