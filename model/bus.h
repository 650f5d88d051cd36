/* SPDX-License-Identifier: MIT */
/* What joins the units of the model: a device sees memory only through these calls.
 *
 * A bus master never holds a pointer into RAM beyond the call that gave it, or the caches would not
 * see its accesses. `model/soc` wires the calls: a master's port goes through its own translation
 * (GMMU for the iGPU, SMMU by stream ID for the others), for the iGPU's cached aperture through the
 * L2, and then through the I/O port whose coherency rules are in model/iocoherency.
 */
#ifndef MODEL_BUS_H
#define MODEL_BUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/values.h"

enum bus_status {
    BUS_OK,
    BUS_DECERR,      /* nothing answers at this address, or bad access size */
    BUS_FAULT,       /* the translation was refused: no mapping, or no permission */
    BUS_UNSUPPORTED, /* the SoC has no such access, e.g. a system-scope atomic below cc 7.2 */
};

#define BUS_LINE 128u  /* iGPU L2 line: the unit of a coalesced access, bytes */
#define BUS_SECTOR 32u /* a quarter of it: the unit of a fill */
#define BUS_SECTORS_ALL 15u

/* One bit a byte of a line. Bit i of word[0] is byte i, of word[1] byte 64 + i. */
struct bus_mask {
    uint64_t word[2];
};

/* The compiler's own builtin is a call into libgcc where the build is for any x86-64. */
static inline unsigned bus_bits_count(uint64_t bits)
{
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
    return (unsigned)(bits * UINT64_C(0x0101010101010101) >> 56);
}

static inline unsigned bus_mask_count(const struct bus_mask *m)
{
    return bus_bits_count(m->word[0]) + bus_bits_count(m->word[1]);
}

/* The lowest @n of 64 bits, none if it is negative, all if it is more. */
static inline uint64_t bus_bits_low(int n)
{
    return n <= 0 ? 0 : n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
}

/* Bits @first .. @first + @len - 1 of a line; first + len <= BUS_LINE. */
static inline struct bus_mask bus_mask_range(unsigned first, unsigned len)
{
    int from = (int)first, to = (int)(first + len);

    return (struct bus_mask){ { bus_bits_low(to) & ~bus_bits_low(from),
                                bus_bits_low(to - 64) & ~bus_bits_low(from - 64) } };
}

/* Of a line's four; digit i of the constant is the number of bits in i. */
static inline unsigned bus_sectors_count(unsigned sectors)
{
    return (unsigned)(UINT64_C(0x4332322132212110) >> 4 * sectors) & 7;
}

enum bus_atomic_op {
    BUS_ATOMIC_ADD,
    BUS_ATOMIC_MIN_S,
    BUS_ATOMIC_MIN_U,
    BUS_ATOMIC_MAX_S,
    BUS_ATOMIC_MAX_U,
    BUS_ATOMIC_INC, /* PTX: old >= operand ? 0 : old + 1 */
    BUS_ATOMIC_DEC, /* PTX: old == 0 || old > operand ? operand : old - 1 */
    BUS_ATOMIC_AND,
    BUS_ATOMIC_OR,
    BUS_ATOMIC_XOR,
    BUS_ATOMIC_EXCH,
    BUS_ATOMIC_CAS,   /* operand = new value, compare = expected */
    BUS_ATOMIC_ADD_F32,
    BUS_ATOMIC_ADD_F64,
    BUS_ATOMIC_ADD_F16X2,
    BUS_ATOMIC_ADD_F16,
};

/* Which unit adds: the L2 what memory holds, the SM what its shared and local memory hold. */
enum bus_atomic_place { BUS_ATOMIC_AT_L2, BUS_ATOMIC_AT_SM };

/**
 * bus_atomic_apply - the value that an atomic leaves (PTX ISA 9.7.13.5, atom)
 * @size: bytes of a value: 2, 4 or 8; @old, @operand, @compare have no bits above it
 */
uint64_t bus_atomic_apply(enum bus_atomic_op op, enum bus_atomic_place place, unsigned size,
                          uint64_t old, uint64_t operand, uint64_t compare);

/**
 * struct bus_fault - why an access of a virtually addressed master failed
 * @va: the faulting address as the master sees it
 * @write: it was a store or an atomic
 * @reason: a short constant text in the MMU's words ("PTE invalid", "read-only")
 */
struct bus_fault {
    uint64_t va;
    bool write;
    const char *reason;
};

struct bus_port;

#define BUS_ALL_SMS UINT32_MAX
#define BUS_NO_SM (UINT32_MAX - 1)

