/* SPDX-License-Identifier: MIT */
/* PTX as data: what the parser makes of a module, before anybody decides how to run it.
 *
 * A pure library: text in, structures out; no memory of a device, no CUDA, no globals. The driver
 * core uses it to answer for a module (entries, parameters, symbols, errors with their line), the
 * iGPU to decode the code bytes it fetches. Both see the same layout because both compute it here.
 *
 * Source: PTX ISA 8.x/9.0, NVIDIA. Chapter numbers below are those of that document.
 */
#ifndef PTX_PTX_H
#define PTX_PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Types: first the fundamental ones (PTX ISA 5.2.1) and their packed forms, which a register or a
 * variable can have; from U16X2 on those that only an instruction names (5.2.3, 5.2.4); last the
 * opaque ones (5.3), held as 64-bit handles. The X-macro gives name, spelling, size in bytes (1 for
 * a type of less than a byte). */
#define PTX_TYPES(X)                                                                                \
    X(PRED, "pred", 1)                                                                              \
    X(B8, "b8", 1) X(B16, "b16", 2) X(B32, "b32", 4) X(B64, "b64", 8) X(B128, "b128", 16)           \
    X(U8, "u8", 1) X(U16, "u16", 2) X(U32, "u32", 4) X(U64, "u64", 8)                               \
    X(S8, "s8", 1) X(S16, "s16", 2) X(S32, "s32", 4) X(S64, "s64", 8)                               \
    X(F16, "f16", 2) X(F16X2, "f16x2", 4) X(BF16, "bf16", 2) X(BF16X2, "bf16x2", 4)                 \
    X(TF32, "tf32", 4) X(F32, "f32", 4) X(F64, "f64", 8)                                            \
    X(U16X2, "u16x2", 4) X(S16X2, "s16x2", 4) X(F32X2, "f32x2", 8)                                  \
    X(B1, "b1", 1) X(B4, "b4", 1) X(U4, "u4", 1) X(S4, "s4", 1) X(U2, "u2", 1) X(S2, "s2", 1)           \
    X(B6X16, "b6x16_p32", 16)                                                                       \
    X(B4X16, "b4x16_p64", 16) X(B8X16, "b8x16", 16)                                                 \
    X(E4M3, "e4m3", 1) X(E5M2, "e5m2", 1) X(E3M2, "e3m2", 1) X(E2M3, "e2m3", 1) X(E2M1, "e2m1", 1)  \
    X(E4M3X2, "e4m3x2", 2) X(E5M2X2, "e5m2x2", 2) X(E3M2X2, "e3m2x2", 2) X(E2M3X2, "e2m3x2", 2)     \
    X(E2M1X2, "e2m1x2", 1) X(E4M3X4, "e4m3x4", 4) X(E5M2X4, "e5m2x4", 4) X(E3M2X4, "e3m2x4", 4)     \
    X(E2M3X4, "e2m3x4", 4) X(E2M1X4, "e2m1x4", 2) X(UE8M0, "ue8m0", 1) X(UE8M0X2, "ue8m0x2", 2)     \
    X(UE4M3, "ue4m3", 1)                                                                            \
    X(TEXREF, "texref", 8) X(SAMPLERREF, "samplerref", 8) X(SURFREF, "surfref", 8)

enum ptx_type {
    PTX_TYPE_NONE,
#define X(name, spelling, size) PTX_##name,
    PTX_TYPES(X)
#undef X
    PTX_TYPE_COUNT
};

/* State spaces, PTX ISA 5.1. NONE on an instruction is generic addressing. */
enum ptx_space {
    PTX_SPACE_NONE,
    PTX_SPACE_REG,
    PTX_SPACE_CONST,
    PTX_SPACE_GLOBAL,
    PTX_SPACE_LOCAL,
    PTX_SPACE_PARAM,
    PTX_SPACE_SHARED,
};

enum ptx_linkage { PTX_LINK_NONE, PTX_LINK_VISIBLE, PTX_LINK_WEAK, PTX_LINK_EXTERN, PTX_LINK_COMMON };

