//===- TargetInfo.cpp - What GPUs can do, as data -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables, so that the pages of targets, the legality check and the lowering
// read the same numbers. A generation is a row.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/MosaicGPU/Utils/TargetInfo.h"

using namespace mlir;
using namespace mlir::mosaic_gpu;

//===----------------------------------------------------------------------===//
// The tables
//===----------------------------------------------------------------------===//

static constexpr GPUTarget kTargets[] = {
    // arch, version, shared bytes, warpgroups, cluster, barriers, registers,
    // tensor columns, multiplies in registers
    {"sm_90a", 9, 0, 232448, 8, 16, 32, 255, 65536, 0, true},
    {"sm_100a", 10, 0, 232448, 8, 16, 32, 255, 65536, 512, false},
};

static constexpr GPUCopyLimits kCopies = {256, 5, 16, 128};
static constexpr GPUProductLimits kProductSizes = {64, 8, 256};
static constexpr GPUTensorProductLimits kTensorProductSizes = {128, 8, 32, 512,
                                                               128};

namespace {
/// Any two types of the first list are multiplied into each of the second.
struct ProductRule {
  llvm::StringLiteral operands, sums;
};

/// A way to combine, and the elements that it combines.
struct ReductionRule {
  TMAReduction kind;
  llvm::StringLiteral elements;
};
} // namespace

static constexpr ProductRule kProducts[] = {
    {"f16", "f16 f32"}, {"bf16", "f32"},
    {"f32", "f32"},     {"f8E5M2 f8E4M3FN", "f16 f32"},
    {"i8", "i32"},
};

static constexpr llvm::StringLiteral kScales = "f8E8M0FNU f8E4M3FN";
static constexpr ProductRule kScaledProducts[] = {
    {"f8E5M2 f8E4M3FN", "f32"},
    {"f4E2M1FN", "f32"},
};

static constexpr ReductionRule kReductions[] = {
    {TMAReduction::Add, "f16 bf16 f32 i32 i64"},
    {TMAReduction::Min, "f16 bf16"},
    {TMAReduction::Max, "f16 bf16"},
    {TMAReduction::Umin, "i32 i64"},
    {TMAReduction::Umax, "i32 i64"},
    {TMAReduction::Smin, "i32 i64"},
    {TMAReduction::Smax, "i32 i64"},
    {TMAReduction::Inc, "i32"},
    {TMAReduction::Dec, "i32"},
    {TMAReduction::And, "i32 i64"},
    {TMAReduction::Or, "i32 i64"},
    {TMAReduction::Xor, "i32 i64"},
};

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// Whether a list of the tables has this type.
static bool hasType(StringRef list, Type type) {
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return llvm::is_contained(llvm::split(list, ' '), StringRef(name));
}

/// All threads of a block share its registers: two warpgroups of 128 threads
/// leave each thread 65536 / 256 of them, which the limit of a thread caps at
/// 255.
int64_t GPUTarget::getRegisters(int64_t warpgroupsPerBlock) const {
  // The hardware gives registers to threads by eights.
  int64_t share = blockRegisters / (128 * warpgroupsPerBlock) / 8 * 8;
  return std::min(threadRegisters, share);
}

ArrayRef<GPUTarget> mlir::mosaic_gpu::getGPUTargets() { return kTargets; }

/// Null for an unknown name; the other overload reports it with the known ones.
const GPUTarget *mlir::mosaic_gpu::findGPUTarget(StringRef arch) {
  const auto *target = llvm::find_if(
      kTargets, [&](const GPUTarget &target) { return target.arch == arch; });
  return target == std::end(kTargets) ? nullptr : target;
}

FailureOr<const GPUTarget *> mlir::mosaic_gpu::findGPUTarget(Operation *op,
                                                             StringRef arch) {
  if (const GPUTarget *target = findGPUTarget(arch))
    return target;
  InFlightDiagnostic diag = op->emitError()
                            << "architecture '" << arch << "' is unknown; use ";
  llvm::interleave(
      kTargets, [&](const GPUTarget &known) { diag << known.arch; },
      [&]() { diag << ", "; });
  return diag;
}

const GPUCopyLimits &mlir::mosaic_gpu::getGPUCopyLimits() { return kCopies; }

const GPUProductLimits &mlir::mosaic_gpu::getGPUProductLimits() {
  return kProductSizes;
}

const GPUTensorProductLimits &mlir::mosaic_gpu::getGPUTensorProductLimits() {
  return kTensorProductSizes;
}

/// Operands may differ among the formats of one row, as f8E5M2 and f8E4M3FN do.
static bool isProduct(ArrayRef<ProductRule> rules, Type lhs, Type rhs,
                      Type accumulator) {
  return llvm::any_of(rules, [&](const ProductRule &rule) {
    return hasType(rule.operands, lhs) && hasType(rule.operands, rhs) &&
           hasType(rule.sums, accumulator);
  });
}

