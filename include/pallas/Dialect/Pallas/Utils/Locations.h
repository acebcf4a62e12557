//===- Locations.h - Places in the source as text ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_LOCATIONS_H
#define PALLAS_DIALECT_PALLAS_UTILS_LOCATIONS_H

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include <string>

namespace mlir::pallas {

/// `file:line:column` where that is known, and else the location as it prints.
std::string spellLocation(Location loc);

/// The same for an operation; one without a place in a file has that of the
/// innermost operation around it with one.
std::string spellLocation(Operation *op);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_LOCATIONS_H
