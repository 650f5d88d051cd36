/* SPDX-License-Identifier: MIT */
/* From parsed PTX to micro-ops that an SM can run without looking anything up.
 *
 * Pure like the parser: the driver core decodes a module to refuse what cannot run, by name and
 * line; the iGPU decodes the same text again to run it. Every operand becomes the byte offset of a
 * slot in a warp's register frame: 32 lanes of 4 or 8 bytes, or one 32-bit mask for a predicate.
 * Literals, symbol addresses and the special registers that do not change during a warp's life are
 * slots too.
 */
#ifndef PTX_DECODE_H
#define PTX_DECODE_H

#include "ptx/ptx.h"

enum ptx_uop_op {
#define PTX_UOP(name, operands, spellings) PTX_UOP_##name,
#include "ptx/uop.def"
#undef PTX_UOP
    PTX_UOP_COUNT
};

/* External functions the SMs know themselves: device printf, assert and the libdevice names that
 * clang leaves undefined. */
enum ptx_intrinsic {
#define PTX_INTRINSIC(name, ret, args) PTX_INTRINSIC_##name,
#include "ptx/intrinsic.def"
#undef PTX_INTRINSIC
    PTX_INTRINSIC_COUNT
};

/* ptx_uop.sub of a floating-point micro-op: rounding in the low two bits */
#define PTX_FLOAT_RN 0u
#define PTX_FLOAT_RZ 1u
#define PTX_FLOAT_RM 2u
#define PTX_FLOAT_RP 3u
#define PTX_FLOAT_ROUND 3u
#define PTX_FLOAT_FTZ 4u
#define PTX_FLOAT_SAT 8u
#define PTX_FLOAT_RELU 16u
#define PTX_FLOAT_NAN 32u     /* min, max: a NaN operand gives NaN */
#define PTX_FLOAT_XORSIGN 64u /* min, max .xorsign.abs */
#define PTX_FLOAT_RNA 128u    /* cvt: nearest, ties away from zero */
#define PTX_FLOAT_OOB 128u    /* fma of halves: a factor that stands for out of bounds gives 0 */

/* ptx_uop.sub of a conversion: as PTX_FLOAT_, and the integer roundings take the same values */
#define PTX_CVT_INT 128u /* float to float with .rni .rzi .rmi .rpi: round to an integral value */

enum ptx_half { PTX_HALF_F16, PTX_HALF_F16X2, PTX_HALF_BF16, PTX_HALF_BF16X2 };
enum ptx_testp {
    PTX_TESTP_FINITE,
    PTX_TESTP_INFINITE,
    PTX_TESTP_NUMBER,
    PTX_TESTP_NOTANUMBER,
    PTX_TESTP_NORMAL,
    PTX_TESTP_SUBNORMAL
};
enum ptx_cmp {
    PTX_CMP_EQ,
    PTX_CMP_NE,
    PTX_CMP_LT,
    PTX_CMP_LE,
    PTX_CMP_GT,
    PTX_CMP_GE,
    PTX_CMP_EQU,
    PTX_CMP_NEU,
    PTX_CMP_LTU,
    PTX_CMP_LEU,
    PTX_CMP_GTU,
    PTX_CMP_GEU,
    PTX_CMP_NUM,
    PTX_CMP_NAN
};

/* ptx_uop.flags */
#define PTX_MEM_SIGNED 1u     /* ld: extend the sign */
#define PTX_MEM_WIDE 2u       /* the value slots have 64-bit lanes */
#define PTX_MEM_A32 4u        /* the address slot has 32-bit lanes */
#define PTX_MEM_RED 8u        /* atom without its result */
#define PTX_MEM_NC 16u        /* ld.global.nc */
#define PTX_CP_FROM_A32 32u   /* cp.async: the source address has 32-bit lanes */
#define PTX_BULK_TO_SHARED 1u /* cp.async.bulk: where it copies to; else global memory */
#define PTX_BULK_FROM_SHARED 2u
#define PTX_BULK_MBARRIER 8u /* which the copy completes bytes of; else it is in a bulk group */
#define PTX_BULK_MBARRIER_A32 16u
#define PTX_BAR_ALL 1u     /* no thread count given */
#define PTX_BAR_CLUSTER 4u /* the number is PTX_BAR_OF_CLUSTER, which no program can give */
#define PTX_BAR_SPLIT 8u   /* its arrival, where the wait is not the next instruction */
#define PTX_BAR_OF_CLUSTER 16u
#define PTX_CLUSTER_SM 90u    /* .target from which on blocks form clusters, 9.7.13.3 */
#define PTX_CLUSTER_SHARED 1u /* mapa, getctarank: the address counts in shared memory, */
#define PTX_CLUSTER_A32 2u    /* and has 32-bit lanes */
#define PTX_CLUSTER_ANY 1u    /* isspacep: shared memory of any block of the cluster */
#define PTX_STASYNC_A32 32u   /* st.async: the mbarrier's address has 32-bit lanes */
#define PTX_BAR_ALIGNED \
    2u /* all threads of a warp must execute the same instruction (PTX ISA 9.7.13.1) */
