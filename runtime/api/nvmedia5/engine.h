/* SPDX-License-Identifier: MIT */
/* The VIC for NvMedia of DRIVE OS 5. The driver core has DRIVE OS 6's form alone, whose headers
 * have the same names with other contents: no file includes both. Codes are numbers of
 * NvMediaStatus, transforms and filters numbers of their enumerations, which are equal in both. */
#ifndef RUNTIME_API_NVMEDIA5_ENGINE_H
#define RUNTIME_API_NVMEDIA5_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "include/nvscibuf.h"
#include "include/nvscisync.h"

struct engine;

/* Left, top, right, bottom; the last two are outside. */
struct engine_rect {
    uint16_t x0, y0, x1, y1;
};

/* @src_rect, @dst_rect: NULL: the whole; @eof: NULL: none */
struct engine_blit {
    NvSciBufObj src, dst;
    const struct engine_rect *src_rect, *dst_rect;
    unsigned transform, filter;
    NvSciSyncObj eof;
};

/* A line in the report; returns @status. */
int engine_refuse(int status, const char *api, const char *why);

struct engine *engine_new(void); /* NULL: the report says why */
void engine_free(struct engine *e);

/* An image's buffer may be used in any blit from now on. */
int engine_buf_register(struct engine *e, NvSciBufObj buf);
/* Waits for the blits on it first. */
void engine_buf_unregister(struct engine *e, NvSciBufObj buf);
/* For the blits of this engine on it. @timeout_us: in virtual time; -1: no limit */
int engine_buf_wait(struct engine *e, NvSciBufObj buf, int64_t timeout_us, const char *api);

int engine_sync_list(struct engine *e, NvSciSyncAttrList list, unsigned client);
int engine_sync_register(struct engine *e, unsigned type, NvSciSyncObj sync);
int engine_sync_unregister(struct engine *e, NvSciSyncObj sync);
/* Of the next blit. */
int engine_pre_fence(struct engine *e, const NvSciSyncFence *fence);
int engine_blit(struct engine *e, const struct engine_blit *blit);
/* Of the last blit. */
int engine_eof_fence(struct engine *e, NvSciSyncFence *fence);

#endif
