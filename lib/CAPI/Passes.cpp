//===- Passes.cpp - C API of the passes -----------------------------------===//

#include "pallas-c/Passes.h"
#include "pallas/Register.h"

void pallasRegisterAllPasses() { mlir::pallas::registerAllPasses(); }
