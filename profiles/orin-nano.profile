# SPDX-License-Identifier: MIT
# Jetson Orin Nano 8GB, highest power mode.
# key = value | standing | source. Standing: documented (by NVIDIA or Arm, where), measured (printed by or run on a board,
# where), inferred (our choice, why). The keys, their units and limits are in model/profile.def.

[soc]
name = orin-nano | documented | the name vtegra gives it
marketing = Jetson Orin Nano 8GB | documented | NVIDIA Jetson module data sheet
chip = t234 | documented | Jetson Linux Developer Guide, chip codes
os = linux | inferred | Jetson Linux
io_coherent = 1 | documented | CUDA for Tegra, 2.1: from Xavier on
editions = 11.4,11.8,12.6,13.4 | documented | CUDA for Tegra 13.4, 8.2.1: JetPack 5 to 7
edition = 13.4 | inferred | the newest of them; vtegra run --edition takes another

[cpu]
name = Cortex-A78AE | documented | NVIDIA Jetson module data sheet
cores = 6 | documented | NVIDIA Jetson module data sheet
clock_khz = 1500000 | documented | data sheet: up to 1.5 GHz
line_bytes = 64 | documented | Arm Cortex-A78AE TRM
cache_bytes = 4194304 | documented | data sheet: 4 MB L3
cache_ways = 32 | inferred | 16 ways (Arm DSU TRM) in each of 2 clusters: a line may be in any of them
lse = 1 | documented | Arm Cortex-A78AE TRM: Armv8.2
lrcpc = 1 | documented | Arm Cortex-A78AE TRM: FEAT_LRCPC of Armv8.3

[memory]
dram_bytes = 8589934592 | documented | NVIDIA Jetson module data sheet
carveout_bytes = 570425344 | inferred | about 7.5 GiB are reported usable
bus_bits = 64 | measured | deviceQuery listing: what the driver reports, the module may differ
clock_khz = 624000 | measured | deviceQuery listing at the highest clocks; lower in other power modes
numa_node = 0 | inferred | one CPU cluster with one DRAM: one node
bandwidth_mb_s = 68000 | documented | NVIDIA Jetson module data sheet

[gpu]
name = Orin | measured | deviceQuery listing
cc_major = 8 | documented | CUDA GPUs list
cc_minor = 7 | documented | CUDA GPUs list
sm_count = 8 | measured | deviceQuery listing; fewer in lower power modes
cores_per_sm = 128 | documented | CUDA C++ Programming Guide, Technical Specifications
clock_khz = 624000 | measured | deviceQuery listing, 15 W mode
l1_bytes = 196608 | documented | CUDA C++ Programming Guide, cc 8.7: 192 KB of L1 and shared memory
l1_loads = 2 | documented | CUDA C++ Programming Guide, cc 8.x: as cc 7.x
l2_bytes = 2097152 | measured | deviceQuery listing
l2_ways = 16 | inferred | not published; 16 ways fit the sizes and NVIDIA GPUs measured by others
l2_line_bytes = 128 | documented | CUDA C++ Best Practices Guide, coalesced access: 128-byte lines
l2_sector_bytes = 32 | documented | CUDA C++ Best Practices Guide, coalesced access: 32-byte transactions
l2_persisting_max_bytes = 1572864 | inferred | three quarters of L2 where L2 persistence exists (cc 8.0 on, Programming Guide)
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
sm_blocks_max = 16 | documented | CUDA C++ Programming Guide, Technical Specifications
block_smem_bytes = 49152 | measured | deviceQuery listing
block_smem_optin_bytes = 166912 | documented | CUDA C++ Programming Guide, Technical Specifications: 163 KB
block_smem_reserved_bytes = 1024 | documented | CUDA C++ Programming Guide, Technical Specifications, shared memory of cc 8.x on: 1 KB is reserved
sm_smem_bytes = 167936 | measured | deviceQuery listing
block_regs = 65536 | measured | deviceQuery listing
sm_regs = 65536 | documented | CUDA C++ Programming Guide, Technical Specifications
const_bytes = 65536 | measured | deviceQuery listing
local_bytes_max = 524288 | documented | CUDA C++ Programming Guide, Technical Specifications
pitch_max_bytes = 2147483647 | measured | deviceQuery listing
copy_engines = 2 | measured | deviceQuery listing
grids_max = 128 | documented | CUDA C++ Programming Guide, Technical Specifications
fp32_fp64_ratio = 64 | inferred | from throughput tables of the nearest documented compute capability
sfu_per_sm = 16 | documented | CUDA C++ Programming Guide, Arithmetic Instructions: rcp, rsqrt, lg2, ex2, sin, cos
ldst_per_sm = 32 | inferred | 32 units an SM in the whitepapers of Maxwell, Pascal, Volta and Ampere
block_cycles = 42 | inferred | Lucineer/gpu-native-room-inference: launches of 512 blocks in a loop 6.3 us each, less launch_ns, with 64 blocks an SM
tensor_fmas_per_sm = 1024 | inferred | dense int8 peak of the GPU in the data sheet of AGX Orin, halved: 85 TOPS, 16 SMs, 1.3 GHz
integrated = 1 | measured | deviceQuery listing
vidmem_bytes = 0 | documented | CUDA for Tegra, 3: an iGPU shares the DRAM
can_map_host_memory = 1 | measured | deviceQuery listing
unified_addressing = 1 | measured | deviceQuery listing
managed_memory = 1 | measured | deviceQuery listing
concurrent_managed_access = 0 | documented | CUDA for Tegra, 3.6: concurrent access not yet supported on iGPU
direct_managed_access_from_host = 0 | inferred | follows from no concurrent managed access
pageable_memory_access = 0 | documented | CUDA for Tegra, Table 1: pageable memory is not accessible to the iGPU
pageable_uses_host_page_tables = 0 | inferred | follows from no pageable access
host_register_supported = 1 | documented | CUDA for Tegra, 2.1: I/O-coherent platforms
host_register_read_only_supported = 0 | inferred | no listing shows it set
can_use_host_pointer_for_registered_mem = 1 | inferred | unified addressing where host registration exists
host_native_atomic_supported = 0 | inferred | coherency is one way (CUDA for Tegra, 2.1): CPU accesses cannot reach the L2
cooperative_launch = 1 | measured | deviceQuery listing
compute_preemption = 1 | measured | deviceQuery listing
stream_priorities = 1 | inferred | every cc from 3.5 on
concurrent_kernels = 1 | documented | CUDA C++ Programming Guide, Technical Specifications
global_l1_cache = 1 | inferred | Programming Guide, cc 5.x on: global loads may be cached in L1
local_l1_cache = 1 | inferred | Programming Guide: local memory is cached in L1
kernel_exec_timeout = 0 | inferred | no display watchdog is modelled
memory_pools = 1 | measured | kornia/kornia-rs#1010 uses cuMemAllocAsync
virtual_memory_management = 1 | measured | 0xShug0/audio.cpp#12 uses cuMemAddressReserve on Orin NX
host_numa_node = 0 | inferred | one node; without full coherency hostNumaId is -1
ecc = 0 | measured | deviceQuery listing
pci_domain = 0 | measured | deviceQuery listing
pci_bus = 0 | measured | deviceQuery listing
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
syncpts = 1024 | documented | DRIVE OS 6.0.5, host1x device node: nb-hw-pts

