/* SPDX-License-Identifier: MIT */
/* clang's intrinsics header asks for this name; vtegra/device_sync.h has what belongs here. */
