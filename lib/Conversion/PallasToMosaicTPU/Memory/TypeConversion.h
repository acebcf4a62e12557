//===- TypeConversion.h - Types of kernels on a TPU core --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_MEMORY_TYPECONVERSION_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_MEMORY_TYPECONVERSION_H

#include "TargetUtils.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"

namespace mlir::pallas {

/// Where a memory space of a kernel lies for code on `core`; nothing when the
/// core has no such memory.
std::optional<tpu::MemorySpace> convertMemorySpace(MemorySpace space,
                                                   tpu::CoreType core);

/// Whether a TPU has numbers of this type in its memory: those of whole powers
/// of two of bits, up to 32.
bool isTPUElement(Type type);

/// Tensors become vectors, refs become memrefs, tensors without dimensions
/// become scalars. Booleans take 32 bits in memory. Floats of f16 are bits in
/// memory and f32 in registers.
class TPUTypeConverter {
public:
  TPUTypeConverter(tpu::CoreType core, const TPUChip &chip)
      : core(core), chip(chip) {}

  tpu::CoreType getCore() const { return core; }
  const TPUChip &getChip() const { return chip; }

  /// Null when the type has no form on the core.
  Type convertType(Type type) const;
  LogicalResult convertTypes(TypeRange types,
                             SmallVectorImpl<Type> &results) const;

  /// The memref of a ref, or of one that has this shape instead.
  MemRefType convertRef(RefType ref) const {
    return convertRef(ref, ref.getShape());
  }
  MemRefType convertRef(RefType ref, ArrayRef<int64_t> shape) const;

private:
  tpu::CoreType core;
  const TPUChip &chip;
};

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICTPU_MEMORY_TYPECONVERSION_H
