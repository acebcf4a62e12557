//===- GridMappingVerifier.cpp - Rules of grid mappings -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Verifies operands, block mappings and the kernel of calls and pipelines.
// Comments such as V2 name the rules of docs/Rules.md.
//
//===----------------------------------------------------------------------===//

#include "GridMappingVerifier.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::pallas;

std::string GridMappingVerifier::describeBlock(unsigned index) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (index < op.getNumInputs())
    os << "input " << index;
  else
    os << "output " << index - op.getNumInputs();
  SmallVector<BlockMappingAttr> mappings = op.getMappings();
  if (index < mappings.size() && mappings[index].getOrigin())
    os << " (" << mappings[index].getOrigin().getValue() << ")";
  return text;
}

//===----------------------------------------------------------------------===//
// Signature: rules that need operands, results and attributes only
//===----------------------------------------------------------------------===//

/// A size of zero is legal: the call then has no programs. For example, grid(4,
/// %n) has one dynamic dimension, which needs one operand.
LogicalResult GridMappingVerifier::verifyGrid() {
  SmallVector<int64_t> grid = op.getGridShape();
  for (auto [dim, size] : llvm::enumerate(grid))
    // A7
    if (size < 0 && !ShapedType::isDynamic(size))
      return op.emitOpError()
             << "grid dimension " << dim << " has size " << size
             << "; a size must be at least 0, or dynamic with an operand";
  // A7, B6, C1
  if (op.getNumDynamicGridBounds() != op.getDynamicGridOperands().size())
    return op.emitOpError()
           << "grid has " << op.getNumDynamicGridBounds()
           << " dynamic dimensions, but " << op.getDynamicGridOperands().size()
           << " sizes are given; pass one i32 or index per dynamic dimension";
  if (failed(verifyNames()) || failed(verifyVmappedDimensions()))
    return failure();

  SmallVector<DimensionSemantics> semantics = op.getGridDimensionSemantics();
  // V1
  if (!semantics.empty() && semantics.size() != op.getNumUserGridDimensions())
    return op.emitOpError()
           << "has " << semantics.size() << " dimension semantics, but "
           << op.getNumUserGridDimensions()
           << " grid dimensions that are not vmapped; give one for each";
  return success();
}

/// Names are looked up by `pallas.axis_index`, so each must be unique. Batching
/// adds dimensions with an empty name, which nothing can look up.
LogicalResult GridMappingVerifier::verifyNames() {
  SmallVector<StringRef> names = op.getGridDimensionNames();
  // J6
  if (!names.empty() && names.size() != op.getGridRank())
    return op.emitOpError()
           << "has " << names.size() << " grid names, but the grid has rank "
           << op.getGridRank() << "; name every dimension or none";
  llvm::StringSet<> seen;
  for (StringRef name : names)
    // A7; the dimensions that batching adds have no name
    if (!name.empty() && !seen.insert(name).second)
      return op.emitOpError() << "grid name \"" << name
                              << "\" appears twice; name each dimension once";
  return success();
}

/// Dimensions that `vmap` adds are hidden from the kernel: its program ids
/// count the others only.
LogicalResult GridMappingVerifier::verifyVmappedDimensions() {
  int64_t rank = op.getGridRank();
  int64_t previous = -1;
  for (int64_t dim : op.getVmappedDimensions()) {
    // J5
    if (dim < 0 || dim >= rank)
      return op.emitOpError() << "vmapped dimension " << dim
                              << " is out of range for a grid of rank " << rank
                              << "; name a dimension from 0 to " << rank - 1;
    // J8
    if (dim <= previous)
      return op.emitOpError()
             << "vmapped dimension " << dim << " follows " << previous
             << "; list them in ascending order, each once";
    previous = dim;
  }
  return success();
}

