/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu-plugin/calibrate.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "qemu-plugin/qemu_abi.h"

int calibrate_api = 1;

/* QEMU reads this after dlopen(): the constructor has chosen by then. One binary for every version.
 */
__attribute__((visibility("default"))) int qemu_plugin_version = 1;

__attribute__((constructor)) static void version_choose(void)
{
    if (dlsym(RTLD_DEFAULT, "qemu_plugin_mem_get_value")) {
        calibrate_api = 4;
        qemu_plugin_version = 4;
    } else if (dlsym(RTLD_DEFAULT, "qemu_plugin_scoreboard_new")) {
        calibrate_api = 3;
        qemu_plugin_version = 3;
    }
}

/* --- symbols --- */

#define CALL(name) { #name, &(name) != NULL }
struct symbol {
    const char *name;
    bool there;
};

static bool symbols_there(const struct symbol *s, size_t n)
{
    bool all = true;

    for (size_t i = 0; i < n; i++) {
        if (!s[i].there) {
            fprintf(stderr, "%s %s", all ? "vtegra: this QEMU does not export:" : ",", s[i].name);
            all = false;
        }
    }
    if (!all) {
        fprintf(stderr,
                ". Debian's qemu-system-aarch64 7.2 and 10.0 do; a QEMU built without modules does "
                "not: ivshmem=FILE,ram=FILE need the public plugin interface alone "
                "(qemu-plugin/README.md)\n");
    }
    return all;
}

bool calibrate_symbols(bool cpu)
{
    const struct symbol device[] = {
        CALL(type_register_static),
        CALL(object_class_by_name),
        CALL(object_resolve_path_type),
        CALL(object_get_typename),
        CALL(object_unparent),
        CALL(object_property_set_bool),
        CALL(object_property_get_bool),
        CALL(object_property_get_int),
        CALL(qdev_get_parent_bus),
        CALL(memory_region_init_io),
        CALL(memory_region_add_subregion_overlap),
        CALL(memory_region_present),
        CALL(get_system_memory),
        CALL(pci_bus_is_express),
        CALL(pci_bus_num),
        CALL(pci_new),
        CALL(pci_realize_and_unref),
        CALL(pcie_endpoint_cap_init),
        CALL(pcie_acs_init),
        CALL(pci_register_bar),
        CALL(pci_default_read_config),
        CALL(pci_default_write_config),
        CALL(pci_device_iommu_address_space),
        CALL(msix_init_exclusive_bar),
        CALL(msix_uninit_exclusive_bar),
        CALL(msix_vector_use),
        CALL(msix_notify),
        CALL(address_space_map),
        CALL(address_space_unmap),
        CALL(address_space_memory),
        CALL(error_setg_internal),
        CALL(qdev_get_gpio_in),
        CALL(qemu_set_irq),
        CALL(qemu_add_machine_init_done_notifier),
        CALL(qemu_register_reset),
        CALL(timer_init_full),
        CALL(timer_mod_ns),
        CALL(timer_del),
        CALL(qemu_clock_get_ns),
        CALL(qemu_plugin_register_atexit_cb),
    };
    const struct symbol arm[] = {
        CALL(qemu_plugin_register_vcpu_tb_trans_cb),
        CALL(qemu_plugin_register_vcpu_insn_exec_cb),
        CALL(qemu_plugin_register_vcpu_mem_cb),
        CALL(qemu_plugin_tb_n_insns),
        CALL(qemu_plugin_tb_get_insn),
        CALL(qemu_plugin_insn_vaddr),
        CALL(qemu_plugin_insn_data),
        CALL(qemu_plugin_mem_size_shift),
        CALL(qemu_plugin_mem_is_store),
        CALL(qemu_get_cpu),
        CALL(tb_flush),
        CALL(async_run_on_cpu),
        CALL(cpu_get_phys_page_debug),
        CALL(define_one_arm_cp_reg_with_opaque),
        CALL(arm_mmu_idx),
        CALL(get_phys_addr),
    };

    return symbols_there(device, sizeof(device) / sizeof(device[0])) &&
           (!cpu || symbols_there(arm, sizeof(arm) / sizeof(arm[0])));
}

bool calibrate_public(void)
{
    const struct symbol all[] = {
        CALL(qemu_plugin_register_vcpu_init_cb),
        CALL(qemu_plugin_register_vcpu_tb_trans_cb),
        CALL(qemu_plugin_register_vcpu_mem_cb),
        CALL(qemu_plugin_register_atexit_cb),
        CALL(qemu_plugin_tb_n_insns),
        CALL(qemu_plugin_tb_get_insn),
        CALL(qemu_plugin_insn_vaddr),
        CALL(qemu_plugin_mem_size_shift),
        CALL(qemu_plugin_mem_is_store),
    };

    return symbols_there(all, sizeof(all) / sizeof(all[0]));
}

