//===- LiftCaptures.cpp - Captured refs as aliased arrays -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call or a mesh that stays while refs that it captures become values takes
// their contents as inputs. Writes of its kernels to them come back as outputs
// in the same memory:
//
//   pallas.pallas_call @k grid(4) captures(%r : !pallas.ref<8xf32, hbm>) ...
//
// becomes
//
//   %1 = pallas.pallas_call @k grid(4) in(%contents : tensor<8xf32>) ...
//        out(tensor<8xf32>) ... aliases [0 -> 0]
//
//===----------------------------------------------------------------------===//

#include "CallEditor.h"
#include "DischargeModels.h"
#include "KernelDependences.h"
#include "RefSelection.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "pallas/Dialect/Pallas/IR/RefEffects.h"

using namespace mlir;
using namespace mlir::pallas;

/// Whether the contents of the ref can be an array that an operation takes and
/// gives back.
static LogicalResult verifyArray(Operation *op, Value ref) {
  auto type = dyn_cast<RefType>(ref.getType());
  if (!type || type.isSynchronization() || !type.hasStaticShape())
    return op->emitOpError()
           << "captures a ref of type " << ref.getType()
           << ", which can't become an array that it takes and gives back; "
              "discharge other memory spaces only";
  return success();
}

/// The captured refs that become values. Their arrays must be apart.
///
/// Two arrays of one ref would both be written back, and one write be lost.
static FailureOr<SmallVector<Value>>
getDischarged(Operation *op, ValueRange captures, DischargeState &state) {
  SmallVector<Value> refs;
  llvm::SmallPtrSet<Value, 4> roots;
  for (Value capture : captures) {
    if (!isa<RefType, AccumulatorType>(capture.getType()) ||
        !state.isDischarged(capture))
      continue;
    if (failed(verifyArray(op, capture)))
      return failure();
    if (!roots.insert(state.getRoot(capture)).second)
      return op->emitOpError()
             << "captures two views of one ref, which would become two arrays; "
                "capture the ref and view it in the kernel";
    refs.push_back(capture);
  }
  return refs;
}

