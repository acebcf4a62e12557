//===- MiscPatterns.cpp - Grid, random bits, debugging --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that are alone in their family.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "pallas/Dialect/Pallas/IR/PrintFormat.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

///   %0 = pallas.num_programs 0
struct RaiseIterationBound : RaisePattern<tpu::IterationBoundOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::IterationBoundOp op, Adaptor,
                         OpBuilder &builder) const override {
    return Value(NumProgramsOp::create(builder, op.getLoc(), op.getDim()));
  }
};

///   pallas.prng_seed %a, %b
struct RaiseSeed : RaisePattern<tpu::PRNGSetSeed32Op> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::PRNGSetSeed32Op op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    PRNGSeedOp::create(builder, op.getLoc(), adaptor.getSeeds());
    return none();
  }
};

///   %0 = pallas.prng_random_bits : tensor<8x128xi32>
struct RaiseBits : RaisePattern<tpu::PRNGRandomBitsOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::PRNGRandomBitsOp op, Adaptor,
                         OpBuilder &builder) const override {
    return Value(PRNGBitsOp::create(builder, op.getLoc(),
                                    toTensor(op.getOutput().getType())));
  }
};

//===----------------------------------------------------------------------===//
// Debugging
//===----------------------------------------------------------------------===//

/// A text with placeholders `$s0` as one with `{}`, and the operands in the
/// order of their places.
struct LogFormat {
  std::string text;
  SmallVector<Value> values;
  SmallVector<bool> isUnsigned;
};

} // namespace

/// Splits `$u12` off the front of `text`, and returns the number of the
/// operand.
static std::optional<unsigned> consumePlaceholder(StringRef &text, char &kind) {
  // A copy of the text, so that a mismatch consumes nothing.
  StringRef rest = text;
  unsigned number;
  if (!rest.consume_front("$") || rest.empty() ||
      !StringRef("suf").contains(rest.front()))
    return std::nullopt;
  kind = rest.front();
  rest = rest.drop_front();
  if (rest.consumeInteger(10, number))
    return std::nullopt;
  text = rest;
  return number;
}

///   tpu.log "x = $s0, y = $u1" {formatted = true} : [%a, %b]
///
/// prints as
///
///   pallas.debug_print "x = {}, y = {}" %a, %b
///
/// A text without placeholders prints its operands at the end.
static LogFormat parseLog(StringRef tag, bool isFormatted, ValueRange inputs) {
  LogFormat format;
  auto append = [&](Value value, bool isUnsigned) {
    format.text += "{}";
    format.values.push_back(value);
    format.isUnsigned.push_back(isUnsigned);
  };
  if (!isFormatted) {
    format.text = escapePrintText(tag);
    for (Value input : inputs) {
      format.text += " ";
      append(input, /*isUnsigned=*/false);
    }
    return format;
  }
  while (!tag.empty()) {
    char kind;
    StringRef rest = tag;
    std::optional<unsigned> number = consumePlaceholder(rest, kind);
    // A number without an operand is text.
    if (number && *number < inputs.size()) {
      append(inputs[*number], kind == 'u');
      tag = rest;
      continue;
    }
    format.text += escapePrintText(tag.take_front());
    tag = tag.drop_front();
  }
  return format;
}

namespace {

/// See parseLog.
///
///   tpu.log "step $s0" {formatted = true} : [%i] : i32
/// -->
///   pallas.debug_print "step {}" %i : i32
struct RaiseLog : RaisePattern<tpu::LogOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::LogOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    LogFormat format =
        parseLog(op.getTag(), op.getFormatted(), adaptor.getInputs());
    DenseBoolArrayAttr isUnsigned;
    if (llvm::is_contained(format.isUnsigned, true))
      isUnsigned = builder.getDenseBoolArrayAttr(format.isUnsigned);
    DebugPrintOp::create(builder, op.getLoc(),
                         builder.getStringAttr(format.text), format.values,
                         isUnsigned);
    return none();
  }
};

/// Prints the part of the buffer that the shape selects, from its beginning.
///
///   tpu.log_buffer "part" {shape = array<i64: 8, 128>}
///       : %x : memref<16x128xf32, #tpu.memory_space<vmem>>
/// -->
///   %v = pallas.get %x[ds(%c0, 8), ds(%c0, 128)]
///   pallas.debug_print "part{}" %v : tensor<8x128xf32>
struct RaiseLogBuffer : RaisePattern<tpu::LogBufferOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::LogBufferOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    auto ref = cast<RefType>(adaptor.getInput().getType());
    IndexerBuilder index(ref);
    Value zero = arith::ConstantIndexOp::create(builder, op.getLoc(), 0);
    for (int64_t size : op.getShape())
      index.addSlice(zero, size);
    Value value =
        GetOp::create(builder, op.getLoc(), adaptor.getInput(),
                      index.getIndexer(getContext()), index.getOperands());
    DebugPrintOp::create(
        builder, op.getLoc(),
        builder.getStringAttr(escapePrintText(op.getTag()) + "{}"),
        ValueRange(value), DenseBoolArrayAttr());
    return none();
  }
};

///   pallas.delay %nanoseconds
struct RaiseDelay : RaisePattern<tpu::DelayOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::DelayOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    DelayOp::create(builder, op.getLoc(), adaptor.getNanos());
    return none();
  }
};

///   pallas.trace_start "span"
struct RaiseTraceStart : RaisePattern<tpu::TraceStartOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::TraceStartOp op, Adaptor,
                         OpBuilder &builder) const override {
    TraceStartOp::create(builder, op.getLoc(), op.getMessage(), op.getLevel());
    return none();
  }
};

///   pallas.trace_stop
struct RaiseTraceStop : RaisePattern<tpu::TraceStopOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::TraceStopOp op, Adaptor,
                         OpBuilder &builder) const override {
    TraceStopOp::create(builder, op.getLoc());
    return none();
  }
};

///   pallas.trace_value "label", %value
struct RaiseTraceValue : RaisePattern<tpu::TraceValueOp> {
  using RaisePattern::RaisePattern;
  FailureOr<Value> raise(tpu::TraceValueOp op, Adaptor adaptor,
                         OpBuilder &builder) const override {
    TraceValueOp::create(builder, op.getLoc(), op.getLabel(),
                         adaptor.getValue());
    return none();
  }
};

} // namespace

void mlir::pallas::populateMiscPatterns(const TypeConverter &types,
                                        RewritePatternSet &patterns) {
  patterns
      .add<RaiseIterationBound, RaiseSeed, RaiseBits, RaiseLog, RaiseLogBuffer,
           RaiseDelay, RaiseTraceStart, RaiseTraceStop, RaiseTraceValue>(
          types, patterns.getContext());
}
