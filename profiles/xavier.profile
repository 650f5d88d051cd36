# SPDX-License-Identifier: MIT
# Jetson AGX Xavier 32GB, highest power mode.
# key = value | standing | source. Standing: documented (by NVIDIA or Arm, where), measured (printed by or run on a board,
# where), inferred (our choice, why). The keys, their units and limits are in model/profile.def.

[soc]
name = xavier | documented | the name vtegra gives it
marketing = Jetson AGX Xavier 32GB | documented | NVIDIA Jetson module data sheet
chip = t194 | documented | Jetson Linux Developer Guide, chip codes
os = linux,qnx,embedded-linux | inferred | Jetson Linux; DRIVE AGX Xavier has QNX and DRIVE OS Linux on the same chip
io_coherent = 1 | documented | CUDA for Tegra, 2.1: from Xavier on
editions = 10.2,11.4,11.8 | documented | JetPack 4 and 5; CUDA for Tegra 13.4, 8.2.1: JetPack 5 has CUDA 11.4, and 11.8 by upgrade package
edition = 11.8 | inferred | the newest of them; vtegra run --edition takes another

[cpu]
name = Carmel | documented | NVIDIA Jetson module data sheet
cores = 8 | documented | NVIDIA Jetson module data sheet
clock_khz = 2265000 | documented | data sheet: 2.26 GHz
line_bytes = 64 | inferred | no Carmel manual: as every other Armv8 core of the family
cache_bytes = 4194304 | documented | data sheet: 4 MB L3
cache_ways = 16 | inferred | not published: as the family
lse = 1 | measured | /proc/cpuinfo: atomics (hrw/arm-socs-table#63)
lrcpc = 0 | measured | /proc/cpuinfo: no lrcpc (hrw/arm-socs-table#63)

[memory]
dram_bytes = 34359738368 | documented | NVIDIA Jetson module data sheet
carveout_bytes = 1850638336 | measured | 32 GiB less the 32509100032 bytes of a deviceQuery listing (OE4T/meta-tegra#1282)
bus_bits = 256 | measured | deviceQuery listing: what the driver reports, the module may differ
clock_khz = 1377000 | measured | deviceQuery listing at the highest clocks; lower in other power modes
numa_node = 0 | inferred | one CPU cluster with one DRAM: one node
bandwidth_mb_s = 136500 | documented | NVIDIA Jetson module data sheet

[gpu]
name = Xavier | measured | deviceQuery listing
cc_major = 7 | documented | CUDA GPUs list
cc_minor = 2 | documented | CUDA GPUs list
sm_count = 8 | measured | deviceQuery listing; fewer in lower power modes
cores_per_sm = 64 | documented | CUDA C++ Programming Guide, Technical Specifications
clock_khz = 1377000 | measured | deviceQuery listing
l1_bytes = 131072 | documented | CUDA C++ Programming Guide, cc 7.x: 128 KB of L1 and shared memory
l1_loads = 2 | documented | CUDA C++ Programming Guide, cc 7.x: global loads are cached in L1
l2_bytes = 524288 | measured | deviceQuery listing
l2_ways = 16 | inferred | not published; 16 ways fit the sizes and NVIDIA GPUs measured by others
l2_line_bytes = 128 | documented | CUDA C++ Best Practices Guide, coalesced access: 128-byte lines
l2_sector_bytes = 32 | documented | CUDA C++ Best Practices Guide, coalesced access: 32-byte transactions
l2_persisting_max_bytes = 0 | inferred | three quarters of L2 where L2 persistence exists (cc 8.0 on, Programming Guide)
access_policy_window_max_bytes = 0 | inferred | as A100 where L2 persistence exists (cc 8.0 on)
warp_threads = 32 | documented | CUDA C++ Programming Guide, Technical Specifications
block_threads_max = 1024 | documented | CUDA C++ Programming Guide, Technical Specifications
block_dim_max_x = 1024 | documented | CUDA C++ Programming Guide, Technical Specifications
block_dim_max_y = 1024 | documented | CUDA C++ Programming Guide, Technical Specifications
block_dim_max_z = 64 | documented | CUDA C++ Programming Guide, Technical Specifications
grid_dim_max_x = 2147483647 | documented | CUDA C++ Programming Guide, Technical Specifications
grid_dim_max_y = 65535 | documented | CUDA C++ Programming Guide, Technical Specifications
grid_dim_max_z = 65535 | documented | CUDA C++ Programming Guide, Technical Specifications
sm_threads_max = 2048 | measured | deviceQuery listing
sm_blocks_max = 32 | documented | CUDA C++ Programming Guide, Technical Specifications
block_smem_bytes = 49152 | measured | deviceQuery listing
block_smem_optin_bytes = 98304 | documented | CUDA C++ Programming Guide, Technical Specifications
block_smem_reserved_bytes = 0 | documented | CUDA C++ Programming Guide, Technical Specifications
sm_smem_bytes = 98304 | measured | deviceQuery listing
block_regs = 65536 | measured | deviceQuery listing
sm_regs = 65536 | documented | CUDA C++ Programming Guide, Technical Specifications
const_bytes = 65536 | measured | deviceQuery listing
local_bytes_max = 524288 | documented | CUDA C++ Programming Guide, Technical Specifications
pitch_max_bytes = 2147483647 | measured | deviceQuery listing
copy_engines = 1 | measured | deviceQuery listing
grids_max = 16 | documented | CUDA C++ Programming Guide, Technical Specifications
fp32_fp64_ratio = 2 | inferred | from throughput tables of the nearest documented compute capability
sfu_per_sm = 16 | documented | CUDA C++ Programming Guide, Arithmetic Instructions: rcp, rsqrt, lg2, ex2, sin, cos
ldst_per_sm = 32 | inferred | 32 units an SM in the whitepapers of Maxwell, Pascal, Volta and Ampere
block_cycles = 42 | inferred | as Orin Nano, no row of this board
tensor_fmas_per_sm = 512 | inferred | 64 tensor cores of 8 SMs (Jetson AGX Xavier data sheet), 64 multiply-adds each as Volta
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
memory_pools = 1 | inferred | driver of JetPack 5 (CUDA 11.4)
virtual_memory_management = 1 | inferred | driver of JetPack 5 (CUDA 11.4)
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
syncpts = 704 | documented | Linux host1x driver, syncpoint count of the chip

[dla]
cores = 2 | documented | NVIDIA Jetson module data sheet
version = 1.0 | documented | NVIDIA Jetson module data sheet: NVDLA of the first generation
config = nv_full | inferred | the open NVDLA's full configuration is the one of Xavier's time
clock_khz = 1395200 | inferred | not verified against the power mode tables of the Jetson Linux Developer Guide
int8_macs = 1792 | documented | Xavier: 5 TOPS a DLA at its clock
fp16_macs = 896 | documented | Xavier: 2.5 TFLOPS a DLA at its clock
bandwidth_mb_s = 22000 | inferred | the part of the DRAM's that it is on AGX Orin
coherent = 1 | inferred | upstream device trees mark host1x dma-coherent; CUDA for Tegra 2.1 claims it only for devices "such as a GPU"
cvsram_bytes = 4194304 | inferred | four slices of 1 MiB; not verified against the device tree of T194
stream_id0 = 81 | documented | dt-bindings/memory/tegra194-mc.h: TEGRA194_SID_NVDLA0
stream_id1 = 82 | documented | dt-bindings/memory/tegra194-mc.h: TEGRA194_SID_NVDLA1

[vic]
cores = 1 | documented | upstream device tree: vic@15340000
clock_khz = 1024000 | inferred | not verified against the power mode tables of the Jetson Linux Developer Guide
coherent = 0 | documented | upstream tegra194.dtsi as of Linux 5.16: vic@15340000 is not marked dma-coherent
stream_id = 3 | documented | dt-bindings/memory/tegra194-mc.h: TEGRA194_SID_VIC

[vi]
cores = 1 | documented | L4T device tree of T194: vi@15c10000
coherent = 0 | inferred | L4T device trees do not mark the VI dma-coherent; NvSciBuf calls the CPU cache maintenance of ISO engines necessary
stream_id = 4 | documented | dt-bindings/memory/tegra194-mc.h: TEGRA194_SID_VI

[rules]
managed_touch_signal = SIGSEGV | inferred | as Orin (ml-explore/mlx#3645)
cpu_snoops_l2 = 0 | documented | CUDA for Tegra, 2.1: coherency is one way
system_atomics = 1 | documented | CUDA for Tegra, 3.6

[timing]
cpu_hit_ps = 880 | inferred | 2 cycles
cpu_miss_ps = 10000 | inferred | Nano, scaled by DRAM bandwidth
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
copy_sync_ns = 10850 | inferred | Thor's, by the clock of the CPU
submit_ns = 2320 | inferred | Orin Nano's, by the clock of the CPU
sync_ns = 1460 | inferred | Orin Nano's, by the clock of the CPU
sync_block_ns = 20000 | inferred | an interrupt and a wake-up; no published figure
event_ns = 1660 | inferred | Orin Nano's, by the clock of the CPU
graph_node_ns = 130 | inferred | Orin Nano's, by the clock of the CPU
alloc_ns = 100000 | inferred | order of magnitude of cudaMalloc; no published figure
map_ns = 20000 | inferred | order of magnitude of a call into the kernel; no published figure
dla_submit_ns = 50000 | inferred | a part of the 200 us of a whole task through TensorRT; no published figure
