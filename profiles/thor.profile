# SPDX-License-Identifier: MIT
# Jetson Thor T5000, highest power mode.
# key = value | standing | source. Standing: documented (by NVIDIA or Arm, where), measured (printed by or run on a board,
# where), inferred (our choice, why). The keys, their units and limits are in model/profile.def.

[soc]
name = thor | documented | the name vtegra gives it
marketing = Jetson Thor T5000 | documented | NVIDIA Jetson module data sheet
chip = t264 | documented | Jetson Linux Developer Guide, chip codes
os = linux,qnx,embedded-linux | inferred | Jetson Linux; DRIVE AGX Thor has QNX and DRIVE OS Linux on the same chip
io_coherent = 1 | documented | CUDA for Tegra, 2.1: from Xavier on
editions = 13.4 | documented | CUDA for Tegra 13.4, 8.2.1: JetPack 7, which starts with CUDA 13.0
edition = 13.4 | inferred | the newest of them; vtegra run --edition takes another

[cpu]
name = Neoverse V3AE | documented | NVIDIA Jetson module data sheet
cores = 14 | documented | NVIDIA Jetson module data sheet
clock_khz = 2600000 | documented | data sheet: up to 2.6 GHz
line_bytes = 64 | documented | Arm Neoverse V3AE TRM
cache_bytes = 16777216 | documented | data sheet: 16 MB system L3
cache_ways = 16 | inferred | not published: as the family
lse = 1 | documented | Arm Neoverse V3AE TRM: Armv9.2
lrcpc = 1 | documented | Arm Neoverse V3AE TRM: Armv9.2

[memory]
dram_bytes = 137438953472 | documented | NVIDIA Jetson module data sheet
carveout_bytes = 5368709120 | inferred | about 123 GiB are reported usable
bus_bits = 256 | measured | deviceQuery listing of CUDA 13.2; 13.0 prints 0
clock_khz = 4266000 | measured | deviceQuery listing of CUDA 13.2; 13.0 prints 0
numa_node = 0 | inferred | one CPU cluster with one DRAM: one node
bandwidth_mb_s = 273000 | documented | NVIDIA Jetson module data sheet