/// Sets the contents of refs to the results behind operation `op`.
static LogicalResult writeBack(Operation *op, ArrayRef<Value> refs,
                               ValueRange results, DischargeState &state) {
  OpBuilder after(op->getContext());
  after.setInsertionPointAfter(op);
  for (auto [ref, result] : llvm::zip_equal(refs, results))
    if (failed(state.write(after, op->getLoc(), ref,
                           createHeld(after, op->getLoc(), result))))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// Captures are lifted one by one, each change recreating the call.
static FailureOr<Operation *> liftToCall(PallasCallOp call,
                                         DischargeState &state) {
  auto refs = getDischarged(call, call.getCaptures(), state);
  if (failed(refs))
    return failure();
  SmallVector<Value> changed = llvm::filter_to_vector(
      *refs, [&](Value ref) { return mayWrite(call, ref); });
  SmallVector<Value> results;
  CallEditor editor(call);
  for (Value ref : *refs) {
    call = editor.getCall();
    unsigned index = llvm::find(call.getCaptures(), ref).getIndex();
    SmallVector<BlockArgument> names = editor.getCaptureArguments(index);
    // An index map runs ahead of the kernel and has no inputs.
    for (BlockArgument name : ArrayRef(names).drop_front())
      if (!name.use_empty())
        return call.emitOpError()
               << "reads captured value " << index
               << " in an index map; run --pallas-hoist-scalar-prefetch before "
                  "its ref becomes a value";
    unsigned input = call.getInputs().size();
    OpBuilder &builder = editor.getBuilder();
    Value array = createArray(builder, call.getLoc(),
                              state.read(builder, call.getLoc(), ref));
    BlockArgument name = editor.appendInput(
        array, cast<RefType>(ref.getType()).getMemorySpace());
    editor.getCaptureArguments(index).front().replaceAllUsesWith(name);
    editor.dropCapture(index);
    if (llvm::is_contained(changed, ref))
      editor.appendAliasedOutput(input);
  }
  call = editor.getCall();
  if (failed(writeBack(call, changed,
                       call.getResults().take_back(changed.size()), state)))
    return failure();
  return call.getOperation();
}

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

/// Lets a map take these refs' contents, and give back what it writes.
///
/// An mpmd_map takes captures as inputs anyhow, so types change in place.
/// Outputs are new for the inputs that are written.
static FailureOr<Operation *> liftToMap(MpmdMapOp map, ArrayRef<Value> refs,
                                        DischargeState &state) {
  SmallVector<Value> changed = llvm::filter_to_vector(
      refs, [&](Value ref) { return mayWrite(map, ref); });
  OpBuilder builder(map);
  OperationState parts(map.getLoc(), MpmdMapOp::getOperationName());
  parts.addTypes(map.getResultTypes());
  auto &properties = parts.getOrAddProperties<MpmdMapOp::Properties>();
  properties = map.getProperties();
  SmallVector<int64_t> aliases(map.getAliases());
  unsigned numInputs = map.getInputs().size();
  for (auto [index, input] : llvm::enumerate(map.getInputs())) {
    if (!llvm::is_contained(refs, input)) {
      parts.addOperands(input);
      continue;
    }
    Value value = createArray(builder, map.getLoc(),
                              state.read(builder, map.getLoc(), input));
    parts.addOperands(value);
    if (!llvm::is_contained(changed, input))
      continue;
    aliases.append({int64_t(index), int64_t(parts.types.size())});
    for (Region &kernel : map.getKernels())
      kernel.insertArgument(numInputs + parts.types.size(),
                            kernel.getArgument(index).getType(), map.getLoc());
    parts.addTypes(value.getType());
  }
  properties.aliases = builder.getDenseI64ArrayAttr(aliases);
  for (Region &kernel : map.getKernels())
    parts.addRegion()->takeBody(kernel);
  Operation *result = builder.create(parts);
  result->setDiscardableAttrs(map->getDiscardableAttrDictionary());
  map->replaceAllUsesWith(
      result->getResults().take_front(map->getNumResults()));
  map.erase();
  if (failed(writeBack(result, changed,
                       result->getResults().take_back(changed.size()), state)))
    return failure();
  return result;
}

/// The map that runs the body of a `core_map`: its captures are inputs.
static FailureOr<MpmdMapOp> createMap(CoreMapOp op,
                                      const SetVector<Value> &captures) {
  Region &body = op.getBody();
  Location loc = op.getLoc();
  OpBuilder inside = OpBuilder::atBlockBegin(&body.front());
  bool isGPU = op.getMesh().getKind() == MeshKind::Gpu;
  SmallVector<Value> inputs;
  for (Value capture : captures) {
    Type type = capture.getType();
    // Tensors are passed as arrays, and read at the start of the body.
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      type = RefType::get(tensor.getShape(), tensor.getElementType(),
                          isGPU ? MemorySpace::Gmem : MemorySpace::Any);
    } else if (!isa<RefType>(type) && !type.isSignlessIntOrIndexOrFloat()) {
      return op.emitOpError()
             << "captures a value of type " << type
             << ", which can't become an input of pallas.mpmd_map; pass refs, "
                "tensors or scalars";
    }
    Value argument = body.insertArgument(inputs.size(), type, loc);
    if (isa<RankedTensorType>(capture.getType()))
      argument = createArray(inside, loc, GetOp::create(inside, loc, argument));
    replaceAllUsesInRegionWith(capture, argument, body);
    inputs.push_back(capture);
  }
  OpBuilder builder(op);
  OperationState parts(loc, MpmdMapOp::getOperationName());
  parts.addOperands(inputs);
  auto &properties = parts.getOrAddProperties<MpmdMapOp::Properties>();
  properties.meshes = builder.getArrayAttr(op.getMesh());
  properties.aliases = builder.getDenseI64ArrayAttr({});
  properties.compilerParams = op.getCompilerParamsAttr();
  properties.costEstimate = op.getCostEstimateAttr();
  parts.addRegion()->takeBody(body);
  auto map = cast<MpmdMapOp>(builder.create(parts));
  map->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.erase();
  return map;
}

/// The body sees its surroundings, so only another operation can take them as
/// arrays.
static FailureOr<Operation *> liftToCoreMap(CoreMapOp op,
                                            DischargeState &state) {
  SetVector<Value> used;
  getUsedValuesDefinedAbove(op.getBody(), used);
  auto refs = getDischarged(op, used.getArrayRef(), state);
  if (failed(refs))
    return failure();
  if (refs->empty())
    return op.getOperation();
  if (op.getMesh().getKind() == MeshKind::Warp)
    return op.emitOpError()
           << "runs on warps and uses a ref of type " << refs->front().getType()
           << " that becomes a value; discharge other memory "
              "spaces only";
  OpBuilder inside = OpBuilder::atBlockBegin(&op.getBody().front());
  SetVector<Value> captures;
  // Constants are cloned into the body, since they are no inputs.
  for (Value value : used) {
    Operation *constant = value.getDefiningOp();
    if (constant && matchPattern(constant, m_Constant()))
      replaceAllUsesInRegionWith(value, inside.clone(*constant)->getResult(0),
                                 op.getBody());
    else
      captures.insert(value);
  }
  FailureOr<MpmdMapOp> map = createMap(op, captures);
  if (failed(map))
    return failure();
  return liftToMap(*map, *refs, state);
}

/// Returns the operation that replaces `op`, or `op` itself.
FailureOr<Operation *> pallas::liftCaptures(Operation *op,
                                            DischargeState &state) {
  if (auto call = dyn_cast<PallasCallOp>(op))
    return liftToCall(call, state);
  if (auto map = dyn_cast<CoreMapOp>(op))
    return liftToCoreMap(map, state);
  auto map = cast<MpmdMapOp>(op);
  auto refs = getDischarged(map, map.getInputs(), state);
  if (failed(refs))
    return failure();
  return refs->empty() ? FailureOr<Operation *>(op)
                       : liftToMap(map, *refs, state);
}
