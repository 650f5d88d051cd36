/* SPDX-License-Identifier: MIT */
#include "tests/race/cases.h"
#include <glib.h>
#include <string.h>

/* %r0 thread of the grid, %r1 of the block, %r2 block, %d0 start of the data, %d1 + 4 * %r0,
 * %d2 + 4 * %r1, %s1 shared memory + 4 * %r1 */
static const char race_head[] =
    ".version 8.0\n.target sm_87\n.address_size 64\n"
    ".visible .entry k(.param .u64 out)\n{\n"
    ".reg .b32 %r<40>;\n.reg .b64 %d<20>;\n.reg .b32 %s<10>;\n.reg .pred %p<10>;\n"
    ".shared .align 16 .b8 sh[2048];\n.shared .align 8 .b8 mb[64];\n"
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmov.u32 %r3, %ntid.x;\n"
    "mad.lo.u32 %r0, %r2, %r3, %r1;\nld.param.u64 %d0, [out];\n"
    "mul.wide.u32 %d1, %r0, 4;\nadd.u64 %d1, %d0, %d1;\n"
    "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d2, %d0, %d2;\n"
    "mov.u32 %s0, sh;\nshl.b32 %s1, %r1, 2;\nadd.u32 %s1, %s0, %s1;\nmov.u32 %s2, mb;\n"
    "add.u32 %r7, %r0, 100;\n";

char *race_case_text(const struct race_case *c)
{
    return g_strconcat(race_head, c->body, "ret;\n}\n", NULL);
}

unsigned race_case_line(const char *text, char letter)
{
    char mark[] = "// ?\n";
    const char *at;
    unsigned line = 1;

    mark[3] = letter;
    at = strstr(text, mark);
    for (const char *s = text; at && s < at; s++) {
        line += *s == '\n';
    }
    return at ? line : 0;
}
