/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of the control block's TRACK registers (control.def): shared with guest software. */
#ifndef QEMU_PLUGIN_TRACK_H
#define QEMU_PLUGIN_TRACK_H

enum track_ctrl { TRACK_ADD = 1, TRACK_REMOVE = 2, TRACK_REMOVE_ALL = 3 };

enum track_status {
    TRACK_OK = 0,
    TRACK_ALIGNMENT = 1,   /* TRACK_LO is no multiple of 4096, or no page, or too many (2^20) */
    TRACK_REFUSED = 2,     /* the IOMMU translates none of it, or not all of it; nothing was done */
    TRACK_NO_RAM = 3,      /* not the machine's RAM */
    TRACK_TWICE = 4,       /* part of it is tracked already; nothing was done */
    TRACK_NOT_TRACKED = 5, /* REMOVE: part of it is not tracked; the rest was removed */
    TRACK_OFF = 6,         /* cpu=off */
    TRACK_BAD_CTRL = 7,    /* no such command */
};

#endif
