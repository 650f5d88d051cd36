# SPDX-License-Identifier: MIT
# Jetson Nano 4GB, highest power mode.
# key = value | standing | source. Standing: documented (by NVIDIA or Arm, where), measured (printed by or run on a board,
# where), inferred (our choice, why). The keys, their units and limits are in model/profile.def.

[soc]
name = nano | documented | the name vtegra gives it
marketing = Jetson Nano 4GB | documented | NVIDIA Jetson module data sheet
chip = t210 | documented | Jetson Linux Developer Guide, chip codes
os = linux,android | inferred | Jetson Linux; SHIELD ships Android on the same chip
io_coherent = 0 | documented | CUDA for Tegra, 2.1: only from Xavier on
editions = 10.2 | documented | JetPack 4 (CUDA 10.2) is the last for it
edition = 10.2 | inferred | the newest of them; vtegra run --edition takes another

[cpu]
name = Cortex-A57 | documented | NVIDIA Jetson module data sheet
cores = 4 | documented | NVIDIA Jetson module data sheet
clock_khz = 1430000 | documented | data sheet: 1.43 GHz
line_bytes = 64 | documented | Arm Cortex-A57 TRM
cache_bytes = 2097152 | documented | data sheet: 2 MB L2, shared
cache_ways = 16 | documented | Arm Cortex-A57 TRM, L2
lse = 0 | documented | Arm Cortex-A57 TRM: Armv8.0
lrcpc = 0 | documented | Arm Cortex-A57 TRM: Armv8.0

[memory]
dram_bytes = 4294967296 | documented | NVIDIA Jetson module data sheet
carveout_bytes = 139132928 | measured | 4 GiB less the 4155834368 bytes of a deviceQuery listing (Technica-Corporation/Tegra-Docker#12)
bus_bits = 64 | measured | deviceQuery listing: what the driver reports, the module may differ
clock_khz = 13000 | measured | deviceQuery listing at the highest clocks; lower in other power modes
numa_node = 0 | inferred | one CPU cluster with one DRAM: one node
bandwidth_mb_s = 25600 | documented | NVIDIA Jetson module data sheet

[gpu]
name = NVIDIA Tegra X1 | measured | deviceQuery listing
cc_major = 5 | documented | CUDA GPUs list
cc_minor = 3 | documented | CUDA GPUs list
sm_count = 1 | measured | deviceQuery listing; fewer in lower power modes
cores_per_sm = 128 | documented | CUDA C++ Programming Guide, Technical Specifications
clock_khz = 922000 | measured | deviceQuery listing
l1_bytes = 24576 | inferred | Maxwell Tuning Guide: the L1 joins the texture cache, 24 KB
l1_loads = 1 | documented | CUDA C++ Programming Guide, cc 5.x: global loads are cached in L2 only; read-only ones in L1, too
l2_bytes = 262144 | measured | deviceQuery listing
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
sm_smem_bytes = 65536 | documented | CUDA C++ Programming Guide, Technical Specifications
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
cooperative_launch = 0 | inferred | needs cc 6.0 (Programming Guide, cooperative groups)
compute_preemption = 0 | inferred | Pascal introduced it
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
max_1d = 65536 | measured | deviceQuery listing
max_1d_linear = 134217728 | documented | CUDA C++ Programming Guide, Technical Specifications
max_2d_x = 65536 | measured | deviceQuery listing
max_2d_y = 65536 | measured | deviceQuery listing
max_3d_x = 4096 | measured | deviceQuery listing
max_3d_y = 4096 | measured | deviceQuery listing
max_3d_z = 4096 | measured | deviceQuery listing
max_1d_layered_x = 16384 | measured | deviceQuery listing
max_1d_layers = 2048 | measured | deviceQuery listing
max_2d_layered_x = 16384 | measured | deviceQuery listing
max_2d_layered_y = 16384 | measured | deviceQuery listing
max_2d_layers = 2048 | measured | deviceQuery listing

[host1x]
syncpts = 192 | documented | Linux host1x driver, syncpoint count of the chip

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
cores = 0 | inferred | VIC behind another SMMU than this model has
clock_khz = 0 | inferred | VIC behind another SMMU than this model has
coherent = 0 | inferred | VIC behind another SMMU than this model has
stream_id = 0 | inferred | VIC behind another SMMU than this model has

[vi]
cores = 0 | inferred | VI behind another SMMU than this model has
coherent = 0 | inferred | VI behind another SMMU than this model has
stream_id = 0 | inferred | VI behind another SMMU than this model has

[rules]
managed_touch_signal = SIGSEGV | inferred | as Orin (ml-explore/mlx#3645)
cpu_snoops_l2 = 0 | documented | CUDA for Tegra, 2.1: coherency is one way
system_atomics = 0 | documented | CUDA for Tegra, 3.6: not supported below cc 7.2

[timing]
cpu_hit_ps = 1400 | inferred | 2 cycles at 1.43 GHz
cpu_miss_ps = 20680 | measured | xnd-project/cuda-benchmarks#3, CPU reading 40000000 x 3 8-byte words on a Nano: 3810 ps a word from managed memory, 8 words a line, 7 of them hits
cpu_uncached_ps = 47900 | measured | xnd-project/cuda-benchmarks#3, CPU reading 40000000 x 3 8-byte words on a Nano: 5.748 s from pinned memory
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
copy_sync_ns = 17180 | inferred | Thor's, by the clock of the CPU
submit_ns = 3670 | inferred | Orin Nano's, by the clock of the CPU
sync_ns = 2310 | inferred | Orin Nano's, by the clock of the CPU
sync_block_ns = 20000 | inferred | an interrupt and a wake-up; no published figure
event_ns = 2620 | inferred | Orin Nano's, by the clock of the CPU
graph_node_ns = 210 | inferred | Orin Nano's, by the clock of the CPU
alloc_ns = 100000 | inferred | order of magnitude of cudaMalloc; no published figure
map_ns = 20000 | inferred | order of magnitude of a call into the kernel; no published figure
dla_submit_ns = 50000 | inferred | a part of the 200 us of a whole task through TensorRT; no published figure
