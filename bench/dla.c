/* SPDX-License-Identifier: MIT */
/* How fast the DLA's arithmetic is: a loadable's operations, each against a loop of vpmaddwd that
 * runs out of registers in the same run. bench_dla LOADABLE [REPEATS]: a table, and exit status 1
 * when all convolutions together stay below 25 % of that loop or the whole below 20 %. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/loop.h"
#include "model/dla/desc.h"
#include "tools/dla/dla_net.h"

#define MAX_OPS 4096

/* @seconds[i]: until the next operation was announced, the least of all repeats; of a convolution
 * that includes its SDP, which is announced at the same time */
struct bench {
    struct dla_port port;
    struct dla_net_file *f;
    double seconds[MAX_OPS], now[MAX_OPS];
    int last;
    double since, peak;
};

static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* other work on the machine does not count */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static enum dla_status port_read(struct dla_port *port, enum dla_ram ram, uint64_t iova, void *dst,
                                 size_t len)
{
    const uint8_t *b = dla_net_pages(((struct bench *)port)->f, iova, len);

    (void)ram;
    return b ? (memcpy(dst, b, len), DLA_OK) : DLA_FAULT;
}

static enum dla_status port_write(struct dla_port *port, enum dla_ram ram, uint64_t iova,
                                  const void *src, size_t len)
{
    uint8_t *b = dla_net_bytes(((struct bench *)port)->f, iova, len);

    (void)ram;
    return b ? (memcpy(b, src, len), DLA_OK) : DLA_FAULT;
}

static const struct dla_port_ops port_ops = { .read = port_read, .write = port_write };

static void layer(void *opaque, unsigned index, enum dla_op_type type)
{
    struct bench *b = opaque;
    double t = seconds();

    (void)type;
    if (b->last >= 0) {
        b->now[b->last] += t - b->since;
    }
    b->last = (int)index;
    b->since = t;
}

static int run(struct bench *b, const struct dla_net *net)
{
    struct dla_task task = { .address = net->address,
                             .size = net->size,
                             .addresses = net->addresses,
                             .cube_bytes = net->cube_bytes,
                             .layer = layer,
                             .opaque = b };
    char *config = dla_net_config(b->f);
    const struct dla_config *cfg = dla_config_find(config ? config : "nv_full");
    struct dla_stats stats = { 0 };
    struct dla_task_error why;
    char text[256];

    g_free(config);
    memset(b->now, 0, sizeof(b->now));
    b->last = -1;
    if (dla_task_run(cfg, &b->port, &task, &stats, &why) != DLA_OK) {
        dla_task_error_format(&why, text, sizeof(text));
        fprintf(stderr, "bench_dla: %s\n", text);
        return 0;
    }
    layer(b, 0, DLA_OP_CONV); /* closes the last one */
    for (unsigned i = 0; i < net->operations; i++) {
        b->seconds[i] = b->seconds[i] > 0 && b->seconds[i] < b->now[i] ? b->seconds[i] : b->now[i];
    }
    return 1;
}

/* Multiply-accumulates a second: the best of many short runs. */
static double ruler(void)
{
    double best = 0;

    for (int i = 0; i < 50; i++) {
        double t = seconds();
        uint64_t macs = loop_madd(200000);

        t = (double)macs / (seconds() - t);
        best = t > best ? t : best;
    }
    return best;
}

/* Of a convolution; also its shape in words. */
static double macs_of(const struct dla_net *net, unsigned i, char *text, size_t size)
{
    const uint8_t *d = dla_net_operation(net, i);
    struct desc_cube src, dst;
    double macs;

    desc_cube_get(dla_net_surface(net, i), 3, net->cube_bytes, &src);
    desc_cube_get(dla_net_surface(net, i), 4, net->cube_bytes, &dst);
    macs = (double)DESC_GETU(d, CONV, kernel_width_csc) *
           (double)DESC_GETU(d, CONV, kernel_height_csc) *
           (double)DESC_GETU(d, CONV, kernel_channel_csc) * dst.width * dst.height * dst.channels;
    snprintf(text, size, "%dx%d /%d  %4u -> %4u at %3ux%-3u",
             (int)DESC_GETU(d, CONV, kernel_height_csc),
             (int)(DESC_GETU(d, CONV, kernel_channel_csc) * DESC_GETU(d, CONV, kernel_width_csc) /
                   src.channels),
             (int)DESC_GETU(d, CONV, stride_x), src.channels, dst.channels, dst.height, dst.width);
    return macs;
}

static int report(const struct bench *b, const struct dla_net *net)
{
    static const char *const kind[] = { "bdma", "conv", "sdp", "pdp", "cdp", "rubik" };
    double peak = b->peak, other = 0, conv = 0, macs = 0;
    char text[80];

    printf("vpmaddwd loop: %.1f G multiply-accumulates/s\n", peak / 1e9);
    for (unsigned i = 0; i < net->operations; i++) {
        enum desc_op op = dla_net_op(net, i);
        char *name = dla_net_name(b->f, net->index, i);
        int fused = op == DESC_OP_SDP && i > 0 && dla_net_op(net, i - 1) == DESC_OP_CONV;

        if (op == DESC_OP_CONV) {
            double m = macs_of(net, i, text, sizeof(text));
            double t = b->seconds[i] + b->seconds[i + 1];

            printf("%-14s %s %7.2f ms %5.1f %%\n", name ? name : "", text, 1e3 * t,
                   100 * m / t / peak);
            macs += m;
            conv += t;
        } else if (!fused) {
            printf("%-14s %-33s %7.2f ms\n", name ? name : "", kind[op], 1e3 * b->seconds[i]);
            other += b->seconds[i];
        }
        g_free(name);
    }
    printf("convolutions with their SDP: %.2f G in %.0f ms: %.1f %% of the loop (at least 25)\n",
           macs / 1e9, 1e3 * conv, 100 * macs / conv / peak);
    printf("whole network: %.0f ms: %.1f %% (at least 20)\n", 1e3 * (conv + other),
           100 * macs / (conv + other) / peak);
    return macs / conv < 0.25 * peak || macs / (conv + other) < 0.2 * peak;
}

int main(int argc, char **argv)
{
    static struct bench b = { .port = { .ops = &port_ops } };
    int repeats = argc > 2 ? atoi(argv[2]) : 3, status = 2;
    GError *error = NULL;
    struct dla_net net;

    b.f = argc > 1 ? dla_net_open(argv[1], &error) : NULL;
    if (!b.f || !dla_net_init(&net, b.f, 0, &error)) {
        fprintf(stderr, "bench_dla: %s\n", error ? error->message : "LOADABLE [REPEATS]");
        return 2;
    }
    /* The loop's best and the layers' best, in turns: both meet the machine's good moments. */
    for (int i = 0; i < repeats; i++) {
        double peak = ruler();

        b.peak = peak > b.peak ? peak : b.peak;
        if (!run(&b, &net)) {
            return 2;
        }
        status = 0;
    }
    status = status ? status : report(&b, &net);
    dla_net_free(&net);
    dla_net_close(b.f);
    return status;
}
