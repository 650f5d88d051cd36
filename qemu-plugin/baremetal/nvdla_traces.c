/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests/qemu/nvdla.sh: runs published register traces of the NVDLA (nvdla/hw, trace_tests) on
 * the device, from the CPU. QEMU's loader has put them at TRACES as text:
 *     @trace NAME, then for each memory image @file NAME and its lines, then @config and the lines
 * of the .cfg file One line of output a trace; the exit status is the number that failed. */
#include "qemu-plugin/baremetal/vtegra.h"

#define TRACES 0xc0000000u
#define FILES 8u

enum {
#define UNIT(u, small, full) BASE_##u = (small),
#define REG(u, r, offset, mask)
#define FIELD(u, r, f, lsb, width)
#include "model/regs/nvdla.def"
#include "model/regs/nvdla_point.def"
#undef UNIT
#undef REG
};

static const struct {
    const char *name;
    uint32_t offset;
} regs[] = {
#define UNIT(u, small, full)
#define REG(u, r, offset, mask) { "NVDLA_" #u "." #r, BASE_##u + (offset) },
#include "model/regs/nvdla.def"
#include "model/regs/nvdla_point.def"
#undef UNIT
#undef REG
#undef FIELD
};

static struct {
    const char *name, *text;
} files[FILES];
static unsigned n_files, passed, failed, skipped;
static const char *trace, *why;
static bool checked, incomplete;

static uint32_t dla_read(uint32_t offset)
{
    return load32((void *)(vtegra_unit(UNIT_DLA) + offset));
}

static void dla_write(uint32_t offset, uint32_t value)
{
    barrier();
    store32((void *)(vtegra_unit(UNIT_DLA) + offset), value);
}

/* --- text --- */

static bool nvdla_traces_begins(const char *p, const char *with)
{
    while (*with) {
        if (*p++ != *with++) {
            return false;
        }
    }
    return true;
}

static const char *next_line(const char *p)
{
    while (*p && *p != '\n') {
        p++;
    }
    return *p ? p + 1 : p;
}

static int nvdla_traces_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static bool is_number(const char *p)
{
    return p[0] == '0' && p[1] == 'x';
}

static uint64_t nvdla_traces_number(const char **p)
{
    uint64_t v = 0;

    for (*p += 2; nvdla_traces_digit(**p) >= 0; (*p)++) {
        v = v * 16 + (uint64_t)nvdla_traces_digit(**p);
    }
    return v;
}

/* The next hexadecimal number of the line. */
static uint64_t next_number(const char **p)
{
    while (**p && **p != '\n' && !is_number(*p)) {
        (*p)++;
    }
    return is_number(*p) ? nvdla_traces_number(p) : 0;
}

/* The same text up to the end of either's word. */
static bool same_word(const char *a, const char *b)
{
    while (*a == *b && *a > ' ' && *a != ',' && *a != '"') {
        a++;
        b++;
    }
    return (*a <= ' ' || *a == ',' || *a == '"' || *a == ')') &&
           (*b <= ' ' || *b == ',' || *b == '"' || *b == ')');
}

/* --- commands --- */

static bool reg_find(const char *name, uint32_t *offset)
{
    for (unsigned i = 0; i < sizeof(regs) / sizeof(regs[0]); i++) {
        if (same_word(name, regs[i].name)) {
            *offset = DLA_NVDLA_BASE + regs[i].offset;
            return true;
        }
    }
    return false;
}

/* {offset:0x10, size:4, payload:0x00 0x01 0x02 0x03} */
static void image_load(const char *p, uint64_t base)
{
    for (; *p && *p != '@'; p = next_line(p)) {
        uint8_t *to;

        while (*p == ' ') {
            p++;
        }
        if (!nvdla_traces_begins(p, "{offset:")) {
            continue;
        }
        to = (uint8_t *)(uintptr_t)(base + next_number(&p));
        while (*p != '\n' && !nvdla_traces_begins(p, "payload:")) {
            p++;
        }
        while (*p && *p != '\n' && *p != '}') {
            if (is_number(p)) {
                *to++ = (uint8_t)nvdla_traces_number(&p);
            } else {
                p++;
            }
        }
    }
}

static void memory_load(const char *p)
{
    uint64_t base = next_number(&p);

    while (*p && *p != '"') {
        p++;
    }
    for (unsigned i = 0; i < n_files; i++) {
        if (same_word(p + 1, files[i].name)) {
            image_load(files[i].text, base);
            return;
        }
    }
    why = "a memory image is not there";
    incomplete = true;
}

