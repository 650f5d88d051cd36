/* SPDX-License-Identifier: MIT */
/* Modules: a loadable, its own memory placed where the DLA sees it, its tensors described.
 *
 * The memory list decides (nvdla/sw, umd runtime): entries with content or without a tensor are the
 * module's own; entries marked input or output are bound to the tensors of each task, in the order
 * of their bind_id. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loadable/desc.h"
#include "loadable/loadable.h"
#include "loadable/network.h"
#include "runtime/driver/device/board.h"
#include "runtime/driver/engines/dla/dla.h"

#include "runtime/driver/core/core.h"
#include "runtime/driver/core/handle.h"

#define API "cudlaModuleLoadFromMemory"
#define SECTION "CUDA for Tegra 5.1.2"

/* Bounds what a damaged file may ask for. */
#define MEMORY_MAX (UINT64_C(8) << 30)

G_GNUC_PRINTF(3, 4)
static cudlaStatus dla_module_damaged(const char *list, size_t index, const char *format, ...)
{
    g_autofree char *rule = NULL;
    va_list args;

    va_start(args, format);
    rule = g_strdup_vprintf(format, args);
    va_end(args);
    return dla_error(cudlaErrorUmd, API, SECTION, "the loadable is damaged: %s[%zu].%s", list,
                     index, rule);
}

/* Blobs of a memory, copied to their places. */
static cudlaStatus dla_module_fill(const struct loadable *l, const struct loadable_memory *m,
                                   struct dla_module_memory *out, size_t index)
{
    for (uint32_t k = 0; k < m->contents.count; k++) {
        const struct loadable_blob *b = loadable_blob_find(l, loadable_text_at(&m->contents, k));
        uint64_t at = k < m->offsets.count ? loadable_u64(&m->offsets, k) : 0;

        if (!b) {
            return dla_module_damaged(
                "memory_list", index,
                "contents[%" G_GUINT32_FORMAT "]: must name a blob of blob_list", k);
        }
        if (at > out->size || b->data.count > out->size - at) {
            return dla_module_damaged("memory_list", index,
                                      "offsets[%" G_GUINT32_FORMAT "] = %" G_GUINT64_FORMAT
                                      ": the blob's %" G_GUINT32_FORMAT
                                      " bytes must end within the memory's %" G_GUINT64_FORMAT,
                                      k, at, b->data.count, out->size);
        }
        memcpy((uint8_t *)out->own.mem.cpu + at, b->data.at, b->data.count);
    }
    return cudlaSuccess;
}

static cudlaStatus memory_load(struct dla_module *mod, const struct loadable *l, size_t index)
{
    const struct loadable_memory *m = &l->memory[index];
    struct dla_module_memory out = { .size = m->size, .id = m->id, .input = -1, .output = -1 };
    bool bound = m->flags & (LOADABLE_INPUT | LOADABLE_OUTPUT);
    cudlaStatus status = cudlaSuccess;

    if (!m->size || m->size > MEMORY_MAX || m->size > board_profile()->memory.dram_bytes) {
        return dla_module_damaged(
            "memory_list", index,
            "size = %" G_GUINT64_FORMAT
            ": must be 1 byte to 8 GiB, and fit this board's %" G_GUINT64_FORMAT " bytes",
            m->size, board_profile()->memory.dram_bytes);
    }
    if (!bound) {
        if (dla_memory_new(mod->device->unit, m->size, HAL_PROT_WRITE, &out.own)) {
            return dla_error(cudlaErrorOutOfResources, API, SECTION,
                             "no room for %" G_GUINT64_FORMAT " bytes of the module", m->size);
        }
        status = m->flags & LOADABLE_SET ? dla_module_fill(l, m, &out, index) : cudlaSuccess;
    }
    g_array_append_val(mod->memories, out); /* also when it failed: dla_module_free() takes it */
    return status;
}

static int memory_index(const struct dla_module *mod, uint16_t id)
{
    for (guint i = 0; i < mod->memories->len; i++) {
        if (g_array_index(mod->memories, struct dla_module_memory, i).id == id) {
            return (int)i;
        }
    }
    return -1;
}

