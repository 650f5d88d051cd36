/* SPDX-License-Identifier: MIT */
/* Instructions with several operands of one register class; see test_grid_alias.c. */
#ifndef TESTS_ALIAS_ROWS_H
#define TESTS_ALIAS_ROWS_H

/**
 * struct alias_row
 * @text: $0, $1 ... are operands, $4-7 is a list of them, @ the place of a guard that is false in
 * some lanes: it counts as the last operand
 * @kinds: one letter an operand.
 *   written  W 32 bits, L 64, P predicate, H 16
 *   32 bits  w data, z 0, n 32, c 0x1f, m all ones, i a lane, x a float from 0 to 31, h an address
 *            in shared memory, k one for all lanes, o an address in local memory
 *   64 bits  l data, s 64, a b d u addresses in global memory (scattered, 16 bytes apart, 8 bytes
 *            apart, one for all), v what is at a, g O generic addresses of shared and local memory,
 *            q that of an mbarrier, t a texture, f a surface
 *   p        a predicate
 */
struct alias_row {
    const char *text, *kinds;
};

static const struct alias_row alias_rows[] = {
    /* arithmetic */
    { "@add.s32 $0, $1, $2;", "Www" },
    { "@mad.lo.s32 $0, $1, $2, $3;", "Wwww" },
    { "@mad.wide.u32 $0, $2, $3, $1;", "Llww" },
    { "@mul.hi.u64 $0, $1, $2;", "Lll" },
    { "@sad.s32 $0, $1, $2, $3;", "Wwww" },
    { "@bfi.b32 $0, $1, $2, $3, $4;", "Wwwww" },
    { "@bfe.s64 $0, $1, $2, $3;", "Llww" },
    { "@dp4a.s32.u32 $0, $1, $2, $3;", "Wwww" },
    { "@lop3.b32 $0, $1, $2, $3, 0x3a;", "Wwww" },
    { "@prmt.b32 $0, $1, $2, $3;", "Wwww" },
    { "@prmt.b32.f4e $0, $1, $2, $3;", "Wwww" },
    { "@shf.l.wrap.b32 $0, $1, $2, $3;", "Wwww" },
    { "@brev.b64 $0, $1;", "Ll" },
    { "@div.s32 $0, $1, $2;", "Www" },
    { "@selp.b32 $0, $1, $2, $3;", "Wwwp" },
    { "@slct.b32.s32 $0, $1, $2, $3;", "Wwww" },
    { "@fma.rn.f32 $0, $1, $2, $3;", "Wwww" },
    { "@fma.rz.f32 $0, $1, $2, $3;", "Wwww" },
    { "@fma.rm.f64 $0, $1, $2, $3;", "Llll" },
    { "@div.approx.f32 $0, $1, $2;", "Www" },
    { "@max.NaN.f32 $0, $1, $2;", "Www" },
    { "@fma.rn.f16x2 $0, $1, $2, $3;", "Wwww" },
    { "@rsqrt.approx.f64 $0, $1;", "Ll" },
    { "@cvt.rn.f16x2.f32 $0, $1, $2;", "Www" },
    { "@cvt.sat.s8.s32 $0, $1;", "Ww" },
    /* the carry flag */
    { "{ .reg .b32 t; add.cc.u32 t, -1, 1; @addc.cc.u32 $0, $1, $2; }", "Www" },
    { "{ .reg .b64 t; sub.cc.u64 t, 0, 1; @subc.cc.u64 $0, $1, $2; }", "Lll" },
    { "{ .reg .b32 t; add.cc.u32 t, -1, 1; @madc.hi.cc.u32 $0, $1, $2, $3; }", "Wwww" },
    { "{ .reg .b64 t; add.cc.u64 t, -1, 1; @madc.lo.u64 $0, $1, $2, $3; }", "Llll" },
    /* predicates */
    { "@setp.lt.s32 $0|$1, $2, $3;", "PPww" },
    { "@setp.lt.and.s32 $0|$1, $2, $3, $4;", "PPwwp" },
    { "@setp.ge.xor.u64 $0|$1, $2, $3, !$4;", "PPllp" },
    { "@setp.ltu.or.f32 $0, $1, $2, $3;", "Pwwp" },
    { "@setp.gt.f16x2 $0|$1, $2, $3;", "PPww" },
    { "@setp.gt.and.f16x2 $0|$1, $2, $3, $4;", "PPwwp" },
    { "@set.le.or.u32.s32 $0, $1, $2, $3;", "Wwwp" },
    { "@set.gt.and.f16x2.f16x2 $0, $1, $2, $3;", "Wwwp" },
    { "@and.pred $0, $1, $2;", "Ppp" },
    { "@testp.finite.f32 $0, $1;", "Pw" },
    { "@isspacep.shared $0, $1;", "Pg" },
    /* packs */
    { "@mov.b64 $0, {$1, $2};", "Lww" },
    { "@mov.b64 {$0, $1}, $2;", "WWl" },
    { "@mov.b64 {$0, _}, $1;", "Wl" },
    { "@mov.b32 {$0, $1}, $2;", "HHw" },
    { "@mov.b64 {$0-3}, $4;", "HHHHl" },
    { "@cvta.shared.u64 $0, $1;", "Ls" },
    /* memory */
    { "@ld.global.u32 $0, [$1];", "Wa" },
    { "@ld.global.s16 $0, [$1+2];", "La" },
    { "@ld.global.u64 $0, [$1];", "La" },
    { "ld.global.u64 $0, [$1];", "Ld" },
    { "@ld.global.u64 $0, [$1];", "Lu" },
    { "@ld.global.v2.u64 {$0, $1}, [$2];", "LLa" },
    { "ld.global.v2.u64 {$0, $1}, [$2];", "LLb" },
    { "ld.global.v2.u64 {$0, $1}, [$2];", "LLu" },
    { "ld.global.v4.u32 {$0-3}, [$4];", "WWWWb" },
    { "@ld.global.v4.u8 {$0-3}, [$4];", "LLLLa" },
    { "@ld.global.v2.s32 {$0, $1}, [$2+8];", "LLa" },
    { "@ld.v2.u64 {$0, $1}, [$2];", "LLg" },
    { "@ld.v2.u64 {$0, $1}, [$2];", "LLO" },
    { "@ld.v4.u32 {$0-3}, [$4];", "WWWWg" },
    { "@ld.v2.f64 {$0, $1}, [$2];", "LLa" },
    { "@ld.shared.u32 $0, [$1];", "Wh" },
    { "@ld.shared.s8 $0, [$1+1];", "Wh" },
    { "@ld.shared.v2.u32 {$0, $1}, [$2];", "WWh" },
    { "@ld.shared.v4.u32 {$0-3}, [$4];", "WWWWh" },
    { "@ld.local.v4.u32 {$0-3}, [$4];", "WWWWo" },
    { "@ld.local.u32 $0, [$1];", "Wo" },
    { "@atom.global.add.u64 $0, [$1], $2;", "Lal" },
    { "@atom.global.cas.b64 $0, [$1], $2, $3;", "Lavl" },
    { "@atom.global.exch.b32 $0, [$1], $2;", "Wuw" },
    { "@atom.cas.b64 $0, [$1], $2, $3;", "Lgll" },
    { "@atom.cas.b64 $0, [$1], $2, $3;", "Lavl" },
    { "@atom.shared.add.u32 $0, [$1], $2;", "Whw" },
    { "@atom.shared.min.s32 $0, [$1], $2;", "Whw" },
    { "@atom.shared.cas.b32 $0, [$1], $2, $3;", "Whww" },
    { "@atom.shared.inc.u32 $0, [$1], $2;", "Whw" },
    { "alloca.u64 $0, $1, 8;", "Ls" },
    /* between lanes */
    { "shfl.sync.idx.b32 $0|$1, $2, $3, $4, $5;", "WPwicm" },
    { "shfl.sync.up.b32 $0|$1, $2, $3, $4, $5;", "WPwizm" },
    { "shfl.sync.down.b32 $0, $1, $2, $3, $4;", "Wwicm" },
    { "shfl.sync.bfly.b32 $0|$1, $2, $3, $4, $5;", "WPwicm" },
    { "vote.sync.all.pred $0, $1, $2;", "Ppm" },
    { "vote.sync.any.pred $0, !$1, $2;", "Ppm" },
    { "vote.sync.uni.pred $0, $1, $2;", "Ppm" },
    { "vote.sync.ballot.b32 $0, $1, $2;", "Wpm" },
    { "match.any.sync.b32 $0, $1, $2;", "Wim" },
    { "match.any.sync.b64 $0, $1, $2;", "Wlm" },
    { "match.all.sync.b32 $0|$1, $2, $3;", "WPim" },
    { "match.all.sync.b64 $0|$1, $2, $3;", "WPum" },
    { "redux.sync.add.s32 $0, $1, $2;", "Wwm" },
    { "redux.sync.min.u32 $0, $1, $2;", "Wwm" },
    { "barrier.red.popc.u32 $0, $1, $2, $3;", "Wznp" },
    { "barrier.red.or.pred $0, $1, $2, !$3;", "Pznp" },
    { "@mbarrier.arrive.b64 $0, [$1];", "Lq" },
    { "@mbarrier.arrive.noComplete.b64 $0, [$1], 1;", "Lq" },
    { "@mbarrier.test_wait.parity.b64 $0, [$1], $2;", "Pqz" },
    { "@mbarrier.pending_count.b64 $0, $1;", "Wl" },
    /* calls */
    { "call ($0), f, ($1, $2);", "Www" },
    { "{ .reg .b64 t; mov.u64 t, f;\ny: .callprototype (.param .b32 _) _ (.param .b32 _, .param "
      ".b32 _);\ncall ($0), t, ($1, $2), y; }",
      "Www" },
    /* textures and surfaces */
    { "@tex.2d.v4.u32.s32 {$0-3}, [$4, {$5, $6}];", "WWWWtii" },
    { "@tex.2d.v4.u32.f32 {$0-3}, [$4, {$5, $6}];", "WWWWtxx" },
    { "@tex.level.2d.v4.u32.f32 {$0-3}, [$4, {$5, $6}], $7;", "WWWWtxxz" },
    { "@tex.grad.2d.v4.u32.f32 {$0-3}, [$4, {$5, $6}], {$7, $8}, {$9, $10};", "WWWWtxxzzzz" },
    { "@tld4.r.2d.v4.u32.f32 {$0-3}, [$4, {$5, $6}];", "WWWWtxx" },
    { "@suld.b.2d.v2.b32.zero {$0, $1}, [$2, {$3, $4}];", "WWfni" },
    { "@suld.b.2d.v2.b64.zero {$0, $1}, [$2, {$3, $4}];", "LLfni" },
    { "@txq.level.width.b32 $0, [$1], $2;", "Wtz" },
    /* matrices */
    { "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {$0}, [$1];", "Wh" },
    { "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {$0, $1}, [$2];", "WWh" },
    { "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {$0-3}, [$4];", "WWWWh" },
    { "movmatrix.sync.aligned.m8n8.trans.b16 $0, $1;", "Ww" },
    { "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {$0-7}, [$8], $9;", "WWWWWWWWkn" },
    { "wmma.load.a.sync.aligned.row.m8n8k4.global.f64 {$0}, [$1], $2;", "Lun" },
    { "wmma.load.c.sync.aligned.col.m8n8k4.global.f64 {$0, $1}, [$2], $3;", "LLun" },
    { "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0-3}, {$4-7}, {$8-9}, {$10-13};",
      "WWWWwwwwwwwwww" },
    { "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {$0-1}, {$2-5}, {$6-7}, {$8-9};",
      "WWwwwwwwww" },
    { "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {$0-3}, {$4-7}, {$8-9}, {$10-13};",
      "WWWWwwwwwwwwww" },
    { "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {$0-1}, {$2}, {$3}, {$4-5};", "LLllll" },
    { "mma.sync.aligned.m8n8k16.row.col.s32.s8.u8.s32 {$0-1}, {$2}, {$3}, {$4-5};", "WWwwww" },
    { "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {$0-3}, {$4-5}, {$6}, {$7-10};",
      "WWWWwwwwwww" },
    { "mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32 {$0-3}, {$4-7}, {$8-9}, "
      "{$10-13};",
      "WWWWwwwwwwwwww" },
    { "mma.sync.aligned.m8n8k32.row.col.s32.s4.u4.s32 {$0-1}, {$2}, {$3}, {$4-5};", "WWwwww" },
    { "mma.sync.aligned.m16n8k32.row.col.s32.u4.u4.s32 {$0-3}, {$4-5}, {$6}, {$7-10};",
      "WWWWwwwwwww" },
    { "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {$0-3}, {$4-7}, {$8-9}, {$10-13};",
      "WWWWwwwwwwwwww" },
    { "mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc {$0-1}, {$2}, {$3}, {$4-5};",
      "WWwwww" },
    { "mma.sync.aligned.m16n8k128.row.col.s32.b1.b1.s32.and.popc {$0-3}, {$4-5}, {$6}, {$7-10};",
      "WWWWwwwwwww" },
    { "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {$0-3}, {$4-7}, {$8-9}, "
      "{$10-13};",
      "WWWWwwwwwwwwww" },
    { "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {$0-7}, {$8-15}, {$16-23}, {$24-31};",
      "WWWWWWWWwwwwwwwwwwwwwwwwwwwwwwww" },
    { "wmma.mma.sync.aligned.row.col.m16n16k16.s32.s8.s8.s32 {$0-7}, {$8-9}, {$10-11}, {$12-19};",
      "WWWWWWWWwwwwwwwwwwww" },
    { "wmma.mma.sync.aligned.row.col.m32n8k16.s32.u8.u8.s32 {$0-7}, {$8-11}, {$12}, {$13-20};",
      "WWWWWWWWwwwwwwwwwwwww" },
    { "wmma.mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32 {$0-1}, {$2}, {$3}, {$4-5};", "WWwwww" },
    { "wmma.mma.xor.popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32 {$0-1}, {$2}, {$3}, {$4-5};",
      "WWwwww" },
};

#endif
