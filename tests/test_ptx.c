/* SPDX-License-Identifier: MIT */
/* The parser: what each form of the PTX ISA becomes. Section numbers are those of PTX ISA 9.0. */
#include <inttypes.h>

#include "tests/test_ptx_help.h"

/* --- module directives ------------------------------------------------------------------------ */

START_TEST(header_gives_version_target_and_address_size)
{
    struct ptx_module *m = parse(".version 9.0\n.target sm_110a\n.address_size 64\n");

    ck_assert_uint_eq(m->version, 90);
    ck_assert_uint_eq(m->target_sm, 110);
    ck_assert_uint_eq(m->address_size, 64);
    ck_assert(!m->debug);
    ptx_module_free(m);
}
END_TEST

START_TEST(address_size_is_64_when_it_is_not_said) /* 11.1.3 */
{
    struct ptx_module *m = parse(".version 8.3\n.target sm_53, debug, texmode_independent\n");

    ck_assert_uint_eq(m->address_size, 64);
    ck_assert_uint_eq(m->target_sm, 53);
    ck_assert(m->debug);
    ptx_module_free(m);
}
END_TEST

START_TEST(a_nul_byte_ends_the_text)
{
    static const char text[] = PTX_HEAD "\0 not PTX any more {";
    struct ptx_module *m = ptx_parse(text, sizeof(text) - 1, NULL);

    ck_assert_ptr_nonnull(m);
    ptx_module_free(m);
}
END_TEST

START_TEST(the_text_needs_no_nul_and_no_newline_at_its_end)
{
    static const char text[] = PTX_HEAD ".global .u32 x;!!!!";
    struct ptx_module *m = ptx_parse(text, sizeof(text) - 1 - 4, NULL);

    ck_assert_ptr_nonnull(m);
    ck_assert_uint_eq(m->n_vars, 1);
    ptx_module_free(m);
}
END_TEST

START_TEST(source_lines_come_from_loc_and_file)
{
    struct ptx_module *m =
        parse(PTX_HEAD ".file 1 \"a.cu\"\n.file 3 \"b \\\"c.h\", 17, 4\n"
                       ".entry k()\n{ ret; .loc 1 20 3\nret; .loc 3 5 1, function_name "
                       "$L__x, inlined_at 1 21 4\nret; }");
    const struct ptx_inst *inst = first(m);

    ck_assert_uint_eq(m->n_files, 4);
    ck_assert_str_eq(m->files[1], "a.cu");
    ck_assert_ptr_null(m->files[2]);
    ck_assert_uint_eq(inst[0].source_line, 0);
    ck_assert_uint_eq(inst[1].file, 1);
    ck_assert_uint_eq(inst[1].source_line, 20);
    ck_assert_uint_eq(inst[2].file, 3);
    ck_assert_uint_eq(inst[2].source_line, 5);
    ptx_module_free(m);
}
END_TEST

/* What messages name is the program's line, not that of the header that atomicAdd() comes from: the
 * place of the inlining where nvcc writes it, else (clang) the line before. nvcc's files come last.
 */
START_TEST(lines_of_cudas_headers_are_the_programs)
{
    struct ptx_module *m = parse(
        PTX_HEAD
        ".entry k()\n{ .loc 2 7 1\nret; .loc 1 20 3\nret;"
        ".loc 2 8 1, function_name $L__x, inlined_at 1 25 4\nret; .loc 1 0 3\nret; .loc 3 9 1\nret;"
        ".loc 4 5 1, function_name $L__x, inlined_at 1 30 4\nret; }\n"
        ".file 1 \"/home/me/a.cu\"\n"
        ".file 2 \"/usr/local/cuda/bin/../targets/x86_64-linux/include/x.hpp\"\n"
        ".file 3 \"/usr/lib/llvm-19/lib/clang/19/include/__clang_cuda_x.h\"\n"
        ".file 4 \"/home/me/include/mine.cuh\"\n");
    static const uint32_t want[][2] = { { 2, 7 }, { 1, 20 }, { 1, 25 },
                                        { 1, 0 }, { 1, 20 }, { 4, 5 } };
    const struct ptx_inst *inst = first(m);

    for (unsigned i = 0; i < 6; i++) {
        ck_assert_uint_eq(inst[i].file, want[i][0]);
        ck_assert_uint_eq(inst[i].source_line, want[i][1]);
    }
    ptx_module_free(m);
}
END_TEST

/* --- functions -------------------------------------------------------------------------------- */

START_TEST(performance_directives_are_kept) /* 11.4; a missing dimension is 1 */
{
    struct ptx_module *m = parse(PTX_HEAD ".entry a() .maxntid 128, 2 .minnctapersm 3 .maxnreg 64 "
                                          "{ ret; }\n.entry b() .reqntid 32 { ret; }");
    const struct ptx_func *a = ptx_func_find(m, "a"), *b = ptx_func_find(m, "b");

    ck_assert_uint_eq(a->maxntid[0], 128);
    ck_assert_uint_eq(a->maxntid[1], 2);
    ck_assert_uint_eq(a->maxntid[2], 1);
    ck_assert_uint_eq(a->reqntid[0], 0);
    ck_assert_uint_eq(a->minnctapersm, 3);
    ck_assert_uint_eq(a->maxnreg, 64);
    ck_assert_uint_eq(b->reqntid[0], 32);
    ck_assert_uint_eq(b->reqntid[2], 1);
    ck_assert_uint_eq(b->maxnreg, 0);
    ptx_module_free(m);
}
END_TEST