static const struct loadable_tensor *tensor_of(const struct loadable *l,
                                               const struct loadable_memory *m)
{
    const struct loadable_tensor *any = NULL;

    for (size_t i = 0; i < l->tensors; i++) {
        if (l->tensor[i].memory_id == m->id) {
            any = any && any->id == m->tensor_id ? any : &l->tensor[i];
        }
    }
    return any;
}

static cudlaStatus dla_module_describe(const struct loadable *l, const struct loadable_memory *m,
                                       cudlaModuleTensorDescriptor *out)
{
    const struct loadable_tensor *t = tensor_of(l, m);

    memset(out, 0, sizeof(*out));
    out->size = m->size;
    out->pixelFormat = CUDLA_PIXEL_FORMAT_UNKNOWN;
    if (!t) { /* old files describe no tensors */
        snprintf(out->name, sizeof(out->name), "memory%u", m->id);
        return cudlaSuccess;
    }
    if (t->n < 0 || t->c < 0 || t->h < 0 || t->w < 0 || t->size > m->size) {
        return dla_module_damaged("tensor_desc_list", (size_t)(t - l->tensor),
                                  "size = %" G_GUINT64_FORMAT
                                  ", n %d, c %d, h %d, w %d: must not be negative, "
                                  "and end within the memory's %" G_GUINT64_FORMAT " bytes",
                                  t->size, t->n, t->c, t->h, t->w, m->size);
    }
    if (t->pixel_mapping == CUDLA_PIXEL_MAPPING_BLOCK_LINEAR) {
        return dla_rule(DLA_RULE_BLOCK_LINEAR, API, 0, "tensor %.*s is block linear",
                        (int)MIN(t->name.len, 80), t->name.at);
    }
    memcpy(out->name, t->name.at, MIN(t->name.len, sizeof(out->name) - 1));
    out->size = t->size ? t->size : m->size;
    out->n = (uint64_t)t->n;
    out->c = (uint64_t)t->c;
    out->h = (uint64_t)t->h;
    out->w = (uint64_t)t->w;
    out->dataFormat = t->format;
    out->dataType = t->type;
    out->dataCategory = t->category;
    out->pixelFormat = t->pixel_format;
    out->pixelMapping = t->pixel_mapping;
    memcpy(out->stride, t->stride, sizeof(out->stride));
    return cudlaSuccess;
}

/* Memories of one direction, by bind_id; the same number twice keeps the order of the file. */
static cudlaStatus dla_module_bind(struct dla_module *mod, const struct loadable *l, unsigned flag,
                                   GArray *tensors)
{
    bool input = flag == LOADABLE_INPUT;

    for (uint32_t id = 0; id <= UINT16_MAX && tensors->len < l->memories; id++) {
        for (size_t i = 0; i < l->memories; i++) {
            struct dla_module_memory *m =
                &g_array_index(mod->memories, struct dla_module_memory, i);
            cudlaModuleTensorDescriptor desc;
            cudlaStatus status;

            if (!(l->memory[i].flags & flag) || l->memory[i].bind_id != id) {
                continue;
            }
            status = dla_module_describe(l, &l->memory[i], &desc);
            if (status) {
                return status;
            }
            *(input ? &m->input : &m->output) = (int)tensors->len;
            g_array_append_val(tensors, desc);
        }
    }
    return cudlaSuccess;
}

/* Which of the two descriptor layouts: the version of the blob that the network begins with. */
static cudlaStatus version_of(const struct loadable *l, const struct loadable_address *first,
                              uint16_t *version)
{
    const struct loadable_memory *m = loadable_memory_find(l, first->memory_id);
    const struct loadable_blob *b =
        m && m->contents.count ? loadable_blob_find(l, loadable_text_at(&m->contents, 0)) : NULL;
    unsigned cube_bytes;

    if (!b) {
        return dla_error(cudlaErrorUmd, API, SECTION,
                         "the loadable is damaged: its task begins in memory without contents");
    }
    cube_bytes = loadable_cube_bytes(l, b->version);
    if (!cube_bytes) {
        return dla_error(cudlaErrorIncompatibleDlaSWVersion, API, SECTION,
                         "blob %.*s has version %u.%u.%u; vtegra's DLA reads descriptors of DLA 1, "
                         "versions 0.10 to 0.12 (those of DLA 2 are not published)",
                         (int)MIN(b->name.len, 80), b->name.at, b->version.major, b->version.minor,
                         b->version.sub_minor);
    }
    *version = cube_bytes == DESC_BYTES_CUBE ? 11 : 12; /* 0.11, 0.12, for the engine */
    return cudlaSuccess;
}

