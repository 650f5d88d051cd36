# SPDX-License-Identifier: MIT
# DRIVE PX 2 AutoChauffeur: one of its two Parkers with the Pascal GPU beside it. Figures of the Parker are those of Jetson TX2: same chip.
# key = value | standing | source. Standing: documented (by NVIDIA or Arm, where), measured (printed by or run on a board,
# where), inferred (our choice, why). The keys, their units and limits are in model/profile.def.

[soc]
name = drive-px2 | documented | the name vtegra gives it
marketing = DRIVE PX 2, one Parker and its GP106 | documented | NVIDIA DRIVE PX 2 platform: two Tegra and two Pascal GPUs
chip = t186 | documented | Jetson Linux Developer Guide, chip codes
os = linux,qnx | inferred | Jetson Linux; DRIVE PX 2 ships QNX on the same chip
io_coherent = 0 | documented | CUDA for Tegra, 2.1: only from Xavier on
editions = 10.2 | documented | JetPack 4 (CUDA 10.2) is the last for it
edition = 10.2 | inferred | the newest of them; vtegra run --edition takes another

[cpu]
name = Denver 2 and Cortex-A57 | documented | NVIDIA Jetson module data sheet
cores = 6 | documented | NVIDIA Jetson module data sheet
clock_khz = 2000000 | documented | data sheet: 2.0 GHz
line_bytes = 64 | documented | Arm Cortex-A57 TRM; Denver 2 taken as the same
cache_bytes = 2097152 | documented | data sheet: 2 MB L2 a cluster; one cluster modelled
cache_ways = 16 | documented | Arm Cortex-A57 TRM, L2
lse = 0 | measured | /proc/cpuinfo of both clusters: no atomics (hrw/arm-socs-table#25)
lrcpc = 0 | measured | /proc/cpuinfo of both clusters: no lrcpc (hrw/arm-socs-table#25)

[memory]
dram_bytes = 8589934592 | documented | NVIDIA Jetson module data sheet
carveout_bytes = 354357248 | measured | 8 GiB less the 8235577344 bytes of a deviceQuery listing (opencv/opencv#8554)
bus_bits = 128 | measured | deviceQuery listing: what the driver reports, the module may differ
clock_khz = 1300000 | measured | deviceQuery listing at the highest clocks; lower in other power modes
numa_node = 0 | inferred | one CPU cluster with one DRAM: one node
bandwidth_mb_s = 59700 | documented | NVIDIA Jetson module data sheet

[gpu]
name = NVIDIA Tegra X2 | measured | deviceQuery listing; JetPack 3 prints GP10B
cc_major = 6 | documented | CUDA GPUs list
cc_minor = 2 | documented | CUDA GPUs list
sm_count = 2 | measured | deviceQuery listing; fewer in lower power modes
cores_per_sm = 128 | documented | CUDA C++ Programming Guide, Technical Specifications
clock_khz = 1300000 | measured | deviceQuery listing
l1_bytes = 24576 | inferred | Pascal Tuning Guide: 24 KB of L1 where shared memory has 96 KB
l1_loads = 1 | documented | CUDA C++ Programming Guide, cc 6.x: as cc 5.x
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
block_smem_optin_bytes = 49152 | documented | CUDA C++ Programming Guide, Technical Specifications
block_smem_reserved_bytes = 0 | documented | CUDA C++ Programming Guide, Technical Specifications
sm_smem_bytes = 65536 | measured | deviceQuery listing
block_regs = 32768 | measured | deviceQuery listing
sm_regs = 65536 | documented | CUDA C++ Programming Guide, Technical Specifications
const_bytes = 65536 | measured | deviceQuery listing
local_bytes_max = 524288 | documented | CUDA C++ Programming Guide, Technical Specifications
pitch_max_bytes = 2147483647 | measured | deviceQuery listing
copy_engines = 1 | measured | deviceQuery listing
grids_max = 16 | documented | CUDA C++ Programming Guide, Technical Specifications
fp32_fp64_ratio = 32 | inferred | from throughput tables of the nearest documented compute capability
sfu_per_sm = 32 | documented | CUDA C++ Programming Guide, Arithmetic Instructions: rcp, rsqrt, lg2, ex2, sin, cos
ldst_per_sm = 32 | inferred | 32 units an SM in the whitepapers of Maxwell, Pascal, Volta and Ampere
block_cycles = 42 | inferred | as Orin Nano, no row of this board
tensor_fmas_per_sm = 0 | documented | no tensor cores before cc 7.0
integrated = 1 | measured | deviceQuery listing
vidmem_bytes = 0 | documented | CUDA for Tegra, 3: an iGPU shares the DRAM
can_map_host_memory = 1 | measured | deviceQuery listing
unified_addressing = 1 | measured | deviceQuery listing
managed_memory = 1 | measured | deviceQuery listing
concurrent_managed_access = 0 | documented | CUDA for Tegra, 3.6: concurrent access not yet supported on iGPU
direct_managed_access_from_host = 0 | inferred | follows from no concurrent managed access
pageable_memory_access = 0 | documented | CUDA for Tegra, Table 1: pageable memory is not accessible to the iGPU
pageable_uses_host_page_tables = 0 | inferred | follows from no pageable access
host_register_supported = 0 | documented | CUDA for Tegra, 2.1: only I/O-coherent platforms
host_register_read_only_supported = 0 | inferred | no listing shows it set
can_use_host_pointer_for_registered_mem = 0 | inferred | unified addressing where host registration exists
host_native_atomic_supported = 0 | inferred | coherency is one way (CUDA for Tegra, 2.1): CPU accesses cannot reach the L2
cooperative_launch = 1 | measured | deviceQuery listing
compute_preemption = 1 | measured | deviceQuery listing
stream_priorities = 1 | inferred | every cc from 3.5 on
concurrent_kernels = 1 | documented | CUDA C++ Programming Guide, Technical Specifications
global_l1_cache = 1 | inferred | Programming Guide, cc 5.x on: global loads may be cached in L1
local_l1_cache = 1 | inferred | Programming Guide: local memory is cached in L1
kernel_exec_timeout = 0 | inferred | no display watchdog is modelled
memory_pools = 0 | inferred | toolkit 10.2 has no pools
virtual_memory_management = 0 | inferred | toolkit 10.2: not on Tegra
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
syncpts = 576 | documented | Linux host1x driver, syncpoint count of the chip

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
clock_khz = 1024000 | inferred | not verified against the power mode tables of the Jetson Linux Developer Guide
coherent = 0 | documented | CUDA for Tegra 2.1: no I/O coherency before Xavier
stream_id = 3 | documented | dt-bindings/memory/tegra186-mc.h: TEGRA186_SID_VIC

[vi]
cores = 1 | documented | L4T device tree of T186: vi@15700000
coherent = 0 | documented | CUDA for Tegra 2.1: no I/O coherency before Xavier
stream_id = 4 | documented | dt-bindings/memory/tegra186-mc.h: TEGRA186_SID_VI

[rules]
managed_touch_signal = SIGSEGV | inferred | as Orin (ml-explore/mlx#3645)
cpu_snoops_l2 = 0 | documented | CUDA for Tegra, 2.1: coherency is one way
system_atomics = 0 | documented | CUDA for Tegra, 3.6: not supported below cc 7.2

[timing]
cpu_hit_ps = 1000 | inferred | 2 cycles
cpu_miss_ps = 16000 | inferred | Nano, scaled by DRAM bandwidth
cpu_uncached_ps = 47900 | inferred | as Nano
cpu_maintain_line_ps = 10000 | inferred | half a line fill, no published figure
gpu_l2_hit_cycles = 200 | inferred | order of magnitude of published microbenchmarks of NVIDIA GPUs
gpu_dram_cycles = 816 | inferred | as Thor, no row of this board
launch_ns = 2000 | inferred | the part of launch and synchronise (7.7 us on an Orin Nano, Lucineer/gpu-native-room-inference) that the GPU has
dram_permille = 915 | inferred | as AGX Orin, no row of this board
gpu_permille = 880 | inferred | between Orin NX and AGX Orin; no row of this board
managed_permille = 880 | inferred | as device memory: no CPU cache is looked at
pinned_permille = 440 | inferred | half: uncached sectors of 32 bytes, each a DRAM transaction of 64
pageable_permille = 440 | inferred | as pinned; the GPU reaches pageable memory on Thor alone
copy_permille = 733 | inferred | as Thor, no row of this board
l2_sm_bytes = 51 | inferred | as Thor, no row of this board
copy_ns = 6200 | inferred | as Orin Nano, no row of this board
copy_sync_ns = 12280 | inferred | Thor's, by the clock of the CPU
submit_ns = 2620 | inferred | Orin Nano's, by the clock of the CPU
sync_ns = 1650 | inferred | Orin Nano's, by the clock of the CPU
sync_block_ns = 20000 | inferred | an interrupt and a wake-up; no published figure
event_ns = 1880 | inferred | Orin Nano's, by the clock of the CPU
graph_node_ns = 150 | inferred | Orin Nano's, by the clock of the CPU
alloc_ns = 100000 | inferred | order of magnitude of cudaMalloc; no published figure
map_ns = 20000 | inferred | order of magnitude of a call into the kernel; no published figure
dla_submit_ns = 50000 | inferred | a part of the 200 us of a whole task through TensorRT; no published figure

[dgpu]
name = NVIDIA Pascal GP106 | inferred | our choice: DriveOS names the chip (PCI 10de:1c35)
cc_major = 6 | documented | CUDA GPUs list, Pascal GP106
cc_minor = 1 | documented | CUDA GPUs list, Pascal GP106
sm_count = 10 | inferred | GeForce GTX 1060 6GB, the same chip GP106 (public deviceQuery listings); of the board none was found
cores_per_sm = 128 | documented | CUDA C++ Programming Guide, arithmetic throughput: 128 a SM
clock_khz = 1709000 | inferred | GeForce GTX 1060 6GB, the same chip GP106 (public deviceQuery listings); of the board none was found
l1_bytes = 49152 | documented | Tuning CUDA Applications for Pascal, 1.4.3: 48 KB in GP104 (and its smaller kin)
l1_loads = 1 | documented | Tuning CUDA Applications for Pascal, 1.4.3.1: global loads are not cached in L1 by default, but ld.ca
l2_bytes = 1572864 | inferred | GeForce GTX 1060 6GB, the same chip GP106 (public deviceQuery listings); of the board none was found
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
sm_threads_max = 2048 | documented | CUDA C++ Programming Guide, Technical Specifications, cc 6.1
sm_blocks_max = 32 | documented | CUDA C++ Programming Guide, Technical Specifications, cc 6.1
block_smem_bytes = 49152 | inferred | as the GeForce RTX 2080 Ti of desktop.profile, the same generation
block_smem_optin_bytes = 49152 | documented | CUDA C++ Programming Guide, Technical Specifications, cc 6.1: 48 KB
block_smem_reserved_bytes = 0 | documented | CUDA C++ Programming Guide, Technical Specifications: nothing is reserved below cc 8.0
sm_smem_bytes = 98304 | documented | CUDA C++ Programming Guide, Technical Specifications, cc 6.1: 96 KB
block_regs = 65536 | inferred | as the GeForce RTX 2080 Ti of desktop.profile, the same generation
sm_regs = 65536 | documented | CUDA C++ Programming Guide, Technical Specifications
const_bytes = 65536 | inferred | as the GeForce RTX 2080 Ti of desktop.profile, the same generation
local_bytes_max = 524288 | documented | CUDA C++ Programming Guide, Technical Specifications
pitch_max_bytes = 2147483647 | inferred | as the GeForce RTX 2080 Ti of desktop.profile, the same generation
copy_engines = 2 | inferred | GeForce GTX 1060 6GB, the same chip GP106 (public deviceQuery listings); of the board none was found
grids_max = 32 | documented | CUDA C++ Programming Guide, Technical Specifications, cc 6.1
fp32_fp64_ratio = 32 | documented | CUDA C++ Programming Guide, arithmetic throughput, cc 6.1: 128 to 4
sfu_per_sm = 32 | documented | CUDA C++ Programming Guide, Arithmetic Instructions: rcp, rsqrt, lg2, ex2, sin, cos
ldst_per_sm = 32 | inferred | 32 units an SM in the whitepapers of Maxwell, Pascal, Volta and Ampere
block_cycles = 42 | inferred | as Orin Nano, no row of this board
tensor_fmas_per_sm = 0 | documented | no tensor cores before cc 7.0
integrated = 0 | documented | CUDA for Tegra, 2: a discrete GPU with memory of its own
vidmem_bytes = 6367739904 | inferred | GeForce GTX 1060 6GB, the same chip GP106 (public deviceQuery listings); of the board none was found
can_map_host_memory = 1 | inferred | as the GeForce RTX 2080 Ti of desktop.profile, the same generation
unified_addressing = 1 | inferred | as the GeForce RTX 2080 Ti of desktop.profile, the same generation
managed_memory = 0 | documented | CUDA for Tegra, Table 1: unified memory is not supported on the dGPU
concurrent_managed_access = 0 | documented | CUDA for Tegra, Table 1: unified memory is not supported on the dGPU
direct_managed_access_from_host = 0 | documented | CUDA C++ Programming Guide, unified memory: needs hardware coherency
pageable_memory_access = 0 | documented | CUDA for Tegra, Table 1: pageable host memory is not accessible
pageable_uses_host_page_tables = 0 | documented | CUDA C++ Programming Guide, unified memory: hardware coherent systems alone
host_register_supported = 1 | inferred | no x86 Linux without it is known
host_register_read_only_supported = 0 | inferred | no listing shows it set
can_use_host_pointer_for_registered_mem = 1 | inferred | unified addressing where host registration exists
host_native_atomic_supported = 0 | documented | CUDA C++ Programming Guide, atomics: needs NVLink to the CPU, not PCIe
cooperative_launch = 1 | inferred | as the GeForce RTX 2080 Ti of desktop.profile, the same generation
compute_preemption = 1 | inferred | as the GeForce RTX 2080 Ti of desktop.profile, the same generation
stream_priorities = 1 | inferred | every cc from 3.5 on
concurrent_kernels = 1 | documented | CUDA C++ Programming Guide, Technical Specifications
global_l1_cache = 1 | inferred | Programming Guide, cc 5.x on: global loads may be cached in L1
local_l1_cache = 1 | inferred | Programming Guide: local memory is cached in L1
kernel_exec_timeout = 0 | documented | DriveWorks SDK reference, Choosing the GPU for Execution: no display on the dGPU
memory_pools = 1 | documented | CUDA C++ Programming Guide, stream-ordered allocator: CUDA 11.2, UVA systems
virtual_memory_management = 1 | documented | CUDA C++ Programming Guide, virtual memory management: x86 Linux
host_numa_node = 0 | inferred | one node; without full coherency hostNumaId is -1
ecc = 0 | inferred | as the GeForce RTX 2080 Ti of desktop.profile, the same generation
pci_domain = 0 | inferred | as the GeForce RTX 2080 Ti of desktop.profile, the same generation
pci_bus = 1 | inferred | our choice: behind the first root port
pci_device = 0 | inferred | as the GeForce RTX 2080 Ti of desktop.profile, the same generation

[dgpu_texture]
alignment_bytes = 512 | inferred | as the GeForce RTX 2080 Ti of desktop.profile
pitch_alignment_bytes = 32 | inferred | deviceQuery of every CUDA GPU of the decade
surface_alignment_bytes = 512 | inferred | as the texture alignment
max_1d = 131072 | inferred | as the GeForce RTX 2080 Ti of desktop.profile
max_1d_linear = 134217728 | documented | CUDA C++ Programming Guide, Technical Specifications, cc 6.1
max_2d_x = 131072 | inferred | as the GeForce RTX 2080 Ti of desktop.profile
max_2d_y = 65536 | inferred | as the GeForce RTX 2080 Ti of desktop.profile
max_3d_x = 16384 | inferred | as the GeForce RTX 2080 Ti of desktop.profile
max_3d_y = 16384 | inferred | as the GeForce RTX 2080 Ti of desktop.profile
max_3d_z = 16384 | inferred | as the GeForce RTX 2080 Ti of desktop.profile
max_1d_layered_x = 32768 | inferred | as the GeForce RTX 2080 Ti of desktop.profile
max_1d_layers = 2048 | inferred | as the GeForce RTX 2080 Ti of desktop.profile
max_2d_layered_x = 32768 | inferred | as the GeForce RTX 2080 Ti of desktop.profile
max_2d_layered_y = 32768 | inferred | as the GeForce RTX 2080 Ti of desktop.profile
max_2d_layers = 2048 | inferred | as the GeForce RTX 2080 Ti of desktop.profile

[dgpu_memory]
bus_bits = 192 | inferred | GeForce GTX 1060 6GB, the same chip GP106 (public deviceQuery listings); of the board none was found
clock_khz = 4004000 | inferred | GeForce GTX 1060 6GB, the same chip GP106 (public deviceQuery listings); of the board none was found
bandwidth_mb_s = 192200 | inferred | GeForce GTX 1060 6GB, the same chip GP106 (public deviceQuery listings); of the board none was found: 192 bits at 8 Gbit/s
link = pcie | documented | DRIVE 5.0 Linux SDK Development Guide: the discrete GPU is a PCIe device
link_mb_s = 1970 | inferred | PCI Express 2.0, four lanes of 500 MB/s less 1.5 % of headers
