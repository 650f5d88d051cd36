#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# In the guest, before insmod: takes function 0 of the board from vfio-pci, which init has given it to.
for device in /sys/bus/pci/devices/*; do
    if [ "$(cat "$device/vendor" "$device/device" | tr '\n' ' ')" = "0x1234 0x7e57 " ]; then
        echo >"$device/driver_override"
        [ ! -L "$device/driver" ] || basename "$device" >"$device/driver/unbind"
    fi
done