bool calibrate_registers(void)
{
    return calibrate_api >= 3 && qemu_plugin_get_registers && qemu_plugin_read_register;
}

/* --- struct PCIDeviceClass --- */

static size_t ids_find(const char *type, uint16_t vendor, uint16_t device)
{
    const char *class = (const char *)object_class_by_name(type);

    for (size_t at = 64; class && at < 1024; at += 2) {
        uint16_t id[2];

        memcpy(id, class + at, sizeof(id));
        if (id[0] == vendor && id[1] == device) {
            return at;
        }
    }
    return 0;
}

/* A root port has a config_write of its own, edu has none. */
static bool config_write_is_at(const char *type, size_t at, bool own)
{
    const char *class = (const char *)object_class_by_name(type);
    void *call;

    memcpy(&call, class + at, sizeof(call));
    return (call != NULL) == own;
}

size_t calibrate_pci_class(void)
{
    size_t edu = ids_find("edu", 0x1234, 0x11e8), test = ids_find("pci-testdev", 0x1b36, 0x0005);

    if (edu != 0 && (!object_class_by_name("pcie-root-port") ||
                     !config_write_is_at("pcie-root-port", edu - 8, true) ||
                     !config_write_is_at("edu", edu - 8, false))) {
        edu = 0;
    }
    if (edu == 0 || edu != test) {
        fprintf(
            stderr,
            "vtegra: the layout of this QEMU's PCI devices is unknown (vendor id of edu at %zu, of "
            "pci-testdev at %zu)\n",
            edu, test);
        return 0;
    }
    return edu;
}

/* --- get_phys_addr() --- */

#define RESULT_BYTES 256 /* GetPhysAddrResult is 40 bytes in 7.2, ARMMMUFaultInfo less */
enum { ACCESS_LOAD = 0, ACCESS_FETCH = 2 }; /* enum MMUAccessType */

static size_t attr_at;

typedef bool walk_72(void *env, uint64_t va, int access, int mmu_idx, void *result, void *fault);
typedef bool walk_92(void *env, uint64_t va, int access, int memop, int mmu_idx, void *result,
                     void *fault);

static bool calibrate_tables_walk(void *env, uint64_t va, int access, uint8_t *result)
{
    uint64_t fault[RESULT_BYTES / 8] = { 0 };
    int mmu_idx = arm_mmu_idx(env);

    if (calibrate_api >= 4) {
        walk_92 *call = (walk_92 *)(void (*)(void))get_phys_addr;

        return call(env, va, access, 0, mmu_idx, result, fault);
    } else {
        walk_72 *call = (walk_72 *)(void (*)(void))get_phys_addr;

        return call(env, va, access, mmu_idx, result, fault);
    }
}

static bool walk_shows(void *env, int access, int fill, uint8_t *result)
{
    uint64_t pa;

    memset(result, fill, RESULT_BYTES);
    if (calibrate_tables_walk(env, UINT64_C(0x405a5000), access, result)) {
        return false;
    }
    memcpy(&pa, result + 8, sizeof(pa)); /* f.phys_addr, after f.xlat_section */
    return pa == UINT64_C(0x405a5000);
}

bool calibrate_walk(void *env)
{
    _Alignas(16) uint8_t fetch[2][RESULT_BYTES], load[2][RESULT_BYTES];
    unsigned found = 0;
    bool ok = true;

    for (int i = 0; i < 2; i++) { /* over two backgrounds, to know what is written at all */
        ok = ok && walk_shows(env, ACCESS_FETCH, i * 0xff, fetch[i]) &&
             walk_shows(env, ACCESS_LOAD, i * 0xff, load[i]);
    }
    for (size_t at = 16; ok && at < RESULT_BYTES; at++) {
        if (fetch[0][at] == fetch[1][at] && (fetch[0][at] == 0x44 || fetch[0][at] == 0xee) &&
            load[0][at] == 0 && load[1][at] == 0) {
            attr_at = at;
            found++;
        }
    }
    if (!ok || found != 1) {
        fprintf(stderr,
                "vtegra: this QEMU's get_phys_addr() shows no memory attributes where they were "
                "looked for "
                "(%s, %u candidates)\n",
                ok ? "addresses are right" : "no address", found);
        return false;
    }
    return true;
}

bool walk_page(void *env, uint64_t va, uint64_t *pa, uint8_t *attr)
{
    _Alignas(16) uint8_t result[RESULT_BYTES] = { 0 };

    if (calibrate_tables_walk(env, va, ACCESS_LOAD, result)) {
        return false;
    }
    memcpy(pa, result + 8, sizeof(*pa));
    *pa &= ~UINT64_C(0xfff);
    *attr = result[attr_at];
    return true;
}