/* Root opcodes: what stands before the first dot. One list; the parser's table is made from it. */
enum ptx_op {
    PTX_OP_NONE,
#define PTX_OP(name, spelling) PTX_OP_##name,
#include "ptx/op.def"
#undef PTX_OP
    PTX_OP_COUNT
};

/* Modifiers: every dotted word after the root that is neither a type, a vector width nor the first
 * state space (all three have a place of their own in struct ptx_inst).
 * ptx/modifier.def lists them as PTX_MOD(ENUM, "spelling"); an instruction keeps its own in order. */
enum ptx_mod {
    PTX_MOD_NONE,
#define PTX_MOD(name, spelling) PTX_MOD_##name,
#include "ptx/modifier.def"
#undef PTX_MOD
    PTX_MOD_COUNT
};

struct ptx_pos {
    uint32_t line, column; /* 1-based, in the PTX text */
};

/**
 * struct ptx_reg - one register of a function (each of `.reg .b32 %r<10>` is one)
 * @name: with its percent sign; registers of nested scopes with the same name are separate entries
 *
 * Only registers that the body names have an entry, in order of first mention: what a declaration
 * costs is bounded by the text that uses it. A vector register (`.reg .v4 .f32 %v`) is one entry a
 * component: %v.x, %v.y ...
 */
struct ptx_reg {
    const char *name;
    enum ptx_type type;
};

enum ptx_operand_kind {
    PTX_OPERAND_NONE,
    PTX_OPERAND_SINK,    /* _ : result not wanted */
    PTX_OPERAND_REG,     /* @reg; with @negated for !p; plus @imm */
    PTX_OPERAND_SPECIAL, /* %tid.x ...: @special */
    PTX_OPERAND_IMM,     /* integer constant, value in @imm */
    PTX_OPERAND_F32,     /* 0f........ : bits in the low half of @imm */
    PTX_OPERAND_F64,     /* 0d................ or a decimal constant: bits in @imm */
    PTX_OPERAND_SYMBOL,  /* address of a variable or function: @symbol plus @imm */
    PTX_OPERAND_ADDRESS, /* [reg+imm], [symbol+imm] or [imm]: @reg >= 0 or @symbol or neither */
    PTX_OPERAND_VECTOR,  /* {a, b, c, d}: @element[0..@count) */
    PTX_OPERAND_LABEL,   /* branch target: @label is an instruction index; VECTOR of them: brx.idx */
};

enum ptx_special {
    PTX_SPECIAL_NONE,
#define PTX_SPECIAL(name, spelling) PTX_SPECIAL_##name,
#include "ptx/special.def"
#undef PTX_SPECIAL
    PTX_SPECIAL_COUNT
};

/* .b3210, .h1: parts of a register as the last digit first, 4 bits each (9.7.18) */
#define PTX_PART_BYTE 0x10000u
#define PTX_PART_HALF 0x20000u
#define PTX_PART_DIGITS(count) ((count) >> 20)

struct ptx_var;
struct ptx_func;

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated;                /* !p on a predicate source */
    int32_t reg;                 /* index into ptx_func.regs, -1 if none */
    enum ptx_special special;
    int64_t imm;
    const struct ptx_var *var;   /* SYMBOL, ADDRESS: the variable, once resolved */
    const struct ptx_func *func; /* SYMBOL: the function, once resolved (call, function pointers) */
    uint32_t label;              /* LABEL: index of the instruction it stands before */
    uint32_t count;              /* VECTOR; REG: PTX_PART_, of a video instruction, else 0 */
    struct ptx_operand *element; /* VECTOR */
};

/* The widest instructions: tex.grad and cp.async.bulk.tensor (call is kept apart in @call). A
 * memory operand of several parts gives one operand a part: [tex, samp, {x, y}] is ADDRESS,
 * ADDRESS, VECTOR. */
#define PTX_MAX_OPERANDS 8
#define PTX_MAX_MODS 10
#define PTX_MAX_TYPES 5

/**
 * struct ptx_call - the operands of a call, PTX ISA 9.7.12.5
 * @target: the function, or NULL when @pointer holds its address (indirect call)
 * @rets, @args: operands in order: registers, immediates, or .param variables (kind SYMBOL)
 */
