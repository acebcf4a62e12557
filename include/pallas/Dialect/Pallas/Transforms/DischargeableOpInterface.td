//===- DischargeableOpInterface.td - Refs into values ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DISCHARGEABLE_OP_INTERFACE_TD
#define PALLAS_DISCHARGEABLE_OP_INTERFACE_TD

include "mlir/IR/Interfaces.td"

def DischargeableOpInterface : OpInterface<"DischargeableOpInterface"> {
  let cppNamespace = "::mlir::pallas";
  let description = [{
    An operation that describes what it does to the contents of its refs, so
    that they can become values. Its memory effects name the refs that it writes
    to; without any, it is taken to write to all of them.
  }];
  let methods = [
    InterfaceMethod<[{
        Creates the replacement just before the operation: reads and writes
        the contents of discharged refs through `state`, and replaces the
        results. The caller erases the operation.
      }], "::llvm::LogicalResult", "discharge",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::pallas::DischargeState &":$state)>,
  ];
}

#endif // PALLAS_DISCHARGEABLE_OP_INTERFACE_TD
