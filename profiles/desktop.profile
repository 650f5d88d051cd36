# SPDX-License-Identifier: MIT
# A PC with one discrete GPU: what a program is ported from (CUDA for Tegra, 1 and 4).
# deviceQuery listing: driver 495.29 with CUDA 11.5, GeForce RTX 2080 Ti as device 0, published with a cluster's manual.
# key = value | standing | source. Standing: documented (by NVIDIA or Arm, where), measured (printed by or run on a board,
# where), inferred (our choice, why). The keys, their units and limits are in model/profile.def.

[soc]
name = desktop | documented | the name vtegra gives it
marketing = PC, GeForce RTX 2080 Ti | inferred | our choice: compute capability 7.5 is in CUDA 10.2 to 13, listings are public
chip = tu102 | documented | NVIDIA Turing GPU Architecture whitepaper
os = linux | documented | NvSci on x86: Ubuntu 18.04 with CUDA 10.2 (NVIDIA blog, CUDA interoperability with NvSci)
io_coherent = 1 | documented | PCI Express Base Specification: requests without "no snoop" are coherent with the CPU caches
editions = 10.2,11.4,11.8,12.6,13.4 | inferred | each CUDA of these editions has cc 7.5; the note itself is of Tegra
edition = 13.4 | inferred | the newest of them; vtegra run --edition takes another

[cpu]
name = Core i9-9900K | inferred | our choice: a desktop CPU of the year of the GPU
cores = 8 | documented | Intel ARK, Core i9-9900K
clock_khz = 3600000 | documented | Intel ARK, Core i9-9900K: base frequency
line_bytes = 64 | documented | Intel 64 and IA-32 Architectures Optimization Reference Manual
cache_bytes = 16777216 | documented | Intel ARK, Core i9-9900K: 16 MB L3
cache_ways = 16 | inferred | 16 ways, as CPUID leaf 4 says of client Skylake parts
lse = 0 | documented | no Arm CPU
lrcpc = 0 | documented | no Arm CPU

[memory]
dram_bytes = 34359738368 | inferred | our choice: 32 GiB of system memory
carveout_bytes = 0 | inferred | pinned memory may be all of it; Linux sets no such limit
bus_bits = 352 | measured | deviceQuery listing: of the GPU's own memory
clock_khz = 7000000 | measured | deviceQuery listing: of the GPU's own memory
numa_node = 0 | inferred | one socket
bandwidth_mb_s = 616000 | documented | NVIDIA Turing GPU Architecture whitepaper, Appendix A: of the GPU's own memory; virtual time takes it for PCIe, too

