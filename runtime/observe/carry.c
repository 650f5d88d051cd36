/* SPDX-License-Identifier: MIT */
/* The decoder. An instruction is encoded again with its memory operand at [scratch], a register
 * that it does not use; carry_run.c runs it. */
#include "runtime/observe/carry.h"
#include "runtime/observe/carry_internal.h"

#ifdef VTEGRA_ZYDIS

#include <Zydis/Zydis.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#define INSTRUCTION_MAX 15u
#define CODE_BYTES (256u * 1024)
#define SLOT_BYTES 32u
#define SLOTS 4096u
#define PAGE 4096u

/* --- the library ------------------------------------------------------------------------------ */

#define STRING_OF(x) #x
#define STRING(x) STRING_OF(x)
#define FUNCTIONS(X)                    \
    X(ZydisDecoderInit)                 \
    X(ZydisDecoderDecodeFull)           \
    X(ZydisRegisterGetLargestEnclosing) \
    X(ZydisEncoderDecodedInstructionToEncoderRequest) X(ZydisEncoderEncodeInstruction)

static struct {
#define POINTER(name) __typeof__(&name) name;
    FUNCTIONS(POINTER)
#undef POINTER
    ZydisDecoder decoder;
    bool found;
} zydis;

static bool library_open(void)
{
    static const char *const names[] = { "libZydis.so.4.0", "libZydis.so" };
    void *library = dlopen(names[0], RTLD_NOW | RTLD_LOCAL), *symbol;

    if (!library) {
        return false;
    }
#define FIND(name)                  \
    symbol = dlsym(library, #name); \
    if (!symbol) {                  \
        return false;               \
    }                               \
    memcpy(&zydis.name, &symbol, sizeof(symbol));
    FUNCTIONS(FIND)
#undef FIND
    return ZYAN_SUCCESS(
        zydis.ZydisDecoderInit(&zydis.decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64));
}

/* --- what was decoded before ------------------------------------------------------------------ */

/**
 * struct known - by the instruction's address; code may change: @bytes are compared
 * @gprs: bit per register that the operand's address takes; @base, @index: their numbers or -1
 */
struct known {
    uintptr_t pc;
    uint8_t bytes[INSTRUCTION_MAX];
    struct carry carry;
    int base, index;
    unsigned scale;
    int64_t displacement;
    bool of_next; /* relative to the next instruction */
};

static struct {
    atomic_flag busy;
    uint8_t *code; /* SLOTS of SLOT_BYTES */
    struct known *known;
} memo = { .busy = ATOMIC_FLAG_INIT };

bool carry_open(void)
{
    if (!zydis.found && library_open()) {
        void *code = mmap(NULL, CODE_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        void *known = mmap(NULL, SLOTS * sizeof(struct known), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        carry_lanes_open();
        zydis.found = code != MAP_FAILED && known != MAP_FAILED;
        memo.code = code;
        memo.known = known;
    }
    return zydis.found;
}

/* --- registers -------------------------------------------------------------------------------- */

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI };

static int number_of(ZydisRegister r)
{
    ZydisRegister whole =
        r == ZYDIS_REGISTER_NONE
            ? r
            : zydis.ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);

    return whole >= ZYDIS_REGISTER_RAX && whole <= ZYDIS_REGISTER_R15
               ? (int)(whole - ZYDIS_REGISTER_RAX)
               : -1;
}

static unsigned gprs_of(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands)
{
    unsigned used = 0;

    for (unsigned i = 0; i < insn->operand_count; i++) {
        const ZydisDecodedOperand *o = &operands[i];
        int n = o->type == ZYDIS_OPERAND_TYPE_REGISTER ? number_of(o->reg.value) : -1;

        if (n >= 0) {
            used |= 1u << n;
        }
    }
    return used;
}

/* --- decoding --------------------------------------------------------------------------------- */

/* Those whose place in the program matters, that fault for other reasons, too, or that use the
 * stack. */
static bool is_plain(const ZydisDecodedInstruction *insn)
{
    switch (insn->meta.category) {
    case ZYDIS_CATEGORY_CALL:
    case ZYDIS_CATEGORY_RET:
    case ZYDIS_CATEGORY_UNCOND_BR:
    case ZYDIS_CATEGORY_COND_BR:
    case ZYDIS_CATEGORY_PUSH:
    case ZYDIS_CATEGORY_POP:
    case ZYDIS_CATEGORY_X87_ALU:
    case ZYDIS_CATEGORY_SYSTEM:
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_SYSRET:
    case ZYDIS_CATEGORY_INTERRUPT:
    case ZYDIS_CATEGORY_XSAVE:
    case ZYDIS_CATEGORY_XSAVEOPT:
    case ZYDIS_CATEGORY_SEGOP:
    case ZYDIS_CATEGORY_AMX_TILE:
        return false;
    default:
        break;
    }
    switch (insn->mnemonic) {
    case ZYDIS_MNEMONIC_DIV:
    case ZYDIS_MNEMONIC_IDIV:
    case ZYDIS_MNEMONIC_LDMXCSR:
    case ZYDIS_MNEMONIC_STMXCSR:
    case ZYDIS_MNEMONIC_FXSAVE:
    case ZYDIS_MNEMONIC_FXSAVE64:
    case ZYDIS_MNEMONIC_FXRSTOR:
    case ZYDIS_MNEMONIC_FXRSTOR64:
    case ZYDIS_MNEMONIC_BT: /* with a register's bit number they reach beyond the operand */
    case ZYDIS_MNEMONIC_BTC:
    case ZYDIS_MNEMONIC_BTR:
    case ZYDIS_MNEMONIC_BTS:
        return false;
    default:
        return insn->meta.isa_set != ZYDIS_ISA_SET_X87;
    }
}

static bool is_vector(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands)
{
    for (unsigned i = 0; i < insn->operand_count; i++) {
        ZydisRegister r = operands[i].type == ZYDIS_OPERAND_TYPE_REGISTER ? operands[i].reg.value
                                                                          : ZYDIS_REGISTER_NONE;

        if ((r >= ZYDIS_REGISTER_XMM0 && r <= ZYDIS_REGISTER_ZMM31) ||
            (r >= ZYDIS_REGISTER_K0 && r <= ZYDIS_REGISTER_K7) || r == ZYDIS_REGISTER_MXCSR) {
            return true;
        }
    }
    return insn->encoding != ZYDIS_INSTRUCTION_ENCODING_LEGACY &&
           insn->meta.category != ZYDIS_CATEGORY_BMI1 && insn->meta.category != ZYDIS_CATEGORY_BMI2;
}

static bool is_masked_by_sign(const ZydisDecodedInstruction *insn)
{
    return insn->mnemonic == ZYDIS_MNEMONIC_VMASKMOVPS ||
           insn->mnemonic == ZYDIS_MNEMONIC_VMASKMOVPD ||
           insn->mnemonic == ZYDIS_MNEMONIC_VPMASKMOVD ||
           insn->mnemonic == ZYDIS_MNEMONIC_VPMASKMOVQ;
}

static bool is_masked(const ZydisDecodedInstruction *insn)
{
    return is_masked_by_sign(insn) ||
           (insn->avx.mask.reg != ZYDIS_REGISTER_NONE && insn->avx.mask.reg != ZYDIS_REGISTER_K0);
}

static bool has_lanes(const ZydisDecodedInstruction *insn)
{
    return insn->meta.category == ZYDIS_CATEGORY_GATHER ||
           insn->meta.category == ZYDIS_CATEGORY_SCATTER ||
           insn->meta.category == ZYDIS_CATEGORY_AVX2GATHER;
}

static unsigned index_bytes(const ZydisDecodedInstruction *insn)
{
    switch (insn->mnemonic) {
    case ZYDIS_MNEMONIC_VGATHERDPD:
    case ZYDIS_MNEMONIC_VGATHERDPS:
    case ZYDIS_MNEMONIC_VPGATHERDD:
    case ZYDIS_MNEMONIC_VPGATHERDQ:
    case ZYDIS_MNEMONIC_VPSCATTERDD:
    case ZYDIS_MNEMONIC_VPSCATTERDQ:
    case ZYDIS_MNEMONIC_VSCATTERDPD:
    case ZYDIS_MNEMONIC_VSCATTERDPS:
        return 4;
    default:
        return 8;
    }
}

/* The number of a register of 128 to 512 bits, or of a mask. */
static uint8_t lane_register(ZydisRegister r)
{
    ZydisRegister whole = zydis.ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);

    return (uint8_t)(whole >= ZYDIS_REGISTER_ZMM0 && whole <= ZYDIS_REGISTER_ZMM31
                         ? whole - ZYDIS_REGISTER_ZMM0
                         : r - ZYDIS_REGISTER_K0);
}

