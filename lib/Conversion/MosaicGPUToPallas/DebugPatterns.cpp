//===- DebugPatterns.cpp - Printing ---------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel.h"
#include "pallas/Dialect/Pallas/IR/PrintFormat.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

/// The text is that of Mosaic, with {} for the value and {{ for a brace.
///
///   "mosaic_gpu.debug_print"(%v) <{format = "v = {}"}>
///       : (vector<64x128xf32>) -> ()
/// -->
///   pallas.debug_print "v = {}" %v : tensor<64x128xf32>
struct RaiseDebugPrint : RaisePattern<mosaic_gpu::DebugPrintOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(mosaic_gpu::DebugPrintOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    DebugPrintOp::create(builder, op.getLoc(), op.getFormatAttr(),
                         ValueRange(adaptor.getValue()), DenseBoolArrayAttr());
    return none();
  }
};

/// Words of C become {}, braces are doubled, and the line ends by itself:
///
///   gpu.printf "{i = %lld}\0A", %i : i64
/// -->
///   pallas.debug_print "{{i = {}}}" %i : i64
struct RaisePrintf : RaisePattern<gpu::PrintfOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(gpu::PrintfOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    std::string format;
    SmallVector<bool> isUnsigned;
    StringRef rest = op.getFormat();
    rest.consume_back("\n");
    while (!rest.empty()) {
      auto [text, behind] = rest.split('%');
      format += escapePrintText(text);
      if (text.size() == rest.size())
        break;
      rest = behind;
      if (rest.consume_front("%")) {
        format += '%';
        continue;
      }
      size_t length = rest.find_first_of("dfiu");
      if (length == StringRef::npos ||
          !rest.take_front(length).ltrim("l").empty())
        return op.emitOpError("prints by '%")
               << rest.take_front(3)
               << "', which has no form in the pallas dialect; print integers "
                  "by %d, %i and %u, floats by %f";
      isUnsigned.push_back(rest[length] == 'u');
      rest = rest.drop_front(length + 1);
      format += "{}";
    }
    if (isUnsigned.size() != op.getArgs().size())
      return op.emitOpError("has ")
             << isUnsigned.size() << " words in its format for "
             << op.getArgs().size() << " values; give a word for each value";
    DenseBoolArrayAttr flags;
    if (llvm::is_contained(isUnsigned, true))
      flags = builder.getDenseBoolArrayAttr(isUnsigned);
    DebugPrintOp::create(builder, op.getLoc(), builder.getStringAttr(format),
                         adaptor.getArgs(), flags);
    return none();
  }
};

} // namespace

void mlir::pallas::populateGPUDebugPatterns(const TypeConverter &types,
                                            RewritePatternSet &patterns) {
  patterns.add<RaiseDebugPrint, RaisePrintf>(types, patterns.getContext());
}