bool mlir::mosaic_gpu::isGPUProduct(Type lhs, Type rhs, Type accumulator) {
  return isProduct(kProducts, lhs, rhs, accumulator);
}

bool mlir::mosaic_gpu::isGPUScaledProduct(Type lhs, Type rhs, Type lhsScale,
                                          Type rhsScale, Type accumulator) {
  return lhsScale == rhsScale && hasType(kScales, lhsScale) &&
         isProduct(kScaledProducts, lhs, rhs, accumulator);
}

bool mlir::mosaic_gpu::isGPUReduction(TMAReduction kind, Type element) {
  return llvm::any_of(kReductions, [&](const ReductionRule &rule) {
    return rule.kind == kind && hasType(rule.elements, element);
  });
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// A row of the table of limits.
static void printTarget(const GPUTarget &target, llvm::raw_ostream &os) {
  os << "| " << target.arch << " | " << target.sharedBytes << " | "
     << target.warpgroups << " | " << target.clusterBlocks << " | "
     << target.barriers << " | " << target.threadRegisters << " | "
     << target.blockRegisters << " | ";
  if (target.tensorColumns)
    os << target.tensorColumns;
  os << " | " << (target.multipliesInRegisters ? "wgmma" : "tcgen05_mma")
     << " |\n";
}

/// Shared by the page of all architectures and by `--print-target-info` of one.
static void printTargetHeader(llvm::raw_ostream &os) {
  os << "| architecture | bytes of shared memory | warpgroups of a block | "
        "blocks of a cluster | barriers of a scope | registers of a thread | "
        "of a block | columns of tensor memory | products |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";
}

static void printCopies(llvm::raw_ostream &os) {
  os << "A copy between global and shared memory moves a box of at most "
     << kCopies.rank << " dimensions and " << kCopies.elements
     << " elements along each, tiles and places in a tile counted apart; its "
        "rows, and the strides of the array, are multiples of "
     << kCopies.rowBytes << " bytes.\n\n"
     << "| combination of a copy to global memory | elements |\n"
        "| --- | --- |\n";
  for (const ReductionRule &rule : kReductions)
    os << "| " << stringifyTMAReduction(rule.kind) << " | " << rule.elements
       << " |\n";
}

/// The rows of one kind of product.
static void printRules(ArrayRef<ProductRule> rules, llvm::raw_ostream &os) {
  os << "| operands | accumulator |\n| --- | --- |\n";
  for (const ProductRule &rule : rules)
    os << "| " << rule.operands << " | " << rule.sums << " |\n";
}

static void printProducts(llvm::raw_ostream &os) {
  os << "`wgmma` adds to an accumulator of a multiple of " << kProductSizes.rows
     << " rows, and of a multiple of " << kProductSizes.columns
     << " columns, at most " << kProductSizes.maxColumns << ".\n\n";
  printRules(kProducts, os);
}

static void printTensorProducts(llvm::raw_ostream &os) {
  const GPUTensorProductLimits &limits = kTensorProductSizes;
  os << "`tcgen05_mma` adds to an accumulator of " << limits.rows << " or "
     << limits.rows / 2 << " rows. `rhs` has a multiple of " << limits.columns
     << " columns, at most " << limits.maxColumns / 2 << ", or "
     << limits.maxColumns << "; where two blocks multiply, each has at most "
     << limits.pairColumns << ". The multiple doubles for two blocks, for i32, "
     << "and for 64 rows of one block; with scales it is "
     << limits.scaledColumns
     << ". Operands have the types of `wgmma`; with scales, of " << kScales
     << ", these:\n\n";
  printRules(kScaledProducts, os);
}

void mlir::mosaic_gpu::printGPUTargetInfo(const GPUTarget &target,
                                          llvm::raw_ostream &os) {
  os << "# " << target.arch << "\n\n";
  printTargetHeader(os);
  printTarget(target, os);
  os << "\n";
  printCopies(os);
  os << "\n";
  if (target.multipliesInRegisters)
    printProducts(os);
  else
    printTensorProducts(os);
}

void mlir::mosaic_gpu::printGPUTargets(llvm::raw_ostream &os) {
  os << "# GPU targets\n\n"
        "What `--pallas-check-target` and the lowering go by; "
        "`pallas-opt --print-target-info=sm_90a` prints the part of one "
        "architecture.\n\n"
        "## Architectures\n\n";
  printTargetHeader(os);
  for (const GPUTarget &target : kTargets)
    printTarget(target, os);
  os << "\nEach ref in shared memory takes a multiple of 1024 bytes, and "
        "scopes that follow each other share memory; barriers lie behind it, "
        "8 bytes each. An accumulator takes a register of each thread of its "
        "warpgroup for 128 words of 32 bits.\n\n"
        "## Copies\n\n";
  printCopies(os);
  os << "\n## Products\n\n";
  printProducts(os);
  os << "\n";
  printTensorProducts(os);
}