static cudlaStatus place_of(const struct dla_module *mod, const struct loadable *l, uint16_t id,
                            struct dla_place *out)
{
    const struct loadable_address *a = loadable_address_find(l, id);
    int memory = a ? memory_index(mod, a->memory_id) : -1;

    if (memory < 0) {
        return dla_error(cudlaErrorUmd, API, SECTION,
                         "the loadable is damaged: address %u is not there or names no memory", id);
    }
    if (a->offset > g_array_index(mod->memories, struct dla_module_memory, memory).size) {
        return dla_module_damaged(
            "address_list", (size_t)(a - l->address),
            "offset = %" G_GUINT64_FORMAT ": must lie within its memory of %" G_GUINT64_FORMAT
            " bytes",
            a->offset, g_array_index(mod->memories, struct dla_module_memory, memory).size);
    }
    *out = (struct dla_place){ (unsigned)memory, a->offset };
    return cudlaSuccess;
}

/* As vtegra dla inspect does it: a wrong descriptor is found here and not when a task runs. */
static cudlaStatus network_check(const struct dla_module *mod, const struct loadable *l,
                                 const struct loadable_task *t, const struct dla_network *n)
{
    g_autofree struct loadable_place *place = g_new0(struct loadable_place, n->n_addresses);
    struct loadable_network net = { .place = place, .places = n->n_addresses };
    char why[256];

    for (unsigned i = 0; i < n->n_addresses; i++) {
        const struct loadable_address *a = loadable_address_find(l, loadable_u16(&t->addresses, i));
        const struct dla_module_memory *m =
            &g_array_index(mod->memories, struct dla_module_memory, n->address[i].memory);
        const uint8_t *bytes = m->own.mem.cpu;

        place[i] = (struct loadable_place){ bytes ? bytes + a->offset : NULL,
                                            loadable_address_bytes(a, m->size) };
    }
    net.cube_bytes = desc_cube_bytes(n->blob_version >> 8, n->blob_version & 0xff);
    return loadable_network_check(&net, why, sizeof(why))
               ? cudlaSuccess
               : dla_error(cudlaErrorUmd, API, SECTION, "the loadable is damaged: %s", why);
}

static cudlaStatus network_load(struct dla_module *mod, const struct loadable *l, uint16_t id)
{
    const struct loadable_task *t = loadable_task_find(l, id);
    struct dla_network n = { 0 };
    cudlaStatus status;

    if (!t) {
        return dla_error(cudlaErrorUmd, API, SECTION, "the loadable is damaged: no task %u", id);
    }
    if (t->interface != LOADABLE_DLA1) {
        return dla_error(cudlaErrorUnsupportedOperation, API, SECTION,
                         "task %u is not for the DLA (interface %" G_GUINT32_FORMAT
                         "; 2 is the CPU's emulator of NVDLA): cuDLA runs DLA tasks only",
                         id, t->interface);
    }
    if (!t->addresses.count || t->addresses.count > DLA_TASK_ADDRESSES) {
        return dla_module_damaged("task_list", (size_t)(t - l->task),
                                  "address_list = %" G_GUINT32_FORMAT " addresses: must be 1 to %d",
                                  t->addresses.count, DLA_TASK_ADDRESSES);
    }
    n.n_addresses = t->addresses.count;
    n.address = g_new0(struct dla_place, n.n_addresses);
    g_array_append_val(mod->networks, n);
    for (uint32_t i = 0; i < n.n_addresses; i++) {
        status = place_of(mod, l, loadable_u16(&t->addresses, i), &n.address[i]);
        if (status) {
            return status;
        }
    }
    status =
        version_of(l, loadable_address_find(l, loadable_u16(&t->addresses, 0)), &n.blob_version);
    g_array_index(mod->networks, struct dla_network, mod->networks->len - 1) = n;
    return status ? status : network_check(mod, l, t, &n);
}