[gpu]
name = NVIDIA Thor | measured | deviceQuery listing
cc_major = 11 | documented | CUDA GPUs list
cc_minor = 0 | documented | CUDA GPUs list
sm_count = 20 | measured | deviceQuery listing; fewer in lower power modes
cores_per_sm = 128 | documented | CUDA C++ Programming Guide, Technical Specifications
clock_khz = 1049000 | measured | deviceQuery listing
l1_bytes = 262144 | inferred | 256 KB of L1 and shared memory, as cc 9.0 and 10.0 (CUDA C++ Programming Guide)
l1_loads = 2 | inferred | as cc 7.x to 10.0 (CUDA C++ Programming Guide)
l2_bytes = 33554432 | measured | deviceQuery listing; an independent benchmark counts 24 MB
l2_ways = 16 | inferred | not published; 16 ways fit the sizes and NVIDIA GPUs measured by others
l2_line_bytes = 128 | documented | CUDA C++ Best Practices Guide, coalesced access: 128-byte lines
l2_sector_bytes = 32 | documented | CUDA C++ Best Practices Guide, coalesced access: 32-byte transactions
l2_persisting_max_bytes = 25165824 | inferred | three quarters of L2 where L2 persistence exists (cc 8.0 on, Programming Guide)
access_policy_window_max_bytes = 134213632 | inferred | as A100 where L2 persistence exists (cc 8.0 on)
warp_threads = 32 | documented | CUDA C++ Programming Guide, Technical Specifications
block_threads_max = 1024 | documented | CUDA C++ Programming Guide, Technical Specifications
block_dim_max_x = 1024 | documented | CUDA C++ Programming Guide, Technical Specifications
block_dim_max_y = 1024 | documented | CUDA C++ Programming Guide, Technical Specifications
block_dim_max_z = 64 | documented | CUDA C++ Programming Guide, Technical Specifications
grid_dim_max_x = 2147483647 | documented | CUDA C++ Programming Guide, Technical Specifications
grid_dim_max_y = 65535 | documented | CUDA C++ Programming Guide, Technical Specifications
grid_dim_max_z = 65535 | documented | CUDA C++ Programming Guide, Technical Specifications
sm_threads_max = 1536 | measured | deviceQuery listing
sm_blocks_max = 24 | inferred | as cc 8.9 and 12.x, which also hold 1536 threads
block_smem_bytes = 49152 | measured | deviceQuery listing
block_smem_optin_bytes = 232448 | measured | apache/tvm#20259
block_smem_reserved_bytes = 1024 | documented | CUDA C++ Programming Guide, Technical Specifications, shared memory of cc 8.x on: 1 KB is reserved
sm_smem_bytes = 233472 | inferred | opt-in size and the reserved 1 KB
block_regs = 65536 | measured | deviceQuery listing
sm_regs = 65536 | documented | CUDA C++ Programming Guide, Technical Specifications
const_bytes = 65536 | measured | deviceQuery listing
local_bytes_max = 524288 | documented | CUDA C++ Programming Guide, Technical Specifications
pitch_max_bytes = 2147483647 | measured | deviceQuery listing
copy_engines = 1 | measured | deviceQuery listing
grids_max = 128 | inferred | as every cc from 7.5 on
fp32_fp64_ratio = 64 | inferred | from throughput tables of the nearest documented compute capability
sfu_per_sm = 16 | inferred | as cc 9.0 and 10.0 in CUDA C++ Programming Guide, Arithmetic Instructions
ldst_per_sm = 32 | inferred | 32 units an SM in the whitepapers of Maxwell, Pascal, Volta and Ampere
block_cycles = 42 | inferred | as Orin Nano, no row of this board
tensor_fmas_per_sm = 4096 | inferred | dense fp4 peak of AGX Thor, a quarter of it: 1035 TFLOPS, 20 SMs, 1.575 GHz
integrated = 1 | measured | deviceQuery listing
vidmem_bytes = 0 | documented | CUDA for Tegra, 3: an iGPU shares the DRAM
can_map_host_memory = 1 | measured | deviceQuery listing
unified_addressing = 1 | measured | deviceQuery listing
managed_memory = 1 | measured | deviceQuery listing
concurrent_managed_access = 1 | inferred | NVIDIA blog, CUDA 13.0 for Jetson Thor: unified memory with full coherence
direct_managed_access_from_host = 1 | inferred | NVIDIA blog, CUDA 13.0 for Jetson Thor: unified memory with full coherence
pageable_memory_access = 1 | documented | NVIDIA blog, CUDA 13.0 for Jetson Thor: unified memory with full coherence
pageable_uses_host_page_tables = 1 | documented | NVIDIA blog, CUDA 13.0 for Jetson Thor: through host page tables
host_register_supported = 1 | documented | CUDA for Tegra, 2.1: I/O-coherent platforms
host_register_read_only_supported = 0 | inferred | no listing shows it set
can_use_host_pointer_for_registered_mem = 1 | inferred | unified addressing where host registration exists
host_native_atomic_supported = 1 | inferred | NVIDIA blog, CUDA 13.0 for Jetson Thor: unified memory with full coherence
cooperative_launch = 1 | measured | deviceQuery listing
compute_preemption = 1 | measured | deviceQuery listing
stream_priorities = 1 | inferred | every cc from 3.5 on
concurrent_kernels = 1 | documented | CUDA C++ Programming Guide, Technical Specifications
global_l1_cache = 1 | inferred | Programming Guide, cc 5.x on: global loads may be cached in L1
local_l1_cache = 1 | inferred | Programming Guide: local memory is cached in L1
kernel_exec_timeout = 0 | inferred | no display watchdog is modelled
memory_pools = 1 | inferred | as Orin
virtual_memory_management = 1 | inferred | as Orin
host_numa_node = 0 | inferred | one node; without full coherency hostNumaId is -1
ecc = 0 | measured | deviceQuery listing
pci_domain = 0 | measured | deviceQuery listing
pci_bus = 1 | measured | deviceQuery listing
pci_device = 0 | measured | deviceQuery listing

[texture]
alignment_bytes = 512 | measured | deviceQuery listing
pitch_alignment_bytes = 32 | inferred | deviceQuery of every CUDA GPU of the decade
surface_alignment_bytes = 512 | inferred | as the texture alignment
max_1d = 131072 | measured | deviceQuery listing
max_1d_linear = 268435456 | documented | CUDA C++ Programming Guide, Technical Specifications
max_2d_x = 131072 | measured | deviceQuery listing
max_2d_y = 65536 | measured | deviceQuery listing
max_3d_x = 16384 | measured | deviceQuery listing
max_3d_y = 16384 | measured | deviceQuery listing
max_3d_z = 16384 | measured | deviceQuery listing
max_1d_layered_x = 32768 | measured | deviceQuery listing
max_1d_layers = 2048 | measured | deviceQuery listing
max_2d_layered_x = 32768 | measured | deviceQuery listing
max_2d_layered_y = 32768 | measured | deviceQuery listing
max_2d_layers = 2048 | measured | deviceQuery listing

