/* SPDX-License-Identifier: MIT */
/* Constant expressions, PTX ISA 4.5: C's operators on 64-bit integers, signed unless an operand is
 * unsigned; a few of them on double-precision constants. */
#include <string.h>

#include "ptx/parse.h"

#define CONSTANT_ADDITIVE 9 /* the precedence of + and - */

static struct constant constant_ternary(struct ptx_parser *p);
static struct constant constant_unary(struct ptx_parser *p);

static struct constant constant_of(uint64_t bits, bool is_unsigned)
{
    return (struct constant){ CONSTANT_INT, is_unsigned, bits };
}

static bool constant_is_warp_sz(const struct ptx_parser *p)
{
    return p->token.kind == PTX_TOKEN_NAME && p->token.length == 7 &&
           memcmp(p->token.text, "WARP_SZ", 7) == 0;
}

bool constant_starts(const struct ptx_parser *p)
{
    switch (p->token.kind) {
    case PTX_TOKEN_INT:
    case PTX_TOKEN_F32:
    case PTX_TOKEN_F64:
        return true;
    case PTX_TOKEN_NAME:
        return constant_is_warp_sz(p);
    default:
        return parse_is(p, '-') || parse_is(p, '+') || parse_is(p, '~') || parse_is(p, '!') ||
               parse_is(p, '(');
    }
}

/* (.s64) and (.u64); the parenthesis is read */
static struct constant constant_cast(struct ptx_parser *p)
{
    enum ptx_type type = (enum ptx_type)parse_word(p)->type;
    struct constant value;

    if (type != PTX_S64 && type != PTX_U64) {
        parse_expected(p, ".s64 or .u64 in a cast");
    }
    parse_next(p);
    parse_expect(p, ')', "after a cast");
    value = constant_unary(p);
    if (value.kind != CONSTANT_INT) {
        parse_fail(p, p->token.pos, "A cast takes an integer constant.");
    }
    value.is_unsigned = type == PTX_U64;
    return value;
}

static struct constant constant_primary(struct ptx_parser *p)
{
    struct constant value = { .bits = p->token.value, .is_unsigned = p->token.is_unsigned };

    switch (p->token.kind) {
    case PTX_TOKEN_INT:
        break;
    case PTX_TOKEN_F32:
        value.kind = CONSTANT_F32;
        break;
    case PTX_TOKEN_F64:
        value.kind = CONSTANT_F64;
        break;
    default:
        if (constant_is_warp_sz(p)) {
            value.bits = 32; /* 4.5: the warp size of every target so far */
            break;
        }
        if (!parse_accept(p, '(')) {
            parse_expected(p, "a constant");
        }
        if (p->token.kind == PTX_TOKEN_DOT) {
            return constant_cast(p);
        }
        value = constant_ternary(p);
        parse_expect(p, ')', "to close a parenthesis");
        return value;
    }
    parse_next(p);
    return value;
}

static void constant_need_int(struct ptx_parser *p, const struct constant *value,
                              struct ptx_pos pos, uint64_t sign)
{
    if (value->kind != CONSTANT_INT) {
        parse_fail(p, pos, "'%c%c' takes integer constants only.", (char)sign,
                   sign >> 8 ? (char)(sign >> 8) : ' ');
    }
}

static struct constant constant_unary(struct ptx_parser *p)
{
    struct ptx_pos pos = p->token.pos;
    uint64_t sign = p->token.kind == PTX_TOKEN_SIGN ? p->token.value : 0;
    struct constant value;

