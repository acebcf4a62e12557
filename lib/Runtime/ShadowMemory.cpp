//===- ShadowMemory.cpp - State of each byte ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has views, regions and packed views of shadow memory.
//
//===----------------------------------------------------------------------===//

#include "ShadowMemory.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace pallas_rt;

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

SmallVector<int64_t, 4> pallas_rt::getIndex(size_t element,
                                            ArrayRef<int64_t> shape) {
  SmallVector<int64_t, 4> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = element % shape[d];
    element /= shape[d];
  }
  return index;
}

std::string pallas_rt::describeList(ArrayRef<int64_t> values, char open,
                                    char close) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << open;
  llvm::interleaveComma(values, stream);
  stream << close;
  return text;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Views of packed memory list their places, as no strides describe them.
int64_t MemoryView::getNumElements() const {
  if (places)
    return places->size();
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= std::max<int64_t>(size, 0);
  return count;
}

/// An odometer instead of nested loops, as the rank varies.
void MemoryView::forEach(function_ref<void(uintptr_t)> body) const {
  if (places) {
    llvm::for_each(*places, body);
    return;
  }
  int64_t count = getNumElements();
  SmallVector<int64_t, 4> position(sizes.size(), 0);
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i) {
    body(address + offset * elementBytes);
    for (size_t d = sizes.size(); d-- > 0;) {
      offset += strides[d];
      if (++position[d] < sizes[d])
        break;
      offset -= sizes[d] * strides[d];
      position[d] = 0;
    }
  }
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// The shadow has a state per byte, not per element: views with other elements
/// look at the same memory.
int64_t MemoryRegion::getNumBytes() const {
  return llvm::product_of(shape, elementBytes);
}

/// The state of an element is that of its first byte that is not written.
ByteState MemoryRegion::getState(uintptr_t address, int64_t bytes) const {
  size_t first = address - begin;
  for (size_t i = first; i < std::min<size_t>(first + bytes, states.size());
       ++i)
    if (states[i])
      return static_cast<ByteState>(states[i]);
  return ByteState::Written;
}

/// Clamps at the end, where a view of wider elements may extend past the
/// region.
void MemoryRegion::setState(uintptr_t address, int64_t bytes, ByteState state) {
  size_t first = std::min<size_t>(address - begin, states.size());
  size_t count = std::min<size_t>(bytes, states.size() - first);
  std::memset(states.data() + first, static_cast<int>(state), count);
}

/// Cells are allocated at the first access that is recorded: most regions need
/// none.
AccessCell &MemoryRegion::getCell(uintptr_t address) {
  if (cells.empty())
    cells.resize(states.size() / elementBytes);
  return cells[getElement(address)];
}

/// Messages name the element of the ref that users wrote, not an address.
std::string MemoryRegion::describeElement(uintptr_t address) const {
  SmallVector<int64_t, 4> index = getIndex(getElement(address), shape);
  return describeList(ArrayRef(index).drop_front(isOfCores), '[', ']');
}

/// Gives the bytes of an element that have no value made-up ones.
void MemoryRegion::fill(uintptr_t address, unsigned variant) {
  size_t first = getElement(address) * elementBytes;
  auto *bytes = reinterpret_cast<char *>(begin + first);
  const char *filler = reinterpret_cast<const char *>(&fillers[variant]);
  for (size_t i = 0; i < std::min<size_t>(elementBytes, sizeof(uint64_t)); ++i)
    if (states[first + i] != static_cast<uint8_t>(ByteState::Written))
      bytes[i] = filler[i];
}

//===----------------------------------------------------------------------===//
// Packed views
//===----------------------------------------------------------------------===//

/// Of the copy, whose elements may be wider than the original's.
int64_t PackedView::getNumBytes() const {
  return llvm::product_of(shape, elementBytes);
}

/// The copy is memory of an arena, so it may have been something else before.
void ShadowMemory::addPacked(PackedView view) {
  uintptr_t begin = view.begin;
  forget(begin, begin + view.getNumBytes());
  packedViews[begin] = std::move(view);
}

/// Null if the address is in no packed view.
const PackedView *ShadowMemory::findPacked(uintptr_t address) const {
  auto it = packedViews.upper_bound(address);
  if (it == packedViews.begin())
    return nullptr;
  const PackedView &view = std::prev(it)->second;
  return address < view.begin + view.getNumBytes() ? &view : nullptr;
}

