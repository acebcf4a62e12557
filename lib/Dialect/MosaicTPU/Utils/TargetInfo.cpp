//===- TargetInfo.cpp - Capabilities of TPUs, as data ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that depends on the chip is a row of a table here: sizes, element
// types of operations, operands of the matrix unit, tiles. The lowering, the
// checks and the page docs/Targets/TPU.md read the same tables. A new rule is a
// row; the code that asks for it doesn't change.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicTPU/Utils/TargetInfo.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "pallas/Dialect/MosaicTPU/IR/KernelAttributes.h"
#include "pallas/Dialect/MosaicTPU/IR/TPU.h"
#include "pallas/Dialect/MosaicTPU/Utils/SparseCoreMemory.h"
#include "pallas/Support/Tiles.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tpu;

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

static constexpr int64_t kKiB = 1024;
static constexpr int64_t kMiB = 1024 * kKiB;

// name, generation, lanes, sublanes, matrix columns, VMEM, SMEM, SparseCores,
// subcores of each, their lanes
static constexpr TPUChip kChips[] = {
    {"v4", 4, 128, 8, 128, 16 * kMiB, kMiB, 0, 0, 0},
    {"v5e", 5, 128, 8, 128, 128 * kMiB, kMiB, 0, 0, 0},
    {"v5p", 5, 128, 8, 128, 64 * kMiB, kMiB, 4, 16, 8},
    {"v6e", 6, 128, 8, 256, 128 * kMiB, kMiB, 2, 16, 8},
    {"tpu7x", 7, 128, 8, 256, 64 * kMiB, kMiB, 2, 16, 16},
};

/// In the order of the chips.
static constexpr int64_t kSubcoreVmem[] = {0, 0, 512 * kKiB, 256 * kKiB,
                                           512 * kKiB};
static_assert(std::size(kSubcoreVmem) == std::size(kChips));

ArrayRef<TPUChip> mlir::tpu::getTPUChips() { return kChips; }

int64_t mlir::tpu::getSubcoreVmemBytes(const TPUChip &chip) {
  for (auto [known, bytes] : llvm::zip_equal(kChips, kSubcoreVmem))
    if (known.name == chip.name)
      return bytes;
  return 0;
}

const TPUChip *mlir::tpu::findTPUChip(StringRef name) {
  const TPUChip *chip =
      llvm::find_if(kChips, [&](const TPUChip &c) { return c.name == name; });
  return chip == std::end(kChips) ? nullptr : chip;
}

/// The error lists the names, since a chip is often written differently.
FailureOr<const TPUChip *> mlir::tpu::findTPUChip(Operation *op,
                                                  StringRef name) {
  if (const TPUChip *chip = findTPUChip(name))
    return chip;
  InFlightDiagnostic diag = op->emitError()
                            << "chip '" << name << "' is unknown; use";
  StringRef separator = " ";
  for (const TPUChip &known : getTPUChips()) {
    diag << separator << known.name;
    separator = ", ";
  }
  return diag;
}

FailureOr<const TPUChip *> mlir::tpu::getTargetChip(ModuleOp module) {
  auto name = module->getAttrOfType<StringAttr>(kTargetAttrName);
  if (!name)
    return module.emitError()
           << "has a '" << kTargetAttrName
           << "' that is no string; give the name of a chip, as in \"v5e\"";
  return findTPUChip(module, name);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

/// The bit of an element type in the sets below; zero for types that no TPU
/// holds.
uint16_t mlir::tpu::getTPUElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    switch (integer.getWidth()) {
    case 1:
      return kElementI1;
    case 2:
    case 4:
      return kElementI4;
    case 8:
      return kElementI8;
    case 16:
      return kElementI16;
    case 32:
      return kElementI32;
    default:
      return 0;
    }
  }
  // Indices are computed in registers of 32 bits.
  if (type.isIndex())
    return kElementI32;
  if (type.isBF16())
    return kElementBF16;
  if (type.isF32())
    return kElementF32;
  if (type.isF16())
    return kElementF16;
  if (isa<Float8E5M2Type>(type))
    return kElementF8E5M2;
  if (isa<Float8E4M3FNType>(type))
    return kElementF8E4M3FN;
  if (isa<Float8E4M3B11FNUZType>(type))
    return kElementF8E4M3B11FNUZ;
  if (isa<Float8E8M0FNUType>(type))
    return kElementF8E8M0FNU;
  return 0;
}

