//===- TargetInfo.cpp - What TPUs can do, as data -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas/Conversion/PallasToMosaicTPU/TargetInfo.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pallas;

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

ArrayRef<TPUChip> mlir::pallas::getTPUChips() { return kChips; }

const TPUChip *mlir::pallas::findTPUChip(StringRef name) {
  const TPUChip *chip =
      llvm::find_if(kChips, [&](const TPUChip &c) { return c.name == name; });
  return chip == std::end(kChips) ? nullptr : chip;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

uint16_t mlir::pallas::getTPUElement(Type type) {
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

/// What takes less than 16 bits in memory.
static constexpr uint16_t kBytes = kNarrowInts | kElementF8;
/// What is moved without looking at it.
static constexpr uint16_t kMoved =
    kElementI1 | kInts | kElementF8 | kElementBF16 | kElementF32;

// Measured with the real compiler, one operation and type at a time. Missing
// operations take every element type.
static constexpr TPUOpRule kRules[] = {
    // op, as it is, in 32 bits, by other operations; then also as it is, since
    // which generation
    {"arith.addf", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"arith.addi", kElementI16 | kElementI32, kNarrowInts, kElementI1},
    {"arith.addui_extended", 0, 0, kElementI32},
    {"arith.andi", kElementI1 | kInts, 0, 0},
    {"arith.ceildivsi", 0, 0, kInts},
    {"arith.ceildivui", 0, 0, kInts},
    {"arith.cmpf", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"arith.cmpi", kElementI32, kShortInts, kElementI1},
    {"arith.divf", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"arith.divsi", kElementI32, kShortInts, 0},
    {"arith.divui", kElementI32, kShortInts, 0},
    {"arith.floordivsi", 0, 0, kInts},
    {"arith.maximumf", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"arith.maxnumf", 0, 0, kFloats},
    {"arith.maxsi", kElementI32, kShortInts, 0},
    {"arith.maxui", 0, 0, kInts},
    {"arith.minimumf", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"arith.minnumf", 0, 0, kFloats},
    {"arith.minsi", kElementI32, kShortInts, 0},
    {"arith.minui", 0, 0, kInts},
    {"arith.mulf", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"arith.muli", kElementI16 | kElementI32, kNarrowInts, kElementI1},
    {"arith.mulsi_extended", 0, 0, kElementI32},
    {"arith.mului_extended", 0, 0, kElementI32},
    {"arith.negf", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"arith.ori", kElementI1 | kInts, 0, 0},
    {"arith.remf", kElementF32, kStoredFloats | kElementBF16, 0},
    {"arith.remsi", kElementI32, kShortInts, 0},
    {"arith.remui", kElementI32, kShortInts, 0},
    {"arith.select", kElementI32 | kElementBF16 | kElementF32,
     kShortInts | kStoredFloats, kElementI1},
    {"arith.shli", kElementI32, kShortInts, 0},
    {"arith.shrsi", kElementI32, kShortInts, 0},
    {"arith.shrui", kElementI32, kShortInts, 0},
    {"arith.sitofp, one dimension to bf16", kInts & ~kNarrowInts, 0,
     kNarrowInts},
    {"arith.subf", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"arith.subi", kElementI16 | kElementI32, kNarrowInts, kElementI1},
    {"arith.xori", kElementI1 | kInts, 0, 0},
    {"math.absf", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"math.absi", kElementI16 | kElementI32, kNarrowInts, 0},
    {"math.acos", 0, 0, kFloats},
    {"math.acosh", 0, 0, kFloats},
    {"math.asin", 0, 0, kFloats},
    {"math.asinh", 0, 0, kFloats},
    {"math.atan", 0, 0, kFloats},
    {"math.atan2", kElementF32, kStoredFloats | kElementBF16, 0},
    {"math.atanh", 0, 0, kFloats},
    {"math.cbrt", 0, 0, kFloats},
    {"math.ceil", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"math.clampf", 0, 0, kFloats},
    {"math.copysign", 0, 0, kFloats},
    {"math.cos", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"math.cosh", 0, 0, kFloats},
    {"math.ctlz", kElementI32, 0, kShortInts},
    {"math.ctpop", kElementI32, 0, kShortInts},
    {"math.cttz", 0, 0, kInts},
    {"math.erf", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"math.erfc", 0, 0, kFloats},
    {"math.exp", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"math.exp2", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"math.expm1", 0, 0, kFloats},
    {"math.floor", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"math.fma", 0, 0, kFloats},
    {"math.fpowi", 0, 0, kFloats},
    {"math.ipowi", 0, 0, kInts},
    {"math.isfinite", 0, 0, kFloats},
    {"math.isinf", 0, 0, kFloats},
    {"math.isnan", 0, 0, kFloats},
    {"math.log", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"math.log10", 0, 0, kFloats},
    {"math.log1p", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"math.log2", 0, 0, kFloats},
    {"math.powf", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"math.round", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"math.roundeven", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"math.rsqrt", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"math.sin", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"math.sinh", 0, 0, kFloats},
    {"math.sqrt", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"math.tan", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"math.tanh", kElementBF16 | kElementF32, kStoredFloats, 0},
    {"math.trunc", kElementF32, kStoredFloats | kElementBF16, 0, kElementBF16,
     6},
    {"tpu.concatenate", kMoved, kElementF16, 0},
    {"tpu.concatenate, parts of tiles along sublanes", kMoved & ~kBytes, kBytes,
     0, kBytes, 5},
    {"tpu.dynamic_gather, lanes", kElementI32 | kElementF32,
     kElementI1 | kShortInts | kStoredFloats | kElementBF16, 0},
    {"tpu.dynamic_gather, sublanes", 0,
     kElementI1 | kShortInts | kStoredFloats | kElementBF16,
     kElementI32 | kElementF32, kElementI32 | kElementF32, 5},
    {"tpu.dynamic_rotate, lanes", kMoved & ~kElementI1,
     kElementI1 | kElementF16, 0},
    {"tpu.dynamic_rotate, sublanes", kElementI32 | kElementF32,
     kElementI1 | kShortInts | kStoredFloats | kElementBF16, 0},
    {"tpu.reduce_index", kElementF32, kStoredFloats | kElementBF16, kInts},
    {"tpu.transpose", kMoved, kElementF16, 0},
    {"tpu.vector_store, parts of rows", kMoved & ~kBytes, 0, 0,
     kBytes & ~kElementI4, 5},
    {"vector.broadcast", kMoved, kElementF16, 0},
    {"vector.extract_strided_slice", kMoved, kElementF16, 0},
    {"vector.extract_strided_slice, parts of tiles", kMoved & ~kBytes, kBytes,
     0, kBytes, 5},
    {"vector.multi_reduction", kElementI32 | kElementBF16 | kElementF32,
     kShortInts | kStoredFloats, kElementI1},
    {"vector.shape_cast", kMoved, kElementF16, 0},
    {"vector.shape_cast, columns to rows", 0, 0, kMoved, kMoved, 5},
    {"vector.shape_cast, rows to shorter ones", 0, 0, kMoved, kMoved, 5},
};

const TPUOpRule *mlir::pallas::findTPUOpRule(StringRef op) {
  static const auto byName = [] {
    llvm::StringMap<const TPUOpRule *> rules;
    for (const TPUOpRule &rule : kRules)
      rules[rule.op] = &rule;
    return rules;
  }();
  return byName.lookup(op);
}

TPUSupport mlir::pallas::getTPUSupport(StringRef op, Type element,
                                       const TPUChip &chip) {
  uint16_t type = getTPUElement(element);
  if (!type)
    return TPUSupport::Refused;
  const TPUOpRule *rule = findTPUOpRule(op);
  if (!rule || (rule->getNative(chip) & type))
    return TPUSupport::Native;
  if (rule->widened & type)
    return TPUSupport::Widened;
  return rule->expanded & type ? TPUSupport::Expanded : TPUSupport::Refused;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static constexpr TPUProductRule kProducts[] = {
    // factors, first and last generation
    {kElementBF16 | kElementF32, 4, 7},
    {kElementI8, 5, 7},
    {kElementI4, 5, 7},
    {kElementF8E5M2 | kElementF8E4M3FN, 5, 7},
    {kElementF8E4M3B11FNUZ, 5, 6},
};

bool mlir::pallas::isTPUProduct(Type lhs, Type rhs, const TPUChip &chip) {
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

int64_t mlir::pallas::getTPUWindowRows(int64_t bits, const TPUChip &chip) {
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

int64_t mlir::pallas::getTPUTileRows(int64_t rows, int64_t bits,
                                     TPUBuffer buffer, const TPUChip &chip) {
  int64_t packed = chip.sublanes * std::max<int64_t>(1, 32 / bits);
  const TPUTileRule *rule = llvm::find_if(
      kTiles, [&](const TPUTileRule &rule) { return rule.bits == bits; });
  bool isPacked = rule != std::end(kTiles) && rows % packed == 0 &&
                  chip.generation >= rule->getSince(buffer);
  return isPacked ? packed : chip.sublanes;
}

SmallVector<int64_t> mlir::pallas::getTPUTile(ArrayRef<int64_t> shape,
                                              Type element,
                                              const TPUChip &chip) {
  int64_t bits = element.isInteger(1) ? 32 : element.getIntOrFloatBitWidth();
  int64_t packing = std::max<int64_t>(1, 32 / bits);
  SmallVector<int64_t> tile(shape.size(), 1);
  if (tile.size() == 1) {
    tile[0] = chip.lanes * packing;
  } else if (tile.size() > 1) {
    tile.back() = chip.lanes;
    // Few rows have tiles of fewer rows.
    int64_t rows = llvm::PowerOf2Ceil(shape[shape.size() - 2]);
    tile[tile.size() - 2] =
        std::max(std::min<int64_t>(rows, chip.sublanes), packing);
  }
  return tile;
}

int64_t mlir::pallas::getTPUPaddedBytes(ArrayRef<int64_t> shape, Type element,
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

static void printChipHeader(llvm::raw_ostream &os) {
  os << "| chip | lanes | sublanes | rows of windows: 32, 16, 8, 4 bits | "
        "matrix columns | VMEM KiB | SMEM KiB | SparseCores x subcores x lanes "
        "|\n| --- | --- | --- | --- | --- | --- | --- | --- |\n";
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
       << chip.sparseCoreLanes;
  os << " |\n";
}

static void printTileRows(const TPUTileRule &rule, const TPUChip &chip,
                          llvm::raw_ostream &os) {
  for (TPUBuffer buffer :
       {TPUBuffer::Operand, TPUBuffer::Scratch, TPUBuffer::Scoped})
    os << " "
       << getTPUTileRows(chip.sublanes * (32 / rule.bits), rule.bits, buffer,
                         chip);
}

void mlir::pallas::printTPUTargetInfo(const TPUChip &chip,
                                      llvm::raw_ostream &os) {
  os << "# " << chip.name << "\n\n";
  printChipHeader(os);
  printChip(chip, os);
  os << "\n| factors of products |\n| --- |\n";
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

void mlir::pallas::printTPUTargets(llvm::raw_ostream &os) {
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
        "Factors that the matrix units multiply; others are converted.\n\n";
  printHeadPerChip("factors", os);
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