/// Appends where some bytes of an element lie, in the order of their bits. The
/// original may be packed itself.
void ShadowMemory::locate(uintptr_t address, int64_t bytes,
                          SmallVectorImpl<Piece> &pieces) const {
  const PackedView *view = findPacked(address);
  if (!view) {
    pieces.push_back({address, bytes});
    return;
  }
  int64_t element = (address - view->begin) / view->elementBytes,
          offset = (address - view->begin) % view->elementBytes;
  SmallVector<int64_t, 4> index = getIndex(element, view->shape);
  auto getOriginal = [&] {
    int64_t position = 0;
    for (auto [i, stride] : llvm::zip_equal(index, view->original.strides))
      position += i * stride;
    return view->original.address + position * view->original.elementBytes;
  };
  // Rows of the dimension before the last one are interleaved.
  int64_t &row = index[index.size() - 2];
  if (view->originalBits > view->elementBits) {
    int64_t count = view->originalBits / view->elementBits, part = row % count;
    row /= count;
    return locate(getOriginal() + part * view->elementBits / 8 + offset, bytes,
                  pieces);
  }
  int64_t count = view->elementBits / view->originalBits,
          first = offset * 8 / view->originalBits,
          last = llvm::divideCeil((offset + bytes) * 8, view->originalBits);
  int64_t firstRow = row * count;
  for (int64_t part = first; part < last; ++part) {
    row = firstRow + part;
    locate(getOriginal(), view->original.elementBytes, pieces);
  }
}

/// Lists the elements of the original, one by one: no strides describe them.
MemoryView ShadowMemory::resolve(MemoryView view) const {
  if (!findPacked(view.address))
    return view;
  MemoryView resolved;
  resolved.places.emplace();
  SmallVector<Piece> pieces;
  view.forEach([&](uintptr_t address) {
    pieces.clear();
    locate(address, view.elementBytes, pieces);
    for (const Piece &piece : pieces)
      resolved.places->push_back(piece.address);
    resolved.elementBytes = pieces.front().bytes;
  });
  if (!resolved.places->empty())
    resolved.address = resolved.places->front();
  resolved.packed = std::make_shared<const MemoryView>(std::move(view));
  return resolved;
}