/* Of one with a mask. A broadcast's lanes in memory are fewer than those of its mask: not known. */
static struct carry_lanes lanes_of(const ZydisDecodedInstruction *insn,
                                   const ZydisDecodedOperand *operands,
                                   const ZydisDecodedOperand *memory)
{
    bool lanes = has_lanes(insn), by_k = insn->encoding == ZYDIS_INSTRUCTION_ENCODING_EVEX;
    unsigned wide = lanes ? index_bytes(insn) : 0, bytes = memory->element_size / 8u;
    struct carry_lanes l = { .bytes = (uint8_t)bytes,
                             .index_bytes = (uint8_t)wide,
                             .scale = memory->mem.scale,
                             .by_sign = !by_k,
                             .packed = insn->meta.category == ZYDIS_CATEGORY_COMPRESS ||
                                       insn->meta.category == ZYDIS_CATEGORY_EXPAND };

    if (insn->avx.broadcast.mode != ZYDIS_BROADCAST_MODE_INVALID || !bytes) {
        return l;
    }
    l.mask = lane_register(by_k ? insn->avx.mask.reg : operands[lanes ? 2 : 1].reg.value);
    l.index = lanes ? lane_register(memory->mem.index) : 0;
    l.n = (uint8_t)(lanes ? insn->avx.vector_length / 8u / (wide > bytes ? wide : bytes)
                          : memory->element_count);
    return l;
}