static constexpr uint16_t kNarrowInts = kElementI4 | kElementI8;
static constexpr uint16_t kShortInts = kNarrowInts | kElementI16;
static constexpr uint16_t kInts = kShortInts | kElementI32;
static constexpr uint16_t kElementF8 =
    kElementF8E5M2 | kElementF8E4M3FN | kElementF8E4M3B11FNUZ;
/// Floats that no unit computes on.
static constexpr uint16_t kStoredFloats = kElementF8 | kElementF16;
static constexpr uint16_t kFloats = kStoredFloats | kElementBF16 | kElementF32;

/// Elements of less than 16 bits in memory.
static constexpr uint16_t kBytes = kNarrowInts | kElementF8 | kElementF8E8M0FNU;
/// Elements that are moved without a computation on them.
static constexpr uint16_t kMoved = kElementI1 | kInts | kElementF8 |
                                   kElementF8E8M0FNU | kElementBF16 |
                                   kElementF32;

/// Elements that results of casts may have.
static constexpr uint16_t kRounded = kElementI1 | kInts | kFloats;

/// A row for the operation of this class: a name that is misspelt does not
/// compile.
template <typename OpTy>
static constexpr TPUOpRule rule(uint16_t native, uint16_t widened,
                                uint16_t expanded, uint16_t later = 0,
                                int64_t since = 0) {
  return {OpTy::getOperationName(), native, widened, expanded, later, since};
}

