//===- MiscPatterns.cpp - Random bits, hints, debugging -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that are alone in their family. Most map one to one.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "pallas/Dialect/MosaicTPU/Utils/MathExpansion.h"
#include "pallas/Dialect/MosaicTPU/Utils/ScopedBuffer.h"
#include "pallas/Dialect/MosaicTPU/Utils/VectorShapes.h"
#include "pallas/Dialect/Pallas/IR/PrintFormat.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

//===----------------------------------------------------------------------===//
// Random bits
//===----------------------------------------------------------------------===//

/// Seeds go to the generator of the core in one operation.
///
///   pallas.prng_seed %n, %i
/// -->
///   "tpu.prng_set_seed_32"(%n, %i) : (i32, i32) -> ()
struct ConvertSeed : TPUPattern<PRNGSeedOp> {
  using TPUPattern::TPUPattern;
  Results convert(PRNGSeedOp, Adaptor adaptor, Emitter &emit) const override {
    emit.create<tpu::PRNGSetSeed32Op>(adaptor.getSeeds());
    return none();
  }
};

/// The generator fills registers, which have two dimensions.
///
///   %0 = "tpu.prng_random_bits"() : () -> vector<1x128xi32>
///   %1 = vector.shape_cast %0 : vector<1x128xi32> to vector<128xi32>
struct ConvertBits : TPUPattern<PRNGBitsOp> {
  using TPUPattern::TPUPattern;
  Results convert(PRNGBitsOp op, Adaptor, Emitter &emit) const override {
    Type type = convertType(op.getType());
    ArrayRef<int64_t> shape = getShape(type);
    SmallVector<int64_t> matrix(shape);
    while (matrix.size() < 2)
      matrix.insert(matrix.begin(), 1);
    Value bits = emit.create<tpu::PRNGRandomBitsOp>(
        VectorType::get(matrix, emit.getBuilder().getI32Type()));
    return one(
        narrow(emit, reshapeVector(emit, bits, shape), getElementType(type)));
  }
};

//===----------------------------------------------------------------------===//
// Special arithmetic
//===----------------------------------------------------------------------===//

///   %0 = tpu.reciprocal %x {approx = true}
///       : vector<8x128xf32> -> vector<8x128xf32>
///
/// Scalars divide instead: the unit for reciprocals works on vectors.
struct ConvertReciprocal : TPUPattern<ReciprocalOp> {
  using TPUPattern::TPUPattern;
  Results convert(ReciprocalOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    Value input = adaptor.getInput();
    Type element = getElementType(input.getType());
    Value wide = widen(emit, input);
    if (!isa<VectorType>(wide.getType()))
      return one(narrow(
          emit,
          emit.create<arith::DivFOp>(emit.real(wide.getType(), 1.0), wide),
          element));
    Value result = emit.create<tpu::ReciprocalOp>(
        wide.getType(), wide, op.getApprox(), op.getFullRange());
    return one(narrow(emit, result, element));
  }
};

///   %0 = tpu.stochastic_convert %x, %bits
///       : vector<8x128xf32>, vector<8x128xi32> -> vector<8x128xbf16>
struct ConvertStochasticRound : TPUPattern<StochasticRoundOp> {
  using TPUPattern::TPUPattern;
  Results convert(StochasticRoundOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    return one(emit.create<tpu::StochasticConvertOp>(
        convertType(op.getType()), adaptor.getInput(), adaptor.getBits()));
  }
};

/// Several values of half or a quarter of the bits share each 32-bit element:
///
///   %0 = tpu.pack_elementwise %a, %b {target_type = bf16}
///       : vector<8x128xf32>, vector<8x128xf32> -> vector<8x128xi32>
struct ConvertPack : TPUPattern<PackElementwiseOp> {
  using TPUPattern::TPUPattern;
  Results convert(PackElementwiseOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    return one(emit.create<tpu::PackElementwiseOp>(
        convertType(op.getType()), adaptor.getInputs(), op.getPackedType()));
  }
};

///   %0 = tpu.unpack_elementwise %w, 1 {source_type = bf16}
///       : vector<8x128xi32> -> vector<8x128xf32>
struct ConvertUnpack : TPUPattern<UnpackElementwiseOp> {
  using TPUPattern::TPUPattern;
  Results convert(UnpackElementwiseOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    return one(emit.create<tpu::UnpackElementwiseOp>(
        convertType(op.getType()), adaptor.getInput(), op.getPackedType(),
        int32_t(op.getIndex())));
  }
};

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