START_TEST(a_declaration_and_its_definition_are_one_function)
{
    struct ptx_module *m =
        parse(PTX_HEAD ".visible .func (.param .b32 r) f(.param .b64 a);\n"
                       ".visible .func (.param .b32 r) f(.param .b64 a) { ret; }\n"
                       ".func g() .noreturn;");
    const struct ptx_func *f = ptx_func_find(m, "f");

    ck_assert_uint_eq(m->n_funcs, 2);
    ck_assert(!f->is_extern);
    ck_assert_int_eq(f->linkage, PTX_LINK_VISIBLE);
    ck_assert_uint_eq(f->n_params, 1);
    ck_assert_uint_eq(f->n_rets, 1);
    ck_assert_uint_eq(f->index, 0);
    ck_assert_uint_eq(f->pos.line, 5);
    ck_assert(ptx_func_find(m, "g")->is_extern);
    ck_assert(ptx_func_find(m, "g")->noreturn);
    ptx_module_free(m);
}
END_TEST

START_TEST(an_alias_has_the_body_of_its_function) /* 11.2.3 */
{
    struct ptx_module *m = parse(PTX_HEAD ".func f() { ret; }\n.visible .func g();\n.alias g, f;");
    const struct ptx_func *f = ptx_func_find(m, "f"), *g = ptx_func_find(m, "g");

    ck_assert_ptr_ne(f, g);
    ck_assert_ptr_eq(f->inst, g->inst);
    ck_assert(!g->is_extern);
    ck_assert_uint_eq(g->index, 1);
    ck_assert_int_eq(g->linkage, PTX_LINK_VISIBLE);
    ptx_module_free(m);
}
END_TEST

START_TEST(a_reg_parameter_is_the_register_of_its_name) /* 7.1 */
{
    struct ptx_module *m = parse(PTX_HEAD ".func (.reg .u32 s) k(.reg .u32 a) "
                                          "{ .reg .u32 b; mov.u32 b, 1; add.u32 s, a, b; ret; }");
    const struct ptx_func *k = ptx_func_find(m, "k");

    ck_assert_int_eq(k->params[0]->space, PTX_SPACE_REG);
    ck_assert_str_eq(k->regs[k->params[0]->offset].name, "a");
    ck_assert_str_eq(k->regs[k->rets[0]->offset].name, "s");
    ck_assert_str_eq(reg_name(m, &k->inst[1].operand[1]), "a");
    ptx_module_free(m);
}
END_TEST

/* --- instructions ----------------------------------------------------------------------------- */

/* A driver takes them (H200, 580.159.04); functions share them with the kernel that calls, which
 * no function does whose address somebody else has. */
START_TEST(registers_of_module_scope_are_each_entrys_own)
{
    struct ptx_error error = { .text = "" };
    static const char good[] =
        PTX_HEAD ".reg .u32 R, T<3>;\n"
                 ".visible .entry a()\n{\nmov.u32 R, 1;\nmov.u32 T2, R;\nret;\n}\n"
                 ".visible .entry b()\n{\nmov.u32 R, 2;\nret;\n}\n";
    static const char shared[] = PTX_HEAD ".reg .u32 R;\n.func f()\n{\nmov.u32 R, 1;\nret;\n}\n"
                                          ".visible .entry k()\n{\ncall f;\nret;\n}\n",
                      indirect[] = PTX_HEAD ".reg .u64 R;\n.visible .entry k()\n{\n"
                                            "P: .callprototype _;\ncall R, P;\nret;\n}\n";
    struct ptx_module *m = ptx_parse(good, sizeof(good) - 1, &error);

    ck_assert_msg(m != NULL, "%s", error.text);
    ck_assert_uint_eq(m->funcs[0]->n_regs, 2);
    ck_assert_uint_eq(m->funcs[1]->n_regs, 1);
    ptx_module_free(m);
    m = ptx_parse(shared, sizeof(shared) - 1, &error);
    ck_assert_msg(m != NULL, "%s", error.text);
    ck_assert_uint_eq(m->funcs[0]->n_params, 1);
    ck_assert_uint_eq(m->funcs[0]->n_rets, 1);
    ck_assert_uint_eq(ptx_func_find(m, "k")->inst[0].call->n_args, 1);
    ptx_module_free(m);
    ck_assert_ptr_null(ptx_parse(indirect, sizeof(indirect) - 1, &error));
    ck_assert_ptr_nonnull(strstr(error.text, "direct calls"));
}
END_TEST