// Measured with the real compiler, one operation and type at a time. Missing
// operations take every element type.
static constexpr TPUOpRule kRules[] = {
    // as it is, in 32 bits, by other operations; then also as it is, since
    // which generation
    rule<arith::AddFOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<arith::AddIOp>(kElementI16 | kElementI32, kNarrowInts, kElementI1),
    rule<arith::AddUIExtendedOp>(0, 0, kElementI32),
    rule<arith::AndIOp>(kElementI1 | kInts, 0, 0),
    rule<arith::CeilDivSIOp>(0, 0, kInts),
    rule<arith::CeilDivUIOp>(0, 0, kInts),
    rule<arith::CmpFOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<arith::CmpIOp>(kElementI32, kShortInts, kElementI1),
    rule<arith::CmpIOp>(kElementI16 | kElementI32, kBytes, 0, kBytes, 5)
        .of(TPUCase::EqualityOfExtended, "equality of extended numbers"),
    rule<arith::DivFOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<arith::DivSIOp>(kElementI32, kShortInts, 0),
    rule<arith::DivUIOp>(kElementI32, kShortInts, 0),
    rule<arith::FloorDivSIOp>(0, 0, kInts),
    rule<arith::MaximumFOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<arith::MaxNumFOp>(0, 0, kFloats),
    rule<arith::MaxSIOp>(kElementI32, kShortInts, 0),
    rule<arith::MaxUIOp>(0, 0, kInts),
    rule<arith::MinimumFOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<arith::MinNumFOp>(0, 0, kFloats),
    rule<arith::MinSIOp>(kElementI32, kShortInts, 0),
    rule<arith::MinUIOp>(0, 0, kInts),
    rule<arith::MulFOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<arith::MulIOp>(kElementI16 | kElementI32, kNarrowInts, kElementI1),
    rule<arith::MulSIExtendedOp>(0, 0, kElementI32),
    rule<arith::MulUIExtendedOp>(0, 0, kElementI32),
    rule<arith::NegFOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<arith::OrIOp>(kElementI1 | kInts, 0, 0),
    rule<arith::RemFOp>(kElementF32, kStoredFloats | kElementBF16, 0),
    rule<arith::RemSIOp>(kElementI32, kShortInts, 0),
    rule<arith::RemUIOp>(kElementI32, kShortInts, 0),
    rule<arith::SelectOp>(kElementI32 | kElementBF16 | kElementF32,
                          kShortInts | kStoredFloats, kElementI1),
    rule<arith::ShLIOp>(kElementI32, kShortInts, 0),
    rule<arith::ShRSIOp>(kElementI32, kShortInts, 0),
    rule<arith::ShRUIOp>(kElementI32, kShortInts, 0),
    rule<arith::SIToFPOp>(kRounded, 0, 0),
    rule<arith::SIToFPOp>(kInts & ~kNarrowInts, 0, kNarrowInts | kElementI1)
        .of(TPUCase::ConvertRowToBF16, "one dimension to bf16"),
    rule<arith::SubFOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<arith::SubIOp>(kElementI16 | kElementI32, kNarrowInts, kElementI1),
    rule<arith::TruncFOp>(kRounded, 0, 0),
    rule<arith::UIToFPOp>(kRounded, 0, 0),
    rule<arith::XOrIOp>(kElementI1 | kInts, 0, 0),
    rule<math::AbsFOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<math::AbsIOp>(kElementI16 | kElementI32, kNarrowInts, 0),
    rule<math::AcosOp>(0, 0, kFloats),
    rule<math::AcoshOp>(0, 0, kFloats),
    rule<math::AsinOp>(0, 0, kFloats),
    rule<math::AsinhOp>(0, 0, kFloats),
    rule<math::AtanOp>(0, 0, kFloats),
    rule<math::Atan2Op>(kElementF32, kStoredFloats | kElementBF16, 0),
    rule<math::AtanhOp>(0, 0, kFloats),
    rule<math::CbrtOp>(0, 0, kFloats),
    rule<math::CeilOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<math::ClampFOp>(0, 0, kFloats),
    rule<math::CopySignOp>(0, 0, kFloats),
    rule<math::CosOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<math::CoshOp>(0, 0, kFloats),
    rule<math::CountLeadingZerosOp>(kElementI32, 0, kShortInts),
    rule<math::CtPopOp>(kElementI32, 0, kShortInts),
    rule<math::CountTrailingZerosOp>(0, 0, kInts),
    rule<math::ErfOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<math::ErfcOp>(0, 0, kFloats),
    rule<math::ExpOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<math::Exp2Op>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<math::ExpM1Op>(0, 0, kFloats),
    rule<math::FloorOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<math::FmaOp>(0, 0, kFloats),
    rule<math::FPowIOp>(0, 0, kFloats),
    rule<math::IPowIOp>(0, 0, kInts),
    rule<math::IsFiniteOp>(0, 0, kFloats),
    rule<math::IsInfOp>(0, 0, kFloats),
    rule<math::IsNaNOp>(0, 0, kFloats),
    rule<math::LogOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<math::Log10Op>(0, 0, kFloats),
    rule<math::Log1pOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<math::Log2Op>(0, 0, kFloats),
    rule<math::PowFOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<math::RoundOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<math::RoundEvenOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<math::RsqrtOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<math::SinOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<math::SinhOp>(0, 0, kFloats),
    rule<math::SqrtOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<math::TanOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<math::TanhOp>(kElementBF16 | kElementF32, kStoredFloats, 0),
    rule<math::TruncOp>(kElementF32, kStoredFloats | kElementBF16, 0,
                        kElementBF16, 6),
    rule<tpu::ConcatenateOp>(kMoved, kElementF16, 0),
    rule<tpu::ConcatenateOp>(kMoved & ~kBytes, kBytes, 0, kBytes, 5)
        .of(TPUCase::JoinPartsOfTiles, "parts of tiles along sublanes"),
    rule<tpu::DynamicGatherOp>(
        kElementI32 | kElementF32,
        kElementI1 | kShortInts | kStoredFloats | kElementBF16, 0)
        .of(TPUCase::GatherAlongLanes, "lanes"),
    rule<tpu::DynamicGatherOp>(
        0, kElementI1 | kShortInts | kStoredFloats | kElementBF16,
        kElementI32 | kElementF32, kElementI32 | kElementF32, 5)
        .of(TPUCase::GatherAlongSublanes, "sublanes"),
    rule<tpu::DynamicRotateOp>(kMoved & ~kElementI1, kElementI1 | kElementF16,
                               0)
        .of(TPUCase::RotateAlongLanes, "lanes"),
    rule<tpu::DynamicRotateOp>(
        kElementI32 | kElementF32,
        kElementI1 | kShortInts | kStoredFloats | kElementBF16, 0)
        .of(TPUCase::RotateAlongSublanes, "sublanes"),
    rule<tpu::ReduceIndexOp>(kElementF32, kStoredFloats | kElementBF16, kInts),
    rule<tpu::TransposeOp>(kMoved, kElementF16, 0),
    rule<tpu::VectorStoreOp>(kMoved & ~kBytes, 0, 0, kBytes & ~kElementI4, 5)
        .of(TPUCase::StorePartsOfRows, "parts of rows"),
    rule<vector::BroadcastOp>(kMoved, kElementF16, 0),
    rule<vector::ExtractStridedSliceOp>(kMoved, kElementF16, 0),
    rule<vector::ExtractStridedSliceOp>(kMoved & ~kBytes, kBytes, 0, kBytes, 5)
        .of(TPUCase::SlicePartsOfTiles, "parts of tiles"),
    rule<vector::MultiDimReductionOp>(kElementI32 | kElementBF16 | kElementF32,
                                      kShortInts | kStoredFloats, kElementI1),
    rule<vector::ShapeCastOp>(kMoved, kElementF16, 0),
    rule<vector::ShapeCastOp>(0, 0, kMoved, kMoved, 5)
        .of(TPUCase::LayColumnsAlongRows, "columns to rows"),
    rule<vector::ShapeCastOp>(0, 0, kMoved, kMoved, 5)
        .of(TPUCase::CutRows, "rows to shorter ones"),
};

