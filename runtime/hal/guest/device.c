/* SPDX-License-Identifier: MIT */
/* The board as a PCI function under vfio-pci: Linux, Documentation/driver-api/vfio.rst and
 * linux/vfio.h. */
#include <errno.h>
#include <fcntl.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "contract/contract.h"
#include "runtime/hal/guest/guest.h"

#define DEVICES "/sys/bus/pci/devices"
/* Vendor and device: qemu-plugin/README.md, "PCI". */
#define PCI_ID "0x1234 0x7e57"
#define PCI_ID_ENGINE "0x1234 0x7e58"

enum {
    PCI_COMMAND = 4,
    PCI_COMMAND_MEMORY_AND_MASTER = 6, /* PCI Local Bus 3.0, 6.2.2 */
    CHIP_UNITS = 16,
};

/* A PCI function with what it may reach: each in an IOMMU group and a container of its own. */
struct function {
    int container, group, fd;
};

static struct {
    struct function main, engine[ENGINES_MAX];
    volatile uint32_t *window;
    int refused; /* -errno: it is there, and of another vtegra; said once */
    uint32_t unit[CHIP_UNITS];
} device;

/* First words of two files, "0x1234 0x7e57". */
static bool has_id(const char *name, const char *wanted)
{
    g_autofree char *vendor_path = g_build_filename(DEVICES, name, "vendor", NULL);
    g_autofree char *device_path = g_build_filename(DEVICES, name, "device", NULL);
    g_autofree char *vendor = NULL, *id = NULL, *both = NULL;

    if (!g_file_get_contents(vendor_path, &vendor, NULL, NULL) ||
        !g_file_get_contents(device_path, &id, NULL, NULL)) {
        return false;
    }
    both = g_strdup_printf("%s %s", g_strchomp(vendor), g_strchomp(id));
    return strcmp(both, wanted) == 0;
}

/* "0000:00:01.0"; NULL if there is none. @last: the last character of the name, 0: any */
static char *function_find(const char *id, char last)
{
    GDir *dir = g_dir_open(DEVICES, 0, NULL);
    const char *name;
    char *found = NULL;

    while (dir && !found && (name = g_dir_read_name(dir))) {
        found =
            has_id(name, id) && (!last || name[strlen(name) - 1] == last) ? g_strdup(name) : NULL;
    }
    if (dir) {
        g_dir_close(dir);
    }
    return found;
}

static int device_complain(const char *what, const char *todo)
{
    int error = errno;

    fprintf(stderr, "vtegra: %s: %s; %s\n", what, strerror(error), todo);
    return error ? -error : -EIO;
}

/* The device's IOMMU group: a file under /dev/vfio once vfio-pci has the device. */
static int group_open(struct function *f, const char *name)
{
    g_autofree char *link = g_build_filename(DEVICES, name, "iommu_group", NULL);
    g_autofree char *target = g_file_read_link(link, NULL);
    g_autofree char *number = target ? g_path_get_basename(target) : NULL;
    g_autofree char *path = g_build_filename("/dev/vfio", number ? number : "none", NULL);
    struct vfio_group_status status = { .argsz = sizeof(status) };

    if (!target) {
        errno = ENODEV;
        return device_complain(name, "it has no IOMMU group: QEMU needs -M virt,iommu=smmuv3");
    }
    f->group = open(path, O_RDWR | O_CLOEXEC);
    if (f->group < 0) {
        return device_complain(
            path, errno == EBUSY ? "another process has the board"
                                 : "load vfio-pci, write vfio-pci to the device's driver_override "
                                   "and its name to /sys/bus/pci/drivers_probe");
    }
    if (ioctl(f->group, VFIO_GROUP_GET_STATUS, &status) != 0 ||
        !(status.flags & VFIO_GROUP_FLAGS_VIABLE)) {
        errno = EBUSY;
        return device_complain(path, "a device of its group has another driver than vfio-pci");
    }
    return 0;
}

