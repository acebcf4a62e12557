//===- CallOperandPatterns.cpp - Calls without needless operands ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An operand of a call costs a copy into the kernel's memory for each window,
// so an operand that no program reads is removed, and of two equal operands
// that no program writes to, one is removed. An input that shares memory with
// an output always stays: it is the initial value of the output.
//
//===----------------------------------------------------------------------===//

#include "Canonicalization.h"
#include "mlir/IR/OperationSupport.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {

//===----------------------------------------------------------------------===//
// Calls with index maps
//===----------------------------------------------------------------------===//

/// The operands to remove from a call, as positions in its lists.
struct Needless {
  explicit Needless(GridMappingOpInterface op)
      : captures(op.getNumCaptures()), indexOperands(op.getNumIndexOperands()),
        inputs(op.getNumInputs()) {}
  bool any() const {
    return captures.any() || indexOperands.any() || inputs.any();
  }
  BitVector captures, indexOperands, inputs;
};

/// Finds needless operands. If a value is an operand twice, the uses of the
/// second argument are replaced by the first.
class OperandFinder {
public:
  OperandFinder(GridMappingOpInterface op, PatternRewriter &rewriter)
      : op(op), rewriter(rewriter), needless(op) {
    for (auto [input, output] : op.getInputOutputAliases())
      aliased.insert(input);
  }

  Needless find() {
    for (unsigned i = 0; i < op.getNumCaptures(); ++i)
      findCapture(i);
    for (unsigned i = 0; i < op.getNumIndexOperands(); ++i)
      findIndexOperand(i);
    for (unsigned i = 0; i < op.getNumInputs(); ++i)
      findInput(i);
    return needless;
  }

private:
  /// The arguments of one operand: of the kernel, then of each index map.
  using Arguments = SmallVector<BlockArgument>;

  Arguments getMapArguments(unsigned position) {
    Arguments arguments;
    for (unsigned block = 0; block < op.getNumBlocks(); ++block)
      if (Region *map = op.getIndexMap(block))
        arguments.push_back(map->getArgument(op.getGridRank() + position));
    return arguments;
  }
  Arguments getCaptureArguments(unsigned i) {
    Arguments arguments = getMapArguments(op.getNumIndexOperands() + i);
    arguments.push_back(op.getKernelCaptures()[i]);
    return arguments;
  }
  Arguments getIndexArguments(unsigned i) {
    Arguments arguments = getMapArguments(i);
    arguments.push_back(op.sliceIndexOps()[i]);
    return arguments;
  }
  static bool areUnused(const Arguments &arguments) {
    return llvm::all_of(arguments,
                        [](BlockArgument arg) { return arg.use_empty(); });
  }
  void merge(const Arguments &from, const Arguments &into) {
    for (auto [old, value] : llvm::zip_equal(from, into))
      rewriter.replaceAllUsesWith(old, value);
  }

  /// A capture may be used by the kernel and by index maps, so all of its
  /// arguments have to be unused before it goes.
  void findCapture(unsigned i) {
    OperandRange captures = op.getCaptureOperands();
    Arguments arguments = getCaptureArguments(i);
    // Only values can be captured twice, refs cannot.
    for (unsigned first = 0; first < i && !areUnused(arguments); ++first)
      if (captures[first] == captures[i] && !needless.captures.test(first))
        merge(arguments, getCaptureArguments(first));
    if (areUnused(arguments))
      needless.captures.set(i);
  }

  /// Kernels may write to prefetched arrays, so two of one value are merged
  /// only if neither is written.
  void findIndexOperand(unsigned i) {
    Arguments arguments = getIndexArguments(i);
    for (unsigned first = 0; first < i && !areUnused(arguments); ++first)
      if (op.getIndexOperands()[first] == op.getIndexOperands()[i] &&
          !needless.indexOperands.test(first) &&
          !mayBeWritten(op.sliceIndexOps()[first]) &&
          !mayBeWritten(op.sliceIndexOps()[i]))
        merge(arguments, getIndexArguments(first));
    if (areUnused(arguments))
      needless.indexOperands.set(i);
  }

  bool isAliased(unsigned input) {
    return aliased.contains(op.getNumIndexOperands() + input);
  }

  /// Whether two inputs are the same array in the same blocks. Then every
  /// program sees the same elements in both.
  bool haveSameWindows(unsigned a, unsigned b) {
    return op.getInputOperands()[a] == op.getInputOperands()[b] &&
           mappings[a] == mappings[b] &&
           OperationEquivalence::isRegionEquivalentTo(
               op.getIndexMap(a), op.getIndexMap(b),
               OperationEquivalence::IgnoreLocations);
  }

