//===- ShadowMemory.cpp - What is known of each byte ----------------------===//

#include "ShadowMemory.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

int64_t MemoryView::getNumElements() const {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= std::max<int64_t>(size, 0);
  return count;
}

void MemoryView::forEach(function_ref<void(uintptr_t)> body) const {
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

int64_t MemoryRegion::getNumBytes() const {
  int64_t bytes = elementBytes;
  for (int64_t size : shape)
    bytes *= size;
  return bytes;
}

ByteState MemoryRegion::getState(uintptr_t address, int64_t bytes) const {
  size_t first = address - begin;
  for (size_t i = first; i < std::min<size_t>(first + bytes, states.size());
       ++i)
    if (states[i])
      return static_cast<ByteState>(states[i]);
  return ByteState::Written;
}

void MemoryRegion::setState(uintptr_t address, int64_t bytes, ByteState state) {
  size_t first = std::min<size_t>(address - begin, states.size());
  size_t count = std::min<size_t>(bytes, states.size() - first);
  std::memset(states.data() + first, static_cast<int>(state), count);
}

AccessCell &MemoryRegion::getCell(uintptr_t address) {
  if (cells.empty())
    cells.resize(states.size() / elementBytes);
  return cells[getElement(address)];
}

std::string MemoryRegion::describeElement(uintptr_t address) const {
  size_t element = getElement(address);
  SmallVector<int64_t, 4> position(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    position[d] = element % shape[d];
    element /= shape[d];
  }
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  llvm::interleaveComma(position, stream);
  stream << ']';
  return text;
}

void MemoryRegion::fill(uintptr_t address, unsigned variant) {
  uintptr_t element = begin + getElement(address) * elementBytes;
  std::memcpy(reinterpret_cast<void *>(element), &fillers[variant],
              std::min<size_t>(elementBytes, sizeof(uint64_t)));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void ShadowMemory::add(MemoryRegion region, ByteState state) {
  int64_t bytes = region.getNumBytes();
  uintptr_t end = region.begin + bytes;
  // Stack memory serves one scope after the other.
  auto it = regions.lower_bound(region.begin);
  if (it != regions.begin()) {
    auto before = std::prev(it);
    if (before->first + before->second.states.size() > region.begin)
      it = before;
  }
  while (it != regions.end() && it->first < end)
    it = regions.erase(it);
  region.states.assign(bytes, static_cast<uint8_t>(state));
  uintptr_t begin = region.begin;
  regions[begin] = std::move(region);
}

MemoryRegion *ShadowMemory::find(uintptr_t address) {
  auto it = regions.upper_bound(address);
  if (it == regions.begin())
    return nullptr;
  MemoryRegion &region = std::prev(it)->second;
  return address < region.begin + region.states.size() ? &region : nullptr;
}

void ShadowMemory::copyStates(const MemoryView &source,
                              const MemoryView &target) {
  MemoryRegion *from = find(source.address), *to = find(target.address);
  if (!to)
    return;
  int64_t bytes = target.elementBytes;
  std::vector<ByteState> states;
  states.reserve(source.getNumElements());
  source.forEach([&](uintptr_t address) {
    ByteState state =
        from ? from->getState(address, bytes) : ByteState::Written;
    states.push_back(state == ByteState::Overwritten ? ByteState::Written
                                                     : state);
  });
  size_t next = 0;
  target.forEach(
      [&](uintptr_t address) { to->setState(address, bytes, states[next++]); });
}

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

void ShadowMemory::setStates(const MemoryView &view, ByteState state) {
  if (MemoryRegion *region = find(view.address))
    view.forEach([&](uintptr_t address) {
      region->setState(address, view.elementBytes, state);
    });
}