static int container_open(struct function *f)
{
    f->container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
    if (f->container < 0) {
        return device_complain("/dev/vfio/vfio", "load the modules vfio and vfio_iommu_type1");
    }
    if (ioctl(f->group, VFIO_GROUP_SET_CONTAINER, &f->container) != 0 ||
        ioctl(f->container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU) != 0) {
        return device_complain("VFIO_SET_IOMMU", "load the module vfio_iommu_type1");
    }
    return 0;
}

/* Registers answer and DMA goes out. */
static int master_on(const struct function *f)
{
    struct vfio_region_info config = { .argsz = sizeof(config),
                                       .index = VFIO_PCI_CONFIG_REGION_INDEX };
    const uint16_t command = PCI_COMMAND_MEMORY_AND_MASTER;

    if (ioctl(f->fd, VFIO_DEVICE_GET_REGION_INFO, &config) != 0 ||
        pwrite(f->fd, &command, sizeof(command), (off_t)config.offset + PCI_COMMAND) !=
            sizeof(command)) {
        return device_complain("the board's PCI configuration", "is it in reset?");
    }
    return 0;
}

static int function_open(struct function *f, const char *name)
{
    int err = group_open(f, name);

    if (!err) {
        err = container_open(f);
    }
    if (!err) {
        f->fd = ioctl(f->group, VFIO_GROUP_GET_DEVICE_FD, name);
        err = f->fd < 0 ? device_complain(name, "does vfio-pci have it?") : master_on(f);
    }
    return err;
}

static int window_map(void)
{
    struct vfio_region_info bar = { .argsz = sizeof(bar), .index = VFIO_PCI_BAR0_REGION_INDEX };
    void *at = MAP_FAILED;

    if (ioctl(device.main.fd, VFIO_DEVICE_GET_REGION_INFO, &bar) == 0) {
        at = mmap(NULL, bar.size, PROT_READ | PROT_WRITE, MAP_SHARED, device.main.fd,
                  (off_t)bar.offset);
    }
    if (at == MAP_FAILED) {
        return device_complain("the board's registers (BAR 0)", "is the device enabled?");
    }
    device.window = at;
    return 0;
}

/* Runtime and plugin are built apart, and either may have been left as it was. */
static int contract_check(void)
{
    static const struct contract_side runtime = { "this runtime",
                                                  "scripts/guest.sh builds the guest's anew" };
    static const struct contract_side plugin = {
        "the plugin in QEMU",
        "scripts/build.sh release builds build/release/lib/vtegra-qemu.so anew, and QEMU takes it "
        "when it starts again"
    };
    struct contract other = { device_read(CONTROL_CONTRACT_LO), 0 };
    char *refusal;

    other.hash |= (uint64_t)device_read(CONTROL_CONTRACT_HI) << 32;
    other.time = device_read(CONTROL_CONTRACT_TIME);
    refusal = contract_refusal(&contract_here, &runtime, &other, &plugin);
    if (refusal) {
        fprintf(stderr, "vtegra: %s\n", refusal);
        g_free(refusal);
        return -EPROTO;
    }
    return 0;
}

static int units_read(void)
{
    uint32_t rows;

    if (device_read(CONTROL_ID) != CONTROL_MAGIC || device_read(CONTROL_VERSION) != 2) {
        fprintf(stderr,
                "vtegra: the board's control block reads %08x, version %u; this runtime knows "
                "version 1: use the plugin of the same vtegra\n",
                device_read(CONTROL_ID), device_read(CONTROL_VERSION));
        return -EPROTO;
    }
    if (contract_check() != 0) {
        return -EPROTO;
    }
    rows = MIN(device_read(CONTROL_UNITS), CHIP_UNITS);
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t row = CONTROL_UNIT + i * CONTROL_UNIT_BYTES, id = device_read(row);

        if (id < CHIP_UNITS) {
            device.unit[id] = device_read(row + 4);
        }
    }
    return 0;
}