/* The only operand in memory, or NULL. */
static const ZydisDecodedOperand *memory_operand(const ZydisDecodedInstruction *insn,
                                                 const ZydisDecodedOperand *operands,
                                                 unsigned *number)
{
    const ZydisDecodedOperand *found = NULL;

    for (unsigned i = 0; i < insn->operand_count; i++) {
        const ZydisDecodedOperand *o = &operands[i];

        if (o->type == ZYDIS_OPERAND_TYPE_MEMORY && o->mem.type != ZYDIS_MEMOP_TYPE_AGEN) {
            if (found || i >= insn->operand_count_visible ||
                (o->mem.type != ZYDIS_MEMOP_TYPE_MEM && !has_lanes(insn)) ||
                o->mem.segment == ZYDIS_REGISTER_FS || o->mem.segment == ZYDIS_REGISTER_GS) {
                return NULL;
            }
            found = o;
            *number = i;
        }
    }
    return found;
}

/* "jmp *back(%rsp)" behind the instruction; struct frame says where that is. */
static const uint8_t go_back[] = { 0xff, 0x64, 0x24, 0x00 };

static bool carry_encode(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands,
                         unsigned number, unsigned scratch, uint8_t *code)
{
    ZydisEncoderRequest request;
    ZyanUSize size = SLOT_BYTES - sizeof(go_back);

    if (ZYAN_FAILED(zydis.ZydisEncoderDecodedInstructionToEncoderRequest(
            insn, operands, insn->operand_count_visible, &request))) {
        return false;
    }
    request.operands[number].mem.base = (ZydisRegister)(ZYDIS_REGISTER_RAX + (int)scratch);
    request.operands[number].mem.index = ZYDIS_REGISTER_NONE;
    request.operands[number].mem.scale = 0;
    request.operands[number].mem.displacement = 0;
    request.prefixes &= ~(ZydisInstructionAttributes)ZYDIS_ATTRIB_HAS_SEGMENT;
    if (ZYAN_FAILED(zydis.ZydisEncoderEncodeInstruction(&request, code, &size))) {
        return false;
    }
    memcpy(code + size, go_back, sizeof(go_back));
    return true;
}

