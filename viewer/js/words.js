// SPDX-License-Identifier: MIT
// The words of the page, for readers who meet them here first.
'use strict';

const WORDS = [
    ['litmus test', LITMUS_ONCE],
    ['CPU cache', 'The caches of all CPU cores. Cores are coherent with each other (Arm: inner shareable), so one box stands for them all.'],
    ['line', 'What a cache fills, writes back and drops as a whole: 64 bytes in the CPU caches, 128 in the L2.'],
    ['sector', '32 bytes of a line of the L2, what it fetches at a time.'],
    ['valid, dirty, absent, stale', 'Valid: the cache has the bytes. Dirty: it has newer bytes than DRAM. Absent: it does not have them. Stale: it has older bytes than another copy.'],
    ['clean, invalidate', 'Clean: write dirty bytes to DRAM and keep the line (DC CVAC). Invalidate: drop the line, dirty bytes are lost (DC IVAC, which needs EL1: not for applications). DC CIVAC: clean, then invalidate.'],
    ['port', 'The way from an engine to DRAM. Where it is I/O coherent (Xavier and later), an access "through the port" finds dirty lines of the CPU caches; on Nano and TX2 it sees DRAM alone.'],
    ['iGPU, SM, L1, L2', 'The GPU in the same chip; one of its processors; the cache of one SM; the cache of all SMs.'],
    ['CE, DLA, DMA', 'Copy engine; deep-learning accelerator; any other engine, such as a camera.'],
    ['job', 'Work of an engine: a kernel, a copy, a DLA task. "job=K" beside an agent: it begins when a CPU starts K.'],
    ['submit, wait', 'Start a job, and wait until it is complete, without any cache maintenance. submit is a barrier too.'],
    ['doorbell', 'The store that starts a job, without a barrier.'],
    ['launch, sync', 'The same as the CUDA driver does it: it cleans and invalidates caches, and closes managed memory to the CPU in between.'],
    ['device, pinned, managed, pageable', 'Memory of cudaMalloc, cudaMallocHost, cudaMallocManaged, malloc. Who caches it: Table 1 of CUDA for Tegra, vtegra soc show.'],
    ['interop', 'A buffer shared through EGL or NvSci. CPU and iGPU both cache it, and it is never closed to the CPU.'],
    ['barrier, fence', 'DMB, DSB on a CPU, fence on the iGPU: what is before it is ordered before what follows. It moves no bytes.'],
    ['signal, await', 'An edge between two agents: an event or a syncpoint.'],
    ['allowed, forbidden, unseen', 'Allowed: some run ends so. Forbidden: no run does, and a document says that none may. Unseen: no run does, but no document forbids it.'],
];

function wordsShow() {
    const box = el('details'), list = el('dl');
    box.append(el('summary', '', 'Words'), list);
    WORDS.forEach(([word, text]) => list.append(el('dt', '', word), el('dd', '', text)));
    return box;
}