#define PTX_SYNC_ACTIVE 1u /* vote, shfl without .sync: whoever is here */
#define PTX_SHFL_PRED 2u
#define PTX_MBARRIER_SHARED 1u /* the address counts in shared memory; PTX_MEM_A32 as above */
#define PTX_MBARRIER_STATE 2u  /* arrive: the state is wanted */
#define PTX_MBARRIER_DROP 8u
#define PTX_MBARRIER_NO_COMPLETE 16u
#define PTX_MBARRIER_TX 32u    /* arrive.expect_tx */
#define PTX_MBARRIER_INC 64u   /* cp.async.mbarrier.arrive without .noinc */
#define PTX_MBARRIER_PARITY 8u /* test_wait, try_wait */

/* ptx_uop.order: what it orders beside what it does (PTX ISA 8.8); no result depends on it. */
#define PTX_ORDER_ACQUIRE 1u
#define PTX_ORDER_RELEASE 2u
#define PTX_ORDER_ASYNC \
    4u /* an access that is done later, 9.7.9.25.3; of mbarrier, when such are done */
#define PTX_ORDER_COMMIT 8u /* a NOP: cp.async.commit_group; @sub: PTX_GROUP_ */
#define PTX_ORDER_WAIT \
    16u /* a NOP: cp.async.wait_group, @imm groups may be pending; -1: wait_all */
#define PTX_GROUP_COPIES 0u
#define PTX_GROUP_BULK 1u
#define PTX_GROUP_BULK_READ 2u /* wait_group.read: the sources alone */
#define PTX_ORDER_RELAXED 32u  /* of mbarrier, where the default is to acquire or release */
#define PTX_ORDER_CLUSTER 64u  /* the scope is the cluster (8.5), which is less than @scope */

/* ptx_uop.sub of a load: what it says of the L1, the values of enum bus_how */
#define PTX_HOW_CA 16u
#define PTX_HOW_PAST 32u
#define PTX_HOW_ACQUIRE 64u

/* ptx_uop.sub of an atomic: the values of enum bus_atomic_op */
enum ptx_atom {
    PTX_ATOM_ADD,
    PTX_ATOM_MIN_S,
    PTX_ATOM_MIN_U,
    PTX_ATOM_MAX_S,
    PTX_ATOM_MAX_U,
    PTX_ATOM_INC,
    PTX_ATOM_DEC,
    PTX_ATOM_AND,
    PTX_ATOM_OR,
    PTX_ATOM_XOR,
    PTX_ATOM_EXCH,
    PTX_ATOM_CAS,
    PTX_ATOM_ADD_F32,
    PTX_ATOM_ADD_F64,
    PTX_ATOM_ADD_F16X2,
    PTX_ATOM_ADD_F16,
    /* what the bus has not: PTX_ATOM_HALF + PTX_ATOM_HALF_MIN or _MAX (without: add) + enum
       ptx_half */
    PTX_ATOM_HALF = 32,
    PTX_ATOM_HALF_MIN = 4,
    PTX_ATOM_HALF_MAX = 8
};

/* Textures and surfaces: the values of enum bus_tex_geometry, _mode and _clamp */
enum ptx_tex_geometry {
    PTX_TEX_1D,
    PTX_TEX_2D,
    PTX_TEX_3D,
    PTX_TEX_A1D,
    PTX_TEX_A2D,
    PTX_TEX_CUBE,
    PTX_TEX_ACUBE
};
enum ptx_tex_mode { PTX_TEX_BASE, PTX_TEX_LEVEL, PTX_TEX_GRAD, PTX_TEX_GATHER };
enum ptx_tex_clamp { PTX_TEX_TRAP, PTX_TEX_CLAMP, PTX_TEX_ZERO };
#define PTX_TEX_INTEGER 1u   /* coordinates are s32 */
#define PTX_TEX_HALVES 2u    /* .f16x2 */
#define PTX_TEX_WIDE 4u      /* values have 64-bit lanes */
#define PTX_TEX_FORMATTED 8u /* .p */
#define PTX_TEX_REF 16u      /* by a reference: without an object it fetches 0 */