/// The fillers have been written to the original, but code reads the copy,
/// which was made before.
void ShadowMemory::refreshUnwritten(const MemoryView &packed) {
  const PackedView *view = findPacked(packed.address);
  SmallVector<Piece> pieces;
  packed.forEach([&](uintptr_t address) {
    pieces.clear();
    locate(address, packed.elementBytes, pieces);
    // Of the bits from `at` on; narrow elements have a byte each.
    unsigned at = 0;
    for (const Piece &piece : pieces) {
      unsigned bits = std::min(view->elementBits, view->originalBits);
      bits = std::min<unsigned>(bits, piece.bytes * 8);
      MemoryRegion *region = find(piece.address);
      if (region &&
          region->getState(piece.address, piece.bytes) != ByteState::Written) {
        uint64_t value = 0, old = 0,
                 mask = llvm::maskTrailingOnes<uint64_t>(bits);
        std::memcpy(&value, reinterpret_cast<void *>(piece.address),
                    piece.bytes);
        std::memcpy(&old, reinterpret_cast<void *>(address),
                    packed.elementBytes);
        old = (old & ~(mask << at)) | ((value & mask) << at);
        std::memcpy(reinterpret_cast<void *>(address), &old,
                    packed.elementBytes);
      }
      at += bits;
    }
  });
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Removes what overlaps a range from a map by first address.
template <typename Map>
static void removeOverlapping(Map &map, uintptr_t begin, uintptr_t end) {
  auto it = map.lower_bound(begin);
  if (it != map.begin()) {
    auto before = std::prev(it);
    if (before->first + before->second.getNumBytes() > begin)
      it = before;
  }
  while (it != map.end() && it->first < end)
    it = map.erase(it);
}

/// Forgets all regions in a range: stack memory is used by one scope after the
/// other.
void ShadowMemory::forget(uintptr_t begin, uintptr_t end) {
  removeOverlapping(regions, begin, end);
  removeOverlapping(packedViews, begin, end);
}

/// A region that was at this place before is gone: its scope has ended.
void ShadowMemory::add(MemoryRegion region, ByteState state) {
  int64_t bytes = region.getNumBytes();
  forget(region.begin, region.begin + bytes);
  region.states.assign(bytes, static_cast<uint8_t>(state));
  uintptr_t begin = region.begin;
  regions[begin] = std::move(region);
}

/// Regions do not overlap, so the last one that begins before is the only one.
MemoryRegion *ShadowMemory::find(uintptr_t address) {
  auto it = regions.upper_bound(address);
  if (it == regions.begin())
    return nullptr;
  MemoryRegion &region = std::prev(it)->second;
  return address < region.begin + region.states.size() ? &region : nullptr;
}

/// States of all bytes of a view, in order.
static std::vector<uint8_t> getStates(const MemoryRegion *region,
                                      const MemoryView &view) {
  constexpr auto written = static_cast<uint8_t>(ByteState::Written);
  std::vector<uint8_t> states(view.getNumElements() * view.elementBytes,
                              written);
  if (!region)
    return states;
  size_t next = 0;
  view.forEach([&](uintptr_t address) {
    size_t first =
        std::min<size_t>(address - region->begin, region->states.size());
    size_t count =
        std::min<size_t>(view.elementBytes, region->states.size() - first);
    std::memcpy(states.data() + next, region->states.data() + first, count);
    next += view.elementBytes;
  });
  std::replace(states.begin(), states.end(),
               static_cast<uint8_t>(ByteState::Overwritten), written);
  return states;
}

/// The same for a view of another number of bytes, since elements of less than
/// a byte may be packed on one side only.
static std::vector<uint8_t> scaleStates(ArrayRef<uint8_t> states,
                                        size_t numBytes) {
  std::vector<uint8_t> scaled(numBytes);
  for (size_t i = 0; i < numBytes; ++i) {
    size_t first = i * states.size() / numBytes,
           last = std::max(first + 1, (i + 1) * states.size() / numBytes);
    for (size_t k = first; k < std::min(last, states.size()); ++k)
      scaled[i] = scaled[i] ? scaled[i] : states[k];
  }
  return scaled;
}

/// The states are read first: source and target may overlap.
void ShadowMemory::copyStates(const MemoryView &source,
                              const MemoryView &target) {
  MemoryRegion *to = find(target.address);
  if (!to)
    return;
  std::vector<uint8_t> states = getStates(find(source.address), source);
  size_t numBytes = target.getNumElements() * target.elementBytes, next = 0;
  if (states.size() != numBytes)
    states = scaleStates(states, numBytes);
  target.forEach([&](uintptr_t address) {
    size_t first = std::min<size_t>(address - to->begin, to->states.size());
    size_t count =
        std::min<size_t>(target.elementBytes, to->states.size() - first);
    std::memcpy(to->states.data() + first, states.data() + next, count);
    next += target.elementBytes;
  });
}

/// Elements that nothing wrote stay so: to read them is another mistake.
void ShadowMemory::moveElsewhere(const MemoryView &view) {
  MemoryRegion *region = find(view.address);
  if (!region)
    return;
  view.forEach([&](uintptr_t address) {
    if (region->getState(address, view.elementBytes) == ByteState::Written)
      region->setState(address, view.elementBytes, ByteState::Elsewhere);
  });
}

/// Only elements that were written overwrite the input.
void ShadowMemory::overwriteInput(const MemoryView &view) {
  MemoryRegion *output = find(view.address);
  MemoryRegion *input = output && output->input ? find(output->input) : nullptr;
  if (!input)
    return;
  view.forEach([&](uintptr_t address) {
    if (output->getState(address, view.elementBytes) == ByteState::Written)
      input->setState(output->input + (address - output->begin),
                      view.elementBytes, ByteState::Overwritten);
  });
}

/// Memory without a region is not followed, such as that of the caller.
void ShadowMemory::setStates(const MemoryView &view, ByteState state) {
  if (MemoryRegion *region = find(view.address))
    view.forEach([&](uintptr_t address) {
      region->setState(address, view.elementBytes, state);
    });
}