/* In the order of the submit list; a file without one means all tasks in theirs. */
static cudlaStatus networks_load(struct dla_module *mod, const struct loadable *l)
{
    cudlaStatus status = cudlaSuccess;

    for (size_t s = 0; !status && s < l->submits; s++) {
        for (uint32_t k = 0; !status && k < l->submit[s].tasks.count; k++) {
            status = mod->networks->len < DLA_TASK_QUEUE_DEPTH
                         ? network_load(mod, l, loadable_u16(&l->submit[s].tasks, k))
                         : dla_error(cudlaErrorUmd, API, SECTION,
                                     "more than %d tasks in a loadable", DLA_TASK_QUEUE_DEPTH);
        }
    }
    for (size_t i = 0; !status && !l->submits && i < l->tasks && i < DLA_TASK_QUEUE_DEPTH; i++) {
        status = network_load(mod, l, l->task[i].id);
    }
    if (!status && !mod->networks->len) {
        return dla_error(cudlaErrorUmd, API, SECTION, "the loadable has no task");
    }
    return status;
}

/* One slot a task that can be in the queue: descriptor and actions, status, addresses. */
static cudlaStatus slots_make(struct dla_device *d, const struct dla_module *mod)
{
    unsigned most = 0;

    for (guint i = 0; i < mod->networks->len; i++) {
        most = MAX(most, g_array_index(mod->networks, struct dla_network, i).n_addresses);
    }
    dla_memory_free(d->unit, &d->slots);
    d->slot_bytes = (512 + 8 * most + DLA_TASK_ALIGN - 1) & ~(uint32_t)(DLA_TASK_ALIGN - 1);
    return dla_memory_new(d->unit, (size_t)d->slot_bytes * DLA_TASK_QUEUE_DEPTH, HAL_PROT_WRITE,
                          &d->slots)
               ? dla_error(cudlaErrorOutOfResources, API, SECTION, "no room for task descriptors")
               : cudlaSuccess;
}

static cudlaStatus dla_module_load(struct dla_module *mod, const struct loadable *l)
{
    cudlaStatus status = cudlaSuccess;

    for (size_t i = 0; !status && i < l->memories; i++) {
        status =
            memory_index(mod, l->memory[i].id) >= 0
                ? dla_module_damaged("memory_list", i, "id = %u: must be its own, another has it",
                                     l->memory[i].id)
                : memory_load(mod, l, i);
    }
    status = status ? status : dla_module_bind(mod, l, LOADABLE_INPUT, mod->inputs);
    status = status ? status : dla_module_bind(mod, l, LOADABLE_OUTPUT, mod->outputs);
    status = status ? status : networks_load(mod, l);
    return status ? status : slots_make(mod->device, mod);
}

static void module_end(void *object)
{
    struct dla_module *m = object;

    for (guint i = 0; i < m->memories->len; i++) {
        dla_memory_free(m->device->unit,
                        &g_array_index(m->memories, struct dla_module_memory, i).own);
    }
    for (guint i = 0; i < m->networks->len; i++) {
        g_free(g_array_index(m->networks, struct dla_network, i).address);
    }
    g_array_free(m->memories, TRUE);
    g_array_free(m->networks, TRUE);
    g_array_free(m->inputs, TRUE);
    g_array_free(m->outputs, TRUE);
    m->device->module = NULL;
}

static const struct object_kind module_kind = { .name = "cuDLA module",
                                                .type = HANDLE_DLA_MODULE,
                                                .end = module_end };

void dla_module_free(struct dla_module *m)
{
    object_unref(&m->base);
}

static struct dla_module *module_new(struct dla_device *d, bool diagnostics)
{
    struct dla_module *m = object_new(&module_kind, sizeof(*m), NULL);

    m->device = d;
    m->diagnostics = diagnostics;
    m->memories = g_array_new(FALSE, TRUE, sizeof(struct dla_module_memory));
    m->networks = g_array_new(FALSE, TRUE, sizeof(struct dla_network));
    m->inputs = g_array_new(FALSE, TRUE, sizeof(cudlaModuleTensorDescriptor));
    m->outputs = g_array_new(FALSE, TRUE, sizeof(cudlaModuleTensorDescriptor));
    return m;
}