/* Elements of matrix fragments, in the order of width classes that exec_mma.c relies on */
enum ptx_elem {
    PTX_ELEM_F16,
    PTX_ELEM_BF16,
    PTX_ELEM_TF32,
    PTX_ELEM_F64,
    PTX_ELEM_S8,
    PTX_ELEM_U8,
    PTX_ELEM_S4,
    PTX_ELEM_U4,
    PTX_ELEM_B1,
    PTX_ELEM_F32,
    PTX_ELEM_S32,
    PTX_ELEM_NONE
};

/* ptx_uop.flags of a matrix micro-op */
#define PTX_MATRIX_SAT 1u    /* .satfinite of an integer mma */
#define PTX_MATRIX_XOR 2u    /* .b1: .xor.popc, else .and.popc */
#define PTX_MATRIX_COL 4u    /* load, store: column-major in memory */
#define PTX_MATRIX_SHARED 8u /* load, store: the address is one of shared memory */
#define PTX_MATRIX_A32 16u
#define PTX_MATRIX_STRIDE 32u /* a stride is given */

/* Which matrix a load or store moves (ptx_uop.scope); the order of an mma's registers */
enum ptx_matrix_part { PTX_MATRIX_A, PTX_MATRIX_B, PTX_MATRIX_C, PTX_MATRIX_D };

/* ptx_uop.imm of a matrix micro-op: rows, columns, depth */
#define PTX_MATRIX_SHAPE(m, n, k) ((int64_t)(m) | (int64_t)(n) << 16 | (int64_t)(k) << 32)
#define PTX_MATRIX_M(imm) ((uint32_t)(imm) & 0xffff)
#define PTX_MATRIX_N(imm) ((uint32_t)(imm) >> 16)
#define PTX_MATRIX_K(imm) ((uint32_t)((imm) >> 32))

/* ptx_uop.scope: the values of enum bus_scope */
enum ptx_scope { PTX_SCOPE_NONE, PTX_SCOPE_CTA, PTX_SCOPE_GPU, PTX_SCOPE_SYS };

/**
 * struct ptx_uop - one micro-op
 * @inst: the instruction it belongs to; a long instruction has several micro-ops
 * @guard, @guard_xor: it executes in the lanes of mask[guard] ^ guard_xor
 * @d, @a, @b, @c, @e: byte offsets of slots in the frame; their meaning is in uop.def
 * @order: PTX_ORDER_
 * @reads, @writes: which of d a b c e (bits 0 to 4) are slots; bit 5: @target is one
 */
struct ptx_uop {
    uint16_t op;
    uint8_t sub, vec, size, flags, scope;
    uint8_t reads, writes, order;
    uint32_t inst;
    uint32_t guard, guard_xor;
    uint32_t d, a, b, c, e;
    uint32_t target;
    int64_t imm;
};

/* What a constant slot holds; filled when a warp (or a call) gets its frame. */
enum ptx_const_kind {
    PTX_CONST_VALUE,          /* @value */
    PTX_CONST_SPECIAL,        /* @special */
    PTX_CONST_GLOBAL,         /* global_base + value */
    PTX_CONST_CONST,          /* const_base + value */
    PTX_CONST_SHARED,         /* start of the block's shared memory + value */
    PTX_CONST_DYNAMIC_SHARED, /* start of the dynamic shared memory + value */
    PTX_CONST_LOCAL,          /* the function's local frame + value */
    PTX_CONST_REF,            /* what is bound to texture or surface reference number value */
    /* generic addresses: the same in the windows of shared and local memory */
    PTX_CONST_GENERIC_SHARED,
    PTX_CONST_GENERIC_DYNAMIC_SHARED,
    PTX_CONST_GENERIC_LOCAL,
};

struct ptx_const {
    uint32_t offset;
    uint8_t kind, wide; /* wide: 1 for 64-bit lanes, 2 for a predicate mask */
    uint16_t special;
    uint64_t value;
};

/* One parameter or result of a function: where in its local frame, how long */
struct ptx_place {
    uint32_t offset, size;
};

/**
 * struct ptx_call_site - what a call moves
 * @args, @rets: in the caller's local frame, in order
 */
