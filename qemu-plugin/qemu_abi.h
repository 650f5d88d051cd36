/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The few calls of QEMU that the plugin makes, declared here: Debian ships no headers of QEMU, and
 * those of upstream do not fit Debian's builds. Everything is weak: what is missing is named, not
 * crashed into (calibrate.c). Facts checked against 7.2 and 10.0; the layouts below are the same in
 * both. */
#ifndef QEMU_PLUGIN_QEMU_ABI_H
#define QEMU_PLUGIN_QEMU_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEAK __attribute__((weak))

/* --- the public plugin interface (versions 1 to 4) --- */

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;

struct plugin_info { /* qemu_info_t */
    const char *target_name;
    struct {
        int min, cur;
    } version;
    bool system_emulation;
};

struct reg_descriptor { /* qemu_plugin_reg_descriptor, from version 3 on */
    void *handle;
    const char *name, *feature;
};

enum { PLUGIN_NO_REGS = 0, PLUGIN_R_REGS = 1 }; /* enum qemu_plugin_cb_flags */
enum { PLUGIN_MEM_RW = 3 };                     /* enum qemu_plugin_mem_rw */

WEAK void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t,
                                                void (*)(qemu_plugin_id_t,
                                                         struct qemu_plugin_tb *));
WEAK void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, unsigned));
WEAK void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, void (*)(qemu_plugin_id_t, void *),
                                         void *);
WEAK void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *,
                                                 void (*)(unsigned, void *), int flags, void *);
WEAK void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *,
                                           void (*)(unsigned, qemu_plugin_meminfo_t, uint64_t,
                                                    void *),
                                           int flags, int rw, void *);
WEAK size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
WEAK struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
WEAK uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *);
/* Version 1: returns the bytes. From 3 on: copies @len of them to @dst and returns how many. */
WEAK void *qemu_plugin_insn_data(const struct qemu_plugin_insn *, void *dst, size_t len);
WEAK unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t);
WEAK bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t);

struct _GArray;
struct _GByteArray;
WEAK struct _GArray *qemu_plugin_get_registers(void); /* of struct reg_descriptor */
/* Appends the value to the array. Return: its bytes, at most 0 for an error. Of the calling CPU. */
WEAK int qemu_plugin_read_register(void *handle, struct _GByteArray *);

/* --- object model, memory, PCI --- */

typedef struct Object Object;
typedef struct ObjectClass ObjectClass;
typedef struct MemoryRegion MemoryRegion;
typedef struct AddressSpace AddressSpace;
typedef struct PCIDevice PCIDevice;
typedef struct Error Error;
typedef struct CPUState CPUState;
typedef struct DeviceState DeviceState;
typedef struct BusState BusState; /* of a PCI device: its PCIBus */
typedef struct IRQState *qemu_irq;

struct interface_info {
    const char *type;
};

struct type_info { /* TypeInfo */
    const char *name, *parent;
    size_t instance_size, instance_align; /* 0: as the parent */
    void (*instance_init)(Object *);
    void (*instance_post_init)(Object *);
    void (*instance_finalize)(Object *);
    bool abstract;
    size_t class_size;
    void (*class_init)(ObjectClass *, void *);
    void (*class_base_init)(ObjectClass *, void *);
    void *class_data;
    const struct interface_info *interfaces;
};

struct memory_region_ops { /* MemoryRegionOps */
    uint64_t (*read)(void *opaque, uint64_t offset, unsigned size);
    void (*write)(void *opaque, uint64_t offset, uint64_t value, unsigned size);
    void *read_with_attrs, *write_with_attrs;
    int endianness;
    struct {
        unsigned min, max;
        bool unaligned;
        void *accepts;
    } valid;
    struct {
        unsigned min, max;
        bool unaligned;
    } impl;
};
enum { ABI_LITTLE_ENDIAN = 2 };

struct notifier { /* Notifier */
    void (*notify)(struct notifier *, void *);
    void *next, *prev;
};

/* MemoryRegion and QEMUTimer are only ever passed by pointer: room enough for every version. */
enum { ABI_MEMORY_REGION_BYTES = 1024, ABI_TIMER_BYTES = 256, ABI_CLOCK_VIRTUAL = 1 };