START_TEST(words_of_an_opcode_are_sorted_into_types_modifiers_space_and_width)
{
    struct ptx_module *m =
        parse(PTX_ENTRY("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f1,%f2,%f3,%f4}, [%d1];"));
    const struct ptx_inst *inst = first(m);

    ck_assert_int_eq(inst->op, PTX_OP_LD);
    ck_assert_int_eq(inst->space, PTX_SPACE_GLOBAL);
    ck_assert_uint_eq(inst->vec, 4);
    ck_assert_uint_eq(inst->n_types, 1);
    ck_assert_int_eq(inst->type[0], PTX_F32);
    ck_assert_uint_eq(inst->n_mods, 3);
    ck_assert_int_eq(inst->mod[0], PTX_MOD_NC);
    ck_assert_int_eq(inst->mod[1], PTX_MOD_L1_NO_ALLOCATE);
    ck_assert_int_eq(inst->mod[2], PTX_MOD_L2_128B);
    ck_assert(ptx_inst_has(inst, PTX_MOD_NC));
    ck_assert(!ptx_inst_has(inst, PTX_MOD_VOLATILE));
    ptx_module_free(m);
}
END_TEST

START_TEST(types_stay_in_the_order_written)
{
    struct ptx_module *m = parse(PTX_ENTRY("cvt.rn.sat.f32.s32 %f1, %r1;"));
    const struct ptx_inst *inst = first(m);

    ck_assert_uint_eq(inst->n_types, 2);
    ck_assert_int_eq(inst->type[0], PTX_F32);
    ck_assert_int_eq(inst->type[1], PTX_S32);
    ck_assert_int_eq(inst->mod[0], PTX_MOD_RN);
    ck_assert_int_eq(inst->mod[1], PTX_MOD_SAT);
    ptx_module_free(m);
}
END_TEST

START_TEST(cvta_to_is_a_direction_and_no_modifier)
{
    struct ptx_module *m =
        parse(PTX_ENTRY("cvta.to.global.u64 %d1, %d2; cvta.shared.u64 %d1, %d2;"));
    const struct ptx_inst *inst = first(m);

    ck_assert(inst[0].to);
    ck_assert_uint_eq(inst[0].n_mods, 0);
    ck_assert_int_eq(inst[0].space, PTX_SPACE_GLOBAL);
    ck_assert(!inst[1].to);
    ck_assert_int_eq(inst[1].space, PTX_SPACE_SHARED);
    ptx_module_free(m);
}
END_TEST

START_TEST(a_second_state_space_is_a_modifier)
{
    struct ptx_module *m =
        parse(PTX_ENTRY("cp.async.ca.shared.global [%r1], [%d1], 16; "
                        "ld.shared::cta.u32 %r1, [%r2]; ld.shared::cluster.u32 %r1, [%r2]; "
                        "ld.param::entry.u64 %d1, [p]; "
                        "cp.async.bulk.global.shared::cta.bulk_group [%d1], [%r1], 16;"));
    const struct ptx_inst *inst = first(m);

    ck_assert_int_eq(inst[0].space, PTX_SPACE_SHARED);
    ck_assert_uint_eq(inst[0].n_mods, 3);
    ck_assert_int_eq(inst[0].mod[2], PTX_MOD_GLOBAL);
    ck_assert_int_eq(inst[1].space, PTX_SPACE_SHARED);
    ck_assert_uint_eq(inst[1].n_mods, 0); /* the block's own shared memory, as .shared */
    ck_assert(ptx_inst_has(&inst[2], PTX_MOD_SHARED_CLUSTER));
    ck_assert_int_eq(inst[3].space, PTX_SPACE_PARAM);
    ck_assert_int_eq(inst[4].space, PTX_SPACE_GLOBAL);
    ck_assert(ptx_inst_has(&inst[4], PTX_MOD_SHARED));
    ptx_module_free(m);
}
END_TEST

START_TEST(guards_name_a_predicate_and_its_sense)
{
    struct ptx_module *m = parse(PTX_ENTRY("@%p1 ret; @!%p2 exit; ret;"));
    const struct ptx_inst *inst = first(m);
    const struct ptx_func *k = ptx_func_find(m, "k");

    ck_assert_str_eq(k->regs[inst[0].guard].name, "%p1");
    ck_assert_int_eq(k->regs[inst[0].guard].type, PTX_PRED);
    ck_assert(!inst[0].guard_negated);
    ck_assert_str_eq(k->regs[inst[1].guard].name, "%p2");
    ck_assert(inst[1].guard_negated);
    ck_assert_int_eq(inst[2].guard, -1);
    ptx_module_free(m);
}
END_TEST

START_TEST(positions_point_at_the_opcode)
{
    struct ptx_module *m = parse(PTX_ENTRY("  ret;\n\t@%p1  exit; /* a\nb */ trap;"));
    const struct ptx_inst *inst = first(m);

    ck_assert_uint_eq(inst[0].pos.line, 7);
    ck_assert_uint_eq(inst[0].pos.column, 3);
    ck_assert_uint_eq(inst[1].pos.line, 8);
    ck_assert_uint_eq(inst[1].pos.column, 8); /* a tab is one column */
    ck_assert_uint_eq(inst[2].pos.line, 9);
    ck_assert_uint_eq(inst[2].pos.column, 6);
    ptx_module_free(m);
}
END_TEST

