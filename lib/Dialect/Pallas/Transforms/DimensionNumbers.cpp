//===- DimensionNumbers.cpp - Numbers for dimensions ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DimensionNumbers.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace mlir::pallas;

LogicalResult DimensionNumbers::read(Operation *op, StringRef text,
                                     MutableArrayRef<int64_t> numbers) const {
  StringRef rest = text;
  unsigned dim;
  int64_t number;
  if (!rest.consume_front("d") || rest.consumeInteger(10, dim) ||
      !rest.consume_front("=") || rest.getAsInteger(10, number) || number < 1)
    return op->emitError() << "cannot read the " << name << " '" << text
                           << "'; write a dimension and a number of 1 or more, "
                              "as in d0=4";
  if (dim >= numbers.size())
    return op->emitError() << "the " << name << " '" << text
                           << "' is about dimension " << dim << ", but "
                           << owner << " has " << numbers.size()
                           << " of them; give each call its own by the "
                              "attribute '"
                           << attribute << "'";
  if (numbers[dim])
    return op->emitError() << "dimension " << dim << " has two " << plural
                           << ", " << numbers[dim] << " and " << number
                           << "; leave one out";
  numbers[dim] = number;
  return success();
}

FailureOr<SmallVector<int64_t>>
DimensionNumbers::take(Operation *op, ArrayRef<std::string> option,
                       int64_t rank) const {
  if (auto attr =
          dyn_cast_or_null<DenseI64ArrayAttr>(op->removeAttr(attribute)))
    return llvm::to_vector(attr.asArrayRef());
  SmallVector<int64_t> numbers(rank, 0);
  for (StringRef text : option)
    if (failed(read(op, text, numbers)))
      return failure();
  llvm::replace(numbers, 0, 1);
  return numbers;
}
