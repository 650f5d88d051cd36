/* SPDX-License-Identifier: MIT */
/* One return address may stand for several functions (inlining), and the innermost of them need not
 * be what the developer wrote: launch stubs, templates of cuda_runtime.h, libc's memcpy. So a
 * caller is expanded to a list of frames, and the first frame of the application proper is chosen:
 * outside the headers of the system, too, where std::mutex and std::copy lie.
 *
 * debuginfod is never asked: no network in a test run.
 */
#include "runtime/observe/source.h"

#include <dwarf.h>
#include <elfutils/libdwfl.h>
#include <glib.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "checker/print/demangle.h"
#include "runtime/observe/caller.h"
#include "runtime/observe/own_stack.h"
#include "runtime/observe/source_file.h"
#include "runtime/observe/words.h"

#define FRAMES 32

/* One function at one address; strings owned. */
struct frame {
    char *function, *file;
    char *path, *comp_dir; /* of the file, as DWARF has them */
    int line;
    char *module;    /* base name */
    uint64_t offset; /* of the address in the module's file */
    bool system;     /* in a library of the system, or ours */
    bool header;     /* its line is in a header of the system or the compiler */
};

static struct {
    Dwfl *dwfl;
    GHashTable *places;       /* struct check_caller -> struct source_place */
    GHashTable *kernel_files; /* path of a kernel's file -> as it is printed */
    char *exe;
} source;

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_linux_proc_find_elf,
    .find_debuginfo = dwfl_build_id_find_debuginfo,
};

static void source_report(void)
{
    dwfl_report_begin_add(source.dwfl);
    dwfl_linux_proc_report(source.dwfl, gettid()); /* main() may have ended: then its is empty */
    dwfl_report_end(source.dwfl, NULL, NULL);
}

