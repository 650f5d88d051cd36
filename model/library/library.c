/* SPDX-License-Identifier: MIT */
/* The walk over a call's batches and slices: operands come in, are computed, and go out. */
#include "model/library/library.h"

#include <glib.h>
#include <string.h>

#include "model/library/element.h"
#include "model/library/work.h"

enum phase { PHASE_SCALARS, PHASE_BATCH, PHASE_READ, PHASE_RUN, PHASE_WRITE, PHASE_DONE };

/**
 * struct bus_library - a call under way
 * @base: by operand: where the batch's first element lies
 * @at: the operand that moves; @moved: elements of it
 * @room: by operand: bytes of work.data
 * @named: of the operand that moves, whose elements operand 1 names: a byte a column or a row
 * @tail: what stands behind the call; NULL: nothing
 */
struct bus_library {
    struct bus_port *port;
    struct library_call call;
    const struct library_entry *entry;
    struct library_work work;
    struct bus_library_fault fault;
    uint64_t base[LIBRARY_OPERANDS];
    size_t room[LIBRARY_OPERANDS];
    enum phase phase;
    unsigned at, operands;
    uint64_t moved;
    uint8_t *named, *tail;
};

static size_t library_tail_bytes(const void *call)
{
    struct library_call c;

    memcpy(&c, call, sizeof(c));
    return c.magic == LIBRARY_MAGIC && c.op == LIBRARY_PICTURE ? LIBRARY_TAIL_BYTES : 0;
}

static struct bus_library *library_open(struct bus_port *port, const void *call)
{
    struct bus_library *l = g_new0(struct bus_library, 1);

    l->port = port;
    memcpy(&l->call, call, sizeof(l->call));
    l->work.call = &l->call;
    if (library_tail_bytes(call)) {
        l->tail = g_memdup2((const uint8_t *)call + sizeof(l->call), LIBRARY_TAIL_BYTES);
        l->work.tail = l->tail;
    }
    l->fault.reason = library_call_check(&l->call);
    if (!l->fault.reason) {
        l->entry = &library_entries[l->call.op];
        l->operands = (unsigned)strlen(l->entry->operands);
        l->work.scratch = g_malloc0(MAX(l->entry->scratch, 1u));
    }
    return l;
}

static void library_close(struct bus_library *l)
{
    for (unsigned i = 0; i < LIBRARY_OPERANDS; i++) {
        g_free(l->work.data[i]);
    }
    g_free(l->work.scratch);
    g_free(l->named);
    g_free(l->tail);
    g_free(l);
}

/* Notes a failure. Return: there was none */
static bool library_port_ok(struct bus_library *l, enum bus_status status, uint64_t va,
                            uint64_t bytes, bool write)
{
    uint64_t at = l->port->fault.va; /* somewhere in what was asked for */

    l->fault = (struct bus_library_fault){
        .status = status, .write = write, .va = at - va < bytes ? at : va, .size = (uint32_t)bytes
    };
    return status == BUS_OK;
}

/* Device code loads whole elements: an address in between is a fault there. */
static bool library_move(struct bus_library *l, uint64_t va, void *data, uint64_t bytes,
                         unsigned align, bool write)
{
    if (va % align) {
        l->fault = (struct bus_library_fault){
            .misaligned = true, .write = write, .va = va, .size = align
        };
        return false;
    }
    return library_port_ok(l,
                           write ? bus_port_write(l->port, va, data, bytes)
                                 : bus_port_read(l->port, va, data, bytes),
                           va, bytes, write);
}

static bool library_scalars_read(struct bus_library *l)
{
    for (unsigned i = 0; i < LIBRARY_SCALARS; i++) {
        const struct library_scalar *s = &l->call.scalar[i];
        unsigned bytes = library_type_bytes(s->type);
        double value[2];

        memcpy(l->work.scalar[i], s->value, sizeof(s->value));
        if (!s->va) {
            continue;
        }
        if (!library_move(l, s->va, value, bytes, bytes, false)) {
            return false;
        }
        l->work.scalar[i][0] = library_element_get(value, s->type, 0, 0);
        l->work.scalar[i][1] = library_element_get(value, s->type, 0, 1);
    }
    return true;
}

