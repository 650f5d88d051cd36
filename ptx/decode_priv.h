/* SPDX-License-Identifier: MIT */
/* What the files of the decoder share. Nobody else includes this. */
#ifndef PTX_DECODE_PRIV_H
#define PTX_DECODE_PRIV_H

#include "ptx/decode.h"
#include <glib.h>

enum slot_class { SLOT_P, SLOT_W, SLOT_L };

#define SLOT_ID_ALL 0u
#define SLOT_ID_CARRY 1u
#define SLOT_NONE UINT32_MAX

/* A slot before it has a place. @constant: @init says what it holds. */
struct slot {
    uint8_t cls;
    bool constant;
    struct ptx_const init;
};

struct decoder {
    const struct ptx_module *m;
    const struct ptx_func *f;
    const struct ptx_inst *inst;
    struct ptx_error *error;
    bool failed;
    char *lacks; /* failed, but only because the SMs do not have it */
    struct ptx_pos lacks_pos;
    const struct ptx_code *code; /* whose parameters and results have their places */
    GHashTable *forms;           /* spelling -> micro-op + 1 */
    GArray *uops, *slots, *calls, *tables;
    GHashTable *constants; /* struct slot * -> id + 1 */
    GHashTable *places;    /* struct ptx_var * -> offset in the local frame + 1 */
    uint32_t *reg_slot;    /* of each register, SLOT_NONE until used; then upper halves of .b128 */
    uint32_t *inst_uop;    /* first micro-op of each instruction */
    uint32_t guard, guard_xor, sink[3];
    uint64_t local_bytes;
};

/* Every decode_*() returns true when the instruction was its own, good or (d->failed) bad. */
bool decode_float(struct decoder *d);
bool decode_setp(struct decoder *d);
bool decode_mov(struct decoder *d);
bool decode_cvt(struct decoder *d);
bool decode_cvta(struct decoder *d);
bool decode_mem(struct decoder *d);
bool decode_flow(struct decoder *d);
/* Parameters in registers: loaded before the first instruction, results stored before each ret. */
void decode_enter(struct decoder *d, const struct ptx_code *code);
void decode_leave(struct decoder *d);
bool decode_sync(struct decoder *d);
bool decode_async(struct decoder *d);
bool decode_mbarrier(struct decoder *d);
bool decode_matrix(struct decoder *d);
bool decode_texture(struct decoder *d);
bool decode_integer(struct decoder *d);
bool decode_video(struct decoder *d);
bool decode_packed(struct decoder *d);

/* decode_check.c: is the instruction PTX, and of the module's .target and .version? */
bool decode_check(struct decoder *d);
/* check_module.c: limits and versions of the module as a whole */
bool decode_module(const struct ptx_module *m, struct ptx_error *error);
/* does the module's .target have the instruction? */
bool decode_target(struct decoder *d);

/* Assign frame offsets; micro-ops name slots by offset afterwards. */
void decode_place_slots(struct decoder *d, struct ptx_code *code);

/* decode_fail.c */
bool decode_fail(struct decoder *d, const char *format, ...) G_GNUC_PRINTF(2, 3);
bool decode_unsupported(struct decoder *d); /* always true: handled, and lacking */
/* The same with a reason of its own */
bool decode_lack(struct decoder *d, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Has the instruction from @min to @max operands? */
bool decode_operands(struct decoder *d, uint32_t min, uint32_t max);

/* Parts of an instruction that is made of several micro-ops (decode_video.c): a micro-op into a new
 * slot, a constant, @bits bits at @at extended to 32, and a value put over such bits of @base */
uint32_t decode_step(struct decoder *d, enum ptx_uop_op op, enum slot_class cls, uint32_t a,
                     uint32_t b);
uint32_t decode_word(struct decoder *d, uint64_t value);
uint32_t decode_field(struct decoder *d, uint32_t from, unsigned at, unsigned bits, bool sign);
uint32_t decode_merge(struct decoder *d, uint32_t value, uint32_t base, unsigned at, unsigned bits);

struct ptx_uop *decode_emit(struct decoder *d, enum ptx_uop_op op);
/* A micro-op with its slots in the order of uop.def; unused ones 0. */
struct ptx_uop *decode_emit4(struct decoder *d, enum ptx_uop_op op, uint32_t s0, uint32_t s1,
                             uint32_t s2, uint32_t s3);
/* @field: 0 to 4 for d a b c e */
void decode_set_field(struct ptx_uop *u, unsigned field, uint32_t slot);
uint32_t decode_register(struct decoder *d, const struct ptx_operand *o, enum slot_class cls);
/* Half @n of a .b128 register, 64 bits wide; a sink's is a sink. */
uint32_t decode_half_register(struct decoder *d, const struct ptx_operand *o, unsigned n);
guint decode_constant_hash(gconstpointer key);
gboolean decode_constant_equal(gconstpointer a, gconstpointer b);
uint32_t decode_temp(struct decoder *d, enum slot_class cls);
uint32_t decode_sink(struct decoder *d, enum slot_class cls);
uint32_t decode_value(struct decoder *d, enum slot_class cls, uint64_t value);
/* @letter: as in uop.def. A source becomes a slot, a destination must be a register or a sink. */
uint32_t decode_operand(struct decoder *d, const struct ptx_operand *o, char letter);
/* Bytes of a register operand's type; 0 if it is not a register */
uint32_t decode_reg_size(const struct decoder *d, const struct ptx_operand *o);
/* The address of a variable as its state space counts. @cls: W or L */
uint32_t decode_symbol(struct decoder *d, const struct ptx_operand *o, enum slot_class cls);
/* The address that an instruction with state space @space finds at a name: without one it is the
 * generic address. The variable must be in that space, or be one that generic addresses name. */
uint32_t decode_name(struct decoder *d, const struct ptx_operand *o, enum ptx_space space,
                     enum slot_class cls);
/* The address of a place in the local frame, 64 bits wide */
uint32_t decode_local_slot(struct decoder *d, uint64_t offset);
uint32_t decode_local_place(struct decoder *d, uint64_t size, uint32_t align);

/* The address operand of a memory instruction: fields of the micro-op that reads it */
struct address {
    uint32_t slot;
    int64_t imm;
    bool a32, local; /* local: a .param of a function or call, in the local frame */
};
/* @space: in which the instruction takes it; NONE: generic */
bool decode_address(struct decoder *d, const struct ptx_operand *o, enum ptx_space space,
                    struct address *a);
/* Value slots of ld and st: registers at least as wide as the type, all of one class */
bool decode_values(struct decoder *d, const struct ptx_operand *o, bool write, enum ptx_type t,
                   struct ptx_uop *u);

/* Types and modifiers */
static inline enum ptx_type inst_type(const struct ptx_inst *i, unsigned n)
{
    return n < i->n_types ? (enum ptx_type)i->type[n] : PTX_TYPE_NONE;
}

/* decode_type.c */
bool type_is_float(enum ptx_type t);  /* f16 bf16 f32 f64 tf32 and the x2 */
bool type_is_half(enum ptx_type t);   /* f16 bf16 and the x2 */
bool type_is_signed(enum ptx_type t); /* s8 .. s64 */
enum ptx_half type_half(enum ptx_type t);
char type_letter(enum ptx_type t); /* w l f g p */

#endif