static guint caller_hash(gconstpointer key)
{
    const struct check_caller *c = key;
    uint64_t h = c->entry;

    for (unsigned i = 0; i < CHECK_CALLER_DEPTH; i++) {
        h = (h ^ c->pc[i]) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return (guint)(h >> 32);
}

static gboolean caller_equal(gconstpointer a, gconstpointer b)
{
    return memcmp(a, b, sizeof(struct check_caller)) == 0;
}

static void place_free(gpointer data)
{
    struct source_place *p = data;

    g_free(p->text);
    g_free(p->api);
    g_free(p);
}

static void source_make(void *unused)
{
    (void)unused;
    source.places = g_hash_table_new_full(caller_hash, caller_equal, g_free, place_free);
    source.kernel_files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
    source.exe = g_file_read_link("/proc/self/exe", NULL);
    if (!source.exe) { /* main() has ended. Not first: qemu-user shows the emulator here */
        source.exe = g_file_read_link("/proc/thread-self/exe", NULL);
    }
    if (g_strcmp0(g_getenv("VTEGRA_PLACES"), "0") != 0) { /* thousands of runs need no lines */
        source.dwfl = dwfl_begin(&callbacks);
    }
    if (source.dwfl) {
        source_report();
    }
}

static void source_open(void)
{
    if (!source.places) {
        own_stack_call(source_make, NULL);
    }
}

void source_close(void)
{
    if (source.places) {
        g_hash_table_destroy(source.places);
        g_hash_table_destroy(source.kernel_files);
        g_free(source.exe);
        if (source.dwfl) {
            dwfl_end(source.dwfl);
        }
    }
    memset(&source, 0, sizeof(source));
    source_files_close();
}

static void frame_clear(struct frame *f)
{
    g_free(f->function);
    g_free(f->file);
    g_free(f->path);
    g_free(f->comp_dir);
    g_free(f->module);
}

static const char *cu_comp_dir(Dwarf_Die *cu)
{
    Dwarf_Attribute attr;

    return cu ? dwarf_formstring(dwarf_attr(cu, DW_AT_comp_dir, &attr)) : NULL;
}

/* The compilation unit of an address. clang writes no .debug_aranges, and libdw 0.188 looks nowhere
 * else: it then finds nothing, or the unit before the gap. So its answer is checked, and if need be
 * every unit is asked. */
static Dwarf_Die *cu_at(Dwfl_Module *mod, uint64_t pc, Dwarf_Addr *bias)
{
    Dwarf_Die *cu = dwfl_module_addrdie(mod, pc, bias);

    if (cu && dwarf_haspc(cu, pc - *bias) == 1) {
        return cu;
    }
    cu = NULL;
    do {
        cu = dwfl_module_nextcu(mod, cu, bias);
    } while (cu && dwarf_haspc(cu, pc - *bias) != 1);
    return cu;
}

/* As compilers write it into DWARF: clang names its own headers from its bin folder on. */
static bool is_system_header(const char *path)
{
    static const char *const folders[] = { "/usr/include/", "/usr/lib/", "/usr/bin/../",
                                           "/usr/local/include/", "/usr/local/cuda" };
    static const char *const parts[] = { "/include/c++/", "/lib/gcc/", "/lib/gcc-cross/",
                                         "/lib/clang/" };

    for (size_t i = 0; i < G_N_ELEMENTS(folders); i++) {
        if (g_str_has_prefix(path, folders[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < G_N_ELEMENTS(parts); i++) {
        if (strstr(path, parts[i])) {
            return true;
        }
    }
    return false;
}

static void frame_file(struct frame *f, const char *path, Dwarf_Die *cu)
{
    f->path = g_strdup(path);
    f->comp_dir = g_strdup(cu_comp_dir(cu));
    f->file = source_path(path, f->comp_dir);
    f->header = is_system_header(path);
}

static void frame_line(struct frame *f, Dwarf_Die *cu, uint64_t pc, Dwarf_Addr bias)
{
    Dwarf_Line *line = cu ? dwarf_getsrc_die(cu, pc - bias) : NULL;
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;

    if (file && dwarf_lineno(line, &f->line) == 0) {
        frame_file(f, file, cu);
    }
}

/* Where an inlined function was called from. */
static void frame_call_site(struct frame *f, Dwarf_Die *die, Dwarf_Die *cu)
{
    Dwarf_Attribute attr;
    Dwarf_Word file = 0, line = 0;
    Dwarf_Files *files;
    size_t count;

    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &file) == 0 &&
        dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &line) == 0 &&
        dwarf_getsrcfiles(cu, &files, &count) == 0 && file < count) {
        const char *path = dwarf_filesrc(files, file, NULL, NULL);

        if (path) {
            frame_file(f, path, cu);
        }
        f->line = (int)line;
    }
}

bool source_is_system(const char *path)
{
    return g_str_has_prefix(path, "/usr/") || g_str_has_prefix(path, "/lib") ||
           path[0] == '[' /* [vdso] */ || caller_name_is_ours(path);
}

static void frame_module(struct frame *f, Dwfl_Module *mod, uint64_t pc)
{
    Dwarf_Addr bias = 0, start = 0;
    const char *path = dwfl_module_info(mod, NULL, &start, NULL, NULL, NULL, NULL, NULL);
    bool exe = path && g_strcmp0(path, source.exe) == 0;

    f->offset = pc - (dwfl_module_getelf(mod, &bias) ? bias : start);
    f->system = (path && !exe && source_is_system(path)) || caller_pc_is_ours(pc + 1);
    f->module =
        f->system && exe ? g_strdup("libcudart_static.a") : g_path_get_basename(path ? path : "?");
}

/* The scopes from the innermost to the function, as they are nested after inlining. */
static int scopes_at(Dwarf_Die *cu, uint64_t address, Dwarf_Die **scopes)
{
    Dwarf_Die *at = NULL, innermost;
    int n = cu ? dwarf_getscopes(cu, address, &at) : 0;

    *scopes = NULL;
    if (n <= 0 || !dwarf_offdie(dwarf_cu_getdwarf(cu->cu), dwarf_dieoffset(&at[0]), &innermost)) {
        free(at);
        return 0;
    }
    free(at);
    return dwarf_getscopes_die(&innermost, scopes);
}

/* As written; but clang gives a kernel's launch stub the kernel's name, and only its mangled one
 * differs. */
static char *frame_function(Dwarf_Die *scope)
{
    Dwarf_Attribute attr;
    const char *mangled = dwarf_formstring(dwarf_attr_integrate(scope, DW_AT_linkage_name, &attr));

    return g_strdup(mangled && strstr(mangled, "__device_stub__") ? mangled : dwarf_diename(scope));
}

static unsigned frames_inlined(Dwarf_Die *cu, uint64_t pc, Dwarf_Addr bias, struct frame *frames,
                               unsigned limit)
{
    unsigned count = 0;
    Dwarf_Die *scopes;
    int n = scopes_at(cu, pc - bias, &scopes);
    struct frame next = { 0 };

    frame_line(&next, cu, pc, bias);
    for (int i = 0; i < n && count < limit; i++) {
        int tag = dwarf_tag(&scopes[i]);

        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) {
            continue;
        }
        next.function = frame_function(&scopes[i]);
        frames[count++] = next;
        next = (struct frame){ 0 };
        if (tag == DW_TAG_subprogram) {
            break;
        }
        frame_call_site(&next, &scopes[i], cu);
    }
    free(scopes);
    if (count == 0 && limit > 0) { /* line information but no scopes */
        frames[count++] = next;
    } else {
        frame_clear(&next);
    }
    return count;
}

/* libdwfl rounds the end of a module up to its alignment, 2 MiB at times: the gap behind it is
 * where the next library goes. */