struct ptx_call {
    const struct ptx_func *target;
    struct ptx_operand pointer;
    struct ptx_operand *rets, *args;
    uint32_t n_rets, n_args;
};

struct ptx_inst {
    enum ptx_op op;
    struct ptx_pos pos;
    int32_t guard;        /* index of the predicate register, -1 if unconditional */
    bool guard_negated;
    enum ptx_space space; /* the first one written: ld, st, atom, red, cvta, prefetch, isspacep */
    bool to;              /* cvta.to */
    bool completed;       /* of the words of @mod some are older PTX's defaults */
    uint8_t vec;          /* 1, or 2, 4, 8 for .v2 .v4 .v8 */
    uint8_t n_types, n_mods, n_operands;
    uint8_t type[PTX_MAX_TYPES]; /* enum ptx_type in the order written: cvt.rn.f32.s32 = {F32, S32} */
    uint16_t mod[PTX_MAX_MODS];  /* enum ptx_mod in the order written; a second space is one too */
    struct ptx_operand operand[PTX_MAX_OPERANDS]; /* as written, destination first; d|p counts as two */
    const char *spelling;          /* opcode and dotted words as written, for messages */
    const char *callee_or_message; /* call: spelled name for messages */
    struct ptx_call *call;
    uint32_t file, source_line;  /* from .loc, 0 if none; of the program, not of CUDA's headers */
    uint32_t at_file, at_line;   /* where that was inlined, if .loc says so */
};

/**
 * struct ptx_var - a variable or parameter
 * @size: bytes in all; 0 for `extern .shared x[]` (dynamic shared memory)
 * @align: bytes
 * @offset: set by the layout: .global and .const from their segment's start, .shared and .local and
 *          .param of an entry from the start of the frame of their function (see ptx_func). A .reg
 *          parameter of a .func: the index of its register, UINT64_MAX if the body never names it
 * @ref: of a .texref or .surfref of the module: its number among these, see n_refs
 * @init: initial bytes (size bytes), NULL if zero
 * @relocs: addresses inside @init, PTX ISA 5.4.4 (generic() and plain symbols)
 */
struct ptx_reloc {
    uint64_t offset; /* in the initialiser */
    const struct ptx_var *var;
    const struct ptx_func *func;
    int64_t addend;
    bool generic;              /* true: generic(symbol), the generic address */
    uint8_t first_byte, bytes; /* part of the address that is stored: 0, 8 unless masked, 0xFF(x) */
};

struct ptx_var {
    const char *name;
    enum ptx_space space;
    enum ptx_linkage linkage;
    enum ptx_type type;
    uint64_t size;
    uint32_t align;
    uint64_t offset;
    uint32_t ref;
    uint8_t *init;
    struct ptx_reloc *relocs;
    uint32_t n_relocs;
    struct ptx_pos pos;
    bool managed; /* .attribute(.managed) */
};

/**
 * struct ptx_func - an .entry or a .func
 * @inst: the instructions; labels are resolved to indices into it; n_inst is a valid target (end)
 * @params: in order; for an entry @param_bytes is the size of its parameter block and each
 *          var.offset lies in it, each aligned to its own alignment (PTX ISA 5.1.6)
 * @rets: .func return parameters
 * @shared_bytes: static shared memory this function's own variables need together with those that
 *          it and its callees can reach (nvcc and clang place them at module or function scope); where
 *          it reaches extern .shared, the dynamic part starts exactly here (rounded up already)
 * @local_bytes: .local variables of the function, one frame
 */
struct ptx_func {
    const char *name;
    bool is_entry, is_extern, noreturn;
    enum ptx_linkage linkage;
    struct ptx_reg *regs;
    struct ptx_inst *inst;
    struct ptx_var **params, **rets, **vars; /* vars: .shared, .local and .param of the body */
    uint32_t n_regs, n_inst, n_params, n_rets, n_vars;
    uint64_t param_bytes, shared_bytes, local_bytes;
    uint64_t static_shared_bytes; /* shared_bytes without the padding up to extern .shared */
    uint32_t param_align;
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg; /* 0 = not given */
    uint32_t cluster[3], maxclusterrank; /* .reqnctapercluster; 11.7 */
    bool explicit_cluster;
    struct ptx_pos pos;
    uint32_t index; /* position in ptx_module.funcs: names a function across parses of one text */
};