START_TEST(a_destination_pair_is_two_operands)
{
    struct ptx_module *m = parse(PTX_ENTRY("setp.lt.and.s32 %p1|%p2, %r1, 7, !%p3; "
                                           "shfl.sync.idx.b32 _|%p1, %r1, 0, 31, -1;"));
    const struct ptx_inst *inst = first(m);

    ck_assert_uint_eq(inst[0].n_operands, 5);
    ck_assert_str_eq(reg_name(m, &inst[0].operand[1]), "%p2");
    ck_assert_str_eq(reg_name(m, &inst[0].operand[4]), "%p3");
    ck_assert(inst[0].operand[4].negated);
    ck_assert(!inst[0].operand[1].negated);
    ck_assert_uint_eq(inst[1].n_operands, 6);
    ck_assert_int_eq(inst[1].operand[0].kind, PTX_OPERAND_SINK);
    ptx_module_free(m);
}
END_TEST

START_TEST(a_texture_operand_is_listed_part_by_part)
{
    struct ptx_module *m =
        parse(PTX_HEAD ".global .texref t;\n.global .samplerref s;\n.entry k()"
                       "\n{ .reg .f32 %f<9>; tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, "
                       "[t, s, {%f5, %f6}]; }");
    const struct ptx_inst *inst = first(m);

    ck_assert_uint_eq(inst->n_operands, 4);
    ck_assert_int_eq(inst->operand[1].kind, PTX_OPERAND_ADDRESS);
    ck_assert_str_eq(inst->operand[1].var->name, "t");
    ck_assert_str_eq(inst->operand[2].var->name, "s");
    ck_assert_int_eq(inst->operand[3].kind, PTX_OPERAND_VECTOR);
    ck_assert_uint_eq(inst->operand[3].count, 2);
    ck_assert_str_eq(reg_name(m, &inst->operand[3].element[1]), "%f6");
    ck_assert(ptx_inst_has(inst, PTX_MOD_2D));
    ptx_module_free(m);
}
END_TEST

/* --- operands --------------------------------------------------------------------------------- */

/* 4.5: the value of a constant expression. Computed by hand. */
static const struct {
    const char *text;
    int64_t value;
} constants[] = {
    { "0", 0 },
    { "42", 42 },
    { "-4", -4 },
    { "017", 15 },
    { "0xFF", 255 },
    { "0Xff", 255 },
    { "0b1010", 10 },
    { "12U", 12 },
    { "0xFFU", 255 },
    { "9223372036854775807", INT64_MAX },
    { "-9223372036854775808", INT64_MIN },
    { "0xffffffffffffffff", -1 },
    { "0xffffffffffffffff/2", INT64_MAX }, /* the top bit makes it unsigned */
    { "(-9223372036854775807-1)/-1", INT64_MIN },
    { "5% -1", 0 },
    { "1+2*3", 7 },
    { "(1+2)*3", 9 },
    { "10-4-3", 3 },
    { "-7/2", -3 },
    { "-7% 2", -1 }, /* %2 would be a name, for ptxas too */
    { "7U/2", 3 },
    { "-1/2U", INT64_MAX },
    { "1<<4|3", 19 },
    { "1<<64", 0 },
    { "-8>>1", -4 },
    { "-8>>70", -1 },
    { "~0&0xf0^0x11", 0xe1 },
    { "!0", 1 },
    { "!5", 0 },
    { "2>1", 1 },
    { "-1<0", 1 },
    { "-1<0U", 0 },
    { "(.u64)-1<0", 0 },
    { "(.s64)-1U<0", 1 },
    { "3>=3&&2<=1", 0 },
    { "0||2", 1 },
    { "1==1?10:20", 10 },
    { "1!=1?10:2?30:40", 30 },
    { "WARP_SZ", 32 },
    { "WARP_SZ*2-1", 63 },
    { "+5", 5 },
    { "- -5", 5 },
};

START_TEST(constant_expressions_have_their_value)
{
    char text[1024] = PTX_HEAD ".visible .entry k(.param .u64 p)\n{\n" PTX_REGS "mov.u64 %d1, ";
    struct ptx_module *m;

    strcat(text, constants[_i].text);
    strcat(text, ";}");
    m = parse(text);
    ck_assert_int_eq(first(m)->operand[1].kind, PTX_OPERAND_IMM);
    ck_assert_msg(first(m)->operand[1].imm == constants[_i].value, "%s is %" PRId64,
                  constants[_i].text, first(m)->operand[1].imm);
    ptx_module_free(m);
}
END_TEST