static Dwfl_Module *module_of(uint64_t pc)
{
    Dwfl_Module *mod = dwfl_addrmodule(source.dwfl, pc);
    Dwarf_Addr start = 0, end = 0;

    if (mod) {
        dwfl_module_info(mod, NULL, &start, &end, NULL, NULL, NULL, NULL);
    }
    return start <= pc && pc < end ? mod : NULL;
}

static Dwfl_Module *module_at(uint64_t pc)
{
    Dwfl_Module *mod = module_of(pc);

    if (!mod) { /* a library loaded since */
        source_report();
        mod = module_of(pc);
    }
    return mod;
}

struct Dwfl_Module *source_module(uintptr_t address)
{
    source_open();
    return source.dwfl ? module_at(address) : NULL;
}

static unsigned frames_at(uint64_t pc, struct frame *frames, unsigned limit)
{
    Dwfl_Module *mod = module_at(pc);
    Dwarf_Addr bias = 0;
    Dwarf_Die *cu;
    unsigned count;

    if (!mod) {
        return 0;
    }
    cu = cu_at(mod, pc, &bias);
    count = frames_inlined(cu, pc, bias, frames, limit);
    for (unsigned i = 0; i < count; i++) {
        frame_module(&frames[i], mod, pc);
    }
    /* The symbol keeps the mangled name of a launch stub, DWARF does not. */
    if (count > 0) {
        const char *symbol = dwfl_module_addrname(mod, pc);
        struct frame *outer = &frames[count - 1];

        if (symbol && (!outer->function || strstr(symbol, "__device_stub__"))) {
            g_free(outer->function);
            outer->function = g_strdup(symbol);
        }
    }
    return count;
}

/* Functions of the APIs, and the templates that CUDA's headers put before them. */
static bool is_api_name(const char *f)
{
    const bool prefixed = (g_str_has_prefix(f, "cuda") && g_ascii_isupper(f[4])) ||
                          (g_str_has_prefix(f, "cu") && g_ascii_isupper(f[2]));

    return prefixed && (strchr(f, '<') || words_is_function(f));
}

/* The kernel that a launch stub is of; NULL if @f is none. A template's stub, in a file of nvcc's
 * own, is called by a wrapper there: __wrapper__device_stub_scale<float>. */
static const char *stub_kernel(const char *f)
{
    static const char *const stubs[] = { "__wrapper__device_stub_", "__device_stub__" };

    for (size_t i = 0; i < G_N_ELEMENTS(stubs); i++) {
        const char *at = strstr(f, stubs[i]);

        if (at) {
            return at + strlen(stubs[i]);
        }
    }
    return NULL;
}

/* Functions that stand between the developer's line and ours. */
static bool is_wrapper(const char *f)
{
    static const char *const prefixes[] = { "__cuda",          "__tsan_", "__interceptor_",
                                            "___interceptor_", "__asan_", "cudart_" };

    for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++) {
        if (g_str_has_prefix(f, prefixes[i])) {
            return true;
        }
    }
    return is_api_name(f) || stub_kernel(f) != NULL;
}

/* nvcc calls the stub of _Z2k1Pi from the host function _Z2k1Pi: whose line is the kernel's own. */
static bool is_launch_function(const struct frame *stub, const struct frame *f)
{
    g_autofree char *stub_name = stub->function ? demangle(stub->function) : NULL;
    const char *kernel = stub_name ? stub_kernel(stub_name) : NULL;
    char *name;
    bool same;

    if (!kernel || !f->function) {
        return false;
    }
    name = g_str_has_prefix(kernel, "_Z")  ? demangle(kernel)
           : g_str_has_prefix(kernel, "Z") ? g_strconcat("_", kernel, NULL)
                                           : g_strdup(kernel);
    if (g_str_has_prefix(name, "_Z")) {
        char *plain = demangle(name);

        g_free(name);
        name = plain;
    }
    same = strncmp(name, f->function, strlen(f->function)) == 0;
    if (!same) {
        char *base = demangle(f->function);

        same = strcmp(name, base) == 0;
        g_free(base);
    }
    g_free(name);
    return same;
}

/* The first frame of the application proper; else one in a header; else the first that is no system
 * library's; else 0. */
static unsigned frame_choose(const struct frame *frames, unsigned count, char **api)
{
    int unlined = -1, header = -1;

    for (unsigned i = 0; i < count; i++) {
        const struct frame *f = &frames[i];
        /* Without line information a template of cuda_runtime.h has its mangled name. */
        g_autofree char *name = f->function ? demangle(f->function) : NULL;

        if (name && is_wrapper(name)) {
            if (api && is_api_name(name)) {
                g_free(*api);
                *api = g_strndup(name, strcspn(name, "<"));
            }
            continue;
        }
        if (f->system || (i > 0 && is_launch_function(&frames[i - 1], f))) {
            continue;
        }
        if (f->file && !f->header) {
            return i;
        }
        if (f->file) {
            header = header < 0 ? (int)i : header;
            continue;
        }
        unlined = unlined < 0 ? (int)i : unlined;
    }
    return header >= 0 ? (unsigned)header : unlined >= 0 ? (unsigned)unlined : 0;
}

