//===- TypeReductions.cpp - Smaller sizes and narrower elements -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many types have a size in common, so all places that have it change
// together, such as 512 in
//
//   %o = pallas.pallas_call grid(4)
//       in(%x : tensor<512x128xf32>) block<[128, 128]> map(%i) -> (%i, 0)
//
//===----------------------------------------------------------------------===//

#include "Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/TypeUtilities.h"
#include "pallas/Dialect/Pallas/IR/PallasOps.h"
#include <set>

using namespace mlir;
using namespace mlir::pallas;

/// Calls `visit` with the types of all values.
static void visitTypes(ModuleOp module, llvm::function_ref<void(Type)> visit) {
  module.walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      visit(type);
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (Type type : block.getArgumentTypes())
          visit(type);
  });
}

static Type replaceShape(ShapedType type, ArrayRef<int64_t> shape,
                         Type element) {
  if (auto ref = dyn_cast<RefType>(type))
    return ref.withShape(shape).withElementType(element);
  if (isa<RankedTensorType, VectorType, MemRefType>(type))
    return type.clone(shape, element);
  return type;
}

/// Constants keep their first element only.
static Attribute replaceType(DenseElementsAttr attr, ShapedType type) {
  Type from = attr.getElementType(), to = type.getElementType();
  Attribute value = *attr.getValues<Attribute>().begin();
  if (from != to) {
    auto wide = dyn_cast<FloatAttr>(value);
    auto whole = dyn_cast<IntegerAttr>(value);
    if (wide && isa<FloatType>(to))
      value = FloatAttr::get(to, wide.getValueAsDouble());
    else if (whole && isa<IntegerType>(to))
      value = IntegerAttr::get(
          to, whole.getValue().sextOrTrunc(to.getIntOrFloatBitWidth()));
    else
      return attr;
  }
  return DenseElementsAttr::get(type, value);
}

namespace {
/// Replaces types of arrays and what belongs to them.
struct ArrayReplacer {
  llvm::function_ref<Type(ShapedType)> replaceArray;
  llvm::function_ref<int64_t(int64_t)> replaceSize;

  void run(ModuleOp module, bool changesLists, bool changesConstants);
};
} // namespace

void ArrayReplacer::run(ModuleOp module, bool changesLists,
                        bool changesConstants) {
  using Result = std::optional<std::pair<Attribute, WalkResult>>;
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](Type type) -> std::optional<Type> {
    if (auto shaped = dyn_cast<ShapedType>(type))
      return replaceArray(shaped);
    return std::nullopt;
  });
  replacer.addReplacement([&](DenseElementsAttr attr) -> Result {
    auto type = cast<ShapedType>(replaceArray(attr.getType()));
    return {{replaceType(attr, type), WalkResult::skip()}};
  });
  replacer.addReplacement([&](BlockDimAttr dim) -> Result {
    int64_t size = replaceSize(dim.getSize());
    return {{BlockDimAttr::get(dim.getContext(), dim.getKind(), size,
                               dim.getPadLow(), dim.getPadHigh()),
             WalkResult::skip()}};
  });
  replacer.addReplacement([&](MeshAxisAttr axis) -> Result {
    return {{MeshAxisAttr::get(axis.getContext(), axis.getRole(),
                               axis.getName(), replaceSize(axis.getSize())),
             WalkResult::skip()}};
  });
  if (changesLists)
    replacer.addReplacement([&](DenseI64ArrayAttr list) -> Result {
      SmallVector<int64_t> sizes(list.asArrayRef());
      for (int64_t &size : sizes)
        size = replaceSize(size);
      return {{DenseI64ArrayAttr::get(list.getContext(), sizes),
               WalkResult::skip()}};
    });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  if (changesConstants)
    module.walk([&](arith::ConstantOp op) {
      if (auto value = dyn_cast<IntegerAttr>(op.getValue()))
        op.setValueAttr(
            IntegerAttr::get(value.getType(), replaceSize(value.getInt())));
    });
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Another size for all places that have one.
struct SizeChange {
  int64_t from, to;
  bool changesLists, changesConstants;
};