    parse_nest(p);
    if (sign != '-' && sign != '+' && sign != '~' && sign != '!') {
        value = constant_primary(p);
        parse_unnest(p);
        return value;
    }
    parse_next(p);
    value = constant_unary(p);
    parse_unnest(p);
    if (sign == '-' && value.kind != CONSTANT_INT) {
        value.bits ^= value.kind == CONSTANT_F32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
    } else if (sign == '-') {
        value.bits = 0 - value.bits;
        value.is_unsigned &= value.bits != (uint64_t)INT64_MIN; /* -9223372036854775808 */
    } else if (sign != '+') {
        constant_need_int(p, &value, pos, sign);
        value = sign == '~' ? constant_of(~value.bits, value.is_unsigned)
                            : constant_of(value.bits == 0, false);
    }
    return value;
}

static unsigned constant_precedence(const struct ptx_parser *p)
{
    if (p->token.kind != PTX_TOKEN_SIGN) {
        return 0;
    }
    switch (p->token.value) {
    case '*':
    case '/':
    case '%':
        return 10;
    case '+':
    case '-':
        return CONSTANT_ADDITIVE;
    case PTX_SIGN2('<', '<'):
    case PTX_SIGN2('>', '>'):
        return 8;
    case '<':
    case '>':
    case PTX_SIGN2('<', '='):
    case PTX_SIGN2('>', '='):
        return 7;
    case PTX_SIGN2('=', '='):
    case PTX_SIGN2('!', '='):
        return 6;
    case '&':
        return 5;
    case '^':
        return 4;
    case '|':
        return 3;
    case PTX_SIGN2('&', '&'):
        return 2;
    case PTX_SIGN2('|', '|'):
        return 1;
    default:
        return 0;
    }
}

static double constant_double(const struct constant *value)
{
    double d;

    if (value->kind == CONSTANT_INT) {
        return value->is_unsigned ? (double)value->bits : (double)(int64_t)value->bits;
    }
    memcpy(&d, &value->bits, sizeof(d));
    return d;
}

static struct constant constant_binary_f64(struct ptx_parser *p, struct ptx_pos pos, uint64_t sign,
                                           const struct constant *a, const struct constant *b)
{
    struct constant value = { .kind = CONSTANT_F64 };
    double x, y, z;

    /* 4.5.2: an exact single-precision constant takes no part in an expression. */
    if (a->kind == CONSTANT_F32 || b->kind == CONSTANT_F32 ||
        (sign != '+' && sign != '-' && sign != '*' && sign != '/')) {
        parse_fail(p, pos,
                   "'%c' takes no such constants: expected integers, or double-precision "
                   "constants for + - * /.",
                   (char)sign);
    }
    x = constant_double(a);
    y = constant_double(b);
    z = sign == '+' ? x + y : sign == '-' ? x - y : sign == '*' ? x * y : x / y;
    memcpy(&value.bits, &z, sizeof(z));
    return value;
}