/* IEEE 754 bits, from the definition of the formats. */
static const struct {
    const char *text;
    enum ptx_operand_kind kind;
    uint64_t bits;
} floats[] = {
    { "0f3F800000", PTX_OPERAND_F32, 0x3f800000 },
    { "0Fbf800000", PTX_OPERAND_F32, 0xbf800000 },
    { "-0f3F800000", PTX_OPERAND_F32, 0xbf800000 },
    { "0f7fc00001", PTX_OPERAND_F32, 0x7fc00001 },
    { "0d3FF8000000000000", PTX_OPERAND_F64, UINT64_C(0x3ff8000000000000) },
    { "0D8000000000000000", PTX_OPERAND_F64, UINT64_C(0x8000000000000000) },
    { "1.5", PTX_OPERAND_F64, UINT64_C(0x3ff8000000000000) },
    { "-1.5", PTX_OPERAND_F64, UINT64_C(0xbff8000000000000) },
    { "2.", PTX_OPERAND_F64, UINT64_C(0x4000000000000000) },
    { ".25", PTX_OPERAND_F64, UINT64_C(0x3fd0000000000000) },
    { "1e3", PTX_OPERAND_F64, UINT64_C(0x408f400000000000) },
    { "2.5E-1", PTX_OPERAND_F64, UINT64_C(0x3fd0000000000000) },
    { "1.0+0.5", PTX_OPERAND_F64, UINT64_C(0x3ff8000000000000) },
};

START_TEST(floating_point_constants_have_their_bits)
{
    char text[1024] = PTX_HEAD ".visible .entry k(.param .u64 p)\n{\n" PTX_REGS "mov.f64 %g1, ";
    struct ptx_module *m;

    strcat(text, floats[_i].text);
    strcat(text, ";}");
    m = parse(text);
    ck_assert_int_eq(first(m)->operand[1].kind, floats[_i].kind);
    ck_assert_uint_eq((uint64_t)first(m)->operand[1].imm, floats[_i].bits);
    ptx_module_free(m);
}
END_TEST

START_TEST(addresses_are_a_base_and_an_offset) /* 6.4.1 */
{
    struct ptx_module *m =
        parse(PTX_HEAD ".global .b32 a[8];\n.entry k()\n{" PTX_REGS
                       "ld.u32 %r1, [%d1+-4]; ld.u32 %r1, [%d2-8]; ld.u32 %r1, [%d3];"
                       "ld.u32 %r1, [a+8]; ld.u32 %r1, [a]; ld.u32 %r1, a[3]; ld.u32 %r1, [0x40];"
                       "mov.u64 %d1, a+12; mov.u64 %d1, a; mov.u64 %d1, a[2]; }");
    static const int64_t offset[] = { -4, -8, 0, 8, 0, 12, 0x40, 12, 0, 8 };
    const struct ptx_inst *inst = first(m);

    for (int i = 0; i < 10; i++) {
        const struct ptx_operand *operand = &inst[i].operand[1];
        char name[] = { '%', 'd', (char)('1' + i), 0 };

        ck_assert_int_eq(operand->kind, i < 7 ? PTX_OPERAND_ADDRESS : PTX_OPERAND_SYMBOL);
        ck_assert_int_eq(operand->imm, offset[i]);
        if (i < 3) {
            ck_assert_str_eq(reg_name(m, operand), name);
        } else {
            ck_assert_int_eq(operand->reg, -1);
            ck_assert_ptr_eq(operand->var, i == 6 ? NULL : m->vars[0]);
        }
    }
    ptx_module_free(m);
}
END_TEST

START_TEST(special_registers_are_found_by_name_and_component) /* chapter 10 */
{
    struct ptx_module *m = parse(
        PTX_ENTRY("mov.u32 %r1, %tid.x; mov.u32 %r1, %ctaid.z; mov.u32 %r1, %laneid; mov.u64 %d1, "
                  "%clock64; mov.u32 %r1, %tid.w; mov.v4.u32 {%r1,%r2,%r3,%r4}, %ntid;"));
    static const enum ptx_special special[] = { PTX_SPECIAL_TID_X, PTX_SPECIAL_CTAID_Z,
                                                PTX_SPECIAL_LANEID, PTX_SPECIAL_CLOCK64 };
    const struct ptx_inst *inst = first(m);

    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(inst[i].operand[1].kind, PTX_OPERAND_SPECIAL);
        ck_assert_int_eq(inst[i].operand[1].special, special[i]);
    }
    ck_assert_int_eq(inst[4].operand[1].kind, PTX_OPERAND_IMM); /* the fourth is always zero */
    ck_assert_int_eq(inst[4].operand[1].imm, 0);
    ck_assert_uint_eq(inst[5].operand[1].count, 4);
    ck_assert_int_eq(inst[5].operand[1].element[1].special, PTX_SPECIAL_NTID_Y);
    ptx_module_free(m);
}
END_TEST

START_TEST(a_vector_register_is_its_components) /* 5.4.2, 6.4.3 */
{
    struct ptx_module *m =
        parse(PTX_HEAD ".entry k()\n{ .reg .v4 .f32 v; .reg .f32 a;"
                       "ld.global.v4.f32 v, [0]; mov.f32 a, v.y; mov.f32 a, v.b; }");
    const struct ptx_inst *inst = first(m);

    ck_assert_int_eq(inst[0].operand[0].kind, PTX_OPERAND_VECTOR);
    ck_assert_uint_eq(inst[0].operand[0].count, 4);
    ck_assert_str_eq(reg_name(m, &inst[0].operand[0].element[3]), "v.w");
    ck_assert_str_eq(reg_name(m, &inst[1].operand[1]), "v.y");
    ck_assert_str_eq(reg_name(m, &inst[2].operand[1]), "v.z");
    ptx_module_free(m);
}
END_TEST