int device_open(void)
{
    g_autofree char *name = NULL;
    int err;

    if (device.window || device.refused) {
        return device.refused;
    }
    name = function_find(PCI_ID, 0);
    if (!name) {
        fputs("vtegra: there is no board: no PCI device " PCI_ID
              ". QEMU needs -plugin vtegra-qemu.so and -device vtegra\n",
              stderr);
        return -ENODEV;
    }
    err = function_open(&device.main, name);
    if (!err) {
        err = window_map();
    }
    device.refused = err ? 0 : units_read();
    return err ? err : device.refused;
}

int device_engine_open(enum unit_id unit)
{
    int engine = unit_engine(unit);
    g_autofree char *name = NULL;
    unsigned function;

    if (engine < 0 || device_unit(unit) == 0) {
        return -ENODEV;
    }
    device_write(CONTROL_UNIT_SELECT, unit);
    function = device_read(CONTROL_UNIT_FUNCTION);
    if (device.engine[engine].fd > 0 || function == 0) { /* it shares function 0's view of memory */
        return function == 0 ? -ENODEV : 0;
    }
    name = function_find(PCI_ID_ENGINE, (char)('0' + function));
    return name ? function_open(&device.engine[engine], name) : -ENODEV;
}

/* --- registers --- */

uint32_t device_read(uint32_t offset)
{
    return device.window[offset / 4];
}

/* What was stored to memory comes before: the register may start an engine that reads it. */
void device_write(uint32_t offset, uint32_t value)
{
    atomic_thread_fence(memory_order_seq_cst);
    device.window[offset / 4] = value;
}

uint32_t device_unit(unsigned id)
{
    return id < CHIP_UNITS ? device.unit[id] : 0;
}

/* --- memory --- */

static int device_window_map(const struct function *f, void *cpu, uint64_t size, uint64_t bus,
                             bool write)
{
    struct vfio_iommu_type1_dma_map range = {
        .argsz = sizeof(range),
        .flags = VFIO_DMA_MAP_FLAG_READ | (write ? VFIO_DMA_MAP_FLAG_WRITE : 0),
        .vaddr = (uintptr_t)cpu,
        .iova = bus,
        .size = size,
    };

    return ioctl(f->container, VFIO_IOMMU_MAP_DMA, &range) == 0 ? 0 : -errno;
}

static void device_window_unmap(const struct function *f, uint64_t size, uint64_t bus)
{
    struct vfio_iommu_type1_dma_unmap range = { .argsz = sizeof(range), .iova = bus, .size = size };

    ioctl(f->container, VFIO_IOMMU_UNMAP_DMA, &range);
}

int device_map(void *cpu, uint64_t size, uint64_t bus)
{
    return device_window_map(&device.main, cpu, size, bus, true);
}

void device_unmap(uint64_t size, uint64_t bus)
{
    device_window_unmap(&device.main, size, bus);
}

int device_engine_map(unsigned engine, void *cpu, uint64_t size, uint64_t iova, bool write)
{
    return device_window_map(&device.engine[engine], cpu, size, iova, write);
}

void device_engine_unmap(unsigned engine, uint64_t size, uint64_t iova)
{
    device_window_unmap(&device.engine[engine], size, iova);
}

void device_name(uint64_t bus, uint64_t size, uint32_t name)
{
    device_write(CONTROL_TRACK_NAME, name);
    device_track(TRACK_NAME, bus, size);
}

enum track_status device_track(enum track_ctrl what, uint64_t bus, uint64_t size)
{
    device_write(CONTROL_FUNCTION, 0);
    device_write(CONTROL_TRACK_LO, (uint32_t)bus);
    device_write(CONTROL_TRACK_HI, (uint32_t)(bus >> 32));
    device_write(CONTROL_TRACK_PAGES, (uint32_t)(size / HAL_PAGE));
    device_write(CONTROL_TRACK_CTRL, what);
    return device_read(CONTROL_TRACK_STATUS);
}