/// From the boldest to the most careful change.
static SmallVector<SizeChange> getSizeChanges(ModuleOp module) {
  std::set<int64_t, std::greater<>> sizes;
  visitTypes(module, [&](Type type) {
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
      for (int64_t size : shaped.getShape())
        if (size > 1)
          sizes.insert(size);
  });
  module.walk([&](Operation *op) {
    op->getAttrDictionary().walk([&](Attribute attr) {
      if (auto axis = dyn_cast<MeshAxisAttr>(attr); axis && axis.getSize() > 1)
        sizes.insert(axis.getSize());
      if (auto dim = dyn_cast<BlockDimAttr>(attr); dim && dim.getSize() > 1)
        sizes.insert(dim.getSize());
    });
  });
  SmallVector<SizeChange> changes;
  for (int64_t from : sizes) {
    // Sizes of other dimensions come first: those that are one size now may
    // change together later.
    SmallVector<int64_t> candidates{1};
    for (int64_t other : llvm::reverse(sizes))
      if (other < from)
        candidates.push_back(other);
    candidates.push_back(from / 2);
    candidates.push_back(from - 1);
    llvm::SmallSetVector<int64_t, 8> unique(candidates.begin(),
                                            candidates.end());
    for (int64_t to : unique)
      if (to >= 1)
        for (auto [lists, constants] :
             {std::pair(false, false), {true, false}, {true, true}})
          changes.push_back({from, to, lists, constants});
  }
  return changes;
}

static unsigned countSizes(ModuleOp module) {
  return getSizeChanges(module).size();
}

static bool changeSize(ModuleOp module, unsigned begin, unsigned) {
  SizeChange change = getSizeChanges(module)[begin];
  auto replaceSize = [&](int64_t size) {
    return size == change.from ? change.to : size;
  };
  auto replaceArray = [&](ShapedType type) -> Type {
    if (!type.hasRank())
      return type;
    SmallVector<int64_t> shape(type.getShape());
    for (int64_t &size : shape)
      size = replaceSize(size);
    return replaceShape(type, shape, type.getElementType());
  };
  ArrayReplacer{replaceArray, replaceSize}.run(module, change.changesLists,
                                               change.changesConstants);
  return true;
}

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

/// Narrower element types of the same kind.
static SmallVector<std::pair<Type, Type>> getElementChanges(ModuleOp module) {
  llvm::SmallSetVector<Type, 8> elements;
  visitTypes(module, [&](Type type) {
    if (isa<ShapedType>(type))
      elements.insert(getElementTypeOrSelf(type));
  });
  MLIRContext *context = module.getContext();
  Builder builder(context);
  SmallVector<Type> narrow{builder.getI8Type(),  builder.getI16Type(),
                           builder.getI32Type(), builder.getBF16Type(),
                           builder.getF16Type(), builder.getF32Type()};
  SmallVector<std::pair<Type, Type>> changes;
  for (Type from : elements)
    for (Type to : narrow)
      if (from.isIntOrFloat() && from.isIntOrIndex() == to.isIntOrIndex() &&
          to.getIntOrFloatBitWidth() < from.getIntOrFloatBitWidth())
        changes.push_back({from, to});
  return changes;
}

static unsigned countElementTypes(ModuleOp module) {
  return getElementChanges(module).size();
}

static bool changeElementType(ModuleOp module, unsigned begin, unsigned) {
  auto [from, to] = getElementChanges(module)[begin];
  auto replaceArray = [from = from, to = to](ShapedType type) -> Type {
    if (type.getElementType() != from || !type.hasRank())
      return type;
    return replaceShape(type, type.getShape(), to);
  };
  auto keepSize = [](int64_t size) { return size; };
  ArrayReplacer{replaceArray, keepSize}.run(module, /*changesLists=*/false,
                                            /*changesConstants=*/false);
  return true;
}

void pallas::addTypeReductions(SmallVectorImpl<Reduction> &reductions) {
  reductions.append({
      {"smaller arrays, blocks and meshes", countSizes, changeSize,
       /*inChunks=*/false},
      {"narrower elements", countElementTypes, changeElementType,
       /*inChunks=*/false},
  });
}