static cudlaStatus load_bytes(struct dla_device *d, const uint8_t *bytes, size_t size,
                              bool diagnostics, cudlaModule *module)
{
    struct loadable_error why;
    struct loadable *l = loadable_open(bytes, size, &why);
    struct dla_module *m;
    cudlaStatus status;
    char text[256];

    if (!l) {
        loadable_error_format(&why, text, sizeof(text));
        return dla_error(cudlaErrorUmd, API, SECTION,
                         "this is no loadable, or a damaged one: %s. Compare it with the original; "
                         "vtegra dla inspect FILE shows what is in it",
                         text);
    }
    m = module_new(d, diagnostics);
    status = dla_module_load(m, l);
    loadable_close(l);
    if (status) {
        dla_module_free(m);
        return status;
    }
    d->module = m;
    *module = object_open(&m->base);
    return cudlaSuccess;
}

static cudlaStatus load_check(const struct dla_device *d, const uint8_t *bytes, size_t size,
                              const cudlaModule *module, uint32_t flags)
{
    bool diagnostics = flags == CUDLA_MODULE_ENABLE_FAULT_DIAGNOSTICS;
    cudlaStatus status;

    if (flags > CUDLA_MODULE_ENABLE_FAULT_DIAGNOSTICS || !module) {
        return dla_error(cudlaErrorInvalidParam, API, SECTION, "%s",
                         module ? "flags is unknown" : "hModule is NULL");
    }
    status = diagnostics ? dla_edition_check(RULES_FEATURE_CUDLA_NOOP, API,
                                             "CUDLA_MODULE_ENABLE_FAULT_DIAGNOSTICS")
                         : cudlaSuccess;
    if (status) {
        return status;
    }
    if (diagnostics ? bytes || size : !bytes || !size) {
        return dla_error(cudlaErrorInvalidParam, API,
                         diagnostics ? "CUDA for Tegra 5.1.4 (fault diagnostics)" : SECTION, "%s",
                         diagnostics ? "the diagnostics module is built in: pModule must be NULL "
                                       "and moduleSize 0"
                         : bytes     ? "moduleSize is 0: has the file been read?"
                                     : "pModule is NULL: has the file been read?");
    }
    if (d->module) {
        return dla_error(cudlaErrorUnsupportedOperation, API,
                         "cuDLA API, cudlaModuleLoadFromMemory",
                         "the handle has a module already: one loadable a handle; create another "
                         "handle, or unload the first");
    }
    return cudlaSuccess;
}

cudlaStatus rt_dla_module_load(cudlaDevHandle handle, const uint8_t *bytes, size_t size,
                               cudlaModule *module, uint32_t flags)
{
    struct dla_device *d;
    uint8_t *built_in = NULL;
    cudlaStatus status = dla_enter(handle, &d, API);

    if (status) {
        return status;
    }
    status = load_check(d, bytes, size, module, flags);
    if (!status && flags) {
        bytes = built_in = dla_diagnostics_loadable(&size);
    }
    if (!status) {
        status = load_bytes(d, bytes, size, flags != 0, module);
    }
    if (!status && !flags && strtoul(board_profile()->dla.version, NULL, 10) > 1) {
        dla_rule(DLA_RULE_OTHER_DLA, API, 0,
                 "%s has a DLA %lu, whose descriptors are not published; this runs the loadable's "
                 "DLA 1 descriptors with the same numbers as Xavier's",
                 board_profile()->soc.marketing, strtoul(board_profile()->dla.version, NULL, 10));
    }
    free(built_in);
    return dla_leave_device(d, status, API);
}

static cudlaStatus module_enter(cudlaModule handle, struct dla_module **m, const char *api)
{
    if (core_enter()) {
        return cudlaErrorInvalidModule;
    }
    *m = handle_find(HANDLE_DLA_MODULE, handle);
    return *m ? cudlaSuccess
              : dla_leave(dla_error(cudlaErrorInvalidModule, api, "cuDLA API",
                                    "the handle is none of cudlaModuleLoadFromMemory(), or was "
                                    "unloaded: use the one it gave, until cudlaModuleUnload()"));
}

