//===- DebugLines.cpp - Locations that become lines of an object ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file gives code the debug lines by which reports name the place in the
// source.
//
//===----------------------------------------------------------------------===//

#include "CodeLines.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/BinaryFormat/Dwarf.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// Makes scopes for the functions of one module. Upstream's pass gives one file
/// to all operations of a function, but a kernel comes from several.
class DebugScopes {
public:
  explicit DebugScopes(MLIRContext *context) : context(context) {}

  void addTo(LLVM::LLVMFuncOp func);

private:
  static FileLineColLoc findPlace(Location location) {
    return dyn_cast_or_null<FileLineColLoc>(
        LocationAttr(location->findInstanceOf<FileLineColLoc>()));
  }
  LLVM::DIFileAttr getFile(StringRef path) {
    return LLVM::DIFileAttr::get(context, path, "");
  }
  LLVM::DISubprogramAttr createSubprogram(LLVM::LLVMFuncOp func, StringRef path,
                                          unsigned line);

  DistinctAttr createId() {
    return DistinctAttr::create(UnitAttr::get(context));
  }

  MLIRContext *context;
  LLVM::DICompileUnitAttr unit;
};
} // namespace

/// All subprograms are distinct, as LLVM's verifier wants it.
LLVM::DISubprogramAttr DebugScopes::createSubprogram(LLVM::LLVMFuncOp func,
                                                     StringRef path,
                                                     unsigned line) {
  LLVM::DIFileAttr file = getFile(path);
  // One for all of them, so that one look-up finds all lines.
  if (!unit)
    unit = LLVM::DICompileUnitAttr::get(
        createId(), llvm::dwarf::DW_LANG_C, file,
        StringAttr::get(context, "pallas-mlir"), /*isOptimized=*/true,
        LLVM::DIEmissionKind::Full);
  auto type =
      LLVM::DISubroutineTypeAttr::get(context, llvm::dwarf::DW_CC_normal, {});
  return LLVM::DISubprogramAttr::get(
      context, createId(), unit, file, func.getNameAttr(), func.getNameAttr(),
      file, line, line,
      LLVM::DISubprogramFlags::Definition | LLVM::DISubprogramFlags::Optimized,
      type, /*retainedNodes=*/{}, /*annotations=*/{});
}

void DebugScopes::addTo(LLVM::LLVMFuncOp func) {
  // Code without a place gets that of its function; LLVM wants one for every
  // call that it may inline.
  FileLineColLoc start = findPlace(func.getLoc());
  StringRef path = start ? start.getFilename().getValue() : "<unknown>";
  unsigned line = start ? start.getLine() : 0;
  LLVM::DISubprogramAttr subprogram = createSubprogram(func, path, line);
  func.walk([&](Operation *op) {
    FileLineColLoc place = findPlace(op->getLoc());
    if (!place)
      place = FileLineColLoc::get(context, path, line, 0);
    LLVM::DILocalScopeAttr scope = subprogram;
    if (place.getFilename() != path && op != func)
      scope = LLVM::DILexicalBlockFileAttr::get(context, subprogram,
                                                getFile(place.getFilename()),
                                                /*discriminator=*/0);
    op->setLoc(FusedLoc::get(context, {place}, scope));
  });
}

void pallas::addDebugLines(ModuleOp module) {
  DebugScopes scopes(module.getContext());
  for (auto func : module.getOps<LLVM::LLVMFuncOp>())
    if (!func.isExternal())
      scopes.addTo(func);
}