static uint64_t constant_divide(struct ptx_parser *p, struct ptx_pos pos, bool remainder,
                                bool is_unsigned, uint64_t a, uint64_t b)
{
    if (b == 0) {
        parse_fail(p, pos, "This constant expression divides by zero.");
    }
    if (is_unsigned) {
        return remainder ? a % b : a / b;
    }
    if (b == UINT64_MAX) { /* INT64_MIN / -1 traps on the host */
        return remainder ? 0 : 0 - a;
    }
    return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t constant_shift_right(uint64_t a, uint64_t n, bool is_unsigned)
{
    if (is_unsigned) {
        return n > 63 ? 0 : a >> n;
    }
    return (uint64_t)((int64_t)a >> (n > 63 ? 63 : n));
}

static bool constant_less(const struct constant *a, const struct constant *b, bool is_unsigned)
{
    return is_unsigned ? a->bits < b->bits : (int64_t)a->bits < (int64_t)b->bits;
}

static struct constant constant_binary(struct ptx_parser *p, struct ptx_pos pos, uint64_t sign,
                                       struct constant a, struct constant b)
{
    bool u = a.is_unsigned || b.is_unsigned;

    if (a.kind != CONSTANT_INT || b.kind != CONSTANT_INT) {
        return constant_binary_f64(p, pos, sign, &a, &b);
    }
    switch (sign) {
    case '*':
        return constant_of(a.bits * b.bits, u);
    case '/':
    case '%':
        return constant_of(constant_divide(p, pos, sign == '%', u, a.bits, b.bits), u);
    case '+':
        return constant_of(a.bits + b.bits, u);
    case '-':
        return constant_of(a.bits - b.bits, u);
    case PTX_SIGN2('<', '<'):
        return constant_of(b.bits > 63 ? 0 : a.bits << b.bits, a.is_unsigned);
    case PTX_SIGN2('>', '>'):
        return constant_of(constant_shift_right(a.bits, b.bits, a.is_unsigned), a.is_unsigned);
    case '<':
        return constant_of(constant_less(&a, &b, u), false);
    case '>':
        return constant_of(constant_less(&b, &a, u), false);
    case PTX_SIGN2('<', '='):
        return constant_of(!constant_less(&b, &a, u), false);
    case PTX_SIGN2('>', '='):
        return constant_of(!constant_less(&a, &b, u), false);
    case PTX_SIGN2('=', '='):
        return constant_of(a.bits == b.bits, false);
    case PTX_SIGN2('!', '='):
        return constant_of(a.bits != b.bits, false);
    case '&':
        return constant_of(a.bits & b.bits, u);
    case '^':
        return constant_of(a.bits ^ b.bits, u);
    case '|':
        return constant_of(a.bits | b.bits, u);
    case PTX_SIGN2('&', '&'):
        return constant_of(a.bits && b.bits, false);
    default: /* || */
        return constant_of(a.bits || b.bits, false);
    }
}

/* Precedence climbing: operators of at least @least bind here. */
static struct constant constant_climb(struct ptx_parser *p, unsigned least)
{
    struct constant value = constant_unary(p);

    for (unsigned level; (level = constant_precedence(p)) >= least && level != 0;) {
        struct ptx_pos pos = p->token.pos;
        uint64_t sign = p->token.value;

        parse_next(p);
        value = constant_binary(p, pos, sign, value, constant_climb(p, level + 1));
    }
    return value;
}

static struct constant constant_ternary(struct ptx_parser *p)
{
    struct constant value, yes, no;

    parse_nest(p);
    value = constant_climb(p, 1);
    if (parse_is(p, '?')) {
        constant_need_int(p, &value, p->token.pos, '?');
        parse_next(p);
        yes = constant_ternary(p);
        parse_expect(p, ':', "in a conditional expression");
        no = constant_ternary(p);
        value = value.bits != 0 ? yes : no;
    }
    parse_unnest(p);
    return value;
}

struct constant constant_parse(struct ptx_parser *p)
{
    return constant_ternary(p);
}

static int64_t constant_parse_level(struct ptx_parser *p, const char *what, unsigned level)
{
    struct ptx_pos pos = p->token.pos;
    struct constant value;

    if (!constant_starts(p)) {
        parse_expected(p, what);
    }
    value = level == 0 ? constant_ternary(p) : constant_climb(p, level);
    if (value.kind != CONSTANT_INT) {
        parse_fail(p, pos, "Found a floating-point constant; expected %s.", what);
    }
    return (int64_t)value.bits;
}

int64_t constant_parse_int(struct ptx_parser *p, const char *what)
{
    return constant_parse_level(p, what, 0);
}

/* Sums and products only: in `%r<10>` the '>' is no comparison. */
uint64_t constant_parse_count(struct ptx_parser *p, const char *what, uint64_t max)
{
    struct ptx_pos pos = p->token.pos;
    int64_t value = constant_parse_level(p, what, CONSTANT_ADDITIVE);

    if (value < 0 || (uint64_t)value > max) {
        parse_fail(p, pos, "%lld is out of range for %s: expected 0 to %llu.", (long long)value,
                   what, (unsigned long long)max);
    }
    return (uint64_t)value;
}