/* --- scopes and labels ------------------------------------------------------------------------ */

START_TEST(only_registers_that_are_named_have_an_entry)
{
    struct ptx_module *m = parse(PTX_HEAD ".entry k()\n{ .reg .b32 %r<1000000>; "
                                          "mov.u32 %r999999, %r5; mov.u32 %r5, %r999999; }");
    const struct ptx_func *k = ptx_func_find(m, "k");

    ck_assert_uint_eq(k->n_regs, 2);
    ck_assert_str_eq(k->regs[0].name, "%r999999");
    ck_assert_int_eq(k->inst[0].operand[0].reg, k->inst[1].operand[1].reg);
    ptx_module_free(m);
}
END_TEST

START_TEST(an_inner_register_hides_the_outer_until_its_scope_ends)
{
    struct ptx_module *m =
        parse(PTX_HEAD ".entry k()\n{ .reg .b32 %r<4>; mov.u32 %r1, 0;"
                       "{ .reg .b64 %r<2>; mov.u64 %r1, 1; mov.u32 %r3, 2; { .reg .pred %r1; "
                       "mov.pred %r1, 1; } mov.u64 %r1, 3; } mov.u32 %r1, 4; mov.u32 %r3, 5; }");
    static const enum ptx_type type[] = { PTX_B32, PTX_B64, PTX_B32, PTX_PRED,
                                          PTX_B64, PTX_B32, PTX_B32 };
    const struct ptx_func *k = ptx_func_find(m, "k");

    for (int i = 0; i < 7; i++) {
        ck_assert_int_eq(k->regs[k->inst[i].operand[0].reg].type, type[i]);
    }
    ck_assert_int_eq(k->inst[0].operand[0].reg, k->inst[5].operand[0].reg);
    ck_assert_int_eq(k->inst[1].operand[0].reg, k->inst[4].operand[0].reg);
    ck_assert_int_eq(k->inst[2].operand[0].reg, k->inst[6].operand[0].reg);
    ck_assert_uint_eq(k->n_regs, 4);
    ptx_module_free(m);
}
END_TEST

START_TEST(labels_are_instruction_indices_ahead_and_behind)
{
    struct ptx_module *m = parse(PTX_ENTRY("A: bra B; A2: bra A; B: bra.uni END; bra A2; END:"));
    static const unsigned label[] = { 2, 0, 4, 1 };
    const struct ptx_inst *inst = first(m);

    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(inst[i].operand[0].kind, PTX_OPERAND_LABEL);
        ck_assert_uint_eq(inst[i].operand[0].label, label[i]);
    }
    ck_assert_uint_eq(ptx_func_find(m, "k")->n_inst, 4); /* END is n_inst, a valid target */
    ptx_module_free(m);
}
END_TEST

START_TEST(labels_belong_to_their_scope) /* as inlined assembly repeats them */
{
    struct ptx_module *m = parse(PTX_ENTRY("{ L: bra L; bra OUT; } { L: bra L; { bra L; } } OUT:"));
    static const unsigned label[] = { 0, 4, 2, 2 };
    const struct ptx_inst *inst = first(m);

    for (int i = 0; i < 4; i++) {
        ck_assert_uint_eq(inst[i].operand[0].label, label[i]);
    }
    ptx_module_free(m);
}
END_TEST

START_TEST(brx_has_the_vector_of_its_targets) /* 9.7.12.4, 11.3.1 */
{
    struct ptx_module *m =
        parse(PTX_ENTRY("T: .branchtargets A, B, A; brx.idx %r1, T; A: ret; B: ret;"));
    const struct ptx_operand *targets = &first(m)->operand[1];

    ck_assert_int_eq(targets->kind, PTX_OPERAND_VECTOR);
    ck_assert_uint_eq(targets->count, 3);
    ck_assert_uint_eq(targets->element[0].label, 1);
    ck_assert_uint_eq(targets->element[1].label, 2);
    ck_assert_uint_eq(targets->element[2].label, 1);
    ptx_module_free(m);
}
END_TEST

/* --- calls ------------------------------------------------------------------------------------ */

START_TEST(a_call_names_its_function_results_and_arguments)
{
    struct ptx_module *m =
        parse(PTX_HEAD ".func (.param .b32 r) f(.param .b32 a, .param .b64 b);\n.entry k()\n{"
                       ".reg .b32 %r<3>; { .param .b32 x; .param .b64 y; .param .b32 z; "
                       "call.uni (z), f, (x, y); } call (%r1), f, (%r2, 7); }");
    const struct ptx_inst *inst = first(m);
    const struct ptx_call *call = inst[0].call;

    ck_assert_uint_eq(inst[0].n_operands, 0);
    ck_assert_str_eq(inst[0].callee_or_message, "f");
    ck_assert_ptr_eq(call->target, ptx_func_find(m, "f"));
    ck_assert_uint_eq(call->n_rets, 1);
    ck_assert_int_eq(call->rets[0].kind, PTX_OPERAND_SYMBOL);
    ck_assert_str_eq(call->rets[0].var->name, "z");
    ck_assert_int_eq(call->rets[0].var->space, PTX_SPACE_PARAM);
    ck_assert_uint_eq(call->n_args, 2);
    ck_assert_str_eq(call->args[1].var->name, "y");
    ck_assert_int_eq(inst[1].call->rets[0].kind, PTX_OPERAND_REG);
    ck_assert_int_eq(inst[1].call->args[1].imm, 7);
    ptx_module_free(m);
}
END_TEST