static uint32_t nvdla_traces_crc32(const uint8_t *p, uint64_t n)
{
    uint32_t crc = UINT32_MAX;

    while (n--) {
        crc ^= *p++;
        for (unsigned bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
        }
    }
    return ~crc;
}

static void interrupt_wait(const char *name)
{
    static const struct {
        const char *name;
        unsigned bit;
    } bits[] = { { "SDP_0", 0 },       { "SDP_1", 1 },      { "CDP_0", 2 },
                 { "CDP_1", 3 },       { "PDP_0", 4 },      { "PDP_1", 5 },
                 { "BDMA_0", 6 },      { "BDMA_1", 7 },     { "CDMA_DAT_0", 16 },
                 { "CDMA_DAT_1", 17 }, { "CDMA_WT_0", 18 }, { "CDMA_WT_1", 19 },
                 { "CACC_0", 20 },     { "CACC_1", 21 } };

    for (unsigned i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
        if (same_word(name, bits[i].name)) {
            if (!(dla_read(DLA_NVDLA_BASE + BASE_GLB + 0xc) >> bits[i].bit & 1)) {
                why = "an interrupt did not come";
            }
            dla_write(DLA_NVDLA_BASE + BASE_GLB + 0xc, 1u << bits[i].bit);
            return;
        }
    }
    why = "an interrupt has an unknown name";
}

static void nvdla_traces_command(const char *p)
{
    const char *argument = p;
    uint32_t offset;
    uint64_t at, n;

    while (*argument && *argument != '\n' && *argument != '(') {
        argument++;
    }
    argument++;
    if (nvdla_traces_begins(p, "reg_write(")) {
        if (reg_find(argument, &offset)) {
            dla_write(offset, (uint32_t)next_number(&argument));
        } else {
            why = "a register has an unknown name";
        }
    } else if (nvdla_traces_begins(p, "poll_reg_equal(")) {
        if (!reg_find(argument, &offset) || dla_read(offset) != next_number(&argument)) {
            why = "a polled register has another value";
        }
    } else if (nvdla_traces_begins(p, "mem_load(")) {
        memory_load(argument);
    } else if (nvdla_traces_begins(p, "mem_init(")) {
        at = next_number(&argument);
        n = next_number(&argument);
        memset((void *)(uintptr_t)at, 0, n);
    } else if (nvdla_traces_begins(p, "intr_notify(")) {
        interrupt_wait(argument);
    } else if (nvdla_traces_begins(p, "check_crc(")) {
        at = next_number(&argument);
        n = next_number(&argument);
        checked = true;
        if (nvdla_traces_crc32((const uint8_t *)(uintptr_t)at, n) != next_number(&argument)) {
            why = "the result is another";
        }
    }
}

static void trace_print(const char *verdict)
{
    print("%s ", verdict);
    for (const char *p = trace; *p > ' '; p++) {
        print("%c", *p);
    }
    print("%s%s\n", why ? ": " : "", why ? why : "");
}

static const char *config_run(const char *p)
{
    why = NULL;
    checked = incomplete = false;
    dla_write(DLA_RESET, 1);
    for (; *p && *p != '@'; p = next_line(p)) {
        if (!why) {
            while (*p == ' ') {
                p++;
            }
            nvdla_traces_command(p);
        }
    }
    if (incomplete) {
        skipped++;
        trace_print("skipped");
    } else if (why) {
        failed++;
        trace_print("FAILED");
    } else if (checked) {
        passed++;
    } else {
        skipped++;
        trace_print("skipped, checks nothing:");
    }
    return p;
}

int main(void)
{
    const char *p = (const char *)(uintptr_t)TRACES;

    vtegra_open();
    if (!vtegra_unit(UNIT_DLA)) {
        print("this chip has no DLA\n");
        return 1;
    }
    while (*p == '@') {
        if (nvdla_traces_begins(p, "@trace ")) {
            trace = p + 7;
            n_files = 0;
        } else if (nvdla_traces_begins(p, "@file ") && n_files < FILES) {
            files[n_files].name = p + 6;
            files[n_files++].text = next_line(p);
        } else if (nvdla_traces_begins(p, "@config")) {
            p = config_run(next_line(p));
            continue;
        }
        p = next_line(p);
        while (*p && *p != '@') {
            p = next_line(p);
        }
    }
    print("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
    return failed != 0;
}