static char *frame_text(const struct frame *f, const char *inside)
{
    GString *s = g_string_new(NULL);

    if (f->file) {
        g_string_printf(s, "%s:%d", f->file, f->line);
    } else {
        g_string_printf(s, "%s+0x%" PRIx64, f->module, f->offset);
    }
    if (f->function) {
        char *name = demangle(f->function);

        g_string_append_printf(s, " in %s", name);
        g_free(name);
    }
    if (inside) {
        g_string_append_printf(s, " (inside %s)", inside);
    }
    return g_string_free(s, FALSE);
}

/* Name of the exported function of ours that was called. */
static char *entry_name(uintptr_t entry)
{
    Dwfl_Module *mod = entry ? dwfl_addrmodule(source.dwfl, entry - 1) : NULL;
    const char *name = mod ? dwfl_module_addrname(mod, entry - 1) : NULL;

    /* nvcc 13 launches through __cudaLaunchKernel. */
    if (name && g_str_has_prefix(name, "__cudaLaunchKernel")) {
        name += 2;
    }

    g_autofree char *plain = name ? g_strndup(name, strcspn(name, "@")) : NULL;

    return plain && is_api_name(plain) ? g_strndup(plain, words_plain_length(plain)) : NULL;
}

static struct source_place *place_new(const struct check_caller *caller)
{
    struct source_place *place = g_new0(struct source_place, 1);
    struct frame frames[FRAMES];
    unsigned count = 0, chosen;
    bool inside;

    if (source.dwfl) {
        place->api = entry_name(caller->entry);
        for (unsigned i = 0; i < CHECK_CALLER_DEPTH && caller->pc[i]; i++) {
            count += frames_at(caller->pc[i] - 1, frames + count, FRAMES - count);
        }
    }
    if (count == 0) {
        place->text = g_strdup("");
        return place;
    }
    chosen = frame_choose(frames, count, &place->api);
    inside = chosen > 0 && frames[0].system && !g_str_has_prefix(frames[0].module, "libstdc++");
    if (frames[chosen].file) {
        source_file_add(frames[chosen].path, frames[chosen].comp_dir);
    }
    place->text = frame_text(&frames[chosen], inside ? frames[0].module : NULL);
    place->foreign = frames[chosen].system || (frames[chosen].file && frames[chosen].header);
    for (unsigned i = 0; i < count; i++) {
        frame_clear(&frames[i]);
    }
    return place;
}

struct place_call {
    const struct check_caller *caller;
    struct source_place *place;
};

static void place_call(void *data)
{
    struct place_call *call = data;

    call->place = place_new(call->caller);
}

const struct source_place *source_place(const struct check_caller *caller)
{
    struct source_place *place;

    source_open();
    place = g_hash_table_lookup(source.places, caller);
    if (!place) {
        struct place_call call = { .caller = caller };

        own_stack_call(place_call, &call);
        place = call.place;
        g_hash_table_insert(source.places, g_memdup2(caller, sizeof(*caller)), place);
    }
    return place;
}

/* --- files of kernels --------------------------------------------------------------------------
 */

struct kernel_file_call {
    const char *path;
    const struct check_caller *caller;
    char *shown;
};

/* PTX names a file from / on, and no folder that it was compiled in: that of the function that
 * launches is taken, which is its stub, compiled together with the kernel. */
static void kernel_file_call(void *data)
{
    struct kernel_file_call *call = data;
    const char *comp_dir = NULL;

    for (unsigned i = 0; source.dwfl && !comp_dir && i < CHECK_CALLER_DEPTH && call->caller->pc[i];
         i++) {
        const uint64_t pc = call->caller->pc[i] - 1;
        Dwfl_Module *mod = module_at(pc);
        Dwarf_Addr bias = 0;

        comp_dir = mod ? cu_comp_dir(cu_at(mod, pc, &bias)) : NULL;
    }
    source_file_add(call->path, comp_dir);
    call->shown = source_path(call->path, comp_dir);
}

const char *source_kernel_file(const char *path, const struct check_caller *caller)
{
    const char *shown;

    source_open();
    shown = g_hash_table_lookup(source.kernel_files, path);
    if (!shown) {
        struct kernel_file_call call = { .path = path, .caller = caller };

        own_stack_call(kernel_file_call, &call);
        shown = call.shown;
        g_hash_table_insert(source.kernel_files, g_strdup(path), call.shown);
    }
    return shown;
}