WEAK void *type_register_static(const struct type_info *);
WEAK ObjectClass *object_class_by_name(const char *);
WEAK Object *object_resolve_path_type(const char *path, const char *type, bool *ambiguous);
WEAK void memory_region_init_io(MemoryRegion *, Object *owner, const struct memory_region_ops *,
                                void *opaque, const char *name, uint64_t size);
WEAK void memory_region_add_subregion_overlap(MemoryRegion *, uint64_t, MemoryRegion *,
                                              int priority);
WEAK bool memory_region_present(MemoryRegion *container, uint64_t address);
WEAK MemoryRegion *get_system_memory(void);
WEAK const char *object_get_typename(const Object *);
WEAK void object_unparent(Object *);
WEAK bool object_property_set_bool(Object *, const char *name, bool value, Error **);
WEAK bool object_property_get_bool(Object *, const char *name, Error **);
WEAK int64_t object_property_get_int(Object *, const char *name, Error **);
WEAK BusState *qdev_get_parent_bus(const PCIDevice *);
WEAK bool pci_bus_is_express(const BusState *);
WEAK int pci_bus_num(BusState *);
WEAK PCIDevice *pci_new(int devfn, const char *type);
WEAK bool pci_realize_and_unref(PCIDevice *, BusState *, Error **);
WEAK int pcie_endpoint_cap_init(PCIDevice *, uint8_t offset);
WEAK void pcie_acs_init(PCIDevice *, uint16_t offset);
WEAK void pci_register_bar(PCIDevice *, int bar, uint8_t type, MemoryRegion *);
WEAK uint32_t pci_default_read_config(PCIDevice *, uint32_t offset, int len);
WEAK void pci_default_write_config(PCIDevice *, uint32_t offset, uint32_t value, int len);
WEAK AddressSpace *pci_device_iommu_address_space(PCIDevice *);
WEAK int msix_init_exclusive_bar(PCIDevice *, unsigned short vectors, uint8_t bar, Error **);
WEAK void msix_uninit_exclusive_bar(PCIDevice *);
WEAK void msix_vector_use(PCIDevice *, unsigned vector);
WEAK void msix_notify(PCIDevice *, unsigned vector);
WEAK void *address_space_map(AddressSpace *, uint64_t, uint64_t *len, bool write, uint64_t attrs);
WEAK void address_space_unmap(AddressSpace *, void *, uint64_t len, bool write,
                              uint64_t access_len);
extern AddressSpace address_space_memory WEAK;
WEAK void error_setg_internal(Error **, const char *file, int line, const char *func,
                              const char *fmt, ...);
WEAK qemu_irq qdev_get_gpio_in(DeviceState *, int);
WEAK void qemu_set_irq(qemu_irq, int level);
WEAK void qemu_add_machine_init_done_notifier(struct notifier *);
WEAK void qemu_register_reset(void (*)(void *), void *);
WEAK void timer_init_full(void *timer, void *group, int clock, int scale, int attributes,
                          void (*)(void *), void *opaque);
WEAK void timer_mod_ns(void *timer, int64_t expire_ns);
WEAK void timer_del(void *timer);
WEAK int64_t qemu_clock_get_ns(int clock);

/* --- the Arm CPU --- */

extern __thread CPUState *current_cpu WEAK;
WEAK CPUState *qemu_get_cpu(int index);
WEAK void tb_flush(CPUState *);
/* QEMU's run_on_cpu_data: a union of 8 bytes. */
WEAK void async_run_on_cpu(CPUState *, void (*)(CPUState *, uint64_t), uint64_t);
WEAK uint64_t cpu_get_phys_page_debug(CPUState *, uint64_t va);
WEAK void define_one_arm_cp_reg_with_opaque(void *cpu, const void *reginfo, void *opaque);
WEAK int arm_mmu_idx(void *env);
/* bool get_phys_addr(env, va, access, [from 9.2 on: memop,] mmu_idx, result, fault info): true =
 * fault */
WEAK bool get_phys_addr(void);

#endif
