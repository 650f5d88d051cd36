/* SPDX-License-Identifier: MIT */
/* Lists as bytes for another process, which may be of another version, or hostile. */
#ifndef RUNTIME_API_NVSCI_ATTR_WIRE_H
#define RUNTIME_API_NVSCI_ATTR_WIRE_H

#include "runtime/api/nvsci/attr/list.h"

/*
 * All numbers little endian:
 *   u32 magic "VSCI", u16 version (1), u8 schema (0 NvSciBuf, 1 NvSciSync), u8 reconciled, u32
 * bytes in all, u32 CRC-32 of the rest u32 slots; each: u8 length of the path, u64 each; u16 keys;
 * each: u32 key, u32 elements, the elements u32 peers; each: u8 need_cpu + 2 gpu, u64 permission,
 * u8 length of the path, u64 each     (a reconciled list has at least one)
 */
enum { SCI_WIRE_VERSION = 1 };

/**
 * sci_wire_write - the bytes of a list
 * Paths name the endpoints so far; the reader adds its own. Return: g_byte_array_unref().
 */
GByteArray *sci_wire_write(const struct sci_list *list);

/**
 * sci_wire_read - a list from bytes
 * @channel: the endpoint that they came through: the last step of every slot's path
 *
 * Each value is checked as sci_list_set() does; keys of the other direction, unknown or repeated
 * ones, too long paths, and bytes too many or too few are refused. Return: NULL if the bytes are no
 * such list.
 */
struct sci_list *sci_wire_read(const struct sci_schema *schema, bool reconciled, const void *bytes,
                               size_t len, uint64_t channel);

uint32_t sci_wire_crc(const void *bytes, size_t len);

#endif
