//===- GuardedMalloc.cpp - Memory between pages that nobody may touch -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests that preload it: an access behind the end of a large allocation
// ends the program, and one some pages in front of it, too.
//
//===----------------------------------------------------------------------===//

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <iterator>
#include <mutex>
#include <sys/mman.h>

extern "C" {
void *__libc_malloc(size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void *__libc_realloc(void *place, size_t bytes);
void __libc_free(void *place);
}

namespace {
constexpr size_t pageBytes = 4096;
constexpr size_t leastBytes = 2 * pageBytes;
constexpr size_t alignment = 64;

struct Allocation {
  char *place;
  size_t bytes;
  char *pages;
  size_t pagesBytes;
};
Allocation allocations[1 << 14];
size_t numUsed = 0;
std::mutex mutex;

Allocation *find(void *place) {
  for (size_t i = 0; i < numUsed; ++i)
    if (allocations[i].place == place)
      return &allocations[i];
  return nullptr;
}

/// Whether the code at `address` was made by this process.
bool isCompiledHere(void *address) {
  Dl_info info;
  return !dladdr(address, &info);
}

void *allocate(size_t bytes, bool hasRoom) {
  // Compiled code asks for room to align what it gets; the place is chosen so
  // that the aligned one ends at the guard.
  size_t shift = hasRoom ? 48 : 0;
  size_t used = shift ? bytes - alignment
                      : (bytes + alignment - 1) / alignment * alignment;
  size_t data = (used + shift + pageBytes - 1) / pageBytes * pageBytes;
  void *pages = mmap(nullptr, data + 2 * pageBytes, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED)
    return nullptr;
  char *start = static_cast<char *>(pages) + pageBytes;
  mprotect(start, data, PROT_READ | PROT_WRITE);
  char *place = start + data - used - shift;
  std::lock_guard lock(mutex);
  Allocation *unused = find(nullptr);
  if (!unused && numUsed < std::size(allocations))
    unused = &allocations[numUsed++];
  if (unused)
    *unused = {place, bytes, static_cast<char *>(pages), data + 2 * pageBytes};
  return place;
}
} // namespace

extern "C" {
void *malloc(size_t bytes) {
  if (bytes < leastBytes)
    return __libc_malloc(bytes);
  return allocate(bytes, bytes % pageBytes == alignment &&
                             isCompiledHere(__builtin_return_address(0)));
}

void *memalign(size_t wanted, size_t bytes) {
  return bytes >= leastBytes && wanted <= alignment
             ? allocate(bytes, /*hasRoom=*/false)
             : __libc_memalign(wanted, bytes);
}

void *aligned_alloc(size_t wanted, size_t bytes) {
  return memalign(wanted, bytes);
}

int posix_memalign(void **place, size_t wanted, size_t bytes) {
  *place = memalign(wanted, bytes);
  return *place ? 0 : ENOMEM;
}

void free(void *place) {
  Allocation freed{};
  if (place) {
    std::lock_guard lock(mutex);
    if (Allocation *found = find(place)) {
      freed = *found;
      *found = {};
    }
  }
  if (freed.place)
    munmap(freed.pages, freed.pagesBytes);
  else
    __libc_free(place);
}

void *realloc(void *place, size_t bytes) {
  size_t old = 0;
  if (place) {
    std::lock_guard lock(mutex);
    if (Allocation *found = find(place))
      old = found->bytes;
  }
  if (!old)
    return __libc_realloc(place, bytes);
  void *moved = malloc(bytes);
  std::memcpy(moved, place, old < bytes ? old : bytes);
  free(place);
  return moved;
}
}