/**
 * struct ptx_module - one parsed (and, after ptx_link, linked) module
 * @target_sm: 87 for sm_87; @target_suffix: a or f of sm_110a, else 0; @version: major * 10 + minor
 * @global_bytes, @const_bytes: size of the segments that the layout gave out
 * @n_refs: .texref and .surfref variables. A launch gives their objects behind the parameters:
 *          ptx_refs_offset()
 *
 * An `extern .shared` variable has size 0 and offset 0, counted from the dynamic part: from the
 * shared_bytes of the function that names it, behind the static part of every entry that reaches this
 * function, rounded up to 16 or the variable's own alignment.
 */
struct ptx_module {
    uint32_t version, target_sm, address_size;
    char target_suffix;
    struct ptx_func **funcs;
    struct ptx_var **vars; /* module scope: .global, .const, .shared */
    uint32_t n_funcs, n_vars, n_refs;
    uint64_t global_bytes, const_bytes;
    const char **files; /* from .file; index as in .loc, entries may be NULL */
    uint32_t n_files;
    bool debug, own_samplers; /* own_samplers: .target has texmode_independent */
    uint32_t *func_slots, *var_slots; /* hash tables of ptx_func_find() and ptx_var_find() */
    void *arena;                      /* owns everything above */
};

/* What went wrong and where; @text is a whole sentence without a newline. */
struct ptx_error {
    struct ptx_pos pos;
    char text[240];
};

/**
 * ptx_parse - parse one PTX text
 * @text: need not end in NUL; @size: bytes. A NUL byte ends the text early (fat binaries pad).
 * @error: filled on failure, may be NULL
 *
 * Every name is resolved, every opcode, modifier and type is known, labels exist; extern functions
 * stay unresolved until ptx_link() unless the decoder knows them (vprintf, malloc, __nv_*).
 * Return: the module, freed with ptx_module_free(); NULL on error.
 */
struct ptx_module *ptx_parse(const char *text, size_t size, struct ptx_error *error);
void ptx_module_free(struct ptx_module *m);

/**
 * ptx_link - one PTX text out of several (nvcc -rdc=true, cuLink*)
 * @text, @size: @n texts; @out: the linked text, g_free()-able (malloc); *@out_size its bytes
 *
 * File-local names are renamed apart, extern declarations are bound to definitions, weak and common
 * ones folded. What comes out is again a PTX text, so the iGPU needs no linker.
 * Return: true; false with @error (undefined or doubly defined symbol, by name).
 */
bool ptx_link(const char *const *text, const size_t *size, size_t n, char **out, size_t *out_size,
              struct ptx_error *error);

/* By name, hashed; NULL if the module has none. Of several variables of one name, the first. */
const struct ptx_func *ptx_func_find(const struct ptx_module *m, const char *name);
const struct ptx_var *ptx_var_find(const struct ptx_module *m, const char *name);

/* A function of CUDA's device runtime: launches from kernels (dynamic parallelism), which nothing here
 * runs. Its errors say so instead of naming a function that no program has written. */
bool ptx_is_device_launch(const char *name, size_t length);
uint32_t ptx_type_size(enum ptx_type t);
/* Are variables of this type references, which no memory holds? */
static inline bool ptx_type_is_ref(enum ptx_type t)
{
    return t == PTX_TEXREF || t == PTX_SURFREF;
}
/* Where a launch's parameter block has the objects of the module's references, 8 bytes each */
static inline uint64_t ptx_refs_offset(const struct ptx_func *entry)
{
    return (entry->param_bytes + 7) & ~(uint64_t)7;
}
const char *ptx_type_name(enum ptx_type t);
const char *ptx_op_name(enum ptx_op op);
const char *ptx_mod_name(enum ptx_mod mod);
bool ptx_inst_has(const struct ptx_inst *inst, enum ptx_mod mod);

#endif