static bool scratch_choose(unsigned used, unsigned *scratch)
{
    static const uint8_t order[] = { RCX, RDX, RSI, RDI, RBX, RAX }; /* no prefix: with AH, too */

    for (unsigned i = 0; i < sizeof(order); i++) {
        if (!(used & 1u << order[i])) {
            *scratch = order[i];
            return true;
        }
    }
    return false;
}

static void string_form(const ZydisDecodedInstruction *insn, struct carry *c)
{
    switch (insn->mnemonic) {
    case ZYDIS_MNEMONIC_STOSB:
    case ZYDIS_MNEMONIC_STOSW:
    case ZYDIS_MNEMONIC_STOSD:
    case ZYDIS_MNEMONIC_STOSQ:
        c->form = CARRY_FILL;
        break;
    case ZYDIS_MNEMONIC_MOVSB:
    case ZYDIS_MNEMONIC_MOVSW:
    case ZYDIS_MNEMONIC_MOVSD:
    case ZYDIS_MNEMONIC_MOVSQ:
        c->form = insn->meta.category == ZYDIS_CATEGORY_STRINGOP ? CARRY_MOVE : CARRY_NOT;
        break;
    default:
        break;
    }
    c->repeated = insn->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE |
                                      ZYDIS_ATTRIB_HAS_REPNE | ZYDIS_ATTRIB_HAS_REPZ);
    c->width = insn->operand_width / 8;
    c->store = true;
    if (insn->address_width != 64 ||
        insn->attributes & (ZYDIS_ATTRIB_HAS_SEGMENT_FS | ZYDIS_ATTRIB_HAS_SEGMENT_GS)) {
        c->form = CARRY_NOT;
    }
}

static void one_form(const ZydisDecodedInstruction *insn, const ZydisDecodedOperand *operands,
                     struct known *k, uint8_t *code)
{
    unsigned number = 0, used = gprs_of(insn, operands);
    const ZydisDecodedOperand *o = memory_operand(insn, operands, &number);
    struct carry *c = &k->carry;

    if (!o || insn->address_width != 64) {
        return;
    }
    c->load = o->actions & ZYDIS_OPERAND_ACTION_MASK_READ;
    c->store = o->actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
    c->atomic = insn->attributes & ZYDIS_ATTRIB_HAS_LOCK || insn->mnemonic == ZYDIS_MNEMONIC_XCHG;
    c->exact = !is_masked(insn) && !has_lanes(insn);
    c->lanes = c->exact ? (struct carry_lanes){ 0 } : lanes_of(insn, operands, o);
    c->vector = is_vector(insn, operands);
    c->len = o->size / 8;
    k->base = number_of(o->mem.base);
    k->index = number_of(o->mem.index);
    k->scale = o->mem.scale;
    k->of_next = o->mem.base == ZYDIS_REGISTER_RIP;
    k->displacement = o->mem.disp.has_displacement ? o->mem.disp.value : 0;
    c->form = has_lanes(insn) ? CARRY_LANES : c->len ? CARRY_STEP : CARRY_NOT;
    if (c->form == CARRY_STEP && is_plain(insn) && !(used & 1u << RSP) &&
        scratch_choose(used, &c->scratch) &&
        carry_encode(insn, operands, number, c->scratch, code)) {
        c->code = code;
        c->form = CARRY_ONE;
    }
}

/* The bytes behind the instruction may be of a page that is not there. */
static unsigned bytes_at(uintptr_t pc, unsigned wanted)
{
    unsigned rest = PAGE - pc % PAGE;

    return wanted < rest ? wanted : rest;
}