/**
 * struct bus_port_ops - a master's view of memory, by virtual address and whole L2 line
 *
 * Implemented by model/soc (and by fakes in tests). Line addresses are multiples of BUS_LINE. All
 * calls complete before they return; a line is never split between two pages.
 *
 * @load: make the bytes of @sectors (bit s = bytes 32s..32s+31) readable; *@line then points at 128
 *        bytes of which those sectors hold what the master sees. Valid until the next call on the
 *        port. @how: enum bus_how.
 * @store: write @data[i] for each bit i in @mask.
 * @atomic: read-modify-write of @size (2, 4, 8) bytes at @va (aligned); *@old gets the former value. @how: enum
 *        bus_how.
 *        In the cached aperture it happens in the L2, in the uncached one at the I/O port; system
 *        scope there needs cc >= 7.2 (CUDA for Tegra 3.6).
 *
 * Each returns BUS_OK or a failure with memory unchanged and port->fault filled.
 *
 * @l1_empty: what the L1 of SM @sm holds is forgotten: a fence that acquires, or a kernel's begin (@sm:
 *        BUS_ALL_SMS). NULL: there is none
 * @read, @write: NULL, or a short cut for many bytes: the first of them that lie in one page, if nothing
 *        of them has to be looked at line by line (uncached, not observed). Return: how many were
 *        done; 0: use load or store, which also say why.
 * @ahead: NULL, or a hint without effect: @va[l] + @add, for each bit l of @lanes, will be accessed soon
 */
struct bus_port_ops {
    enum bus_status (*load)(struct bus_port *port, uint64_t line_va, unsigned sectors,
                            unsigned how, const uint8_t **line);
    enum bus_status (*store)(struct bus_port *port, uint64_t line_va, const uint8_t *data,
                             const struct bus_mask *mask, enum bus_scope scope);
    enum bus_status (*atomic)(struct bus_port *port, uint64_t va, enum bus_atomic_op op,
                              unsigned size, uint64_t operand, uint64_t compare,
                              unsigned how, uint64_t *old);
    void (*l1_empty)(struct bus_port *port, unsigned sm);
    size_t (*read)(struct bus_port *port, uint64_t va, void *dst, size_t len);
    size_t (*write)(struct bus_port *port, uint64_t va, const void *src, size_t len);
    void (*ahead)(struct bus_port *port, const uint64_t *va, uint64_t add, uint32_t lanes,
                  unsigned how, bool store);
};

/* An access beside all allocations, in memory that is mapped */
#define BUS_BESIDES 4u
struct bus_beside {
    uint64_t va, place;
    bool write;
};

/**
 * struct bus_port - one master's port; embedded first in what implements it
 * @agent: who the accesses are counted for; the master may change it between commands
 * @header_agent: who a texture's header is read for
 * @sm: of the iGPU, whose L1 is asked; @moment: of the next load: equal for warps side by side that issue
 *      it in the same cycle, other cycles' hardly ever; set by the master
 * @context: address space of the next accesses (GMMU: index of an instance block); set by the master
 * @fault: the last failure
 * @stale, @stale_place: address + 1 and place of the first load that the L1 answered with other
 *        bytes than are behind it; 0: none; the master clears it. Known while the port is observed
 * @beside, @besides: the first accesses of SMs that no allocation has but that went on: @place as
 *        below, 0 where the port is not observed; the master clears them
 * @observed: single accesses are observed (kept by the other side of the port): a master then says
 *            in @bytes which bytes of the sectors the next load really needs, and in @place where in the source
 *            its next accesses are: number of the file << 32 | line, 0 unknown
 */
struct bus_port {
    const struct bus_port_ops *ops;
    enum bus_agent agent, header_agent;
    uint32_t context, sm;
    struct bus_fault fault;
    bool observed;
    uint8_t moment;
    struct bus_mask bytes;
    uint64_t place, stale, stale_place;
    struct bus_beside beside[BUS_BESIDES];
    unsigned besides;
};

/* Any length and alignment, cut into lines; stops at the first failure. Return: as the ops. */
enum bus_status bus_port_read(struct bus_port *port, uint64_t va, void *dst, size_t len);
enum bus_status bus_port_write(struct bus_port *port, uint64_t va, const void *src, size_t len);

/* --- the texture unit: model/tex implements it, the SMs call it, model/soc joins them --- */

enum bus_tex_geometry {
    BUS_TEX_1D,
    BUS_TEX_2D,
    BUS_TEX_3D,
    BUS_TEX_A1D, /* layers: the first coordinate */
    BUS_TEX_A2D,
    BUS_TEX_CUBE,
    BUS_TEX_ACUBE
};

enum bus_tex_mode {
    BUS_TEX_BASE, /* the finest level */
    BUS_TEX_LEVEL,
    BUS_TEX_GRAD,
    BUS_TEX_GATHER /* of the four texels that a bilinear fetch reads, one channel each */
};

enum bus_tex_clamp { BUS_TEX_TRAP, BUS_TEX_CLAMP, BUS_TEX_ZERO };

enum bus_tex_query {
    BUS_TEX_WIDTH,
    BUS_TEX_HEIGHT,
    BUS_TEX_DEPTH,
};

enum bus_tex_result {
    BUS_TEX_OK,
    BUS_TEX_NO_OBJECT, /* no texture or surface lies at the handle */
    BUS_TEX_OUTSIDE,   /* .trap: the coordinates are outside */
    BUS_TEX_FAILED     /* the port refused: bus_tex_status() */
};