static bool library_batch_begin(struct bus_library *l)
{
    for (unsigned i = 0; i < l->operands; i++) {
        const struct library_operand *o = &l->call.operand[i];
        uint64_t at = o->va + l->work.batch * 8;

        l->base[i] = o->va + l->work.batch * (uint64_t)o->batch_pitch;
        if (o->flags & LIBRARY_INDIRECT && !library_move(l, at, &l->base[i], 8, 8, false)) {
            return false;
        }
    }
    memset(l->work.scratch, 0, l->entry->scratch);
    memset(l->work.unwritten, 0, sizeof(l->work.unwritten));
    l->work.first = 0;
    return true;
}

static bool library_scalar_zero(const struct bus_library *l, unsigned i)
{
    return l->work.scalar[i][0] == 0 && l->work.scalar[i][1] == 0;
}

/* Does the operand move in this slice? */
static bool library_moves(const struct bus_library *l, unsigned i, bool write)
{
    switch (l->entry->operands[i]) {
    case 'i':
        return !write;
    case 'a':
        return !write && !library_scalar_zero(l, 0);
    case 'c':
        return !write && !library_scalar_zero(l, 1);
    case 'b':
        return write || !library_scalar_zero(l, 1);
    case 'o':
        return write;
    case 'r':
        return write && l->work.last;
    case 's':
        return write ? l->work.last : l->work.first == 0;
    default:
        return true;
    }
}

static bool library_is_slice(const struct bus_library *l, unsigned i)
{
    return l->entry->walk == LIBRARY_STREAM && !strchr("rs", l->entry->operands[i]);
}

static uint64_t library_length(const struct bus_library *l, unsigned i)
{
    return library_is_slice(l, i) ? l->work.count : library_operand_count(&l->call.operand[i]);
}

/* The same, of what moves now */
static uint64_t library_extent(const struct bus_library *l, unsigned i, bool write)
{
    uint64_t length = library_length(l, i);

    return write ? length - MIN(l->work.unwritten[i], length) : length;
}

/* The next slice of the batch: room for what it has. Return: false: more than the host has */
static bool library_slice_begin(struct bus_library *l)
{
    uint64_t left = (uint64_t)MAX(l->call.n[0], 0) - l->work.first;

    l->work.count = l->entry->walk == LIBRARY_WHOLE ? 0 : MIN(left, LIBRARY_SLICE);
    l->work.last = l->entry->walk == LIBRARY_WHOLE || l->work.count == left;
    for (unsigned i = 0; i < l->operands; i++) {
        size_t bytes = library_length(l, i) * library_type_bytes(l->call.operand[i].type);

        if (bytes > l->room[i] || !l->work.data[i]) {
            g_free(l->work.data[i]);
            l->work.data[i] = g_try_malloc0(MAX(bytes, 64));
            l->room[i] = bytes;
        }
        if (!l->work.data[i]) {
            l->fault.reason = "library call: the host has no memory for an operand";
            return false;
        }
    }
    return true;
}

/* Columns that a row of a triangle has. */
static void library_columns(const struct library_operand *o, uint64_t row, uint64_t *from,
                            uint64_t *to)
{
    uint64_t unit = o->flags & LIBRARY_UNIT ? 1 : 0;

    *from = o->flags & LIBRARY_LOWER ? MIN(row + unit, o->columns) : 0;
    *to = o->flags & LIBRARY_UPPER ? MIN(row + 1 - unit, o->columns) : o->columns;
}

/* Which columns or rows of an operand does operand 1 name? */
static void library_named_find(struct bus_library *l, const struct library_operand *o)
{
    uint64_t n = o->flags & LIBRARY_NAMED_ROWS ? o->rows : o->columns;
    const struct library_operand *names = &l->call.operand[1];

    g_free(l->named);
    l->named = g_malloc0(n + 1);
    for (uint64_t i = 0; i < library_operand_count(names); i++) {
        int64_t v = names->type == LIBRARY_R_32I ? ((const int32_t *)l->work.data[1])[i]
                                                 : ((const int64_t *)l->work.data[1])[i];

        if (v >= l->call.n[7] && (uint64_t)(v - l->call.n[7]) < n) {
            l->named[v - l->call.n[7]] = 1;
        }
    }
}

/* The part of columns @from to @to, from @column on, that is all named or not. */
static void library_named_part(struct bus_library *l, const struct library_operand *o, uint64_t row,
                               uint64_t column, uint64_t *from, uint64_t *to)
{
    if (l->moved == 0) {
        library_named_find(l, o);
    }
    if (o->flags & LIBRARY_NAMED_ROWS) {
        *from = l->named[row] ? *from : *to;
        return;
    }
    *from = column;
    while (*from < o->columns && !l->named[*from]) {
        ++*from;
    }
    *to = *from;
    while (*to < o->columns && l->named[*to]) {
        ++*to;
    }
}

