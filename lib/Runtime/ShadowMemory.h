//===- ShadowMemory.h - State of each byte ---------------------*- C++ -*--===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled code works on its memory as always. Shadow memory records, for each
// region that it has announced, which bytes have been written, and which access
// touched each element last.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_RUNTIME_SHADOWMEMORY_H
#define PALLAS_LIB_RUNTIME_SHADOWMEMORY_H

#include "pallas/Runtime/CheckedCode.h"
#include "pallas/Runtime/LLVM.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace pallas_rt {

/// The index of an element in memory of this shape, in row-major order.
SmallVector<int64_t, 4> getIndex(size_t element, ArrayRef<int64_t> shape);
/// For example "(0, 1)" or "[8, 0]".
std::string describeList(ArrayRef<int64_t> values, char open, char close);

/// Elements in memory: sizes and strides in elements.
struct MemoryView {
  uintptr_t address = 0;
  int64_t elementBytes = 1;
  SmallVector<int64_t, 4> sizes, strides;
  /// Addresses of the elements, if strides can't describe them.
  std::optional<std::vector<uintptr_t>> places;
  /// The packed view that these elements were resolved from.
  std::shared_ptr<const MemoryView> packed;

  int64_t getNumElements() const;
  /// Calls `body` with the address of each element, in row-major order.
  void forEach(function_ref<void(uintptr_t)> body) const;
};

/// The last accesses of an element: their numbers, or 0 for none. Of the reads
/// since it was written those that no other one is ordered behind. Where
/// several blocks write in turn for one copy, also what was there before the
/// first.
struct AccessCell {
  uint32_t write = 0;
  SmallVector<uint32_t, 2> reads;
};

struct MemoryRegion {
  uintptr_t begin = 0;
  int64_t elementBytes = 1;
  SmallVector<int64_t, 4> shape;
  /// Whether the first dimension counts cores, each of which sees the rest.
  bool isOfCores = false;
  std::string name;
  /// Bits of an element that nothing has written, by variant of the run.
  std::array<uint64_t, 4> fillers = {};
  std::vector<uint8_t> states;
  std::vector<AccessCell> cells;
  /// Of an output: where the input lies that is aliased to it, and whether
  /// writes go right into it instead of with a window.
  uintptr_t input = 0;
  bool isInPlace = false;
  /// Of an output: whether its windows are buffers on some device, which start
  /// without the contents of the array.
  bool hasBuffers = false;
  /// Whether programs that may run on different cores access the same array.
  bool isOfSeveralCores = false;

  int64_t getNumBytes() const;
  ByteState getState(uintptr_t address, int64_t bytes) const;
  void setState(uintptr_t address, int64_t bytes, ByteState state);
  /// Number of the element that the byte at `address` belongs to.
  size_t getElement(uintptr_t address) const {
    return (address - begin) / elementBytes;
  }
  AccessCell &getCell(uintptr_t address);
  /// `[1, 2]`: the index of an element in the region.
  std::string describeElement(uintptr_t address) const;
  void fill(uintptr_t address, unsigned variant);
};

/// A view that changes the width of elements: one of its rows consists of
/// several rows of the original, the first of them in the lowest bits, or the
/// other way round. Kernels work on a copy of such a view; the checker means
/// the original.
struct PackedView {
  /// The copy, which is dense.
  uintptr_t begin = 0;
  int64_t elementBytes = 1;
  SmallVector<int64_t, 4> shape;
  unsigned elementBits = 8, originalBits = 8;
  MemoryView original;

  int64_t getNumBytes() const;
};

class ShadowMemory {
public:
  /// From now on views of the copy mean the original.
  void addPacked(PackedView view);
  /// The elements that a view means.
  MemoryView resolve(MemoryView view) const;
  /// Brings bits of a packed view up to date that nothing has written.
  void refreshUnwritten(const MemoryView &packed);

  /// Forgets what was known of this memory before.
  void add(MemoryRegion region, ByteState state);
  void remove(uintptr_t begin) { regions.erase(begin); }
  /// The region that the address lies in; null if none was announced.
  MemoryRegion *find(uintptr_t address);
  /// Gives each byte of `target` the state of its counterpart; what is
  /// overwritten in one array is not in another.
  void copyStates(const MemoryView &source, const MemoryView &target);
  void setStates(const MemoryView &view, ByteState state);
  /// Another core may not have what was written to `view`.
  void moveElsewhere(const MemoryView &view);
  /// Marks what `view` of an aliased output holds as overwritten in the input.
  void overwriteInput(const MemoryView &view);

private:
  struct Piece {
    uintptr_t address;
    int64_t bytes;
  };
  void forget(uintptr_t begin, uintptr_t end);
  const PackedView *findPacked(uintptr_t address) const;
  void locate(uintptr_t address, int64_t bytes,
              SmallVectorImpl<Piece> &pieces) const;

  std::map<uintptr_t, MemoryRegion> regions;
  std::map<uintptr_t, PackedView> packedViews;
};

} // namespace pallas_rt

#endif // PALLAS_LIB_RUNTIME_SHADOWMEMORY_H