START_TEST(a_call_through_a_register_has_a_pointer)
{
    struct ptx_module *m = parse(
        PTX_ENTRY("{ .param .b32 x; P: .callprototype (.param .b32 _) _ (.param .b32 _) .noreturn; "
                  "call (x), %d1, (x), P; } Q: .calltargets k; call %d2, Q;"));
    const struct ptx_inst *inst = first(m);

    ck_assert_ptr_null(inst[0].call->target);
    ck_assert_str_eq(reg_name(m, &inst[0].call->pointer), "%d1");
    ck_assert_uint_eq(inst[0].call->n_args, 1);
    ck_assert_uint_eq(inst[0].n_operands, 0);
    ck_assert_str_eq(reg_name(m, &inst[1].call->pointer), "%d2");
    ck_assert_uint_eq(inst[1].call->n_args, 0);
    ptx_module_free(m);
}
END_TEST

START_TEST(functions_and_variables_may_be_declared_after_their_use)
{
    struct ptx_module *m =
        parse(PTX_HEAD ".global .u64 table[2] = {late, later_variable};\n.entry k()\n{ .reg .b64 "
                       "%d1; call late; mov.u64 %d1, late; ld.global.u64 %d1, [later_variable+8]; "
                       "}\n.func late() { ret; }\n.global .u64 later_variable;");
    const struct ptx_inst *inst = first(m);
    const struct ptx_func *late = ptx_func_find(m, "late");

    ck_assert_ptr_eq(inst[0].call->target, late);
    ck_assert_int_eq(inst[0].call->pointer.kind, PTX_OPERAND_NONE);
    ck_assert_int_eq(inst[1].operand[1].kind, PTX_OPERAND_SYMBOL);
    ck_assert_ptr_eq(inst[1].operand[1].func, late);
    ck_assert_int_eq(inst[2].operand[1].kind, PTX_OPERAND_ADDRESS);
    ck_assert_str_eq(inst[2].operand[1].var->name, "later_variable");
    ck_assert_int_eq(inst[2].operand[1].imm, 8);
    ck_assert_ptr_null(inst[2].operand[1].element);
    ck_assert_ptr_eq(m->vars[0]->relocs[0].func, late);
    ck_assert_str_eq(m->vars[0]->relocs[1].var->name, "later_variable");
    ptx_module_free(m);
}
END_TEST

/* --- names ------------------------------------------------------------------------------------ */

START_TEST(names_and_sizes_of_enumerators)
{
    struct ptx_inst inst = { .n_mods = 1, .mod = { PTX_MOD_L2_CACHE_HINT } };

    ck_assert_str_eq(ptx_op_name(PTX_OP_CVTA), "cvta");
    ck_assert_str_eq(ptx_mod_name(PTX_MOD_L2_CACHE_HINT), "L2::cache_hint");
    ck_assert_str_eq(ptx_type_name(PTX_BF16X2), "bf16x2");
    ck_assert_uint_eq(ptx_type_size(PTX_BF16X2), 4);
    ck_assert_uint_eq(ptx_type_size(PTX_B128), 16);
    ck_assert_uint_eq(ptx_type_size(PTX_TYPE_NONE), 0);
    ck_assert_str_eq(ptx_op_name((enum ptx_op)100000), "?");
    ck_assert(ptx_inst_has(&inst, PTX_MOD_L2_CACHE_HINT));
}
END_TEST