/* Some of the elements of operand @i that lie side by side; @left: bytes of this step */
static bool library_run_move(struct bus_library *l, unsigned i, bool write, uint64_t *left)
{
    const struct library_operand *o = &l->call.operand[i];
    unsigned size = library_type_bytes(o->type);
    uint64_t begin = library_is_slice(l, i) ? l->work.first : 0, e = begin + l->moved;
    uint64_t row = e / o->columns, column = e % o->columns, from, to;
    uint64_t n = MIN(o->columns - column, library_extent(l, i, write) - l->moved);
    uint8_t *data = (uint8_t *)l->work.data[i] + l->moved * size;

    library_columns(o, row, &from, &to);
    if (o->flags & (LIBRARY_NAMED_COLUMNS | LIBRARY_NAMED_ROWS)) {
        library_named_part(l, o, row, column, &from, &to);
    }
    if (column < from || column >= to) { /* not there: zero */
        n = column < from ? MIN(n, from - column) : n;
        if (!write) {
            memset(data, 0, n * size);
        }
        *left -= MIN(*left, n);
    } else {
        n = MIN(MIN(n, to - column), MAX(*left / size, 1));
        if (!library_move(l, l->base[i] + row * (uint64_t)o->pitch + column * size, data, n * size,
                          size, write)) {
            return false;
        }
        *left -= MIN(*left, n * size);
    }
    l->moved += n;
    return true;
}

/* Operands until the step's bytes are used up. Return: false after a fault */
static bool library_operands_move(struct bus_library *l, bool write, uint64_t *left)
{
    while (l->at < l->operands && *left > 0) {
        if (!library_moves(l, l->at, write) || l->moved == library_extent(l, l->at, write)) {
            l->at++;
            l->moved = 0;
        } else if (!library_run_move(l, l->at, write, left)) {
            return false;
        }
    }
    if (l->at == l->operands) {
        l->at = 0;
        l->phase++;
    }
    return true;
}

static void library_slice_end(struct bus_library *l)
{
    l->work.first += l->work.count;
    l->phase = PHASE_READ;
    if (l->work.last) {
        l->work.batch++;
        l->phase = l->work.batch < l->call.batches ? PHASE_BATCH : PHASE_DONE;
    } else {
        library_slice_begin(l); /* no more than it had: there is room */
    }
}

static bool library_advance(struct bus_library *l, uint64_t *left)
{
    switch (l->phase) {
    case PHASE_SCALARS:
        l->phase = PHASE_BATCH;
        return library_scalars_read(l);
    case PHASE_BATCH:
        l->phase = PHASE_READ;
        *left -= MIN(*left, 64);
        return library_batch_begin(l) && library_slice_begin(l);
    case PHASE_READ:
        return library_operands_move(l, false, left);
    case PHASE_RUN:
        l->phase = PHASE_WRITE;
        l->entry->run(&l->work);
        l->fault.reason = l->work.why;
        return !l->work.why;
    case PHASE_WRITE:
        if (!library_operands_move(l, true, left)) {
            return false;
        }
        if (l->phase == PHASE_DONE) {
            library_slice_end(l);
        }
        return true;
    default:
        return true;
    }
}

static enum bus_library_result library_step(struct bus_library *l, struct bus_library_cost *cost)
{
    uint64_t left = LIBRARY_STEP;
    bool ok = !l->fault.reason;

    l->work.cost = (struct bus_library_cost){ 0 };
    while (ok && left > 0 && l->phase != PHASE_DONE) {
        ok = library_advance(l, &left);
    }
    *cost = l->work.cost;
    return !ok ? BUS_LIBRARY_FAILED : l->phase == PHASE_DONE ? BUS_LIBRARY_DONE : BUS_LIBRARY_MORE;
}

static const struct bus_library_fault *library_fault(const struct bus_library *l)
{
    return &l->fault;
}

const struct bus_library_ops library_ops = {
    .call_bytes = LIBRARY_CALL_BYTES,
    .tail_bytes = library_tail_bytes,
    .open = library_open,
    .step = library_step,
    .fault = library_fault,
    .close = library_close,
};
