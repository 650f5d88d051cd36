/* SPDX-License-Identifier: MIT */
/* Matrices in memory, PTX ISA 9.0, 9.7.14.4.3 (wmma.load), 9.7.14.4.4 (wmma.store), 9.7.14.5.15
 * (ldmatrix): their accesses are weak, and two warps are ordered as by any others. A tile of 16 x
 * 16 halves is 512 bytes. */
#include "tests/race/cases.h"

#define RACES(n, relation_) .threads = (n), .pairs = "AB", .relation = GRID_RACE_##relation_
#define HALVES "{%r10, %r11, %r12, %r13, %r14, %r15, %r16, %r17}"
#define FLOATS "{%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}"
#define FLOAT_REGS ".reg .f32 %f<8>;\n"
#define ZERO                                                                              \
    FLOAT_REGS                                                                            \
    "mov.f32 %f0, 0f00000000;\nmov.f32 %f1, %f0;\nmov.f32 %f2, %f0;\nmov.f32 %f3, %f0;\n" \
    "mov.f32 %f4, %f0;\nmov.f32 %f5, %f0;\nmov.f32 %f6, %f0;\nmov.f32 %f7, %f0;\n"
#define LOAD "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " HALVES ", [%s0]; // B\n"
#define STORE "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%s0], " FLOATS "; // A\n"
#define STORE_FAR "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d0], " FLOATS "; // A\n"
/* Each warp has a tile of its own: 1,024 bytes by warp */
#define OWN "and.b32 %s4, %r1, 992;\nshl.b32 %s4, %s4, 5;\nadd.u32 %s4, %s0, %s4;\n"
#define FIRST_WARP "setp.ge.u32 %p1, %r1, 32;\n@%p1 bra C;\n"
/* Row addresses of ldmatrix: 16 bytes by lane */
#define ROWS "and.b32 %s5, %r1, 31;\nshl.b32 %s5, %s5, 4;\nadd.u32 %s5, %s0, %s5;\n"
#define LDMATRIX "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%s5]; // B\n"

const struct race_case race_cases_matrix[] = {
    { .name = "tile_loaded_behind_a_barrier",
      .rule = "9.7.13.1",
      .body = "st.shared.u32 [%s1], %r7;\nbar.sync 0;\n" LOAD,
      .threads = 128 },
    { .name = "tile_loaded_without_a_barrier",
      .rule = "8.7.1: rows that the other warps stored",
      .body = "st.shared.u32 [%s1], %r7; // A\n" LOAD,
      RACES(128, BLOCK),
      .missing = MISSING(BARRIER) },
    { .name = "tile_loaded_by_the_warp_that_stored_it",
      .rule = "inferred: .sync",
      .body =
          FIRST_WARP "st.shared.u32 [%s1], %r7;\n"
                     "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " HALVES ", [%s0], 16;\n"
                     "C:\n",
      .threads = 64 },
    { .name = "tile_with_a_stride_between_the_stores",
      .rule = "9.7.14.4.3: 16 rows of 32 bytes, 128 bytes apart; the store is behind a row",
      .body =
          FIRST_WARP "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " HALVES ", [%s0], 64;\n"
                     "ret;\nC:\nst.shared.u32 [%s0+32], %r7;\n",
      .threads = 33 },
    { .name = "tile_with_a_stride_and_a_store_in_a_row",
      .rule = "9.7.14.4.3: byte 128 begins the second row",
      .body = FIRST_WARP "wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 " HALVES
                         ", [%s0], 64; // A\n"
                         "ret;\nC:\nst.shared.u32 [%s0+128], %r7; // B\n",
      RACES(33, BLOCK) },
    { .name = "tile_by_columns",
      .rule = "9.7.14.4.3: b by columns is 16 columns of 32 bytes; byte 512 is behind them",
      .body = FIRST_WARP "wmma.load.b.sync.aligned.col.m16n16k16.shared.f16 " HALVES ", [%s0];\n"
                         "ret;\nC:\nst.shared.u32 [%s0+512], %r7;\n",
      .threads = 33 },
    { .name = "two_warps_store_one_tile",
      .rule = "8.7.1",
      .body = ZERO "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%s0], " FLOATS "; // A\n",
      .threads = 64,
      .pairs = "AA",
      .relation = GRID_RACE_BLOCK },
    { .name = "each_warp_stores_its_tile",
      .rule = "8.7.1: no byte is of two warps",
      .body = OWN ZERO "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%s4], " FLOATS ";\n",
      .threads = 64 },
    { .name = "tile_stored_and_read_by_the_other_warp",
      .rule = "8.7.1",
      .body = ZERO FIRST_WARP STORE "ret;\nC:\nld.shared.u32 %r8, [%s0+1020]; // B\n",
      RACES(64, BLOCK) },
    { .name = "tile_stored_and_read_behind_a_barrier",
      .rule = "9.7.13.1",
      .body = ZERO FIRST_WARP "wmma.store.d.sync.aligned.row.m16n16k16.shared.f32 [%s0], " FLOATS
                              ";\nC:\nbar.sync 0;\nld.shared.u32 %r8, [%s0+1020];\n",
      .threads = 64 },
    { .name = "two_blocks_store_one_tile",
      .rule = "8.7.1: no barrier is of two blocks",
      .body = ZERO "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d0], " FLOATS "; // A\n",
      .blocks = 2,
      .threads = 32,
      .pairs = "AA",
      .relation = GRID_RACE_GRID },
    { .name = "tile_stored_and_read_by_the_other_block",
      .rule = "8.7.1",
      .body = ZERO "setp.ne.u32 %p1, %r2, 0;\n@%p1 bra C;\n" STORE_FAR
                   "ret;\nC:\nld.global.u32 %r8, [%d0+4]; // B\n",
      .blocks = 2,
      RACES(32, GRID) },
    { .name = "ldmatrix_behind_a_barrier",
      .rule = "9.7.13.1",
      .body = ROWS "st.shared.u32 [%s1], %r7;\nbar.sync 0;\n"
                   "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r10, %r11, %r12, %r13}, [%s5];\n",
      .threads = 128 },
    { .name = "ldmatrix_without_a_barrier",
      .rule = "8.7.1",
      .body = ROWS "st.shared.u32 [%s1], %r7; // A\n" LDMATRIX,
      RACES(128, BLOCK) },
    { .name = "ldmatrix_reads_the_rows_of_eight_lanes",
      .rule = "9.7.14.5.15: .x1 takes the addresses of lanes 0 to 7; byte 128 is that of lane 8",
      .body = ROWS FIRST_WARP "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%s5];\n"
                              "ret;\nC:\nst.shared.u32 [%s0+128], %r7;\n",
      .threads = 33 },
    { .name = "ldmatrix_reads_sixteen_rows",
      .rule = "9.7.14.5.15: .x2 takes the addresses of lanes 0 to 15",
      .body = ROWS FIRST_WARP "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r10, %r11}, [%s5]; // A\n"
                              "ret;\nC:\nst.shared.u32 [%s0+128], %r7; // B\n",
      RACES(33, BLOCK) },
    { 0 },
};
