//===- MosaicGPUAssignLayouts.cpp - Layouts that inference can't find -----===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The compiler infers how lanes share a vector from a short list of layouts,
// which have 128 elements or the tiles of wgmma. Others are given here, by a
// cast of what is loaded:
//
//   %v = "mosaic_gpu.vector_load"(%r) : (memref<4x8xf32>) -> vector<4x8xf32>
// becomes
//   %w = "mosaic_gpu.vector_load"(%r) <{optimized = false}> : ...
//   %v = mosaic_gpu.layout_cast x(%w : vector<4x8xf32>)
//     {new_layout = #mosaic_gpu.TiledLayout<[[4, 8], [1]], ...>}
//
// Vectors that operations relate are one group, and so are their dimensions:
// those of `%v` and `%s` in
//
//   %s = vector.multi_reduction <add>, %v, %zero [1]
//     : vector<8x20xf32> to vector<8xf32>
//
// are two classes, one of which both vectors have. Each class takes bits of the
// number of a lane that no class takes beside which it occurs in a vector. So
// the layout of a vector less a dimension is the one of the other dimensions,
// as reductions and broadcasts ask.
//
//===----------------------------------------------------------------------===//

#include "VectorGroups.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "pallas/Dialect/MosaicGPU/IR/MosaicGPU.h"
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h"
#include "pallas/Dialect/MosaicGPU/Utils/Layouts.h"
#include "pallas/Dialect/MosaicGPU/Utils/SharedMemory.h"

namespace mlir::mosaic_gpu {
#define GEN_PASS_DEF_MOSAICGPUASSIGNLAYOUTS
#include "pallas/Dialect/MosaicGPU/Transforms/Passes.h.inc"
} // namespace mlir::mosaic_gpu

using namespace mlir;
using namespace mlir::mosaic_gpu;

static constexpr int64_t kWarps = 4;
static constexpr int64_t kLanesOfWarp = 32;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

namespace {
/// Gives slots to the dimensions of a group.
class SlotChooser {
public:
  /// Warps of a block of many warpgroups can't exchange what they reduce: its
  /// warpgroups would do so in the same memory.
  SlotChooser(const Grouper &grouper, ArrayRef<Value> members,
              bool hasManyWarpgroups);

  TiledLayoutAttr getLayout(Value member) const;

private:
  struct DimClass {
    /// A number that divides the size of all dimensions.
    int64_t size = 0;
    bool isReduced = false;
    DenseSet<unsigned> neighbours;
    DimSlots slots;
  };
  using SlotOf = std::optional<unsigned> DimSlots::*;

  void collect(Value member);
  void cutSlots(ArrayRef<unsigned> largest, SmallVector<int64_t> &sizes,
                int64_t count, SlotOf slot, bool isReducedLast);
  void takeFreeSlots(ArrayRef<int64_t> sizes, SlotOf slot, bool isReducedLast);
  /// The rest of the size after the slot of lanes.
  int64_t getRest(const DimClass &dim) const {
    return dim.slots.lane ? dim.size / slots.lanes[*dim.slots.lane] : dim.size;
  }
  /// Whether its elements may lie in different lanes or warps. A vector may
  /// have the same class twice, like the products of all pairs of a row.
  bool canSpread(unsigned number, SlotOf slot) const;

  const Grouper &grouper;
  bool hasManyWarpgroups;
  llvm::MapVector<unsigned, DimClass> classes;
  Slots slots;
};
} // namespace

SlotChooser::SlotChooser(const Grouper &grouper, ArrayRef<Value> members,
                         bool hasManyWarpgroups)
    : grouper(grouper), hasManyWarpgroups(hasManyWarpgroups) {
  Value first = *llvm::max_element(members, [](Value lhs, Value rhs) {
    VectorType left = getVectorType(lhs), right = getVectorType(rhs);
    return std::pair(left.getRank(), left.getNumElements()) <
           std::pair(right.getRank(), right.getNumElements());
  });
  collect(first);
  for (Value member : members)
    collect(member);
  SmallVector<unsigned> largest;
  for (int64_t dim : llvm::seq(getVectorType(first).getRank()))
    largest.push_back(grouper.getDimClass(first, dim));
  cutSlots(largest, slots.lanes, kLanesOfWarp, &DimSlots::lane,
           /*isReducedLast=*/false);
  takeFreeSlots(slots.lanes, &DimSlots::lane, /*isReducedLast=*/false);
  // A reduction along lanes of a warp takes no memory and no barrier.
  cutSlots(largest, slots.warps, kWarps, &DimSlots::warp,
           /*isReducedLast=*/true);
  takeFreeSlots(slots.warps, &DimSlots::warp, /*isReducedLast=*/true);
}

