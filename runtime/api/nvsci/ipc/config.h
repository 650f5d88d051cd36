/* SPDX-License-Identifier: MIT */
/* The configuration file of NvSciIpc: which endpoints there are, and which two make a channel. A
 * pure library.
 *
 *   # comment
 *   INTER_PROCESS <endpoint> <endpoint> <frames> <bytes of a frame>
 *   INTER_THREAD  <endpoint> <endpoint> <frames> <bytes of a frame>
 *
 * Source: DRIVE OS Linux SDK developer guide, "Example NvSciIpc config file format".
 */
#ifndef RUNTIME_API_NVSCI_IPC_CONFIG_H
#define RUNTIME_API_NVSCI_IPC_CONFIG_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { IPC_NAME = 64, IPC_ENDPOINTS = 500, IPC_FRAMES = 4096, IPC_FRAME_BYTES = 1 << 20 };
enum { IPC_RING_BYTES = 64 << 20 }; /* of both directions together */

struct ipc_channel {
    char name[2][IPC_NAME];
    bool threads; /* both ends in one process */
    uint32_t frames, frame_size;
};

/* Return: channels, to be freed with g_array_unref(); NULL, and a text "<@name>:<line>: why" in
 * *@error, to be freed. */
GArray *ipc_config_parse(const char *text, const char *name, char **error);
/* The channel that has endpoint @name, and which end it is; NULL: none. */
const struct ipc_channel *ipc_config_find(const GArray *channels, const char *name, unsigned *side);

#endif