/// The hint is on scalars, where it aligns addresses:
///
///   %0 = tpu.assume_multiple %i, 8 : i32
///
/// Nothing reads it for arrays, which pass through.
struct ConvertMultipleOf : TPUPattern<MultipleOfOp> {
  using TPUPattern::TPUPattern;
  Results convert(MultipleOfOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    Value value = adaptor.getValue();
    if (!isa<IntegerType, IndexType>(value.getType()))
      return one(value);
    for (int64_t multiple : op.getMultiples())
      value = emit.create<tpu::AssumeMultipleOp>(value, int32_t(multiple));
    return one(value);
  }
};

/// Hints without a counterpart pass their operands through.
template <typename OpTy> struct ConvertIdentity : TPUPattern<OpTy> {
  using TPUPattern<OpTy>::TPUPattern;
  typename TPUPattern<OpTy>::Results
  convert(OpTy, typename TPUPattern<OpTy>::Adaptor adaptor,
          Emitter &) const override {
    return SmallVector<Value>(adaptor.getOperands());
  }
};

/// Any value is right for poison, and zero is free.
struct ConvertPoison : TPUPattern<ub::PoisonOp> {
  using TPUPattern::TPUPattern;
  Results convert(ub::PoisonOp op, Adaptor, Emitter &emit) const override {
    return one(emit.zero(convertType(op.getType())));
  }
};

//===----------------------------------------------------------------------===//
// Debugging
//===----------------------------------------------------------------------===//

/// Prints on the core. The texts of Mosaic number their places:
///
///   pallas.debug_print "x = {}, y = {}" %x, %y : i32, i32
///
/// becomes
///
///   tpu.log "x = $s0, y = $s1" {formatted = true} : [%x, %y] : i32, i32
struct ConvertDebugPrint : TPUPattern<DebugPrintOp> {
  using TPUPattern::TPUPattern;
  Results convert(DebugPrintOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    ValueRange values = adaptor.getValues();
    bool hasVector = llvm::any_of(
        values, [](Value value) { return isa<VectorType>(value.getType()); });
    // An array is printed by another operation, which takes nothing else.
    if (hasVector && values.size() > 1)
      return op.emitOpError("prints several values of which one is an array; "
                            "print each array by itself");
    auto isUnsigned = [&](size_t i) {
      std::optional<ArrayRef<bool>> flags = op.getUnsignedValues();
      return flags && (*flags)[i];
    };
    SmallVector<Value> inputs;
    for (auto [i, value] : llvm::enumerate(values))
      inputs.push_back(widenForPrint(value, isUnsigned(i), emit));
    if (hasVector)
      return printArray(op, inputs.front(), emit);
    auto getPlace = [&](size_t i, size_t number) {
      return std::string(isUnsigned(i) ? "$u" : "$s") + std::to_string(number);
    };
    SmallVector<std::string> texts = splitPrintFormat(op.getFormat());
    if (llvm::none_of(inputs, isFloat)) {
      std::string tag;
      for (size_t i = 0; i < inputs.size(); ++i)
        tag += texts[i] + getPlace(i, i);
      tag += texts.back();
      emit.create<tpu::LogOp>(inputs, tag, /*formatted=*/!inputs.empty());
      return none();
    }
    // Texts have places for integers only: with floats among them values are
    // printed one by one, each behind the text in front of it.
    for (auto [i, value] : llvm::enumerate(inputs)) {
      if (isFloat(value))
        emit.create<tpu::LogOp>(value, StringRef(texts[i]).rtrim(),
                                /*formatted=*/false);
      else
        emit.create<tpu::LogOp>(value, texts[i] + getPlace(i, 0),
                                /*formatted=*/true);
    }
    if (!texts.back().empty())
      emit.create<tpu::LogOp>(ValueRange(), texts.back(), /*formatted=*/false);
    return none();
  }

private:
  static bool isFloat(Value value) { return isa<FloatType>(value.getType()); }

  /// Integers print in 32 bits, arrays of signed ones as they are.
  static Value widenForPrint(Value value, bool isUnsigned, Emitter &emit) {
    Type element = getElementType(value.getType());
    bool isVector = isa<VectorType>(value.getType());
    if (isa<FloatType>(element))
      return isVector ? value : widen(emit, value);
    if (element.isInteger(1))
      return emit.boolToI32(value);
    if (element.isIndex())
      return emit.toI32(value);
    if (isVector && !isUnsigned)
      return value;
    return emit.resize(value, emit.getBuilder().getI32Type(), !isUnsigned);
  }