/**
 * struct bus_tex_fetch - one texture instruction of a warp
 * @channel: GATHER: which
 * @integer: coordinates are s32, else f32 (layers are always integers)
 * @handle, @coord: by lane; @extra: LEVEL: the level; GRAD: the x derivatives, then the y ones
 * @out: by channel and lane
 */
struct bus_tex_fetch {
    enum bus_tex_geometry geometry;
    enum bus_tex_mode mode;
    unsigned channel;
    bool integer;
    const uint64_t *handle;
    const uint32_t *coord[4], *extra[6];
    uint32_t (*out)[32];
};

/**
 * struct bus_tex_access - one surface instruction of a warp
 * @bytes: of one lane's access, 1 to 16; x counts bytes, or elements if @formatted
 * @store: @data goes to memory, converted to the surface's format if @formatted; else comes from it
 * @reduce: not negative: enum bus_atomic_op with @data[0]; nothing comes back
 */
struct bus_tex_access {
    enum bus_tex_geometry geometry;
    enum bus_tex_clamp clamp;
    unsigned bytes;
    bool store, formatted;
    int reduce;
    const uint64_t *handle;
    const uint32_t *coord[4];
    uint32_t (*data)[32];
};

struct bus_tex;

/* An access of @bytes at @va that the unit makes for @lane; see watch() */
typedef void bus_tex_touched(void *opaque, unsigned lane, uint64_t va, unsigned bytes);

/**
 * struct bus_tex_ops
 * @open: for one grid: its cache is empty. @port: not owned
 * @fetch, @access: the lanes of @mask; on failure *@lane is the first that failed
 * @query: txq, suq
 * @status: of the port's failure, after BUS_TEX_FAILED
 * @watch: from now on @touched is called before each access of a texel or an element, also of one
 *         that the unit's cache has
 * @stale: did the last fetch get bytes that are older than the L2's, and which? Known while the port is observed
 */
struct bus_tex_ops {
    struct bus_tex *(*open)(struct bus_port *port);
    void (*close)(struct bus_tex *t);
    enum bus_tex_result (*fetch)(struct bus_tex *t, const struct bus_tex_fetch *f, uint32_t mask,
                                 unsigned *lane);
    enum bus_tex_result (*access)(struct bus_tex *t, struct bus_tex_access *a, uint32_t mask,
                                  unsigned *lane);
    enum bus_tex_result (*query)(struct bus_tex *t, uint64_t handle, enum bus_tex_query q,
                                 unsigned level, uint32_t *out);
    enum bus_status (*status)(const struct bus_tex *t);
    void (*watch)(struct bus_tex *t, bus_tex_touched *touched, void *opaque);
    bool (*stale)(const struct bus_tex *t, uint64_t *va);
};

/* --- calls of libraries: model/library implements them, the SMs run them, model/soc joins the two --- */

enum bus_library_result {
    BUS_LIBRARY_MORE,
    BUS_LIBRARY_DONE,
    BUS_LIBRARY_FAILED, /* bus_library_ops.fault() says why */
};

/* What a step computed: fused multiply-adds by precision. */
struct bus_library_cost {
    uint64_t single, twice, half;
};

/**
 * struct bus_library_fault - why a call ended
 * @reason: the call itself is wrong; NULL: the access of @size bytes at @va is
 * @status: the port's answer; @misaligned: the access did not get there
 */
struct bus_library_fault {
    const char *reason;
    enum bus_status status;
    bool misaligned, write;
    uint64_t va;
    uint32_t size;
};

struct bus_library;

/**
 * struct bus_library_ops
 * @call_bytes: of a call; @tail_bytes: that follow this one
 * @open: @call, and its tail behind it: copied, any bytes. @port: not owned
 * @step: as much as moves at most 64 KiB. *@cost is what it computed
 */
struct bus_library_ops {
    size_t call_bytes;
    size_t (*tail_bytes)(const void *call);
    struct bus_library *(*open)(struct bus_port *port, const void *call);
    enum bus_library_result (*step)(struct bus_library *l, struct bus_library_cost *cost);
    const struct bus_library_fault *(*fault)(const struct bus_library *l);
    void (*close)(struct bus_library *l);
};

/**
 * struct mmio_ops - what a device shows to software
 * @name: instance name in traces
 * @size: size of the register window, bytes
 * @read, @write: 32-bit access at @offset, a multiple of 4 below @size. Unknown registers read 0 and
 *        ignore writes; both are traced by name of the unit.
 *
 * soc.c answers BUS_DECERR to any other access, so devices need no such check.
 */
struct mmio_ops {
    const char *name;
    uint64_t size;
    void (*reset)(void *dev);
    uint32_t (*read)(void *dev, uint64_t offset);
    void (*write)(void *dev, uint64_t offset, uint32_t val);
};

struct irq;
/** irq_set - drive a level-sensitive interrupt line */
void irq_set(struct irq *irq, bool level);

#endif