/// The first row of a case. Cases are few, so a search at compile time will do.
static constexpr const TPUOpRule *findRule(TPUCase which) {
  for (const TPUOpRule &rule : kRules)
    if (rule.which == which)
      return &rule;
  return nullptr;
}

/// A case that is added to the enum without a row fails to compile.
static constexpr bool hasRuleForEachCase() {
  for (unsigned which = 0; which <= static_cast<unsigned>(TPUCase::Last);
       ++which)
    if (!findRule(static_cast<TPUCase>(which)))
      return false;
  return true;
}
static_assert(hasRuleForEachCase(), "a case without a row would be supported");

/// The row of an operation, or null when it takes every element type.
///
/// Names are looked up once per operation that is converted, hence a map.
static const TPUOpRule *findRule(OperationName op) {
  static const auto byName = [] {
    llvm::StringMap<const TPUOpRule *> rules;
    for (const TPUOpRule &rule : kRules)
      if (!rule.which)
        rules[rule.op] = &rule;
    return rules;
  }();
  return byName.lookup(op.getStringRef());
}

/// The three sets of a row are disjoint, except that a later generation may
/// have natively what earlier ones widen: native is looked up first.
static TPUSupport getSupport(const TPUOpRule *rule, Type element,
                             const TPUChip &chip) {
  uint16_t type = getTPUElement(element);
  if (!type)
    return TPUSupport::Refused;
  if (!rule || (rule->getNative(chip) & type))
    return TPUSupport::Native;
  if (rule->widened & type)
    return TPUSupport::Widened;
  return rule->expanded & type ? TPUSupport::Expanded : TPUSupport::Refused;
}

TPUSupport mlir::tpu::getTPUSupport(OperationName op, Type element,
                                    const TPUChip &chip) {
  return getSupport(findRule(op), element, chip);
}

Type mlir::tpu::getDecidingElement(Operation *op) {
  if (op->getNumOperands() == 0)
    return getElementTypeOrSelf(op->getResult(0));
  // No unit rounds to powers of two.
  if (isa<arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp>(op))
    if (Type result = getElementTypeOrSelf(op->getResult(0));
        isa<Float8E8M0FNUType>(result))
      return result;
  return getElementTypeOrSelf(op->getOperand(isa<arith::SelectOp>(op) ? 1 : 0));
}