  /// An array is printed from memory.
  ///
  ///   "tpu.region"() ({
  ///     %0 = memref.alloca() : memref<8x128xf32, #tpu.memory_space<vmem>>
  ///     tpu.vector_store %0[%c0, %c0], %x
  ///     tpu.log_buffer "x = " {shape = array<i64: 8, 128>} : %0
  ///   })
  static Results printArray(DebugPrintOp op, Value value, Emitter &emit) {
    SmallVector<std::string> texts = splitPrintFormat(op.getFormat());
    std::string tag = texts[0];
    // Text behind the array is printed before it, and shows where it was.
    if (!texts[1].empty())
      tag += "{}" + texts[1];
    auto type = cast<VectorType>(value.getType());
    auto region = emit.create<tpu::RegionOp>(TypeRange());
    OpBuilder &builder = emit.getBuilder();
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&region.getRegion());
    Value buffer = tpu::createVmemBuffer(emit, type);
    SmallVector<Value> zeros(type.getRank(), emit.index(0));
    emit.create<tpu::VectorStoreOp>(value, buffer, zeros);
    emit.create<tpu::LogBufferOp>(buffer,
                                  builder.getDenseI64ArrayAttr(type.getShape()),
                                  builder.getStringAttr(tag));
    emit.create<tpu::YieldOp>(ValueRange());
    return none();
  }
};

///   cf.assert %condition, "must hold"
struct ConvertCheck : TPUPattern<CheckOp> {
  using TPUPattern::TPUPattern;
  Results convert(CheckOp op, Adaptor adaptor, Emitter &emit) const override {
    emit.create<cf::AssertOp>(adaptor.getCondition(), op.getMessage());
    return none();
  }
};

/// Spans of a profile. The operation with a region isn't used, since start and
/// stop of pallas need not be in one block.
///
///   pallas.trace_start "span"
/// -->
///   "tpu.trace_start"() <{level = 10 : i32, message = "span"}> : () -> ()
struct ConvertTraceStart : TPUPattern<TraceStartOp> {
  using TPUPattern::TPUPattern;
  Results convert(TraceStartOp op, Adaptor, Emitter &emit) const override {
    emit.create<tpu::TraceStartOp>(op.getName(), int32_t(op.getLevel()));
    return none();
  }
};

/// Ends the innermost span.
///
///   pallas.trace_stop
/// -->
///   "tpu.trace_stop"() : () -> ()
struct ConvertTraceStop : TPUPattern<TraceStopOp> {
  using TPUPattern::TPUPattern;
  Results convert(TraceStopOp, Adaptor, Emitter &emit) const override {
    emit.create<tpu::TraceStopOp>();
    return none();
  }
};

/// Values of a profile have 32 bits.
///
///   pallas.trace_value "n", %n : i32
/// -->
///   tpu.trace_value %n, "n" : i32
struct ConvertTraceValue : TPUPattern<TraceValueOp> {
  using TPUPattern::TPUPattern;
  Results convert(TraceValueOp op, Adaptor adaptor,
                  Emitter &emit) const override {
    Value value = adaptor.getValue();
    value = isa<FloatType>(value.getType()) ? widen(emit, value)
                                            : emit.toI32(value);
    emit.create<tpu::TraceValueOp>(value, op.getName());
    return none();
  }
};

/// Waits for a number of nanoseconds.
///
///   pallas.delay %ns
/// -->
///   tpu.delay %ns
struct ConvertDelay : TPUPattern<DelayOp> {
  using TPUPattern::TPUPattern;
  Results convert(DelayOp, Adaptor adaptor, Emitter &emit) const override {
    emit.create<tpu::DelayOp>(adaptor.getNanoseconds());
    return none();
  }
};

} // namespace

void mlir::pallas::populateMiscPatterns(const TPUTypeConverter &types,
                                        TPUPatternSet &patterns) {
  addTPUPatterns<ConvertSeed, ConvertBits, ConvertReciprocal,
                 ConvertStochasticRound, ConvertPack, ConvertUnpack,
                 ConvertMultipleOf, ConvertIdentity<MaxContiguousOp>,
                 ConvertIdentity<OptimizationBarrierOp>, ConvertPoison,
                 ConvertDebugPrint, ConvertCheck, ConvertTraceStart,
                 ConvertTraceStop, ConvertTraceValue, ConvertDelay>(types,
                                                                    patterns);
}
