/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control block: first page of the window. The board's lock is held. */
#include "qemu-plugin/control.h"

#include <stdlib.h>
#include <string.h>

#include "contract/contract.h"
#include "qemu-plugin/board.h"
#include "qemu-plugin/records.h"

#define R(name) board.reg[CONTROL_##name / 4]

static uint64_t control_reg64(uint32_t lo, uint32_t hi)
{
    return (uint64_t)hi << 32 | lo;
}

static uint32_t control_features(void)
{
    return FIELD_PUT(CONTROL_FEATURES_IO_COHERENT, board.opt.profile->soc.io_coherent) |
           FIELD_PUT(CONTROL_FEATURES_CPU_TRACKING, board.opt.cpu);
}

static uint32_t control_interrupts(void)
{
    uint32_t lines = 0;

    for (unsigned u = 0; u < UNIT_COUNT && u < 32; u++) {
        lines |= (uint32_t)(board.unit[u].size && soc_irq(board.soc, (enum unit_id)u)) << u;
    }
    return lines;
}

static uint32_t line_state(uint64_t bus)
{
    struct soc_line line = { 0 };
    const char *why;
    uint64_t pa;

    if (!dma_find(R(FUNCTION), bus, false, &pa, &why) || !page_at(pa)->range) {
        return FIELD_PUT(CONTROL_LINE_STATE_NOT_TRACKED, 1);
    }
    soc_line_state(board.soc, pa + bus % PAGE, &line);
    return FIELD_PUT(CONTROL_LINE_STATE_CPU_VALID, line.cpu_valid) |
           FIELD_PUT(CONTROL_LINE_STATE_CPU_DIRTY, line.cpu_dirty) |
           FIELD_PUT(CONTROL_LINE_STATE_L2_VALID, line.l2_valid) |
           FIELD_PUT(CONTROL_LINE_STATE_L2_DIRTY_BYTES, line.l2_dirty_bytes);
}

static void line_evict(uint64_t bus)
{
    const char *why;
    uint64_t pa;

    if (dma_find(R(FUNCTION), bus, false, &pa, &why)) {
        soc_cpu_evict(board.soc, pa + bus % PAGE);
    }
}

static uint32_t selected_function(void)
{
    return R(UNIT_SELECT) < UNIT_COUNT ? function_of_unit((enum unit_id)R(UNIT_SELECT)) : 0;
}

static uint32_t selected_line(void)
{
    uint32_t unit = R(UNIT_SELECT);

    return unit < UNIT_COUNT && board.unit[unit].size && soc_irq(board.soc, (enum unit_id)unit);
}

static unsigned control_units(void)
{
    unsigned n = 0;

    for (unsigned u = 0; u < UNIT_COUNT; u++) {
        n += board.unit[u].size != 0;
    }
    return n;
}

/* Word @word of row @row. */
static uint32_t unit_word(unsigned row, unsigned word)
{
    for (unsigned u = 0; u < UNIT_COUNT; u++) {
        const struct unit *unit = &board.unit[u];

        if (unit->size && row-- == 0) {
            const uint32_t words[] = { u, (uint32_t)unit->offset, (uint32_t)unit->size,
                                       (uint32_t)unit->pa };

            return words[word];
        }
    }
    return 0;
}

static uint32_t soc_name_word(uint64_t at)
{
    char name[CONTROL_SOC_BYTES] = { 0 };
    uint32_t word;

    g_strlcpy(name, board.opt.profile->soc.name, sizeof(name));
    memcpy(&word, name + at, sizeof(word));
    return GUINT32_FROM_LE(word);
}

