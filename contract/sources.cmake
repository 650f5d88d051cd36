# SPDX-License-Identifier: MIT
# What a runtime and its board must read alike: kernel code, registers, records, requests.
set(contract_patterns
  ptx/*.c ptx/*.h ptx/*.def                                                              # what a driver links, and an iGPU decodes
  model/regs/*.def model/regs/*.h                                                        # registers, commands, descriptors
  trace/record.def trace/record.h model/bus.h model/soc.h model/values.h model/engines.def # records, and numbers in them
  qemu-plugin/control.def qemu-plugin/control.h qemu-plugin/track.h qemu-plugin/record.h # the plugin's own block
  runtime/hal.h runtime/hal/board/board.h)                                               # requests to a board in another process