[gpu]
name = NVIDIA GeForce RTX 2080 Ti | measured | deviceQuery listing
cc_major = 7 | measured | deviceQuery listing
cc_minor = 5 | measured | deviceQuery listing
sm_count = 68 | measured | deviceQuery listing
cores_per_sm = 64 | measured | deviceQuery listing
clock_khz = 1545000 | measured | deviceQuery listing
l1_bytes = 98304 | documented | CUDA C++ Programming Guide, cc 7.5: 96 KB of L1 and shared memory
l1_loads = 2 | documented | CUDA C++ Programming Guide, cc 7.x: global loads are cached in L1
l2_bytes = 5767168 | measured | deviceQuery listing
l2_ways = 16 | inferred | not published; 16 ways fit the sizes and NVIDIA GPUs measured by others
l2_line_bytes = 128 | documented | CUDA C++ Best Practices Guide, coalesced access: 128-byte lines
l2_sector_bytes = 32 | documented | CUDA C++ Best Practices Guide, coalesced access: 32-byte transactions
l2_persisting_max_bytes = 0 | documented | CUDA C++ Programming Guide: L2 persistence starts with cc 8.0
access_policy_window_max_bytes = 0 | documented | CUDA C++ Programming Guide: L2 persistence starts with cc 8.0
warp_threads = 32 | documented | CUDA C++ Programming Guide, Technical Specifications
block_threads_max = 1024 | documented | CUDA C++ Programming Guide, Technical Specifications
block_dim_max_x = 1024 | documented | CUDA C++ Programming Guide, Technical Specifications
block_dim_max_y = 1024 | documented | CUDA C++ Programming Guide, Technical Specifications
block_dim_max_z = 64 | documented | CUDA C++ Programming Guide, Technical Specifications
grid_dim_max_x = 2147483647 | documented | CUDA C++ Programming Guide, Technical Specifications
grid_dim_max_y = 65535 | documented | CUDA C++ Programming Guide, Technical Specifications
grid_dim_max_z = 65535 | documented | CUDA C++ Programming Guide, Technical Specifications
sm_threads_max = 1024 | measured | deviceQuery listing
sm_blocks_max = 16 | documented | CUDA C++ Programming Guide, Technical Specifications
block_smem_bytes = 49152 | measured | deviceQuery listing
block_smem_optin_bytes = 65536 | documented | CUDA C++ Programming Guide, Technical Specifications: 64 KB
block_smem_reserved_bytes = 0 | documented | CUDA C++ Programming Guide, Technical Specifications: nothing is reserved below cc 8.0
sm_smem_bytes = 65536 | measured | deviceQuery listing
block_regs = 65536 | measured | deviceQuery listing
sm_regs = 65536 | documented | CUDA C++ Programming Guide, Technical Specifications
const_bytes = 65536 | measured | deviceQuery listing
local_bytes_max = 524288 | documented | CUDA C++ Programming Guide, Technical Specifications
pitch_max_bytes = 2147483647 | measured | deviceQuery listing
copy_engines = 3 | measured | deviceQuery listing
grids_max = 128 | documented | CUDA C++ Programming Guide, Technical Specifications
fp32_fp64_ratio = 32 | documented | CUDA C++ Programming Guide, arithmetic throughput, cc 7.5: 64 to 2
sfu_per_sm = 16 | documented | CUDA C++ Programming Guide, Arithmetic Instructions: rcp, rsqrt, lg2, ex2, sin, cos
ldst_per_sm = 32 | inferred | 32 units an SM in the whitepapers of Maxwell, Pascal, Volta and Ampere
block_cycles = 42 | inferred | as Orin Nano, no row of this board
tensor_fmas_per_sm = 512 | inferred | 8 tensor cores an SM, 64 multiply-adds each (Turing whitepaper)
integrated = 0 | measured | deviceQuery listing
vidmem_bytes = 11554717696 | measured | deviceQuery listing
can_map_host_memory = 1 | measured | deviceQuery listing
unified_addressing = 1 | measured | deviceQuery listing
managed_memory = 1 | measured | deviceQuery listing
concurrent_managed_access = 1 | documented | CUDA C++ Programming Guide, unified memory: x86 Linux, cc 6.0 on
direct_managed_access_from_host = 0 | documented | CUDA C++ Programming Guide, unified memory: needs hardware coherency
pageable_memory_access = 0 | documented | CUDA C++ Programming Guide, unified memory: without HMM, which needs the open kernel modules and Linux 6.1.24
pageable_uses_host_page_tables = 0 | documented | CUDA C++ Programming Guide, unified memory: hardware coherent systems alone
host_register_supported = 1 | inferred | no x86 Linux without it is known
host_register_read_only_supported = 0 | inferred | no listing shows it set
can_use_host_pointer_for_registered_mem = 1 | inferred | unified addressing where host registration exists
host_native_atomic_supported = 0 | documented | CUDA C++ Programming Guide, atomics: needs NVLink to the CPU, not PCIe
cooperative_launch = 1 | measured | deviceQuery listing
compute_preemption = 1 | measured | deviceQuery listing
stream_priorities = 1 | inferred | every cc from 3.5 on
concurrent_kernels = 1 | documented | CUDA C++ Programming Guide, Technical Specifications
global_l1_cache = 1 | inferred | Programming Guide, cc 5.x on: global loads may be cached in L1
local_l1_cache = 1 | inferred | Programming Guide: local memory is cached in L1
kernel_exec_timeout = 0 | measured | deviceQuery listing: no display
memory_pools = 1 | documented | CUDA C++ Programming Guide, stream-ordered allocator: CUDA 11.2, UVA systems
virtual_memory_management = 1 | documented | CUDA C++ Programming Guide, virtual memory management: x86 Linux
host_numa_node = 0 | inferred | one node; without full coherency hostNumaId is -1
ecc = 0 | measured | deviceQuery listing
pci_domain = 0 | measured | deviceQuery listing
pci_bus = 2 | measured | deviceQuery listing
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
syncpts = 1024 | inferred | a PC has no host1x: the model keeps its fences there, semaphores in memory on a board