/* Every root opcode of the ISA's own list of reserved words (4.4, table 2) that is no directive. */
START_TEST(every_opcode_of_the_isa_is_read)
{
    static const char *const opcodes[] = {
        "abs",           "activemask", "add",
        "addc",          "alloca",     "and",
        "applypriority", "atom",       "bar",
        "barrier",       "bfe",        "bfi",
        "bfind",         "bmsk",       "bra",
        "brev",          "brkpt",      "brx",
        "call",          "clz",        "cnot",
        "copysign",      "cos",        "cp",
        "createpolicy",  "cvt",        "cvta",
        "discard",       "div",        "dp2a",
        "dp4a",          "elect",      "ex2",
        "exit",          "fence",      "fma",
        "fns",           "getctarank", "griddepcontrol",
        "isspacep",      "istypep",    "ld",
        "ldmatrix",      "ldu",        "lg2",
        "lop3",          "mad",        "mad24",
        "madc",          "mapa",       "match",
        "max",           "mbarrier",   "membar",
        "min",           "mma",        "mov",
        "movmatrix",     "mul",        "mul24",
        "multimem",      "nanosleep",  "neg",
        "not",           "or",         "pmevent",
        "popc",          "prefetch",   "prefetchu",
        "prmt",          "rcp",        "red",
        "redux",         "rem",        "ret",
        "rsqrt",         "sad",        "selp",
        "set",           "setmaxnreg", "setp",
        "shf",           "shfl",       "shl",
        "shr",           "sin",        "slct",
        "sqrt",          "st",         "stackrestore",
        "stacksave",     "stmatrix",   "sub",
        "subc",          "suld",       "suq",
        "sured",         "sust",       "szext",
        "tanh",          "tcgen05",    "tensormap",
        "testp",         "tex",        "tld4",
        "trap",          "txq",        "vabsdiff",
        "vabsdiff2",     "vabsdiff4",  "vadd",
        "vadd2",         "vadd4",      "vavrg2",
        "vavrg4",        "vmad",       "vmax",
        "vmax2",         "vmax4",      "vmin",
        "vmin2",         "vmin4",      "vote",
        "vset",          "vset2",      "vset4",
        "vshl",          "vshr",       "vsub",
        "vsub2",         "vsub4",      "wgmma",
        "wmma",          "xor",
    };
    char text[256];

    for (size_t i = 0; i < sizeof(opcodes) / sizeof(opcodes[0]); i++) {
        struct ptx_module *m;

        if (strcmp(opcodes[i], "call") == 0) {
            continue; /* has operands always: see above */
        }
        snprintf(text, sizeof(text), PTX_HEAD ".entry k() { %s; }", opcodes[i]);
        m = parse(text);
        ck_assert_str_eq(ptx_op_name(first(m)->op), opcodes[i]);
        ptx_module_free(m);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("ptx");
    TCase *module = tcase_create("module"), *function = tcase_create("function"),
          *inst = tcase_create("instruction"), *operand = tcase_create("operand"),
          *scope = tcase_create("scope"), *call = tcase_create("call");

    tcase_add_test(module, header_gives_version_target_and_address_size);
    tcase_add_test(module, address_size_is_64_when_it_is_not_said);
    tcase_add_test(module, a_nul_byte_ends_the_text);
    tcase_add_test(module, the_text_needs_no_nul_and_no_newline_at_its_end);
    tcase_add_test(module, source_lines_come_from_loc_and_file);
    tcase_add_test(module, lines_of_cudas_headers_are_the_programs);
    tcase_add_test(module, names_and_sizes_of_enumerators);
    tcase_add_test(function, performance_directives_are_kept);
    tcase_add_test(function, a_declaration_and_its_definition_are_one_function);
    tcase_add_test(function, an_alias_has_the_body_of_its_function);
    tcase_add_test(function, a_reg_parameter_is_the_register_of_its_name);
    tcase_add_test(function, registers_of_module_scope_are_each_entrys_own);
    tcase_add_test(inst, words_of_an_opcode_are_sorted_into_types_modifiers_space_and_width);
    tcase_add_test(inst, types_stay_in_the_order_written);
    tcase_add_test(inst, cvta_to_is_a_direction_and_no_modifier);
    tcase_add_test(inst, a_second_state_space_is_a_modifier);
    tcase_add_test(inst, guards_name_a_predicate_and_its_sense);
    tcase_add_test(inst, positions_point_at_the_opcode);
    tcase_add_test(inst, a_destination_pair_is_two_operands);
    tcase_add_test(inst, a_texture_operand_is_listed_part_by_part);
    tcase_add_test(inst, every_opcode_of_the_isa_is_read);
    tcase_add_loop_test(operand, constant_expressions_have_their_value, 0,
                        (int)(sizeof(constants) / sizeof(constants[0])));
    tcase_add_loop_test(operand, floating_point_constants_have_their_bits, 0,
                        (int)(sizeof(floats) / sizeof(floats[0])));
    tcase_add_test(operand, addresses_are_a_base_and_an_offset);
    tcase_add_test(operand, special_registers_are_found_by_name_and_component);
    tcase_add_test(operand, a_vector_register_is_its_components);
    tcase_add_test(scope, only_registers_that_are_named_have_an_entry);
    tcase_add_test(scope, an_inner_register_hides_the_outer_until_its_scope_ends);
    tcase_add_test(scope, labels_are_instruction_indices_ahead_and_behind);
    tcase_add_test(scope, labels_belong_to_their_scope);
    tcase_add_test(scope, brx_has_the_vector_of_its_targets);
    tcase_add_test(call, a_call_names_its_function_results_and_arguments);
    tcase_add_test(call, a_call_through_a_register_has_a_pointer);
    tcase_add_test(call, functions_and_variables_may_be_declared_after_their_use);
    suite_add_tcase(suite, module);
    suite_add_tcase(suite, function);
    suite_add_tcase(suite, inst);
    suite_add_tcase(suite, operand);
    suite_add_tcase(suite, scope);
    suite_add_tcase(suite, call);
    return run_suite(suite);
}
