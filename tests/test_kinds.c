/* SPDX-License-Identifier: MIT */
/* Table 1 of CUDA for Tegra, typed from the note by hand, against model/rules/kinds.def for the
 * SoCs that vtegra has.
 *
 * Editions 10.2 to 11.8 have four rows, all the same:
 *
 *   Device memory          Not directly accessible   Cached
 *   Pageable host memory   Cached                    Not directly accessible
 *   Pinned host memory     Uncached where compute capability is less than 7.2.  Uncached
 *                          Cached where compute capability is greater than or equal to 7.2.
 *   Unified memory         Cached                    Cached
 *
 * 13.4: pageable memory is cached by an iGPU with pageableMemoryAccess; registered memory has a
 * row, cached by an iGPU with full coherency (3.2); unified memory is uncached by an iGPU with
 * concurrentManagedAccess (4.1). */
#include <check.h>
#include <stdlib.h>

#include "model/rules/kinds.h"
#include "model/rules/port.h"
#include "profiles/profile.h"

#define NO RULES_NO_ACCESS
#define UN RULES_UNCACHED
#define CA RULES_CACHED

struct column {
    const char *soc;
    enum rules_caching cell[RULES_KIND_COUNT][2];
};

static const struct column columns[] = {
#define NOT_COHERENT(name)                                                \
    {                                                                     \
        name,                                                             \
        {                                                                 \
            [RULES_DEVICE] = { NO, CA }, [RULES_PAGEABLE] = { CA, NO },   \
            [RULES_PINNED] = { UN, UN }, [RULES_REGISTERED] = { CA, UN }, \
            [RULES_MANAGED] = { CA, CA }, [RULES_INTEROP] = { CA, CA },   \
            [RULES_INTEROP_UNCACHED] = { UN, CA }, [RULES_KERNEL] = {     \
                UN,                                                       \
                UN                                                        \
            }                                                             \
        }                                                                 \
    }
#define COHERENT(name)                                                    \
    {                                                                     \
        name,                                                             \
        {                                                                 \
            [RULES_DEVICE] = { NO, CA }, [RULES_PAGEABLE] = { CA, NO },   \
            [RULES_PINNED] = { CA, UN }, [RULES_REGISTERED] = { CA, UN }, \
            [RULES_MANAGED] = { CA, CA }, [RULES_INTEROP] = { CA, CA },   \
            [RULES_INTEROP_UNCACHED] = { UN, CA }, [RULES_KERNEL] = {     \
                UN,                                                       \
                UN                                                        \
            }                                                             \
        }                                                                 \
    }
    NOT_COHERENT("nano"),
    NOT_COHERENT("tx2"),
    COHERENT("xavier"),
    COHERENT("xavier-nx"),
    COHERENT("orin"),
    COHERENT("orin-nx"),
    COHERENT("orin-nano"),
    { "thor",
      { [RULES_DEVICE] = { NO, CA },
        [RULES_PAGEABLE] = { CA, CA },
        [RULES_PINNED] = { CA, UN },
        [RULES_REGISTERED] = { CA, CA },
        [RULES_MANAGED] = { CA, UN },
        [RULES_INTEROP] = { CA, CA },
        [RULES_INTEROP_UNCACHED] = { UN, CA },
        [RULES_KERNEL] = { UN, UN } } },
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct soc_profile *profile_of(const char *soc)
{
    struct soc_profile *p = profile_load(soc, NULL);

    ck_assert_msg(p != NULL, "%s", soc);
    return p;
}

START_TEST(cells_are_those_of_the_note)
{
    const struct column *c = &columns[_i];
    struct soc_profile *p = profile_of(c->soc);
    struct rules_facts facts = rules_facts_of(p);

    for (enum rules_kind kind = 0; kind < RULES_KIND_COUNT; kind++) {
        for (enum rules_side side = RULES_CPU; side <= RULES_IGPU; side++) {
            ck_assert_msg(rules_caching(&facts, kind, side) == c->cell[kind][side],
                          "%s kind %d side %d: %d", c->soc, kind, side,
                          rules_caching(&facts, kind, side));
        }
    }
    profile_free(p);
}
END_TEST

/* A PC, edition 13.4: Table 1's column of the dGPU, but for managed memory (CUDA C++ Programming
 * Guide) and for the driver's own. */
START_TEST(the_gpu_of_a_pc_is_the_column_of_the_dgpu)
{
    static const enum rules_caching cell[RULES_KIND_COUNT][2] = {
        [RULES_DEVICE] = { NO, CA },  [RULES_PAGEABLE] = { CA, NO },
        [RULES_PINNED] = { CA, UN },  [RULES_REGISTERED] = { CA, UN },
        [RULES_MANAGED] = { CA, UN }, [RULES_INTEROP] = { CA, CA },
        [RULES_KERNEL] = { UN, UN },  [RULES_INTEROP_UNCACHED] = { UN, CA },
    };
    struct soc_profile *p = profile_of("desktop");
    struct rules_facts facts = rules_facts_of(p);

    ck_assert(facts.discrete);
    ck_assert_int_eq(rules_gpu_side(&facts), RULES_DGPU);
    for (enum rules_kind kind = 0; kind < RULES_KIND_COUNT; kind++) {
        ck_assert_int_eq(rules_caching(&facts, kind, RULES_CPU), cell[kind][0]);
        ck_assert_int_eq(rules_caching(&facts, kind, RULES_DGPU), cell[kind][1]);
    }
    profile_free(p);
}
END_TEST

/* Thor's host page tables are in no edition before 13.2. */
START_TEST(an_edition_without_the_row_does_not_have_its_cell)
{
    static const struct {
        enum rules_edition edition;
        enum rules_caching pageable;
    } rows[] = {
        { RULES_EDITION_10_2, NO }, { RULES_EDITION_11_4, NO }, { RULES_EDITION_11_8, NO },
        { RULES_EDITION_12_6, NO }, { RULES_EDITION_13_4, CA },
    };
    struct soc_profile *p = profile_of("thor");
    struct rules_facts facts = rules_facts_of(p);

    facts.edition = rows[_i].edition;
    ck_assert_int_eq(rules_caching(&facts, RULES_PAGEABLE, RULES_IGPU), rows[_i].pageable);
    profile_free(p);
}
END_TEST

START_TEST(every_cell_is_there_with_its_source)
{
    for (unsigned bits = 0; bits < 32; bits++) {
        struct rules_facts facts = {
            .edition = (enum rules_edition)_i,
            .io_coherent = bits & 1,
            .discrete = bits & 16,
            .full_coherent = bits & 2,
            .concurrent_managed = bits & 4,
            .pageable_access = bits & 8,
        };

        for (enum rules_kind kind = 0; kind < RULES_KIND_COUNT; kind++) {
            for (enum rules_side side = RULES_CPU; side < RULES_SIDE_COUNT; side++) {
                const struct rules_cell *cell = rules_cell(&facts, kind, side);

                ck_assert(cell != NULL);
                ck_assert(cell->source[0] != '\0');
            }
        }
    }
}
END_TEST

/* The rows that Table 1 has in an edition stand in it by their names; what vtegra adds does not. */
START_TEST(titles_are_those_of_the_note)
{
    ck_assert_str_eq(rules_kind_title(RULES_DEVICE), "device memory");
    ck_assert_str_eq(rules_kind_title(RULES_PAGEABLE), "pageable host memory");
    ck_assert_str_eq(rules_kind_title(RULES_PINNED), "pinned host memory");
    ck_assert_str_eq(rules_kind_title(RULES_MANAGED), "unified memory");
    ck_assert_str_eq(rules_kind_title(RULES_REGISTERED), "registered memory");
    ck_assert_ptr_null(rules_kind_title(RULES_INTEROP));
    ck_assert_ptr_null(rules_kind_title(RULES_KERNEL));
}
END_TEST

/* 2.1: "I/O coherency is supported on Tegra devices starting with Xavier SOC." */
START_TEST(the_igpu_snoops_from_xavier_on)
{
    struct soc_profile *p = profile_of(columns[_i].soc);

    ck_assert_int_eq(rules_port_snoops(p, BUS_AGENT_IGPU), _i >= 2);
    profile_free(p);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("kinds");
    TCase *t = tcase_create("table 1");
    SRunner *sr = srunner_create(s);
    int failed;

    tcase_add_loop_test(t, cells_are_those_of_the_note, 0, COUNT(columns));
    tcase_add_loop_test(t, an_edition_without_the_row_does_not_have_its_cell, 0, 5);
    tcase_add_test(t, the_gpu_of_a_pc_is_the_column_of_the_dgpu);
    tcase_add_loop_test(t, every_cell_is_there_with_its_source, RULES_EDITION_10_2,
                        RULES_EDITION_13_4 + 1);
    tcase_add_test(t, titles_are_those_of_the_note);
    tcase_add_loop_test(t, the_igpu_snoops_from_xavier_on, 0, COUNT(columns));
    suite_add_tcase(s, t);
    srunner_run_all(sr, CK_NORMAL);
    failed = srunner_ntests_failed(sr);
    srunner_free(sr);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