  /// Each argument takes over uses before it is judged: merging is what makes
  /// the second of two equal inputs needless.
  void findInput(unsigned i) {
    BlockArgument argument = op.sliceBlockOps()[i];
    if (isAliased(i))
      return;
    for (unsigned first = 0; first < i && !argument.use_empty(); ++first)
      if (!isAliased(first) && !needless.inputs.test(first) &&
          haveSameWindows(first, i) &&
          !mayBeWritten(op.sliceBlockOps()[first]) && !mayBeWritten(argument))
        rewriter.replaceAllUsesWith(argument, op.sliceBlockOps()[first]);
    if (argument.use_empty())
      needless.inputs.set(i);
  }

  GridMappingOpInterface op;
  PatternRewriter &rewriter;
  Needless needless;
  SmallVector<BlockMappingAttr> mappings = op.getMappings();
  llvm::SmallDenseSet<int64_t> aliased;
};

} // namespace

/// Moves a region and leaves the arguments of `needless` out.
static void moveRegion(Region &from, Region &to, const BitVector &needless,
                       PatternRewriter &rewriter) {
  rewriter.inlineRegionBefore(from, to, to.end());
  rewriter.modifyOpInPlace(to.getParentOp(),
                           [&] { to.front().eraseArguments(needless); });
}

/// `bits` at `offset` of a vector of `size` bits.
static void place(BitVector &into, unsigned offset, const BitVector &bits) {
  for (unsigned bit : bits.set_bits())
    into.set(offset + bit);
}

/// Aliases name an operand by its position among index operands and inputs, so
/// they move down by the operands that are removed before them.
static SmallVector<int64_t> renumberAliases(ArrayRef<int64_t> aliases,
                                            const BitVector &needless) {
  SmallVector<int64_t> result(aliases);
  for (unsigned i = 0; i < result.size(); i += 2)
    result[i] -= llvm::count_if(needless.set_bits(),
                                [&](unsigned bit) { return bit < aliases[i]; });
  return result;
}

/// Pipelines have no aliases, so the overload for them does nothing.
static void setAliases(PallasCallOp op, PallasCallOp::Properties &properties,
                       const Needless &needless) {
  BitVector arrays(needless.indexOperands.size() + needless.inputs.size());
  place(arrays, 0, needless.indexOperands);
  place(arrays, needless.indexOperands.size(), needless.inputs);
  properties.setAliases(DenseI64ArrayAttr::get(
      op.getContext(), renumberAliases(op.getAliases(), arrays)));
}
static void setAliases(EmitPipelineOp, EmitPipelineOp::Properties &,
                       const Needless &) {}

/// Whether compiler parameters have one entry per input. Removing an input
/// would shift the entries of the others, so such calls stay as they are.
static bool namesInputs(PallasCallOp op) {
  std::optional<ArrayAttr> params = op.getCompilerParams();
  return params && llvm::any_of(*params, [](Attribute attr) {
           auto tpu = dyn_cast<TPUParamsAttr>(attr);
           return tpu && tpu.getAllowInputFusion();
         });
}
static bool namesInputs(EmitPipelineOp) { return false; }

namespace {

/// Removes operands that no kernel and no index map uses. For example:
///
///   %0 = pallas.pallas_call grid(4) prefetch(%t) in(%x, %x)
///     kernel(%i: !pallas.ref<4xi32, smem>, %a: !pallas.ref<8xf32, vmem>,
///            %b: !pallas.ref<8xf32, vmem>, ...)
///
/// becomes a call with `in(%x)` only, if nothing uses %i, nothing writes to %a
/// or %b, and both have the same windows.
template <typename Op> struct DropOperands : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    auto grid = cast<GridMappingOpInterface>(op.getOperation());
    if (namesInputs(op))
      return failure();
    // Merging leaves the second argument without uses. So where the finder
    // changed a region it has found an operand, and the pattern succeeds.
    Needless needless = OperandFinder(grid, rewriter).find();
    if (!needless.any())
      return failure();

    // The number of regions of an operation is fixed, so a new one is built.
    OperationState state(op.getLoc(), op->getName());
    typename Op::Properties properties = op.getProperties();
    BitVector operands(op->getNumOperands());
    auto dropOperands = [&](unsigned segment, const BitVector &bits) {
      place(operands, op.getODSOperandIndexAndLength(segment).first, bits);
      properties.operandSegmentSizes[segment] -= bits.count();
    };
    if constexpr (std::is_same_v<Op, PallasCallOp>) {
      dropOperands(/*captures*/ 0, needless.captures);
      dropOperands(/*indexOperands*/ 2, needless.indexOperands);
      dropOperands(/*inputs*/ 3, needless.inputs);
    } else {
      dropOperands(/*inputs*/ 1, needless.inputs);
    }
    for (auto [position, operand] : llvm::enumerate(op->getOperands()))
      if (!operands.test(position))
        state.operands.push_back(operand);
    SmallVector<Attribute> mappings;
    for (auto [index, mapping] : llvm::enumerate(op.getBlockMappings()))
      if (index >= needless.inputs.size() || !needless.inputs.test(index))
        mappings.push_back(mapping);
    properties.setBlockMappings(rewriter.getArrayAttr(mappings));
    setAliases(op, properties, needless);
    state.template getOrAddProperties<typename Op::Properties>() = properties;
    state.attributes = op->getDiscardableAttrDictionary();
    state.addTypes(op->getResultTypes());
    for (size_t i = 0; i < mappings.size() + 1; ++i)
      state.addRegion();
    auto replacement = cast<Op>(rewriter.create(state));
    moveRegions(op, replacement, grid, needless, rewriter);
    rewriter.replaceOp(op, replacement);
    return success();
  }

