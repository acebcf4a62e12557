//===- Locations.cpp - Places in the source as text -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Spells locations as file, line and column, which reports and messages at run
// time print.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Utils/Locations.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

std::string mlir::pallas::spellLocation(Location loc) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto place = loc->findInstanceOf<FileLineColLoc>())
    os << place.getFilename().getValue() << ':' << place.getLine() << ':'
       << place.getColumn();
  else
    os << loc;
  return text;
}

/// Operations that a pass made may have no line, while those around them do.
std::string mlir::pallas::spellLocation(Operation *op) {
  for (Operation *around = op; around; around = around->getParentOp())
    if (around->getLoc()->findInstanceOf<FileLineColLoc>())
      return spellLocation(around->getLoc());
  return spellLocation(op->getLoc());
}