/// Index operands are in scalar memory before the first program runs, so their
/// size must be known.
LogicalResult GridMappingVerifier::verifyIndexOperands() {
  for (auto [index, type] : llvm::enumerate(op.getIndexOperands().getTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    // C7
    if (!tensor || !tensor.hasStaticShape() ||
        !RefType::isValidElementType(tensor.getElementType()))
      return op.emitOpError()
             << "index operand " << index << " has type " << type
             << ", but scalar memory needs a ranked tensor of static shape "
                "with signless integer or float elements";
  }
  return success();
}

/// There is one block mapping per input and output, in this order, and each has
/// one entry per dimension of its array.
LogicalResult GridMappingVerifier::verifyBlockMappings() {
  SmallVector<BlockMappingAttr> mappings = op.getMappings();
  // J1, C3, C4
  if (mappings.size() != op.getNumBlocks())
    return op.emitOpError()
           << "has " << mappings.size() << " block mappings, but "
           << op.getNumInputs() << " inputs and " << op.getNumOutputs()
           << " outputs; give one block mapping for each of them";
  for (auto [index, mapping] : llvm::enumerate(mappings)) {
    ShapedType array = getArrayShapedType(op.getArrayType(index));
    // D1
    if (!array)
      return op.emitOpError()
             << describeBlock(index) << " cannot be cut into blocks: its type "
             << op.getArrayType(index) << " has no shape; pass a ranked tensor";
    // V2
    if (!RefType::isValidElementType(array.getElementType()))
      return op.emitOpError()
             << describeBlock(index) << " has elements of type "
             << array.getElementType()
             << ", which no ref can hold; use signless integers or floats";
    // D2, E2
    if (int64_t(mapping.getDims().size()) != array.getRank())
      return op.emitOpError()
             << "block shape for " << describeBlock(index) << " has "
             << mapping.getDims().size() << " dimensions, but the array "
             << op.getArrayType(index) << " has " << array.getRank()
             << "; give one block dimension per array dimension, `squeezed` "
                "for those that the kernel should not see";
    if (failed(verifyDimensionKinds(index, mapping)))
      return failure();
  }
  return success();
}

LogicalResult
GridMappingVerifier::verifyDimensionKinds(unsigned index,
                                          BlockMappingAttr mapping) {
  if (isa<EmitPipelineOp>(op))
    return success();
  for (auto [dim, blockDim] : llvm::enumerate(mapping.getDims()))
    // D9, D12
    if (blockDim.getKind() == BlockDimKind::BoundedSlice ||
        blockDim.getKind() == BlockDimKind::Indirect)
      return op.emitOpError()
             << "block dimension " << dim << " of " << describeBlock(index)
             << " is " << stringifyBlockDimKind(blockDim.getKind())
             << ", which only pallas.emit_pipeline supports; use a blocked, "
                "squeezed or element dimension here";
  return success();
}

//===----------------------------------------------------------------------===//
// Kernel
//===----------------------------------------------------------------------===//

LogicalResult GridMappingVerifier::verifyArgument(BlockArgument arg,
                                                  Type expected,
                                                  const Twine &what) {
  if (arg.getType() == expected)
    return success();
  InFlightDiagnostic diag = op.emitOpError()
                            << "kernel argument " << arg.getArgNumber() << " "
                            << what.str() << ", so it must have type "
                            << expected << ", but has type " << arg.getType();
  diag.attachNote(arg.getLoc()) << "declared here";
  return diag;
}

/// The arguments of a kernel are, in this order:
///
///   captured values, indices of a pipeline, index refs, blocks of inputs,
///   blocks of outputs, scratch memory
///
/// Only the number of scratch arguments is free, so a kernel that lacks an
/// argument shows up as a negative number of them.
LogicalResult GridMappingVerifier::verifyKernel() {
  Region &kernel = op.getKernelRegion();
  // V3
  if (!kernel.hasOneBlock())
    return op.emitOpError() << "kernel must have exactly one block, but has "
                            << llvm::range_size(kernel);
  int64_t numScratch = op.getNumScratchOperands();
  // B16, J8
  if (numScratch < 0)
    return op.emitOpError()
           << "kernel takes " << kernel.getNumArguments()
           << " arguments, but needs at least "
           << int64_t(kernel.getNumArguments()) - numScratch << ": "
           << op.getNumCaptures() << " captured values, "
           << op.getNumLeadingKernelArguments() << " indices, "
           << op.getNumIndexOperands() << " index refs, " << op.getNumInputs()
           << " inputs and " << op.getNumOutputs()
           << " outputs; declare one for each";
  for (auto [arg, value] :
       llvm::zip(op.getKernelCaptures(), op.getCaptureOperands()))
    // B11
    if (failed(verifyArgument(arg, value.getType(), "is for a captured value")))
      return failure();
  for (auto [arg, type] : llvm::zip(op.sliceIndexOps(), op.getIndexRefTypes()))
    // C6
    if (failed(verifyArgument(arg, type, "is for an index operand")))
      return failure();
  for (auto [index, arg] : llvm::enumerate(op.sliceBlockOps()))
    // E1, D6
    if (failed(verifyArgument(arg, op.getBlockRefType(index),
                              "is the block of " + describeBlock(index))))
      return failure();
  return success();
}

LogicalResult GridMappingVerifier::verifyScratch() {
  for (BlockArgument arg : op.sliceScratchOps()) {
    // A8
    if (!isa<RefType, AccumulatorType>(arg.getType()))
      return op.emitOpError() << "scratch argument " << arg.getArgNumber()
                              << " of the kernel must be a ref, but has type "
                              << arg.getType() << "; pass values as inputs";
    auto ref = dyn_cast<RefType>(arg.getType());
    // J8
    if (ref && !ref.hasStaticShape())
      return op.emitOpError()
             << "scratch argument " << arg.getArgNumber()
             << " of the kernel has type " << ref
             << ", but memory of unknown size cannot be reserved; use a static "
                "shape";
    // J8
    if (ref && ref.getSpace() == MemorySpace::Semaphore &&
        !ref.isSynchronization())
      return op.emitOpError()
             << "scratch argument " << arg.getArgNumber()
             << " of the kernel has type " << ref
             << ", but semaphore memory holds semaphores only; use another "
                "memory space";
  }
  return success();
}

/// An operation that writes to `ref` or to a view of it, if there is one.
static Operation *findWrite(Value ref) {
  Operation *write = nullptr;
  walkRefUses(ref, [&](OpOperand &use) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(use.getOwner());
    if (!effects || !effects.getEffectOnValue<MemoryEffects::Write>(use.get()))
      return WalkResult::advance();
    write = use.getOwner();
    return WalkResult::interrupt();
  });
  return write;
}

