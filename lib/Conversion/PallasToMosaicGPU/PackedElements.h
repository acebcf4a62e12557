//===- PackedElements.h - Elements that share a byte ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_PACKEDELEMENTS_H
#define PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_PACKEDELEMENTS_H

#include "KernelEmitter.h"

namespace mlir::pallas {

/// Whether several elements of this type share a byte, so that none of them has
/// an address.
bool isPacked(Type stored);

/// Whether an access to packed elements begins or ends, or may do so, within a
/// byte.
bool splitsBytes(RefAccessOpInterface op);
/// Whether packed elements are accessed one by one: where an access or a view
/// splits bytes, and where lanes do not get whole bytes each.
bool takesPackedElements(RefAccessOpInterface op);

/// The element that a memref without dimensions means, by way of its byte.
Value loadPackedElement(KernelEmitter &emit, Value memref);
/// Stores a scalar to a memref without dimensions.
void storeElementAt(KernelEmitter &emit, Value memref, Value value);

} // namespace mlir::pallas

#endif // PALLAS_LIB_CONVERSION_PALLASTOMOSAICGPU_PACKEDELEMENTS_H