static cudlaModuleTensorDescriptor statistics_desc(void)
{
    return (cudlaModuleTensorDescriptor){ .name = "task_statistics",
                                          .size = DLA_STATISTICS_BYTES,
                                          .n = 1,
                                          .c = 1,
                                          .h = 1,
                                          .w = 2,
                                          .pixelFormat = CUDLA_PIXEL_FORMAT_UNKNOWN,
                                          .stride = { 8, DLA_STATISTICS_BYTES } };
}

static cudlaStatus copy_out(const cudlaModuleTensorDescriptor *from, unsigned n,
                            cudlaModuleTensorDescriptor *to, const char *member)
{
    if (!to) {
        return dla_error(cudlaErrorInvalidParam, "cudlaModuleGetAttributes",
                         "cuDLA API, cudlaModuleGetAttributes",
                         "%s is NULL: it is to point to %u descriptor%s", member, n,
                         n == 1 ? "" : "s");
    }
    memcpy(to, from, n * sizeof(*to));
    return cudlaSuccess;
}

static cudlaStatus attribute_get(const struct dla_module *m, cudlaModuleAttributeType type,
                                 cudlaModuleAttribute *attribute)
{
    static const char *const api = "cudlaModuleGetAttributes";
    cudlaModuleTensorDescriptor statistics = statistics_desc();
    cudlaStatus status = cudlaSuccess;

    if (!attribute) {
        return dla_error(cudlaErrorInvalidParam, api, "cuDLA API, cudlaModuleGetAttributes",
                         "attribute is NULL");
    }
    switch (type) {
    case CUDLA_NUM_INPUT_TENSORS:
        attribute->numInputTensors = m->inputs->len;
        break;
    case CUDLA_NUM_OUTPUT_TENSORS:
        attribute->numOutputTensors = m->outputs->len;
        break;
    case CUDLA_INPUT_TENSOR_DESCRIPTORS:
        status = copy_out((const cudlaModuleTensorDescriptor *)(void *)m->inputs->data,
                          m->inputs->len, attribute->inputTensorDesc, "inputTensorDesc");
        break;
    case CUDLA_OUTPUT_TENSOR_DESCRIPTORS:
        status = copy_out((const cudlaModuleTensorDescriptor *)(void *)m->outputs->data,
                          m->outputs->len, attribute->outputTensorDesc, "outputTensorDesc");
        break;
    case CUDLA_NUM_OUTPUT_TASK_STATISTICS:
        attribute->numOutputTensors = 1;
        break;
    case CUDLA_OUTPUT_TASK_STATISTICS_DESCRIPTORS:
        status = copy_out(&statistics, 1, attribute->outputTensorDesc, "outputTensorDesc");
        break;
    default:
        status = dla_error(cudlaErrorInvalidAttribute, api, SECTION, "there is no attribute %d",
                           (int)type);
    }
    return status;
}

cudlaStatus rt_dla_module_attribute(cudlaModule module, cudlaModuleAttributeType type,
                                    cudlaModuleAttribute *attribute)
{
    static const char *const api = "cudlaModuleGetAttributes";
    struct dla_module *m;
    cudlaStatus status = module_enter(module, &m, api);

    return status ? status : dla_leave_device(m->device, attribute_get(m, type, attribute), api);
}

cudlaStatus rt_dla_module_unload(cudlaModule module, uint32_t flags)
{
    static const char *const api = "cudlaModuleUnload";
    struct dla_module *m;
    struct dla_device *d;
    cudlaStatus status = module_enter(module, &m, api);

    if (status) {
        return status;
    }
    if (flags) {
        return dla_leave_device(
            m->device, dla_error(cudlaErrorInvalidParam, api, SECTION, "flags must be 0"), api);
    }
    d = m->device;
    status = dla_error_before(d, api);
    if (dla_in_flight(d)) {
        dla_rule(
            DLA_RULE_UNLOAD_IN_FLIGHT, api, 0,
            "the handle still has tasks of this module that have not run; vtegra waits for them");
    }
    if (!dla_wait(d) || handle_find(HANDLE_DLA_MODULE, module) != m) {
        return dla_leave(cudlaErrorInvalidModule);
    }
    dla_module_free(m);
    return dla_leave_device(d, status, api);
}