struct ptx_call_site {
    const struct ptx_func *callee; /* NULL: through a pointer, or an intrinsic */
    enum ptx_intrinsic intrinsic;
    struct ptx_place *args, *rets;
    uint32_t n_args, n_rets;
};

struct ptx_jump_table {
    uint32_t *target;
    uint32_t count;
};

/* Units of an SM of which it has fewer than cores. */
enum ptx_issue_class { PTX_ISSUE_FP64, PTX_ISSUE_SFU, PTX_ISSUE_TENSOR, PTX_ISSUE_CLASSES };

/** struct ptx_issue - how many instructions of each class; of PTX_ISSUE_TENSOR: multiply-adds of 16
 * bits by PTX_ISSUE_FMAS. So a stretch of code is counted by one subtraction. */
#define PTX_ISSUE_LANES 32u
#define PTX_ISSUE_FMAS 64u
struct ptx_issue {
    uint32_t n[PTX_ISSUE_CLASSES];
};

/**
 * struct ptx_code - a function, decoded
 * @uop: ends with a RET, so running off the end is a return
 * @frame_bytes: register frame of one warp, a multiple of 64; the first @register_bytes are what
 * the function writes, the rest are constants
 * @local_bytes: local frame of one thread: its variables and all .param of calls, 16-aligned
 * @issue: sums of what precedes each instruction, [n_inst + 1]; NULL: none needs such a unit
 * @params, @rets: of a .func, in its local frame. An entry's parameters lie in the parameter block
 *
 * @lacks: NULL, or the valid instruction (or directive) that the SMs do not have, as a sentence
 * with its line @lacks_pos: the one micro-op is LACKING then
 *
 * Slot 0 is the mask of all lanes, the carry flag lies at byte 4.
 */
struct ptx_code {
    const struct ptx_func *func;
    struct ptx_uop *uop;
    struct ptx_const *consts;
    struct ptx_call_site *calls;
    struct ptx_jump_table *tables;
    struct ptx_place *params, *rets;
    struct ptx_issue *issue;
    uint32_t n_uops, n_consts, n_calls, n_tables, n_params, n_rets;
    uint32_t frame_bytes, register_bytes, local_bytes;
    char *lacks;
    struct ptx_pos lacks_pos;
};

#define PTX_SLOT_ALL 0u
#define PTX_SLOT_CARRY 4u

/* All functions of a module; code[i] belongs to funcs[i], with n_uops 0 for an external one. */
struct ptx_program {
    struct ptx_code *code;
    uint32_t n_code;
};

/**
 * ptx_decode - make every function of a module executable
 * @m: must outlive the program
 * @error: the first instruction that is not PTX, by its spelling and line; may be NULL
 *
 * A valid instruction that the SMs lack is no error: its function has @lacks, all others run.
 * Return: freed with ptx_program_free(); NULL on error.
 */
struct ptx_program *ptx_decode(const struct ptx_module *m, struct ptx_error *error);

/**
 * ptx_program_lack - what keeps a function from running
 *
 * Return: the function itself or one that it reaches by calls that has @lacks; NULL: it can run.
 * Calls through pointers are not followed: LACKING faults when such a one is executed.
 */
const struct ptx_code *ptx_program_lack(const struct ptx_program *p, const struct ptx_func *func);
void ptx_program_free(struct ptx_program *p);

/* The value of a function's address in registers and in initialised data, and back. Function
 * addresses are ours: 16 bytes apart from 0x1000, so that NULL is none. */
uint64_t ptx_func_address(const struct ptx_func *f);
const struct ptx_func *ptx_func_at(const struct ptx_module *m, uint64_t address);

/* Return: PTX_INTRINSIC_COUNT if the SMs know no function of that name */
enum ptx_intrinsic ptx_intrinsic_find(const char *name);
unsigned ptx_elem_bits(enum ptx_elem e);
/* How many registers of 32 bits (f64: of 64) a thread holds of part @p */
unsigned ptx_matrix_regs(enum ptx_matrix_part p, enum ptx_elem e, int64_t shape);
/* Of a decoded function: [n_inst + 1], of what precedes each instruction; g_free(). NULL: none
 * needs a unit of which an SM has fewer than cores */
struct ptx_issue *ptx_issue_sums(const struct ptx_code *code);
const char *ptx_uop_name(enum ptx_uop_op op);
const char *ptx_uop_operands(enum ptx_uop_op op);
const char *ptx_uop_spellings(enum ptx_uop_op op);

#endif
