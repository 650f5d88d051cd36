/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The device, for bare-metal programs: its window, memory tracking, one iGPU channel. */
#ifndef BARE_VTEGRA_H
#define BARE_VTEGRA_H

#include "model/regs/method.h"
#include "model/regs/regs.h"
#include "model/values.h"
#include "qemu-plugin/baremetal/bare.h"
#include "qemu-plugin/control.h"
#include "qemu-plugin/track.h"

/* The names that programs written for the device used when it had these two units alone. */
enum { UNIT_DLA0 = UNIT_DLA, UNIT_DLA1 = UNIT_DLA_LAST };

/* Finds the window (platform, or the PCI function, which it sets up) or ends the program. */
void vtegra_open(void);
bool vtegra_is_pci(void);
uintptr_t vtegra_bridge(void); /* configuration space of the port before it, 0: none */
/* Is the PCI function there? */
bool vtegra_there(void);
/* Number of the PCI function whose DMA the unit's is, 0: that of function 0. */
uint32_t vtegra_function(unsigned unit);
/* Requester ID of the PCI function whose DMA the unit's is; its bus master is on. */
uint32_t vtegra_stream_id(unsigned unit);
/* Of that function. Off: the unit reaches no memory. */
void vtegra_bus_master(unsigned unit, bool on);
uintptr_t vtegra_unit(unsigned unit); /* 0: the chip has none */
uint32_t vtegra_unit_bytes(unsigned unit);
/* The PCI function has gone: vtegra_there() looks for it anew. */
void vtegra_forget(void);

uint32_t control_get(uint32_t reg);
void control_set(uint32_t reg, uint32_t value);
bool io_coherent(void);
/* From now on the caches' state of these pages is modelled. Ends the program if it is refused. */
void track(void *pages, size_t count);
/* Return: enum track_status. @bus: an address of the function that CONTROL_FUNCTION names */
uint32_t track_try(uint64_t bus, size_t count);
uint32_t line_state(const void *p);
void line_evict(const void *p);

/* --- channel 0: GPFIFO, pushbuffer, page tables, all in untracked memory --- */

enum gpu_memory { GPU_UNCACHED, GPU_CACHED, GPU_READ_ONLY };

void channel_open(void);
/* Bus address = physical address here, unless an IOMMU says otherwise: @va is the GPU's. */
void gpu_map(uint64_t va, uint64_t bus, size_t pages, enum gpu_memory memory);
void method(unsigned subchannel, unsigned method, uint32_t data);
/* All but the doorbell, for who rings it himself. */
void submit_prepare(void);
/* Rings the doorbell, after a dsb. Work has not necessarily run when it returns. */
void submit(void);
/* Waits until everything submitted has run. Return: false if the channel died. */
bool finish(void);
struct chan_error channel_error(void);

void copy(uint64_t dst_va, uint64_t src_va, uint32_t bytes); /* a line of any length */
void fill32(uint64_t dst_va, uint32_t pattern, uint32_t words);
void l2_clean(void);
/* One-dimensional launch of the only entry of @ptx. @params: packed as PTX says. */
void launch(const char *ptx, const void *params, uint32_t param_bytes, uint32_t blocks,
            uint32_t threads);

#endif