[host1x]
syncpts = 1024 | inferred | as t234

[dla]
cores = 0 | documented | data sheet lists no DLA
version = none | documented | no DLA on this module
config = none | documented | no DLA on this module
clock_khz = 0 | documented | no DLA on this module
int8_macs = 0 | documented | no DLA on this module
fp16_macs = 0 | documented | no DLA on this module
bandwidth_mb_s = 0 | documented | no DLA on this module
coherent = 0 | documented | no DLA on this module
cvsram_bytes = 0 | documented | no DLA on this module
stream_id0 = 0 | documented | no DLA on this module
stream_id1 = 0 | documented | no DLA on this module

[vic]
cores = 0 | inferred | VIC 5.1 behind an SMMUv3, which this model does not have
clock_khz = 0 | inferred | VIC 5.1 behind an SMMUv3, which this model does not have
coherent = 0 | inferred | VIC 5.1 behind an SMMUv3, which this model does not have
stream_id = 0 | inferred | VIC 5.1 behind an SMMUv3, which this model does not have

[vi]
cores = 0 | inferred | VI behind an SMMUv3, which this model does not have
coherent = 0 | inferred | VI behind an SMMUv3, which this model does not have
stream_id = 0 | inferred | VI behind an SMMUv3, which this model does not have

[rules]
managed_touch_signal = none | inferred | concurrent managed access: the CPU may touch it
cpu_snoops_l2 = 1 | inferred | NVIDIA blog, CUDA 13.0 for Jetson Thor: unified memory with full coherence
system_atomics = 1 | documented | CUDA for Tegra, 3.6

[timing]
cpu_hit_ps = 770 | inferred | 2 cycles
cpu_miss_ps = 8000 | inferred | Nano, scaled by DRAM bandwidth
cpu_uncached_ps = 47900 | inferred | as Nano; pinned memory is cached here, so it is not used for it
cpu_maintain_line_ps = 10000 | inferred | half a line fill, no published figure
gpu_l2_hit_cycles = 200 | inferred | order of magnitude of published microbenchmarks of NVIDIA GPUs
gpu_dram_cycles = 816 | measured | 158 GB/s with 32-bit loads, table of another Thor: 960 warps of 128 bytes each wait that long
launch_ns = 2000 | inferred | the part of launch and synchronise (7.7 us on an Orin Nano, Lucineer/gpu-native-room-inference) that the GPU has
dram_permille = 940 | inferred | the same reads reach 922, and somewhat more together
gpu_permille = 879 | measured | GPU reads on a Thor: 251.8 GB/s (changjongkim/thor_gtier), 233 and 240 (table of another Thor); their middle
managed_permille = 727 | measured | 186.3 (changjongkim/thor_gtier) and 211 GB/s (table of another Thor); their middle
pinned_permille = 671 | measured | 187.7 (mapped) and 178.9 GB/s (default), changjongkim/thor_gtier; their middle
pageable_permille = 568 | measured | 155 GB/s, table of another Thor
copy_permille = 733 | measured | about 200 GB/s of 273: copies of 1 to 16 MiB (changjongkim/thor_gtier, COPY_COST.md)
l2_sm_bytes = 51 | measured | about 1060 GB/s from L2 with 20 SMs, table of another Thor
copy_ns = 6200 | inferred | as Orin Nano, no row of this board
copy_sync_ns = 9450 | inferred | 18.94 us for 4 KiB (changjongkim/thor_gtier, COPY_COST.md) less submit_ns, copy_ns and sync_ns
submit_ns = 2020 | inferred | Orin Nano's, by the clock of the CPU
sync_ns = 1270 | inferred | Orin Nano's, by the clock of the CPU
sync_block_ns = 20000 | inferred | an interrupt and a wake-up; no published figure
event_ns = 1440 | inferred | Orin Nano's, by the clock of the CPU
graph_node_ns = 120 | inferred | Orin Nano's, by the clock of the CPU
alloc_ns = 100000 | inferred | order of magnitude of cudaMalloc; no published figure
map_ns = 20000 | inferred | order of magnitude of a call into the kernel; no published figure
dla_submit_ns = 50000 | inferred | a part of the 200 us of a whole task through TensorRT; no published figure
