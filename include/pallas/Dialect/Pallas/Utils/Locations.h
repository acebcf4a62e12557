//===- Locations.h - Places in the source as text ---------------*- C++ -*-===//

#ifndef PALLAS_DIALECT_PALLAS_UTILS_LOCATIONS_H
#define PALLAS_DIALECT_PALLAS_UTILS_LOCATIONS_H

#include "mlir/IR/Location.h"
#include <string>

namespace mlir::pallas {

/// `file:line:column` where that is known, and else the location as it prints.
std::string spellLocation(Location loc);

} // namespace mlir::pallas

#endif // PALLAS_DIALECT_PALLAS_UTILS_LOCATIONS_H
