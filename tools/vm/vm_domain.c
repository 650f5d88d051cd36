/* SPDX-License-Identifier: MIT */
/* The domain, as libvirt's documents have it (formatdomain.html, drvqemu.html). */
#include <stdarg.h>

#include "tools/vm/vm.h"

static void vm_domain_add(GString *xml, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void vm_domain_add(GString *xml, const char *format, ...)
{
    va_list args;
    char *text;

    va_start(args, format);
    text = g_markup_vprintf_escaped(format, args);
    va_end(args);
    g_string_append(xml, text);
    g_free(text);
}

static void add_argument(GString *xml, const char *value)
{
    vm_domain_add(xml, "    <qemu:arg value='%s'/>\n", value);
}

/* QEMU's own escape for a comma inside an option's value. */
static char *comma_doubled(const char *text)
{
    char **parts = g_strsplit(text, ",", -1);
    char *joined = g_strjoinv(",,", parts);

    g_strfreev(parts);
    return joined;
}

static void plugin_option(GString *value, const char *name, const char *what)
{
    if (what) {
        char *escaped = comma_doubled(what);

        g_string_append_printf(value, ",%s=%s", name, escaped);
        g_free(escaped);
    }
}

static char *plugin_argument(const struct vm_options *o)
{
    char *plugin = comma_doubled(o->plugin);
    GString *value = g_string_new(plugin);

    g_free(plugin);
    plugin_option(value, "soc", o->soc);
    plugin_option(value, "policy", o->policy);
    plugin_option(value, "seed", o->seed);
    plugin_option(value, "evict", o->evict);
    plugin_option(value, "trace", o->trace);
    plugin_option(value, "report", o->report);
    if (o->bare) {
        plugin_option(value, "elf", o->kernel);
        plugin_option(value, "platform", o->pci ? NULL : "on");
    }
    return g_string_free(value, FALSE);
}

static void add_boot(GString *xml, const struct vm_options *o)
{
    vm_domain_add(
        xml,
        "  <os>\n    <type arch='aarch64' machine='virt'>hvm</type>\n    <kernel>%s</kernel>\n",
        o->kernel);
    if (o->initrd) {
        vm_domain_add(xml, "    <initrd>%s</initrd>\n", o->initrd);
    }
    if (!o->bare) {
        vm_domain_add(xml,
                      "    <cmdline>console=ttyAMA0 panic=-1 nokaslr rdinit=/init%s%s</cmdline>\n",
                      o->append ? " " : "", o->append ? o->append : "");
    }
    vm_domain_add(xml, "  </os>\n");
}

static void add_console(GString *xml, const char *socket, const char *log)
{
    if (socket) {
        vm_domain_add(
            xml,
            "    <serial type='unix'>\n      <source mode='connect' path='%s'/>\n    </serial>\n",
            socket);
        return;
    }
    vm_domain_add(xml, "    <serial type='pty'>\n");
    if (log) {
        vm_domain_add(xml, "      <log file='%s' append='off'/>\n", log);
    }
    vm_domain_add(xml, "    </serial>\n    <console type='pty'/>\n");
}

/* What libvirt has no element for. */
static void add_commandline(GString *xml, const struct vm_options *o)
{
    char *plugin = plugin_argument(o);

    vm_domain_add(xml, "  <qemu:commandline>\n");
    add_argument(xml, "-plugin");
    add_argument(xml, plugin);
    if (!o->bare || o->pci) {
        add_argument(xml, "-device");
        add_argument(xml, "vtegra");
    }
    if (o->bare) {
        add_argument(xml, "-semihosting");
    }
    /* QEMU ends when the guest powers off, whether or not libvirt looks on at that moment. */
    add_argument(xml, "-action");
    add_argument(xml, "shutdown=poweroff");
    if (o->profiles) {
        vm_domain_add(xml, "    <qemu:env name='VTEGRA_PROFILES' value='%s'/>\n", o->profiles);
    }
    vm_domain_add(xml, "  </qemu:commandline>\n");
    g_free(plugin);
}

char *vm_domain_xml(const struct vm_options *o, const char *socket, const char *log)
{
    GString *xml = g_string_new(
        "<domain type='qemu' xmlns:qemu='http://libvirt.org/schemas/domain/qemu/1.0'>\n");

    vm_domain_add(xml, "  <name>%s</name>\n", o->name);
    vm_domain_add(xml,
                  "  <metadata>\n    <vtegra:board xmlns:vtegra='" VM_XMLNS
                  "' soc='%s'/>\n  </metadata>\n",
                  o->soc);
    vm_domain_add(xml, "  <memory unit='MiB'>%d</memory>\n  <vcpu>%d</vcpu>\n", o->memory_mib,
                  o->cpus);
    add_boot(xml, o);
    vm_domain_add(xml, "  <features>\n    <gic version='3'/>\n  </features>\n");
    vm_domain_add(
        xml,
        "  <cpu mode='custom' match='exact'>\n    <model fallback='forbid'>%s</model>\n  </cpu>\n",
        o->cpu);
    vm_domain_add(xml, "  <on_poweroff>destroy</on_poweroff>\n  <on_reboot>destroy</on_reboot>\n"
                       "  <on_crash>destroy</on_crash>\n");
    vm_domain_add(xml, "  <devices>\n    <emulator>%s</emulator>\n", o->qemu);
    add_console(xml, socket, log);
    vm_domain_add(xml,
                  "    <controller type='usb' model='none'/>\n    <memballoon model='none'/>\n");
    if (!o->bare || o->pci) {
        vm_domain_add(xml, "    <iommu model='smmuv3'/>\n");
    }
    vm_domain_add(xml, "  </devices>\n");
    add_commandline(xml, o);
    g_string_append(xml, "</domain>\n");
    return g_string_free(xml, FALSE);
}
