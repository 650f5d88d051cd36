// SPDX-License-Identifier: GPL-2.0-or-later
/* /dev/vtegra-memory: memory that the CPU does not cache, for programs in the guest. Pinned memory
 * of a SoC that is not I/O coherent (Nano, TX2) is such memory: CUDA for Tegra, Table 1. Linux maps
 * memory for programs as cacheable, unless a driver does it.
 *
 * Each mmap() makes new pages, zero, and maps them as normal non-cacheable memory (Linux:
 * pgprot_writecombine()). They are ordinary pages of the kernel with a count of users, so that vfio
 * can pin them for the device, and they stay until the mapping and the pins are gone.
 *
 * The kernel's own mapping of the pages stays cacheable. Nothing uses it after a page was taken,
 * and QEMU has no caches beyond those that the plugin models for tracked pages. */
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/vmalloc.h>

static void pages_put(struct page **pages, unsigned long n)
{
    while (n--)
        put_page(pages[n]);
    kvfree(pages);
}

static struct page **pages_get(unsigned long n)
{
    struct page **pages = kvcalloc(n, sizeof(*pages), GFP_KERNEL);
    unsigned long i;

    for (i = 0; pages && i < n; i++) {
        pages[i] = alloc_page(GFP_HIGHUSER | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
        if (!pages[i]) {
            pages_put(pages, i);
            return NULL;
        }
    }
    return pages;
}

/* Through a mapping of the kind that the program gets: no line of a cache holds the zeros. */
static int pages_clear(struct page **pages, unsigned long n)
{
    void *at = vmap(pages, n, VM_MAP, pgprot_writecombine(PAGE_KERNEL));

    if (!at)
        return -ENOMEM;
    memset(at, 0, n << PAGE_SHIFT);
    vunmap(at);
    return 0;
}

static int memory_mmap(struct file *file, struct vm_area_struct *vma)
{
    unsigned long n = vma_pages(vma), left = n;
    struct page **pages;
    int err;

    if (vma->vm_pgoff || !(vma->vm_flags & VM_SHARED))
        return -EINVAL;
    if (n > totalram_pages() / 2)
        return -ENOMEM;
    pages = pages_get(n);
    if (!pages)
        return -ENOMEM;
    err = pages_clear(pages, n);
    vma->vm_page_prot = pgprot_writecombine(vma->vm_page_prot);
    vma->vm_flags |= VM_DONTEXPAND | VM_DONTCOPY | VM_DONTDUMP;
    if (!err)
        err = vm_insert_pages(vma, vma->vm_start, pages, &left);
    pages_put(pages, n); /* the mapping has references of its own */
    return err;
}

static const struct file_operations operations = {
    .owner = THIS_MODULE,
    .mmap = memory_mmap,
    .llseek = noop_llseek,
};

static struct miscdevice device = {
    .minor = MISC_DYNAMIC_MINOR,
    .name = "vtegra-memory",
    .fops = &operations,
    .mode = 0600,
};

module_misc_device(device);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("Memory that the CPU does not cache, for programs in a vtegra guest");
