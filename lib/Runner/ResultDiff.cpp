//===- ResultDiff.cpp - How two executions differ -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file compares the results of two executions, and passes results through
// a pipe.
//
//===----------------------------------------------------------------------===//

#include "ResultDiff.h"
#include "pallas/Support/FloatCodec.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// Parent and child are the same program, so numbers keep the order of bytes.
static void append(std::string &bytes, int64_t number) {
  bytes.append(reinterpret_cast<const char *>(&number), sizeof(number));
}

static int64_t takeNumber(StringRef &bytes) {
  int64_t number;
  std::memcpy(&number, bytes.data(), sizeof(number));
  bytes = bytes.drop_front(sizeof(number));
  return number;
}

/// The number of results; for each the type, the shape, the number of bytes and
/// the bytes.
std::string mlir::pallas::serialize(const Results &results) {
  std::string bytes;
  append(bytes, results.types.size());
  for (auto [type, memory] : llvm::zip_equal(results.types, results.memory)) {
    append(bytes, static_cast<int64_t>(type.dtype));
    append(bytes, type.shape.size());
    for (int64_t size : type.shape)
      append(bytes, size);
    append(bytes, memory.size());
    bytes += memory;
  }
  return bytes;
}

/// Trusts the bytes: `serialize` has written them.
Results mlir::pallas::deserialize(StringRef bytes) {
  Results results;
  for (int64_t left = takeNumber(bytes); left > 0; --left) {
    BufferType type;
    type.dtype = static_cast<DType>(takeNumber(bytes));
    type.shape.resize(takeNumber(bytes));
    for (int64_t &size : type.shape)
      size = takeNumber(bytes);
    results.types.push_back(type);
    size_t size = takeNumber(bytes);
    results.memory.push_back(bytes.take_front(size).str());
    bytes = bytes.drop_front(size);
  }
  return results;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// How floats of a type are made of bits; null for other types, and for floats
/// so narrow that only equal ones are near.
static const llvm::fltSemantics *getSemantics(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return &llvm::APFloat::IEEEdouble();
  case DType::F32:
    return &llvm::APFloat::IEEEsingle();
  case DType::F16:
    return &llvm::APFloat::IEEEhalf();
  case DType::BF16:
    return &llvm::APFloat::BFloat();
  default:
    return nullptr;
  }
}

/// Floats may differ by some units in the last place, as passes reorder sums;
/// integers may not.
double mlir::pallas::getTolerance(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return 1e-9;
  case DType::F32:
    return 1e-4;
  case DType::F16:
    return 5e-3;
  case DType::BF16:
    return 4e-2;
  case DType::F8E4M3:
  case DType::F8E4M3FN:
  case DType::F8E4M3FNUZ:
  case DType::F8E4M3B11FNUZ:
    return 0.13;
  case DType::F8E5M2:
  case DType::F8E5M2FNUZ:
    return 0.26;
  default:
    return 0;
  }
}

/// The bits of one element.
static uint64_t readBits(StringRef memory, DType dtype, int64_t index) {
  unsigned size = getByteSize(dtype);
  uint64_t bits = 0;
  memcpy(&bits, memory.data() + index * size, size);
  return bits;
}

/// Exact for all these types.
static double toDouble(uint64_t bits, DType dtype) {
  llvm::APFloat value(*getSemantics(dtype),
                      llvm::APInt(8 * getByteSize(dtype), bits));
  return roundTo(llvm::APFloat::IEEEdouble(), value).convertToDouble();
}

/// NaN is the same as NaN, whatever its payload.
static bool isSame(uint64_t left, uint64_t right, DType dtype,
                   double tolerance) {
  if (left == right)
    return true;
  if (!getSemantics(dtype))
    return false;
  double a = toDouble(left, dtype), b = toDouble(right, dtype);
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return true;
  return std::abs(a - b) <= tolerance * (1 + std::abs(b));
}

/// An element as messages show it. Integers are shown as signed ones, as types
/// have no sign.
static std::string spell(uint64_t bits, DType dtype) {
  if (getSemantics(dtype))
    return llvm::formatv("{0}", toDouble(bits, dtype));
  return std::to_string(llvm::SignExtend64(bits, 8 * getByteSize(dtype)));
}

/// `[1, 2]` for an element of an array of this shape.
static std::string spellPlace(int64_t index, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> place(shape.size());
  for (int64_t d = shape.size(); d-- > 0; index /= shape[d])
    place[d] = index % shape[d];
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "[";
  llvm::interleaveComma(place, stream);
  stream << "]";
  return text;
}

/// Counts backwards, so that the first difference is the one that is shown.
std::string
mlir::pallas::compare(const Results &found, const Results &expected,
                      llvm::function_ref<double(DType)> toleranceOf) {
  if (found.types.size() != expected.types.size())
    return llvm::formatv("there are {0} results instead of {1}",
                         found.types.size(), expected.types.size());
  for (auto [number, type] : llvm::enumerate(expected.types)) {
    const BufferType &other = found.types[number];
    if (other.dtype != type.dtype || other.shape != type.shape)
      return llvm::formatv("result {0} has another type", number);
    int64_t count = 0, first = 0;
    int64_t size = ShapedType::getNumElements(type.shape);
    double tolerance = toleranceOf(type.dtype);
    for (int64_t i = size; i-- > 0;)
      if (!isSame(readBits(found.memory[number], type.dtype, i),
                  readBits(expected.memory[number], type.dtype, i), type.dtype,
                  tolerance)) {
        ++count;
        first = i;
      }
    if (count)
      return llvm::formatv(
          "{0} of {1} elements of result {2} differ; at {3} it is {4} instead "
          "of {5}",
          count, size, number, spellPlace(first, type.shape),
          spell(readBits(found.memory[number], type.dtype, first), type.dtype),
          spell(readBits(expected.memory[number], type.dtype, first),
                type.dtype));
  }
  return "";
}
