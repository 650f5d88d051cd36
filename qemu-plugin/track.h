/* SPDX-License-Identifier: GPL-2.0-or-later OR MIT */
/* Values of the control block's TRACK registers (control.def): shared with guest software. */
#ifndef QEMU_PLUGIN_TRACK_H
#define QEMU_PLUGIN_TRACK_H

enum track_ctrl { TRACK_ADD = 1, TRACK_REMOVE = 2, TRACK_REMOVE_ALL = 3, TRACK_NAME = 4 };

enum track_status {
    TRACK_OK = 0,
    TRACK_ALIGNMENT = 1, /* TRACK_LO is no multiple of 4096, or no page, or more than 2^20 in all */
    TRACK_REFUSED = 2,   /* part of it is not RAM behind the IOMMU; nothing was done */
    TRACK_TWICE = 3,     /* part of it is tracked already; nothing was done */
    TRACK_NOT_TRACKED = 4, /* REMOVE: no ADD had this address and these pages */
    TRACK_OFF = 5,         /* cpu=off */
    TRACK_BAD_CTRL = 6,    /* no such command */
};

#endif