[dla]
cores = 0 | documented | no DLA on a PC
version = none | documented | no DLA on a PC
config = none | documented | no DLA on a PC
clock_khz = 0 | documented | no DLA on a PC
int8_macs = 0 | documented | no DLA on this module
fp16_macs = 0 | documented | no DLA on this module
bandwidth_mb_s = 0 | documented | no DLA on this module
coherent = 0 | documented | no DLA on a PC
cvsram_bytes = 0 | documented | no DLA on a PC
stream_id0 = 0 | documented | no DLA on a PC
stream_id1 = 0 | documented | no DLA on a PC

[vic]
cores = 0 | documented | no VIC on a PC
clock_khz = 0 | documented | no VIC on a PC
coherent = 0 | documented | no VIC on a PC
stream_id = 0 | documented | no VIC on a PC

[vi]
cores = 0 | documented | no VI on a PC
coherent = 0 | documented | no VI on a PC
stream_id = 0 | documented | no VI on a PC

[rules]
managed_touch_signal = none | documented | CUDA C++ Programming Guide, unified memory: concurrent managed access, the CPU may touch it
cpu_snoops_l2 = 0 | documented | the CPU does not reach the GPU's own memory; PCIe coherency is one way
system_atomics = 1 | documented | CUDA C++ Programming Guide, atomics: system scope from cc 6.0 on

[timing]
cpu_hit_ps = 560 | inferred | 2 cycles
cpu_miss_ps = 8000 | inferred | as Thor
cpu_uncached_ps = 47900 | inferred | as Nano; pinned memory is cached here, so it is not used for it
cpu_maintain_line_ps = 10000 | inferred | half a line fill, no published figure
gpu_l2_hit_cycles = 200 | inferred | order of magnitude of published microbenchmarks of NVIDIA GPUs
gpu_dram_cycles = 816 | inferred | as Thor, no row of this board
launch_ns = 2000 | inferred | the part of launch and synchronise (7.7 us on an Orin Nano, Lucineer/gpu-native-room-inference) that the GPU has
dram_permille = 915 | inferred | as AGX Orin, no row of this board
gpu_permille = 880 | inferred | between Orin NX and AGX Orin; no row of this board
managed_permille = 728 | inferred | the part of device memory that it is on Thor
pinned_permille = 672 | inferred | the part of device memory that it is on Thor
pageable_permille = 672 | inferred | as pinned; the GPU reaches pageable memory on Thor alone
copy_permille = 733 | inferred | as Thor, no row of this board
l2_sm_bytes = 51 | inferred | as Thor, no row of this board
copy_ns = 6200 | inferred | as Orin Nano, no row of this board
copy_sync_ns = 6820 | inferred | Thor's, by the clock of the CPU
submit_ns = 1460 | inferred | Orin Nano's, by the clock of the CPU
sync_ns = 920 | inferred | Orin Nano's, by the clock of the CPU
sync_block_ns = 20000 | inferred | an interrupt and a wake-up; no published figure
event_ns = 1040 | inferred | Orin Nano's, by the clock of the CPU
graph_node_ns = 80 | inferred | Orin Nano's, by the clock of the CPU
alloc_ns = 100000 | inferred | order of magnitude of cudaMalloc; no published figure
map_ns = 20000 | inferred | order of magnitude of a call into the kernel; no published figure
dla_submit_ns = 50000 | inferred | a part of the 200 us of a whole task through TensorRT; no published figure

