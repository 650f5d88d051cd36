/* SPDX-License-Identifier: MIT */
/* What a driver gives Tegra's DLA: commands, task descriptors and actions, as they lie in memory.
 *
 * Source: dla_os_interface.h of the L4T kernel (descriptor version 2). Little-endian, no padding
 * but what is named. Every address is an IOVA of the DLA; a task descriptor starts at a multiple of
 * 256.
 *
 *   descriptor   struct dla_task_desc, address_list -> num_addresses 64-bit IOVAs
 *   preactions   offset in the descriptor of num_preactions struct dla_action_list
 *   list         one byte of opcode, then its operands, then the next; DLA_ACTION_TERMINATE ends it
 *
 * address_list[0] is the network descriptor of the open NVDLA; the rest is named from there by
 * index (nvdla/sw, dla_interface.h).
 *
 * A syncpoint is a semaphore to the DLA: the shim aperture of host1x (model/regs/regs.h,
 * SYNCPT_SHIM) is mapped into its IOVA space. Reading the word of a syncpoint gives its value,
 * writing anything increments it by one (hal_iommu_syncpt() says where it is).
 */
#ifndef MODEL_REGS_DLA_TASK_H
#define MODEL_REGS_DLA_TASK_H

#include <stdint.h>

enum {
    DLA_TASK_VERSION = 2,
    DLA_TASK_ENGINE_ID = 0x44,
    DLA_TASK_ALIGN = 256,
    DLA_TASK_QUEUES = 16,
    DLA_TASK_QUEUE_DEPTH = 32, /* tasks that wait or run in one queue */
    DLA_TASK_ADDRESSES = 6144, /* buffers of one task */
};

enum dla_cmd {
    DLA_CMD_PING = 1,
    DLA_CMD_SUBMIT_TASK = 7,
    DLA_CMD_SET_DEBUG = 10,
    DLA_CMD_SET_REGIONS = 11,
    DLA_CMD_QUEUE_SUSPEND = 12, /* THI_METHOD_DATA: the queue, as in the two below */
    DLA_CMD_QUEUE_RESUME = 13,
    DLA_CMD_QUEUE_FLUSH = 14, /* tasks that have not begun are dropped */
};

/* DLA_FALCON_MAILBOX0.MSG */
enum dla_msg {
    DLA_MSG_CMD_ERROR = 1,
    DLA_MSG_CMD_COMPLETE = 2, /* of a task: it is in its queue; its post-actions announce its end */
    DLA_MSG_EXCEPTION = 3,    /* a task failed while it ran */
    DLA_MSG_TASK_TIMEOUT = 8,
};

/* DLA_FALCON_MAILBOX0.ERROR */
enum dla_err {
    DLA_ERR_NONE,
    DLA_ERR_INVALID_METHOD,
    DLA_ERR_INVALID_TASK,
    DLA_ERR_INVALID_INPUT,
    DLA_ERR_INVALID_FALC_DMA, /* the SMMU refused what the Falcon reads: descriptor, lists, actions
                               */
    DLA_ERR_INVALID_QUEUE,
    DLA_ERR_INVALID_PREACTION,
    DLA_ERR_INVALID_POSTACTION,
    DLA_ERR_NO_MEM,
    DLA_ERR_INVALID_DESC_VER,
    DLA_ERR_INVALID_ENGINE_ID,
    DLA_ERR_INVALID_REGION,
    DLA_ERR_PROCESSOR_BUSY, /* the queue is full */
    DLA_ERR_RETRY,
    DLA_ERR_TASK_STATUS_MISMATCH,
    DLA_ERR_ENGINE_TIMEOUT,
    DLA_ERR_DATA_MISMATCH,
};

enum dla_action {
    DLA_ACTION_TERMINATE = 0,
    /* before the task; both wait */
    DLA_ACTION_SEM_EQ = 0x90, /* struct dla_action_sem */
    DLA_ACTION_SEM_GE =
        0x92, /* as a syncpoint compares: (int32_t)(memory - value) >= 0 (inferred) */
    DLA_ACTION_TASK_STATUS_EQ = 0xc0, /* struct dla_action_status; another value ends the task */
    /* after it */
    DLA_ACTION_WRITE_SEM = 0x80,
    DLA_ACTION_INCREMENT_SEM = 0x82,
    DLA_ACTION_TS_SEM = 0x83,      /* WRITE_SEM, and the time in ns, 64 bits, at address + 8 */
    DLA_ACTION_TIMESTAMP = 0x87,   /* struct dla_action_time: the time in ns */
    DLA_ACTION_TASK_STATUS = 0xc1, /* struct dla_action_status: address of struct dla_task_status */
    /* grids of semaphores: refused by name */
    DLA_ACTION_GOS_EQ = 0xb0,
    DLA_ACTION_GOS_GE = 0xb2,
    DLA_ACTION_WRITE_GOS = 0xa0,
};

/* flags: actions only, no network (a NOOP); invented: the task never ends, as some do (note 5.4) */
enum { DLA_TASK_BYPASS = 1, DLA_TASK_HANGS = 0x8000 };

/* @timeout: in us of virtual time from the task's begin, 0 = none (unit inferred).
 * @blob_version: invented, in a word that the firmware reserves: major << 8 | minor of the
 * loadable's blobs, which decides between the two layouts of a data cube; 0 = 0.12. */
struct __attribute__((packed, aligned(4))) dla_task_desc {
    uint64_t next; /* not used: every task is submitted by itself */
    uint8_t version, engine_id;
    uint16_t size; /* with all action lists */
    uint16_t sequence;
    uint8_t num_preactions, num_postactions;
    uint16_t preactions, postactions;
    uint8_t queue_id;
    uint64_t address_list;
    uint16_t num_addresses, status;
    uint64_t timeout;
    uint16_t flags;
    uint64_t blob_version, reserved;
};

struct __attribute__((packed)) dla_action_list {
    uint16_t offset, size; /* offset from the start of the descriptor */
};

struct __attribute__((packed)) dla_action_sem {
    uint64_t address;
    uint32_t value;
};

struct __attribute__((packed)) dla_action_status {
    uint64_t address;
    uint16_t status;
};

struct __attribute__((packed)) dla_action_time {
    uint64_t address;
};

/* What DLA_ACTION_TASK_STATUS writes. @status_task: the action's word, or of a task that failed
 * DLA_TASK_STATUS_ERROR; @status_engine: enum dla_err. */
struct __attribute__((packed)) dla_task_status {
    uint64_t timestamp; /* ns */
    uint32_t status_engine;
    uint16_t subframe; /* not used */
    uint16_t status_task;
};

enum { DLA_TASK_STATUS_ERROR = 1 };

/* Invented: why a command or a task failed, written to DLA_ERROR before the interrupt. A task's
 * stays there until software clears FALCON_IRQSTAT.SWGEN0, then comes the next one's; a failed
 * command is written over it, and then the task's comes again. Its first two words are zero until
 * then and software sets them to zero again. */
struct dla_error_record {
    uint32_t msg;   /* enum dla_msg: CMD_ERROR, EXCEPTION or TASK_TIMEOUT */
    uint32_t error; /* enum dla_err */
    uint32_t queue, sequence;
    uint64_t task; /* IOVA of the descriptor, 0 = unknown */
    uint64_t iova; /* of a refused access, else 0 */
    uint32_t bytes, write;
    char text[208]; /* one line: blob, index, field, value and rule */
};

#endif