/// Classes are in the order of the last dimensions first, whose elements lie
/// next to each other.
void SlotChooser::collect(Value member) {
  ArrayRef<int64_t> shape = getVectorType(member).getShape();
  for (size_t dim : llvm::reverse(llvm::seq(shape.size()))) {
    DimClass &known = classes[grouper.getDimClass(member, dim)];
    known.size = std::gcd(known.size, grouper.getDivisor(member, dim));
    known.isReduced |= grouper.isReduced(member, dim);
    for (size_t other : llvm::seq(shape.size()))
      if (other != dim)
        known.neighbours.insert(grouper.getDimClass(member, other));
  }
}

bool SlotChooser::canSpread(unsigned number, SlotOf slot) const {
  const DimClass &dim = classes.find(number)->second;
  bool wouldExchange = slot == &DimSlots::warp && dim.isReduced;
  return !(dim.slots.*slot) && !dim.neighbours.contains(number) &&
         !(wouldExchange && hasManyWarpgroups);
}

/// Cuts `count` values into slots for the powers of two in the dimensions of
/// the largest vector, from the last one, and one for what they leave.
void SlotChooser::cutSlots(ArrayRef<unsigned> largest,
                           SmallVector<int64_t> &sizes, int64_t count,
                           SlotOf slot, bool isReducedLast) {
  SmallVector<int64_t> taken(largest.size(), 1);
  auto take = [&](function_ref<bool(const DimClass &)> isWanted) {
    for (auto [number, power] :
         llvm::reverse(llvm::zip_equal(largest, taken))) {
      const DimClass &dim = classes[number];
      if (!isWanted(dim) || !canSpread(number, slot))
        continue;
      while (count > 1 && getRest(dim) % (power * 2) == 0) {
        power *= 2;
        count /= 2;
      }
    }
  };
  if (isReducedLast)
    take([](const DimClass &dim) { return !dim.isReduced; });
  take([](const DimClass &) { return true; });
  for (auto [number, power] : llvm::zip_equal(largest, taken)) {
    if (power == 1)
      continue;
    classes[number].slots.*slot = sizes.size();
    sizes.push_back(power);
  }
  if (count > 1)
    sizes.push_back(count);
}

/// Other dimensions take slots that their neighbours leave.
void SlotChooser::takeFreeSlots(ArrayRef<int64_t> sizes, SlotOf slot,
                                bool isReducedLast) {
  auto isFree = [&](unsigned wanted, const DimClass &dim) {
    return llvm::none_of(dim.neighbours, [&](unsigned neighbour) {
      return classes[neighbour].slots.*slot == wanted;
    });
  };
  auto take = [&](function_ref<bool(const DimClass &)> isWanted) {
    for (auto &[number, dim] : classes) {
      if (!isWanted(dim) || !canSpread(number, slot))
        continue;
      for (unsigned wanted : llvm::reverse(llvm::seq<unsigned>(sizes.size())))
        if (!(dim.slots.*slot) && getRest(dim) % sizes[wanted] == 0 &&
            isFree(wanted, dim))
          dim.slots.*slot = wanted;
    }
  };
  if (isReducedLast)
    take([](const DimClass &dim) { return !dim.isReduced; });
  take([](const DimClass &) { return true; });
}

