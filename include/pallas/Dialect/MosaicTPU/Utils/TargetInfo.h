//===- TargetInfo.h - What TPUs can do, as data -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One table for everything that depends on the target: the legality of the
// conversion, the check of a module against a target, the text of
// --print-target-info and the page in the documentation.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_DIALECT_MOSAICTPU_UTILS_TARGETINFO_H
#define PALLAS_DIALECT_MOSAICTPU_UTILS_TARGETINFO_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>

namespace mlir::tpu {

/// A TPU chip, as one core of it sees the world.
struct TPUChip {
  llvm::StringLiteral name;
  int64_t generation;
  int64_t lanes;
  int64_t sublanes;
  int64_t matrixColumns;
  int64_t vmemBytes;
  int64_t smemBytes;
  int64_t sparseCores;
  int64_t subcoresPerSparseCore;
  int64_t sparseCoreLanes;

  /// How many elements of 32 bits a register has along dimension `dim` of
  /// vectors of this rank: lanes along the last one, sublanes before it.
  int64_t getRegisterSize(int64_t rank, int64_t dim) const {
    return dim == rank - 1 ? lanes : dim == rank - 2 ? sublanes : 1;
  }
};

ArrayRef<TPUChip> getTPUChips();
/// The chip of this name, or null.
const TPUChip *findTPUChip(StringRef name);
/// The same for a name that a user gave; the error at `op` lists the others.
FailureOr<const TPUChip *> findTPUChip(Operation *op, StringRef name);
/// The chip that a kernel module is for, by its attribute `tpu.target`.
FailureOr<const TPUChip *> getTargetChip(ModuleOp module);

/// How a target supports an operation on elements of some type.
enum class TPUSupport {
  /// The compiler takes it as it is.
  Native,
  /// It is done on 32-bit elements and narrowed again.
  Widened,
  /// It is replaced by other operations, in 32 bits.
  Expanded,
  /// There is no way.
  Refused,
};

/// Element types as a set.
enum TPUElement : uint16_t {
  kElementI1 = 1,
  kElementI4 = 2,
  kElementI8 = 4,
  kElementI16 = 8,
  kElementI32 = 16,
  kElementF8E5M2 = 32,
  kElementF8E4M3FN = 64,
  kElementF8E4M3B11FNUZ = 128,
  kElementBF16 = 256,
  kElementF32 = 512,
  kElementF16 = 1024,
  /// Powers of two, the scales of blocks: moved and widened, never rounded to.
  kElementF8E8M0FNU = 2048,
};

/// The set that holds this type alone; zero for types that no TPU has.
uint16_t getTPUElement(Type type);

/// Cases of operations for which the target has a separate rule.
enum class TPUCase {
  /// Integers to bf16, in vectors of one dimension.
  ConvertRowToBF16,
  /// Equality of extended numbers, which the compiler computes on narrow ones.
  EqualityOfExtended,
  /// Concatenations of parts of tiles along sublanes.
  JoinPartsOfTiles,
  GatherAlongLanes,
  GatherAlongSublanes,
  RotateAlongLanes,
  RotateAlongSublanes,
  /// Stores to parts of a buffer of one dimension.
  StorePartsOfRows,
  /// Slices that begin in the middle of tiles.
  SlicePartsOfTiles,
  /// Casts of columns, one element per sublane, to rows.
  LayColumnsAlongRows,
  /// Casts of rows to shorter ones.
  CutRows,
  Last = CutRows
};

/// One row of the table: which elements an operation takes as it is, and which
/// in 32 bits. A type in neither is expanded when `expanded` has it.
struct TPUOpRule {
  llvm::StringLiteral op;
  uint16_t native;
  uint16_t widened;
  uint16_t expanded;
  /// Further types that are taken as they are from generation `since` on.
  uint16_t later = 0;
  int64_t since = 0;
  /// The part of the operation's uses that the row is for, and its name in
  /// tables; none for the other uses.
  std::optional<TPUCase> which = std::nullopt;
  llvm::StringLiteral text = "";

  /// The same for part of the uses.
  constexpr TPUOpRule of(TPUCase part, llvm::StringLiteral name) const {
    return {op, native, widened, expanded, later, since, part, name};
  }
  uint16_t getNative(const TPUChip &chip) const {
    return chip.generation >= since ? native | later : native;
  }
};

/// How the chip supports an operation on elements of this type. Operations
/// without a row are taken as they are.
TPUSupport getTPUSupport(OperationName op, Type element, const TPUChip &chip);

/// The element type by which the table decides on `op`: that of its first
/// operand, of a selection that of its values, of a constant its own. The
/// exponent of `math.fpowi` is an integer, and the base decides.
Type getDecidingElement(Operation *op);

TPUSupport getTPUSupport(TPUCase which, Type element, const TPUChip &chip);

/// One row of the table of products: any two of `operands` are multiplied by
/// the chips of these generations.
struct TPUProductRule {
  uint16_t operands;
  int64_t firstGeneration;
  int64_t lastGeneration;
};

/// Whether the matrix unit takes operands of these types.
bool isTPUProduct(Type lhs, Type rhs, const TPUChip &chip);

/// How many rows a tile of the array of an operand has. A window has whole
/// tiles, or all of the array.
int64_t getTPUWindowRows(int64_t bits, const TPUChip &chip);

/// Where a buffer of a kernel comes from.
enum class TPUBuffer {
  /// An operand of the call, or a window of one.
  Operand,
  /// Scratch memory of the kernel.
  Scratch,
  /// A region of the kernel allocates it.
  Scoped,
};

/// One row of the table of tiles: since which generation buffers whose rows
/// come in whole words per sublane have tiles of as many rows. Others have
/// tiles of one row per sublane.
struct TPUTileRule {
  int64_t bits;
  int64_t operands;
  int64_t scratch;
  int64_t scoped;

  int64_t getSince(TPUBuffer buffer) const {
    return buffer == TPUBuffer::Operand   ? operands
           : buffer == TPUBuffer::Scratch ? scratch
                                          : scoped;
  }
};

/// How many rows a tile of a buffer in VMEM with `rows` rows has. What starts
/// in the middle of one can't be accessed as it is.
int64_t getTPUTileRows(int64_t rows, int64_t bits, TPUBuffer buffer,
                       const TPUChip &chip);

/// Elements of a tile along each dimension of a buffer of this shape.
SmallVector<int64_t> getTPUTile(ArrayRef<int64_t> shape, Type element,
                                const TPUChip &chip);

/// Bytes that a buffer of this shape takes in VMEM or SMEM, its tiles filled
/// up.
int64_t getTPUPaddedBytes(ArrayRef<int64_t> shape, Type element,
                          const TPUChip &chip);

/// Writes the numbers of a chip and the table of operations, as Markdown.
void printTPUTargetInfo(const TPUChip &chip, llvm::raw_ostream &os);
/// Writes the table of all chips.
void printTPUTargets(llvm::raw_ostream &os);

} // namespace mlir::tpu

#endif // PALLAS_DIALECT_MOSAICTPU_UTILS_TARGETINFO_H