TPUSupport mlir::tpu::getTPUSupport(TPUCase which, Type element,
                                    const TPUChip &chip) {
  return getSupport(findRule(which), element, chip);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static constexpr TPUProductRule kProducts[] = {
    // operands, first and last generation
    {kElementBF16 | kElementF32, 4, 7},
    {kElementI8, 5, 7},
    {kElementI4, 5, 7},
    {kElementF8E5M2 | kElementF8E4M3FN, 5, 7},
    {kElementF8E4M3B11FNUZ, 5, 6},
};

/// Both operands in one row multiply with each other: bf16 with f32, for
/// example.
bool mlir::tpu::isTPUProduct(Type lhs, Type rhs, const TPUChip &chip) {
  return llvm::any_of(kProducts, [&](const TPUProductRule &rule) {
    return (rule.operands & getTPUElement(lhs)) &&
           (rule.operands & getTPUElement(rhs)) &&
           chip.generation >= rule.firstGeneration &&
           chip.generation <= rule.lastGeneration;
  });
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// The rows of a block that needs no relayout.
int64_t mlir::tpu::getTPUWindowRows(int64_t bits, const TPUChip &chip) {
  // Arrays of 16-bit elements have the rows of 32-bit ones.
  return bits < 16 ? chip.sublanes * (32 / bits) : chip.sublanes;
}

/// A generation that is still to come.
static constexpr int64_t kNever = INT64_MAX;

static constexpr TPUTileRule kTiles[] = {
    // bits; since which generation operands, scratch and scoped memory
    {4, 4, 4, 4},
    {8, 4, 4, 4},
    {16, kNever, 7, 6},
};

/// The rows of a tile of a buffer. Packed tiles have more rows, and are used by
/// the compiler for buffers that consist of whole ones.
int64_t mlir::tpu::getTPUTileRows(int64_t rows, int64_t bits, TPUBuffer buffer,
                                  const TPUChip &chip) {
  int64_t packed = chip.sublanes * std::max<int64_t>(1, 32 / bits);
  const TPUTileRule *rule = llvm::find_if(
      kTiles, [&](const TPUTileRule &rule) { return rule.bits == bits; });
  bool isPacked = rule != std::end(kTiles) && rows % packed == 0 &&
                  chip.generation >= rule->getSince(buffer);
  return isPacked ? packed : chip.sublanes;
}

SmallVector<int64_t> mlir::tpu::getTPUTile(ArrayRef<int64_t> shape,
                                           Type element, const TPUChip &chip) {
  return pallas::getPackedTile(shape, element, chip.sublanes, chip.lanes);
}

/// The bytes that a buffer takes, with each dimension padded to its tile.
/// Booleans take a word.
int64_t mlir::tpu::getTPUPaddedBytes(ArrayRef<int64_t> shape, Type element,
                                     const TPUChip &chip) {
  int64_t bits = element.isInteger(1) ? 32 : element.getIntOrFloatBitWidth();
  int64_t elements = 1;
  for (auto [size, tile] :
       llvm::zip_equal(shape, getTPUTile(shape, element, chip)))
    elements *= llvm::alignTo(size, tile);
  return elements * bits / 8;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// Prints the names of a set, in the order of widths.
static void printElements(uint16_t set, llvm::raw_ostream &os) {
  static constexpr std::pair<uint16_t, llvm::StringLiteral> names[] = {
      {kElementI1, "i1"},
      {kElementI4, "i4"},
      {kElementI8, "i8"},
      {kElementI16, "i16"},
      {kElementI32, "i32"},
      {kElementF8E5M2, "f8E5M2"},
      {kElementF8E4M3FN, "f8E4M3FN"},
      {kElementF8E4M3B11FNUZ, "f8E4M3B11FNUZ"},
      {kElementF8E8M0FNU, "f8E8M0FNU"},
      {kElementF16, "f16"},
      {kElementBF16, "bf16"},
      {kElementF32, "f32"}};
  StringRef separator = "";
  for (const auto &[bit, name] : names)
    if (set & bit) {
      os << separator << name;
      separator = " ";
    }
}

/// Tables are Markdown, both in the terminal and on the page.
static void printChipHeader(llvm::raw_ostream &os) {
  os << "| chip | lanes | sublanes | rows of windows: 32, 16, 8, 4 bits | "
        "matrix columns | VMEM KiB | SMEM KiB | SparseCores x subcores x lanes "
        "| VMEM KiB of a subcore |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
}

static void printChip(const TPUChip &chip, llvm::raw_ostream &os) {
  os << "| " << chip.name << " | " << chip.lanes << " | " << chip.sublanes
     << " |";
  for (int64_t bits : {32, 16, 8, 4})
    os << " " << getTPUWindowRows(bits, chip);
  os << " | " << chip.matrixColumns << " | " << chip.vmemBytes / kKiB << " | "
     << chip.smemBytes / kKiB << " | ";
  if (chip.sparseCores)
    os << chip.sparseCores << " x " << chip.subcoresPerSparseCore << " x "
       << chip.sparseCoreLanes << " | " << getSubcoreVmemBytes(chip) / kKiB;
  else
    os << " | ";
  os << " |\n";
}

/// The tile of the smallest buffer that can be packed.
static void printTileRows(const TPUTileRule &rule, const TPUChip &chip,
                          llvm::raw_ostream &os) {
  for (TPUBuffer buffer :
       {TPUBuffer::Operand, TPUBuffer::Scratch, TPUBuffer::Scoped})
    os << " "
       << getTPUTileRows(chip.sublanes * (32 / rule.bits), rule.bits, buffer,
                         chip);
}

/// The rules of one chip, with those of later generations applied.
void mlir::tpu::printTPUTargetInfo(const TPUChip &chip, llvm::raw_ostream &os) {
  os << "# " << chip.name << "\n\n";
  printChipHeader(os);
  printChip(chip, os);
  os << "\n| operands of products |\n| --- |\n";
  for (const TPUProductRule &rule : kProducts)
    if (chip.generation >= rule.firstGeneration &&
        chip.generation <= rule.lastGeneration) {
      os << "| ";
      printElements(rule.operands, os);
      os << " |\n";
    }
  os << "\n| bits | rows of tiles: operands, scratch, scoped |\n"
        "| --- | --- |\n";
  for (const TPUTileRule &rule : kTiles) {
    os << "| " << rule.bits << " |";
    printTileRows(rule, chip, os);
    os << " |\n";
  }
  os << "\n| operation | as it is | in 32 bits | by other operations |\n"
        "| --- | --- | --- | --- |\n";
  for (const TPUOpRule &rule : kRules) {
    os << "| " << rule.op;
    if (rule.which)
      // The sets are as the chip sees them.
      os << ", " << rule.text;
    uint16_t native = rule.getNative(chip);
    for (uint16_t set : {native, uint16_t(rule.widened & ~native),
                         uint16_t(rule.expanded & ~native)}) {
      os << " | ";
      printElements(set, os);
    }
    os << " |\n";
  }
}

/// The head of a table with a column per chip.
static void printHeadPerChip(StringRef first, llvm::raw_ostream &os) {
  os << "| " << first << " |";
  for (const TPUChip &chip : kChips)
    os << " " << chip.name << " |";
  os << "\n| --- |";
  for (size_t i = 0; i < std::size(kChips); ++i)
    os << " --- |";
  os << "\n";
}

/// The page for all chips: the tables as they are.
void mlir::tpu::printTPUTargets(llvm::raw_ostream &os) {
  os << "# TPU targets\n\n"
        "What `--pallas-check-target` and the lowering go by; "
        "`pallas-opt --print-target-info=v6e` prints the part of one chip.\n\n"
        "## Chips\n\n";
  printChipHeader(os);
  for (const TPUChip &chip : kChips)
    printChip(chip, os);
  os << "\n## Tiles\n\n"
        "Rows of the tiles of operands, scratch memory and scoped memory in "
        "VMEM, if a buffer consists of as many whole ones; others have tiles "
        "of 8 rows.\n\n";
  printHeadPerChip("bits", os);
  for (const TPUTileRule &rule : kTiles) {
    os << "| " << rule.bits << " |";
    for (const TPUChip &chip : kChips) {
      printTileRows(rule, chip, os);
      os << " |";
    }
    os << "\n";
  }
  os << "\n## Products\n\n"
        "Operands that the matrix units multiply; others are converted.\n\n";
  printHeadPerChip("operands", os);
  for (const TPUProductRule &rule : kProducts) {
    os << "| ";
    printElements(rule.operands, os);
    os << " |";
    for (const TPUChip &chip : kChips)
      os << (chip.generation >= rule.firstGeneration &&
                     chip.generation <= rule.lastGeneration
                 ? " yes |"
                 : " |");
    os << "\n";
  }
  os << "\n## Operations\n\n"
        "Operations that aren't listed take every element type.\n\n"
        "| operation | as it is | in 32 bits | by other operations | as it is "
        "on later chips |\n| --- | --- | --- | --- | --- |\n";
  for (const TPUOpRule &rule : kRules) {
    os << "| " << rule.op;
    if (rule.which)
      os << ", " << rule.text;
    for (uint16_t set : {rule.native, rule.widened, rule.expanded}) {
      os << " | ";
      printElements(set, os);
    }
    os << " | ";
    printElements(rule.later, os);
    if (rule.later)
      os << " since generation " << rule.since;
    os << " |\n";
  }
}