TiledLayoutAttr SlotChooser::getLayout(Value member) const {
  SmallVector<DimSlots> dims;
  for (int64_t dim : llvm::seq(getVectorType(member).getRank()))
    dims.push_back(
        classes.find(grouper.getDimClass(member, dim))->second.slots);
  return mosaic_gpu::getLayout(member.getContext(), slots, dims);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// A number that the elements which a lane has in turn have to divide, as rows
/// of the memory begin at its multiples; zero where there are no gaps:
///   memref<16x32xf32, strided<[48, 1]>>    16
static int64_t getRowDivisor(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      !type.hasStaticShape() || ShapedType::isDynamicShape(strides))
    return 1;
  // Dimensions without a gap between them are one.
  SmallVector<std::pair<int64_t, int64_t>> runs;
  for (auto [size, stride] : llvm::zip_equal(llvm::reverse(type.getShape()),
                                             llvm::reverse(strides))) {
    if (!runs.empty() && stride == runs.back().first * runs.back().second)
      runs.back().first *= size;
    else
      runs.emplace_back(size, stride);
  }
  if (runs.empty() || (runs.size() == 1 && runs[0].second == 1))
    return 0;
  int64_t divisor = 0;
  bool hasRows = false;
  for (auto [size, stride] : runs) {
    hasRows |= stride == 1;
    if (stride == 1 || size > 1)
      divisor = std::gcd(divisor, stride == 1 ? size : stride);
  }
  return hasRows ? divisor : 1;
}

/// Calls `found` with the memory that each member comes from or goes to.
static void
forEachMemory(ArrayRef<Value> members,
              function_ref<void(Value member, Value memref)> found) {
  for (Value member : members) {
    if (auto load = member.getDefiningOp<VectorLoadOp>())
      found(member, load.getSource());
    for (Operation *user : member.getUsers())
      if (auto store = dyn_cast<VectorStoreOp>(user))
        found(member, store.getDestination());
  }
}

/// How many elements the compiler gives a lane in turn if nothing else is
/// known: 8 bytes, or a part of them that divides those of the lane.
static int64_t getDefaultLength(VectorType type) {
  int64_t size = type.getNumElements() / kLanes;
  int64_t length = std::clamp<int64_t>(64 / type.getElementTypeBitWidth(), 1,
                                       std::max<int64_t>(size, 1));
  while (size % length != 0)
    length /= 2;
  return length;
}

/// Whether lanes can move what the compiler gives them. It converts floats of 8
/// bits in vectors of a power of two.
static bool suitsDefaults(ArrayRef<Value> members) {
  bool suits = true;
  for (Value member : members) {
    Type element = getVectorType(member).getElementType();
    suits &= !isa<FloatType>(element) || element.getIntOrFloatBitWidth() > 8 ||
             llvm::isPowerOf2_64(getDefaultLength(getVectorType(member)));
  }
  forEachMemory(members, [&](Value member, Value memref) {
    int64_t rows = getRowDivisor(cast<MemRefType>(memref.getType()));
    suits &= rows % getDefaultLength(getVectorType(member)) == 0;
  });
  return suits;
}

/// How many elements the lanes of a group have in turn where nothing else is
/// known: up to 8 bytes, not more than 16 where types differ, and what rows of
/// memory allow.
static int64_t getStridedLength(ArrayRef<Value> members) {
  int64_t narrowest = 64, widest = 8, rows = 0;
  for (Value member : members) {
    int64_t bits = getVectorType(member).getElementTypeBitWidth();
    narrowest = std::clamp<int64_t>(bits, 8, narrowest);
    widest = std::max(widest, bits);
  }
  forEachMemory(members, [&](Value, Value memref) {
    rows = std::gcd(rows, getRowDivisor(cast<MemRefType>(memref.getType())));
  });
  return std::gcd(std::min(64 / narrowest, 128 / widest), rows);
}

/// The layout that the compiler takes for such vectors.
static WGStridedFragLayoutAttr getStridedLayout(VectorType type,
                                                int64_t length) {
  MLIRContext *context = type.getContext();
  return WGStridedFragLayoutAttr::get(
      context, DenseI64ArrayAttr::get(context, type.getShape()),
      static_cast<int>(std::gcd(length, type.getNumElements() / kLanes)));
}