private:
  /// A kernel has captures, leading arguments, prefetched arrays and blocks; an
  /// index map has grid indices, prefetched arrays and captures.
  static void moveRegions(Op op, Op replacement, GridMappingOpInterface grid,
                          const Needless &needless, PatternRewriter &rewriter) {
    Region &kernel = op.getKernel();
    unsigned leading = grid.getNumLeadingKernelArguments(),
             numCaptures = needless.captures.size(),
             numIndex = needless.indexOperands.size();
    BitVector kernelArgs(kernel.getNumArguments());
    place(kernelArgs, 0, needless.captures);
    place(kernelArgs, numCaptures + leading, needless.indexOperands);
    place(kernelArgs, numCaptures + leading + numIndex, needless.inputs);
    BitVector mapArgs(grid.getGridRank() + numIndex + numCaptures);
    place(mapArgs, grid.getGridRank(), needless.indexOperands);
    place(mapArgs, grid.getGridRank() + numIndex, needless.captures);
    moveRegion(kernel, replacement.getKernel(), kernelArgs, rewriter);
    unsigned next = 0;
    for (auto [index, map] : llvm::enumerate(op.getIndexMaps()))
      if (index >= needless.inputs.size() || !needless.inputs.test(index))
        moveRegion(map, replacement.getIndexMaps()[next++], mapArgs, rewriter);
  }
};

//===----------------------------------------------------------------------===//
// mpmd_map
//===----------------------------------------------------------------------===//

/// The same for maps, whose kernels all have one argument for each input.
/// An input goes if no kernel uses it.
struct DropMpmdInputs : OpRewritePattern<MpmdMapOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(MpmdMapOp op,
                                PatternRewriter &rewriter) const override {
    OperandRange inputs = op.getInputs();
    llvm::SmallDenseSet<int64_t> aliased;
    for (auto [input, output] : op.getInputOutputAliases())
      aliased.insert(input);
    BitVector needless(inputs.size());
    for (unsigned i = 0; i < inputs.size(); ++i) {
      if (aliased.contains(i))
        continue;
      for (unsigned first = 0; first < i; ++first)
        if (inputs[first] == inputs[i] && !aliased.contains(first) &&
            !needless.test(first) && areInterchangeable(op, first, i))
          for (Region &kernel : op.getKernels())
            rewriter.replaceAllUsesWith(kernel.getArgument(i),
                                        kernel.getArgument(first));
      if (llvm::all_of(op.getKernels(), [&](Region &kernel) {
            return kernel.getArgument(i).use_empty();
          }))
        needless.set(i);
    }
    if (needless.none())
      return failure();
    rewriter.modifyOpInPlace(op, [&] {
      op.setAliases(renumberAliases(op.getAliases(), needless));
      op->eraseOperands(needless);
      for (Region &kernel : op.getKernels()) {
        BitVector arguments = needless;
        arguments.resize(kernel.getNumArguments());
        kernel.front().eraseArguments(arguments);
      }
    });
    return success();
  }

private:
  /// Whether kernels see two inputs of one value in the same way.
  static bool areInterchangeable(MpmdMapOp op, unsigned a, unsigned b) {
    return llvm::all_of(op.getKernels(), [&](Region &kernel) {
      BlockArgument first = kernel.getArgument(a),
                    second = kernel.getArgument(b);
      if (first.getType() != second.getType())
        return false;
      return !isa<RefType>(first.getType()) ||
             (!mayBeWritten(first) && !mayBeWritten(second));
    });
  }
};

} // namespace

template <>
void mlir::pallas::addOperandPatterns<PallasCallOp>(
    RewritePatternSet &patterns) {
  patterns.add<DropOperands<PallasCallOp>>(patterns.getContext());
}
template <>
void mlir::pallas::addOperandPatterns<EmitPipelineOp>(
    RewritePatternSet &patterns) {
  patterns.add<DropOperands<EmitPipelineOp>>(patterns.getContext());
}
template <>
void mlir::pallas::addOperandPatterns<MpmdMapOp>(RewritePatternSet &patterns) {
  patterns.add<DropMpmdInputs>(patterns.getContext());
}