[dla]
cores = 0 | documented | NVIDIA Jetson module data sheet
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
cores = 1 | documented | upstream device tree: vic@15340000
clock_khz = 729600 | inferred | not verified against the power mode tables of the Jetson Linux Developer Guide
coherent = 1 | documented | upstream tegra234.dtsi: vic@15340000 is dma-coherent
stream_id = 52 | documented | dt-bindings/memory/tegra234-mc.h: TEGRA234_SID_VIC

[vi]
cores = 1 | documented | L4T device tree of T234: vi0@15c00000
coherent = 0 | inferred | an ISO client of the memory controller: NvSciBuf calls the CPU cache maintenance of ISO engines necessary
stream_id = 2 | documented | dt-bindings/memory/tegra234-mc.h: TEGRA234_SID_ISO_VI

[rules]
managed_touch_signal = SIGSEGV | measured | ml-explore/mlx#3645: segmentation fault on Jetson
cpu_snoops_l2 = 0 | documented | CUDA for Tegra, 2.1: coherency is one way
system_atomics = 1 | documented | CUDA for Tegra, 3.6

[timing]
cpu_hit_ps = 1330 | inferred | 2 cycles
cpu_miss_ps = 11000 | inferred | Nano, scaled by DRAM bandwidth
cpu_uncached_ps = 47900 | inferred | as Nano; pinned memory is cached here, so it is not used for it
cpu_maintain_line_ps = 10000 | inferred | half a line fill, no published figure
gpu_l2_hit_cycles = 200 | inferred | order of magnitude of published microbenchmarks of NVIDIA GPUs
gpu_dram_cycles = 816 | inferred | as Thor, no row of this board
launch_ns = 2000 | inferred | the part of launch and synchronise (7.7 us on an Orin Nano, Lucineer/gpu-native-room-inference) that the GPU has
dram_permille = 918 | measured | STREAM add 94.0 GB/s of 102.4 at MAXN_SUPER (branes-ai/graphs)
gpu_permille = 912 | measured | STREAM scale 92.8 and add 94.0 GB/s of 102.4 at MAXN_SUPER (branes-ai/graphs), as a part of nominal bandwidth
managed_permille = 754 | inferred | the part of device memory that it is on Thor
pinned_permille = 696 | inferred | the part of device memory that it is on Thor
pageable_permille = 696 | inferred | as pinned; the GPU reaches pageable memory on Thor alone
copy_permille = 733 | inferred | as Thor, no row of this board
l2_sm_bytes = 51 | inferred | as Thor, no row of this board
copy_ns = 6200 | measured | Lucineer/gpu-native-room-inference: a kernel and a copy in a loop take 6.6, 6.0 and 6.1 us longer than the kernel (zero copy)
copy_sync_ns = 16380 | inferred | Thor's, by the clock of the CPU
submit_ns = 3500 | measured | Lucineer/gpu-native-room-inference: empty launch 3.5 us
sync_ns = 2200 | inferred | Lucineer/gpu-native-room-inference: launch and synchronise 7.7 us, less submit_ns and launch_ns
sync_block_ns = 20000 | inferred | Lucineer/gpu-native-room-inference: cudaStreamSynchronize adds about 20 us, if that wait sleeps
event_ns = 2500 | inferred | Lucineer/gpu-native-room-inference: create, record, synchronise, destroy 9.2 us, less launch_ns and sync_ns, half for create and half for record
graph_node_ns = 200 | measured | Lucineer/gpu-native-room-inference: a graph of two kernels takes as long as one of one, 6.7 us
alloc_ns = 100000 | inferred | order of magnitude of cudaMalloc; no published figure
map_ns = 20000 | inferred | order of magnitude of a call into the kernel; no published figure
dla_submit_ns = 50000 | inferred | a part of the 200 us of a whole task through TensorRT; no published figure
