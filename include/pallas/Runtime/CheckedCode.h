//===- CheckedCode.h - What checked code tells its runtime ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code is checked by a runtime that it calls at whatever happens to refs. Both
// sides go by the numbers here.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_RUNTIME_CHECKEDCODE_H
#define PALLAS_RUNTIME_CHECKEDCODE_H

#include <cstdint>

namespace pallas_rt {

/// How an operation accesses memory. Bits: reads, writes, happens at once, is a
/// copy's, is that of a copy to several blocks. Without any, what lies there
/// becomes padding.
enum class AccessKind {
  Padding = 0,
  Read = 1,
  Write = 2,
  Update = 3,
  Atomic = 7,
  CopyWrite = 10,
  MulticastWrite = 26
};

/// State of a byte. Elements of an input are overwritten when the output that
/// is aliased to it has got their places. Elements of scratch memory and
/// of a window that stays are elsewhere when only programs have written them
/// that differ along a parallel dimension: those may run on another core. No
/// memory starts so.
enum class ByteState : uint8_t {
  Written = 0,
  Unwritten = 1,
  Padding = 2,
  Overwritten = 3,
  Elsewhere = 4
};

/// Properties of memory that is announced.
enum RegionFlags : int64_t {
  /// Each of the tasks that share it announces it.
  kSharedRegion = 1,
  /// It starts to exist, where other memory may have been before.
  kNewRegion = 2,
  /// Each core has an element of its first dimension.
  kRegionOfCores = 4
};

/// Properties of a window of a block.
enum WindowFlags : int64_t {
  kOutputWindow = 1,
  /// It may come back after other windows of its block.
  kReturningWindow = 2,
  /// On some device it is a private buffer.
  kBufferedWindow = 4
};

} // namespace pallas_rt

#endif // PALLAS_RUNTIME_CHECKEDCODE_H
