/* SPDX-License-Identifier: MIT */
/* Why an instruction cannot be decoded: what every family of instructions reports. */
#include "ptx/decode_priv.h"
#include <stdarg.h>
#include <stdio.h>

bool decode_fail(struct decoder *d, const char *format, ...)
{
    va_list args;

    if (!d->failed && d->error) {
        d->error->pos = d->inst ? d->inst->pos : d->f->pos;
        va_start(args, format);
        vsnprintf(d->error->text, sizeof(d->error->text), format, args);
        va_end(args);
    }
    d->failed = true;
    return true;
}

bool decode_lack(struct decoder *d, const char *format, ...)
{
    va_list args;

    if (!d->failed) {
        va_start(args, format);
        d->lacks = g_strdup_vprintf(format, args);
        va_end(args);
        d->lacks_pos = d->inst ? d->inst->pos : d->f->pos;
    }
    d->failed = true;
    return true;
}

bool decode_unsupported(struct decoder *d)
{
    return decode_lack(d, "line %u: `%s` is not supported by the virtual SMs (function %s)",
                       d->inst->pos.line, d->inst->spelling, d->f->name);
}

bool decode_operands(struct decoder *d, uint32_t min, uint32_t max)
{
    if (d->inst->n_operands < min || d->inst->n_operands > max) {
        const char *text = d->inst->spelling;

        if (min == max) {
            decode_fail(d, "line %u: `%s` takes %u operand%s, not %u", d->inst->pos.line, text, min,
                        min == 1 ? "" : "s", d->inst->n_operands);
        } else {
            decode_fail(d, "line %u: `%s` takes %u to %u operands, not %u", d->inst->pos.line, text,
                        min, max, d->inst->n_operands);
        }
        return false;
    }
    return true;
}
