/* SPDX-License-Identifier: MIT */
/* In place of vm_host.c where libvirt's headers were not there at configure time. */
#include "tools/cmd.h"
#include "tools/vm/vm.h"

static int vm_host_none_refuse(void)
{
    cmd_error(VM_CMD,
              "this vtegra was built without libvirt: install libvirt-dev and "
              "libvirt-daemon-driver-qemu (scripts/install-deps.sh --qemu) and build it again");
    return CMD_FAILED;
}

int vm_host_up(const struct vm_options *o)
{
    (void)o;
    return vm_host_none_refuse();
}

int vm_host_run(const struct vm_options *o)
{
    (void)o;
    return vm_host_none_refuse();
}

int vm_host_console(const struct vm_options *o)
{
    (void)o;
    return vm_host_none_refuse();
}

int vm_host_down(const struct vm_options *o)
{
    (void)o;
    return vm_host_none_refuse();
}

int vm_host_list(const struct vm_options *o)
{
    (void)o;
    return vm_host_none_refuse();
}
