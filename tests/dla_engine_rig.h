/* SPDX-License-Identifier: MIT */
/* The DLA's task queues, by their effects: bytes copied by a network of BDMA operations, semaphores
 * in memory and syncpoints. Shared by the test_dla_engine_*.c; values of registers, actions and
 * errors in them are written out from the L4T driver's dla_os_interface.h. */
#ifndef TESTS_DLA_ENGINE_RIG_H
#define TESTS_DLA_ENGINE_RIG_H

#include "tests/dla_soc_rig.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct drig rig;
static struct drig_task a;

#define FROM (DRIG_DATA + 0x0000)
#define TO (DRIG_DATA + 0x4000)
#define SEM (DRIG_DATA + 0x8000)
#define UNMAPPED UINT64_C(0xc0000000)

static inline void open_chip(const char *chip, enum order order)
{
    drig_open(&rig, chip, order);
    drig_identity(&rig);
    for (unsigned i = 0; i < 0x2000; i++) {
        rig.dram[i] = rig.view[i] = (uint8_t)(i * 7 + (i >> 8) * 13 + 1);
    }
}

static inline void setup(void)
{
    open_chip("t234", ORDER_OLDEST);
}

static inline void teardown(void)
{
    drig_close(&rig);
}

static inline bool copied(uint64_t to, uint64_t from, unsigned bytes)
{
    return memcmp(drig_at(&rig, to), drig_at(&rig, from), bytes) == 0;
}

static inline uint32_t word(uint64_t pa)
{
    uint32_t v;

    memcpy(&v, drig_at(&rig, pa), 4);
    return v;
}

static inline void put_word(uint64_t pa, uint32_t v)
{
    soc_cpu_write(rig.soc, pa, &v, 4); /* the DLA is coherent: it sees the CPU's line */
}

/* A copy of 64 bytes in @queue. */
static inline void copy_task(struct drig_task *t, unsigned index, unsigned queue)
{
    drig_task(&rig, t, index, queue);
    drig_copy(t, TO, FROM, 2, 0);
}

/* Run @s and free it. Return: the program's status. */
static inline int engine_suite_run(Suite *s)
{
    SRunner *r = srunner_create(s);
    int failed;

    srunner_run_all(r, CK_NORMAL);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed != 0;
}

#endif