static void carry_decode(struct known *k, uint8_t *code, uintptr_t pc)
{
    ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
    ZydisDecodedInstruction insn;
    unsigned n = bytes_at(pc, INSTRUCTION_MAX);
    ZyanStatus status =
        zydis.ZydisDecoderDecodeFull(&zydis.decoder, (const void *)pc, n, &insn, operands);

    if (status == ZYDIS_STATUS_NO_MORE_DATA && n < INSTRUCTION_MAX) { /* it crosses the page */
        status = zydis.ZydisDecoderDecodeFull(&zydis.decoder, (const void *)pc, INSTRUCTION_MAX,
                                              &insn, operands);
    }
    *k = (struct known){ .base = -1, .index = -1 };
    if (ZYAN_FAILED(status)) {
        return;
    }
    k->pc = pc;
    k->carry.length = insn.length;
    memcpy(k->bytes, (const void *)pc, insn.length);
    if (insn.meta.category == ZYDIS_CATEGORY_STRINGOP) {
        string_form(&insn, &k->carry);
    } else {
        one_form(&insn, operands, k, code);
    }
}

/* --- what it is about to do ------------------------------------------------------------------- */

static void place_of(const struct known *k, const greg_t *r, struct carry *out)
{
    uint64_t at = (uint64_t)k->displacement;

    if (out->form == CARRY_ONE || out->form == CARRY_STEP || out->form == CARRY_LANES) {
        at += k->base >= 0 ? (uint64_t)r[carry_gregs[k->base]] : 0;
        at += k->index >= 0 ? (uint64_t)r[carry_gregs[k->index]] * k->scale : 0;
        out->at = at + (k->of_next ? (uint64_t)r[REG_RIP] + out->length : 0);
    } else if (out->form != CARRY_NOT) {
        out->at = (uintptr_t)r[REG_RDI];
        out->from = (uintptr_t)r[REG_RSI];
        if (__builtin_mul_overflow(out->repeated ? (size_t)r[REG_RCX] : 1, out->width, &out->len) ||
            r[REG_EFL] & 0x400) { /* downwards */
            out->form = CARRY_NOT;
        }
    }
}

void carry_look(const ucontext_t *context, struct carry *out)
{
    const greg_t *r = context->uc_mcontext.gregs;
    uintptr_t pc = (uintptr_t)r[REG_RIP];
    unsigned slot = (unsigned)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 40) % SLOTS;
    struct known *k;

    *out = (struct carry){ .form = CARRY_NOT };
    if (!zydis.found) {
        return;
    }
    while (atomic_flag_test_and_set_explicit(&memo.busy, memory_order_acquire)) {
    }
    k = &memo.known[slot];
    if (!k->pc || k->pc != pc || memcmp(k->bytes, (const void *)pc, k->carry.length) != 0) {
        /* Another thread may be running the slot's code: it is never written twice. */
        static unsigned next;

        if (next < CODE_BYTES / SLOT_BYTES) {
            carry_decode(k, memo.code + (size_t)next * SLOT_BYTES, pc);
            next += k->carry.form == CARRY_ONE;
        } else {
            *k = (struct known){ .base = -1, .index = -1 };
        }
    }
    *out = k->carry;
    place_of(k, r, out);
    atomic_flag_clear_explicit(&memo.busy, memory_order_release);
}

/* --- strings ---------------------------------------------------------------------------------- */

void carry_done(const struct carry *c, ucontext_t *context, size_t elements)
{
    greg_t *r = context->uc_mcontext.gregs;
    greg_t bytes = (greg_t)(elements * c->width);

    r[REG_RDI] += bytes;
    r[REG_RSI] += c->form == CARRY_MOVE ? bytes : 0;
    r[REG_RCX] -= c->repeated ? (greg_t)elements : 0;
    if (!c->repeated || !r[REG_RCX]) {
        r[REG_RIP] += c->length;
    }
}

uint64_t carry_pattern(const ucontext_t *context)
{
    return (uint64_t)context->uc_mcontext.gregs[REG_RAX];
}

#else

bool carry_open(void)
{
    return false;
}

void carry_look(const ucontext_t *context, struct carry *out)
{
    (void)context;
    *out = (struct carry){ .form = CARRY_NOT };
}

void carry_done(const struct carry *c, ucontext_t *context, size_t elements)
{
    (void)c;
    (void)context;
    (void)elements;
}

uint64_t carry_pattern(const ucontext_t *context)
{
    (void)context;
    return 0;
}

#endif