/// A window is copied while the program before it still runs, so its index map
/// may be evaluated before the kernel writes, or after. An index map therefore
/// must not read an index operand that the kernel writes.
LogicalResult GridMappingVerifier::verifyMutableIndexRefs() {
  for (auto [position, arg] : llvm::enumerate(op.sliceIndexOps())) {
    Operation *write = findWrite(arg);
    if (!write)
      continue;
    for (unsigned index = 0, e = op.getNumBlocks(); index < e; ++index) {
      Region *map = op.getIndexMap(index);
      // J8
      if (!map || map->getArgument(op.getGridRank() + position).use_empty())
        continue;
      InFlightDiagnostic diag =
          op.emitOpError()
          << "index map of " << describeBlock(index) << " reads index operand "
          << position
          << ", which the kernel writes: maps run ahead of the kernel, so what "
             "they read must not change; keep the state in scratch memory";
      diag.attachNote(write->getLoc()) << "written here";
      return diag;
    }
  }
  return success();
}

LogicalResult
mlir::pallas::verifyGridMappingSignature(GridMappingOpInterface op) {
  return GridMappingVerifier(op).verifySignature();
}

LogicalResult mlir::pallas::verifyGridMapping(GridMappingOpInterface op) {
  return GridMappingVerifier(op).verifyRegions();
}