uint32_t control_read(uint64_t offset)
{
    if (offset >= CONTROL_SOC && offset < CONTROL_SOC + CONTROL_SOC_BYTES) {
        return soc_name_word((offset - CONTROL_SOC) & ~UINT64_C(3));
    }
    if (offset >= CONTROL_UNIT) {
        return unit_word((unsigned)(offset - CONTROL_UNIT) / CONTROL_UNIT_BYTES, offset / 4 % 4);
    }
    switch (offset) {
    case CONTROL_ID:
        return CONTROL_MAGIC;
    case CONTROL_VERSION:
        return 2;
    case CONTROL_CHIP:
        return (uint32_t)strtoul(board.opt.profile->soc.chip + 1, NULL, 16);
    case CONTROL_FEATURES:
        return control_features();
    case CONTROL_UNITS:
        return control_units();
    case CONTROL_UNIT_FUNCTION:
        return selected_function();
    case CONTROL_UNIT_LINE:
        return selected_line();
    case CONTROL_INTR:
        return control_interrupts();
    case CONTROL_POLICY:
        return FIELD_PUT(CONTROL_POLICY_ORDER, board.opt.policy) |
               FIELD_PUT(CONTROL_POLICY_EVICT, board.opt.evict);
    case CONTROL_RECORDS_GET:
        return records_got();
    case CONTROL_RECORDS_WAIT:
        return records_waiting();
    case CONTROL_RECORDS_LOST:
        return records_lost();
    case CONTROL_EVENTS:
        return TRACE_EVENT_COUNT;
    case CONTROL_CONTRACT_LO:
        return (uint32_t)contract_here.hash;
    case CONTROL_CONTRACT_HI:
        return (uint32_t)(contract_here.hash >> 32);
    case CONTROL_CONTRACT_TIME:
        return contract_here.time;
    case CONTROL_TRACK_COUNT:
        return board.tracked_pages;
    case CONTROL_LINE_STATE:
        return line_state(control_reg64(R(LINE_LO), R(LINE_HI)));
    case CONTROL_FINDINGS:
        return report_findings();
    case CONTROL_TIME_LO:
        R(TIME_HI) = (uint32_t)(soc_time_ns(board.soc) >> 32);
        return (uint32_t)soc_time_ns(board.soc);
    case CONTROL_UNIT_SELECT:
    case CONTROL_TRACK_LO:
    case CONTROL_TRACK_HI:
    case CONTROL_TRACK_PAGES:
    case CONTROL_TRACK_STATUS:
    case CONTROL_FUNCTION:
    case CONTROL_LINE_LO:
    case CONTROL_LINE_HI:
    case CONTROL_TIME_HI:
    case CONTROL_HOLD:
    case CONTROL_STEP:
    case CONTROL_TRACK_NAME:
    case CONTROL_RECORDS_LO:
    case CONTROL_RECORDS_HI:
        return board.reg[offset / 4];
    default:
        return 0;
    }
}

static enum track_status control_track(uint32_t what)
{
    uint64_t bus = control_reg64(R(TRACK_LO), R(TRACK_HI));

    switch (what) {
    case TRACK_ADD:
        return track_add(R(FUNCTION), bus, R(TRACK_PAGES));
    case TRACK_REMOVE:
        return track_remove(R(FUNCTION), bus, R(TRACK_PAGES));
    case TRACK_REMOVE_ALL:
        track_remove_all();
        return TRACK_OK;
    case TRACK_NAME:
        return records_name(R(FUNCTION), bus, R(TRACK_PAGES), R(TRACK_NAME));
    default:
        return TRACK_BAD_CTRL;
    }
}

void control_write(uint64_t offset, uint32_t value)
{
    switch (offset) {
    case CONTROL_UNIT_SELECT:
    case CONTROL_TRACK_LO:
    case CONTROL_TRACK_HI:
    case CONTROL_TRACK_PAGES:
    case CONTROL_LINE_LO:
    case CONTROL_LINE_HI:
    case CONTROL_ANCHOR_LO:
    case CONTROL_TRACK_NAME:
    case CONTROL_RECORDS_LO:
    case CONTROL_RECORDS_HI:
        board.reg[offset / 4] = value;
        break;
    case CONTROL_RECORDS_MASK:
        cpu_counts_report(); /* to who wanted them so far */
        soc_counts_flush(board.soc);
        records_want(value);
        report_open(); /* which asks the model for them */
        break;
    case CONTROL_RECORDS_GET:
        records_get(control_reg64(R(RECORDS_LO), R(RECORDS_HI)), value);
        break;
    case CONTROL_FUNCTION:
        R(FUNCTION) = value % FUNCTIONS;
        break;
    case CONTROL_TRACK_CTRL:
        R(TRACK_STATUS) = (uint32_t)control_track(value);
        break;
    case CONTROL_LINE_EVICT:
        line_evict(control_reg64(R(LINE_LO), R(LINE_HI)));
        break;
    case CONTROL_MARK:
        report_mark(value);
        break;
    case CONTROL_ANCHOR_HI:
        line_anchor(control_reg64(R(ANCHOR_LO), value));
        break;
    case CONTROL_HOLD:
        R(HOLD) = value & 1;
        break;
    case CONTROL_STEP:
        R(STEP) = board_step(value);
        break;
    default:
        break;
    }
}
