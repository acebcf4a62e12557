//===- CheckedCall.h - Calls that look for mistakes -------------*- C++ -*-===//

#ifndef PALLAS_LIB_RUNNER_CHECKEDCALL_H
#define PALLAS_LIB_RUNNER_CHECKEDCALL_H

#include "pallas/Runner/Engine.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::pallas {

/// Runs checked code as often as it takes to find its mistakes. `outputs` are
/// written only if there are none; those of several devices follow each other.
llvm::Error
callChecked(llvm::function_ref<llvm::Error(ArrayRef<BufferView>)> run,
            ArrayRef<BufferView> outputs, unsigned numDevices = 1);

} // namespace mlir::pallas

#endif // PALLAS_LIB_RUNNER_CHECKEDCALL_H