/// Memory whose elements some vectors have in tiles of lanes and others do not
/// is plain: the compiler would search all its tiles for one that suits both.
///   %m = "mosaic_gpu.slice_smem"() : () -> memref<8x16xf32, #smem>
///   %k = "mosaic_gpu.with_transforms"(%m) <{transforms = []}>
static void keepMixedMemoryPlain(Operation *root,
                                 const DenseSet<Value> &isTiled) {
  llvm::MapVector<SliceSMEMOp, std::pair<bool, bool>> uses;
  // Layouts that the source asks for may need tiles of memory.
  auto isGivenTiles = [&](LayoutCastOp cast) {
    return cast && isa<TiledLayoutAttr>(cast.getNewLayout()) &&
           !isTiled.contains(cast.getX());
  };
  auto note = [&](Value vector, Value memref) {
    auto cast = vector.getDefiningOp<LayoutCastOp>();
    bool isGiven = isGivenTiles(cast) ||
                   llvm::any_of(vector.getUsers(), [&](Operation *user) {
                     return isGivenTiles(dyn_cast<LayoutCastOp>(user));
                   });
    if (cast)
      vector = cast.getX();
    SliceSMEMOp memory = findSharedMemory(memref);
    if (memory && !isGiven && !findTransforms(memref))
      (isTiled.contains(vector) ? uses[memory].first : uses[memory].second) =
          true;
  };
  root->walk([&](Operation *op) {
    if (auto load = dyn_cast<VectorLoadOp>(op))
      note(load.getResult(), load.getSource());
    else if (auto store = dyn_cast<VectorStoreOp>(op))
      note(store.getValueToStore(), store.getDestination());
  });
  for (auto [memory, use] : uses)
    if (use.first && use.second)
      keepPlain(memory);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

/// Whether hardware fixes the layout of some vectors: those of products, and of
/// tensor memory.
static bool hasProducts(Operation *root) {
  return root
      ->walk([](Operation *op) {
        return isa<WGMMAOp, AsyncLoadTmemOp, AsyncStoreTmemOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a member does not follow from other members.
static bool isSource(Value member) {
  return isa_and_nonnull<VectorLoadOp, BroadcastedIotaOp, BroadcastInDimOp>(
      member.getDefiningOp());
}

/// Whether the elements of all members are the same, by loops and branches that
/// start from splats.
static bool isUniform(const Group &group) {
  return llvm::none_of(group.members, isSource);
}

/// Whether lanes can share the elements of a splat evenly: the compiler gives
/// each 8 bytes in turn, or single elements of few.
static bool canStoreSplat(VectorType type) {
  int64_t size = type.getNumElements();
  int64_t length = 64 / type.getElementTypeBitWidth();
  if (size < length * kLanes)
    length = 1;
  return size == 1 || size % (length * kLanes) == 0;
}

/// Whether the compiler finds a layout that all members are moved in.
static bool suitsCompiler(const Group &group) {
  if (!canInfer(group) || !suitsDefaults(group.members))
    return false;
  if (!isUniform(group))
    return true;
  bool canStore = true;
  forEachMemory(group.members, [&](Value member, Value) {
    canStore &= canStoreSplat(getVectorType(member));
  });
  return canStore;
}

static Value castTo(OpBuilder &b, Value value, Attribute layout) {
  return LayoutCastOp::create(b, value.getLoc(), value.getType(), value, layout,
                              BoolAttr());
}

static Value castTo(Value value, Attribute layout) {
  OpBuilder b(value.getContext());
  b.setInsertionPointAfterValue(value);
  return castTo(b, value, layout);
}

/// Casts the splats that a loop starts from, and the results of others:
///   %r = scf.for ... iter_args(%a = %splat)
/// A constant may be outside of the kernel, so the cast is in front of the
/// loop.
static void castUniform(Value member, Attribute layout) {
  if (auto argument = dyn_cast<BlockArgument>(member)) {
    Operation *parent = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    OpOperand *init = loop ? loop.getTiedLoopInit(argument) : nullptr;
    OpBuilder b(parent);
    if (init && isSplat(init->get()))
      init->set(castTo(b, init->get(), layout));
    return;
  }
  Operation *op = member.getDefiningOp();
  if (isa<LoopLikeOpInterface>(op) ||
      llvm::any_of(op->getOperands(), [](Value operand) {
        return isa<VectorType>(operand.getType()) && !isSplat(operand);
      }))
    return;
  Value cast = castTo(member, layout);
  member.replaceAllUsesExcept(cast, cast.getDefiningOp());
}

/// Casts what is not computed from other members. Returns how many.
static unsigned assign(const Group &group,
                       function_ref<Attribute(Value)> getLayout) {
  unsigned count = 0;
  bool isAllTheSame = isUniform(group);
  for (Value member : group.members) {
    Attribute layout = getLayout(member);
    if (auto load = member.getDefiningOp<VectorLoadOp>();
        load && isa<TiledLayoutAttr>(layout))
      load.setOptimized(false);
    if (isAllTheSame)
      castUniform(member, layout);
    if (!isSource(member))
      continue;
    Value inLayout = castTo(member, layout);
    member.replaceAllUsesExcept(inLayout, inLayout.getDefiningOp());
    ++count;
  }
  return count;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// Elements that are all the same are stored by lanes of a layout, unless lanes
/// have as many each.
static unsigned castStoredSplats(Operation *root) {
  unsigned count = 0;
  root->walk([&](VectorStoreOp store) {
    Value value = store.getValueToStore();
    if (!isSplat(value) || canStoreSplat(getVectorType(value)))
      return;
    auto getLayout = [&]() -> Attribute {
      if (getVectorType(value).getNumElements() % kLanes == 0)
        return getStridedLayout(getVectorType(value), getStridedLength(value));
      Grouper grouper;
      grouper.add(value);
      return SlotChooser(grouper, value, /*hasManyWarpgroups=*/false)
          .getLayout(value);
    };
    OpBuilder b(store);
    store.getValueToStoreMutable().assign(castTo(b, value, getLayout()));
    ++count;
  });
  return count;
}

static bool hasManyWarpgroups(Operation *root) {
  return root
      ->walk([](gpu::LaunchOp op) {
        std::optional<int64_t> threads =
            getConstantIntValue(op.getBlockSizeX());
        return threads == kLanes ? WalkResult::advance()
                                 : WalkResult::interrupt();
      })
      .wasInterrupted();
}

namespace {
struct AssignLayoutsPass
    : mlir::mosaic_gpu::impl::MosaicGPUAssignLayoutsBase<AssignLayoutsPass> {
  void runOnOperation() override {
    Grouper grouper;
    grouper.run(getOperation());
    bool isShared = hasManyWarpgroups(getOperation());
    SmallVector<Group> groups = grouper.takeGroups();
    llvm::erase_if(groups, [](const Group &group) {
      return group.isSettled || hasTransforms(group);
    });
    auto inferred = llvm::partition(
        groups, [](const Group &group) { return !suitsCompiler(group); });
    unsigned count = 0;
    DenseSet<Value> isTiled;
    auto assignStrided = [&](const Group &group) {
      int64_t length = getStridedLength(group.members);
      count += assign(group, [&](Value member) -> Attribute {
        return getStridedLayout(getVectorType(member), length);
      });
    };
    for (const Group &group : llvm::make_range(groups.begin(), inferred)) {
      if (canInfer(group)) {
        assignStrided(group);
        continue;
      }
      SlotChooser chooser(grouper, group.members, isShared);
      count += assign(group, [&](Value member) -> Attribute {
        return chooser.getLayout(member);
      });
      isTiled.insert_range(group.members);
    }
    // The compiler tries all ways to share memory between vectors, and gives up
    // when layouts are of several kinds. Products tile their operands, though.
    if (count != 0 && !hasProducts(getOperation()))
      for (const Group &group : llvm::make_range(inferred, groups.end()))
        assignStrided(group);
    if (!hasProducts(getOperation()))
      keepMixedMemoryPlain(getOperation(), isTiled);
    numAssigned += count;
    numAssigned += castStoredSplats(getOperation());
  }
};
} // namespace
