/* SPDX-License-Identifier: MIT */
/* Compiled kernels in memory.
 *
 * Not by dlopen(): libraries are part of what a program can see, and their mappings move the
 * program's own. Code lies in a range of its own instead, at a fixed address far from where Linux
 * places mappings, so that nothing else moves by it.
 */
#include <elf.h>
#include <string.h>
#include <sys/mman.h>

#include "runtime/hal/inproc/compile.h"

#define RANGE_BASE UINT64_C(0x6a0000000000)
#define RANGE_BYTES (UINT64_C(64) << 20)
#define PAGE 4096u
#define SEGMENTS_MAX 16u

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_NONE
#endif

static uint64_t used; /* bytes of the range; under the HAL's lock */

static bool code_inside(uint64_t at, uint64_t bytes, uint64_t len)
{
    return at <= len && bytes <= len - at;
}

/* Does the loader have nothing to do for it? */
static bool dynamic_is_plain(const uint8_t *elf, size_t len, const Elf64_Phdr *p)
{
    if (!code_inside(p->p_offset, p->p_filesz, len)) {
        return false;
    }
    for (uint64_t i = 0; i + sizeof(Elf64_Dyn) <= p->p_filesz; i += sizeof(Elf64_Dyn)) {
        Elf64_Dyn d;

        memcpy(&d, elf + p->p_offset + i, sizeof(d));
        switch (d.d_tag) {
        case DT_NULL:
            return true;
        case DT_NEEDED:
        case DT_RELA:
        case DT_REL:
        case DT_JMPREL:
        case DT_TEXTREL:
        case DT_INIT:
        case DT_INIT_ARRAY:
            return false;
        default:
            break;
        }
    }
    return true;
}

/* Return: bytes that the image takes in memory; 0: not an object of ours */
static uint64_t image_bytes(const uint8_t *elf, size_t len, const Elf64_Ehdr *h, Elf64_Phdr *p)
{
    uint64_t top = 0;

    if (memcmp(h->e_ident, ELFMAG, SELFMAG) != 0 || h->e_ident[EI_CLASS] != ELFCLASS64 ||
        h->e_type != ET_DYN || h->e_machine != MACHINE || h->e_phnum > SEGMENTS_MAX ||
        h->e_phentsize != sizeof(*p) || !code_inside(h->e_phoff, h->e_phnum * sizeof(*p), len)) {
        return 0;
    }
    memcpy(p, elf + h->e_phoff, h->e_phnum * sizeof(*p));
    for (unsigned i = 0; i < h->e_phnum; i++) {
        if (p[i].p_type == PT_DYNAMIC && !dynamic_is_plain(elf, len, &p[i])) {
            return 0;
        }
        if (p[i].p_type == PT_TLS) {
            return 0;
        }
        if (p[i].p_type == PT_LOAD) {
            if (!code_inside(p[i].p_offset, p[i].p_filesz, len) || p[i].p_filesz > p[i].p_memsz ||
                !code_inside(p[i].p_vaddr, p[i].p_memsz, RANGE_BYTES)) {
                return 0;
            }
            top = MAX(top, p[i].p_vaddr + p[i].p_memsz);
        }
    }
    return h->e_entry < top ? (top + PAGE - 1) / PAGE * PAGE : 0;
}

/* Executable, not writable, when all is in place; segments share no page (-z separate-code). */
static bool image_protect(uint8_t *at, const Elf64_Ehdr *h, const Elf64_Phdr *p)
{
    for (unsigned i = 0; i < h->e_phnum; i++) {
        uint64_t first = p[i].p_vaddr / PAGE * PAGE;
        uint64_t end = (p[i].p_vaddr + p[i].p_memsz + PAGE - 1) / PAGE * PAGE;

        if (p[i].p_type == PT_LOAD && end > first &&
            mprotect(at + first, end - first,
                     p[i].p_flags & PF_X ? PROT_READ | PROT_EXEC : PROT_READ) != 0) {
            return false;
        }
    }
    return true;
}

code_door *code_map(const uint8_t *elf, size_t len)
{
    Elf64_Phdr p[SEGMENTS_MAX];
    Elf64_Ehdr h;
    uint64_t bytes;
    uint8_t *at;

    if (len < sizeof(h)) {
        return NULL;
    }
    memcpy(&h, elf, sizeof(h));
    bytes = image_bytes(elf, len, &h, p);
    if (bytes == 0 || bytes > RANGE_BYTES - used) {
        return NULL;
    }
    at = mmap((void *)(RANGE_BASE + used), bytes, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (at == MAP_FAILED) {
        return NULL;
    }
    for (unsigned i = 0; i < h.e_phnum; i++) {
        if (p[i].p_type == PT_LOAD) {
            memcpy(at + p[i].p_vaddr, elf + p[i].p_offset, p[i].p_filesz);
        }
    }
    if (!image_protect(at, &h, p)) {
        munmap(at, bytes);
        return NULL;
    }
    used += bytes;
    return (code_door *)(uintptr_t)(at + h.e_entry);
}
