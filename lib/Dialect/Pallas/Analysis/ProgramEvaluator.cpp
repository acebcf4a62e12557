//===- ProgramEvaluator.cpp - Scalars at one point of a grid --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Folds scalars for one program of a grid, with constants in place of ids.
// Results are forgotten when the program changes.
//
//===----------------------------------------------------------------------===//

#include "pallas/Dialect/Pallas/Analysis/ProgramEvaluator.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "pallas/Dialect/Pallas/Analysis/IntegerCode.h"
#include "pallas/Dialect/Pallas/Utils/OperationTraits.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::pallas;

/// The copies are in no block, so no operation owns them.
ProgramEvaluator::~ProgramEvaluator() {
  for (auto [op, copy] : copies)
    copy->destroy();
}

/// Copies of operations stay: only what they fold to depends on the program.
void ProgramEvaluator::setProgram(ArrayRef<int64_t> program) {
  ids.assign(program.begin(), program.end());
  known.clear();
}

void ProgramEvaluator::assume(Value value, int64_t number) {
  known[value] = IntegerAttr::get(value.getType(), number);
}

/// A boolean is 0 or 1; sign extension would make it 0 or -1.
std::optional<int64_t> ProgramEvaluator::evaluate(Value value) {
  auto attribute = dyn_cast_or_null<IntegerAttr>(compute(value));
  if (!attribute)
    return std::nullopt;
  return attribute.getType().isInteger(1) ? attribute.getValue().getZExtValue()
                                          : attribute.getValue().getSExtValue();
}

/// Keeps the reason, so that a report can name the operation that is to blame.
Attribute ProgramEvaluator::unknown(const Twine &why) {
  reason = why.str();
  return {};
}

Attribute ProgramEvaluator::getId(Type type, unsigned dim) {
  return IntegerAttr::get(type, ids[dim]);
}

/// Unknown results are remembered as well: they would fail each time.
Attribute ProgramEvaluator::compute(Value value) {
  if (auto it = known.find(value); it != known.end())
    return it->second;
  auto argument = dyn_cast<BlockArgument>(value);
  Attribute result = argument ? computeArgument(argument)
                              : computeResult(cast<OpResult>(value));
  known[value] = result;
  return result;
}

/// Ids lead the arguments of an index map, and those of a pipeline's body.
Attribute ProgramEvaluator::computeArgument(BlockArgument argument) {
  Region *region = argument.getParentRegion();
  if (region->getParentOp() != grid.getOperation())
    return unknown("it uses a value from around the grid");
  unsigned number = argument.getArgNumber(), rank = grid.getGridRank();
  if (region != &grid.getKernelRegion()) {
    if (number < rank)
      return getId(argument.getType(), number);
    unsigned capture = number - rank - grid.getNumIndexOperands();
    if (number >= rank + grid.getNumIndexOperands())
      return compute(grid.getCaptureOperands()[capture]);
  } else if (number >= grid.getNumCaptures() &&
             number - grid.getNumCaptures() <
                 grid.getNumLeadingKernelArguments()) {
    return getId(argument.getType(), number - grid.getNumCaptures());
  }
  return unknown("it uses an argument of the kernel");
}

/// An element of a prefetched array, where that is a constant.
Attribute ProgramEvaluator::readTable(GetOp op) {
  auto argument = dyn_cast<BlockArgument>(op.getRef());
  if (!argument || argument.getParentRegion()->getParentOp() != grid ||
      argument.getParentRegion() == &grid.getKernelRegion())
    return unknown("it reads a ref");
  unsigned table = argument.getArgNumber() - grid.getGridRank();
  if (table >= grid.getNumIndexOperands())
    return unknown("it reads a ref");
  DenseElementsAttr elements;
  if (!matchPattern(grid.getIndexOperands()[table], m_Constant(&elements)))
    return unknown("it reads prefetched operand " + Twine(table) +
                   ", which is not a constant");
  SmallVector<uint64_t> position;
  for (const AccessDim &dim :
       cast<RefAccessOpInterface>(op.getOperation()).getAccessDims()) {
    if (dim.entry.kind != IndexKind::Scalar)
      return unknown("it reads more than one element of a prefetched operand");
    std::optional<int64_t> index =
        dim.start ? evaluate(dim.start) : dim.entry.start;
    if (!index)
      return {};
    position.push_back(*index);
  }
  if (!ElementsAttr::isValidIndex(elements, position))
    return unknown("it reads outside of prefetched operand " + Twine(table));
  return elements.getValues<Attribute>()[position];
}

/// Conditions and bounds consist of these; nothing for other operations:
///
///   %0 = arith.muli %i, %c4 : i32
///   %1 = arith.cmpi eq, %0, %c12 : i32
static Attribute foldIntegers(Operation *op, ArrayRef<Attribute> operands) {
  SmallVector<APInt, 3> numbers;
  for (Attribute operand : operands) {
    auto number = dyn_cast<IntegerAttr>(operand);
    if (!number)
      return {};
    numbers.push_back(number.getValue());
  }
  if (op->getNumResults() != 1 || !op->getResult(0).getType().isIntOrIndex())
    return {};
  Type type = op->getResult(0).getType();
  unsigned width = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                  : type.getIntOrFloatBitWidth();
  using Number = std::optional<APInt>;
  Number result =
      llvm::TypeSwitch<Operation *, Number>(op)
          .Case([&](arith::AddIOp) { return numbers[0] + numbers[1]; })
          .Case([&](arith::SubIOp) { return numbers[0] - numbers[1]; })
          .Case([&](arith::MulIOp) { return numbers[0] * numbers[1]; })
          .Case([&](arith::AndIOp) { return numbers[0] & numbers[1]; })
          .Case([&](arith::OrIOp) { return numbers[0] | numbers[1]; })
          .Case([&](arith::CmpIOp compare) {
            return APInt(1, arith::applyCmpPredicate(compare.getPredicate(),
                                                     numbers[0], numbers[1]));
          })
          .Case([&](arith::ExtUIOp) { return numbers[0].zext(width); })
          .Case<arith::ExtSIOp, arith::IndexCastOp>(
              [&](auto) { return numbers[0].sextOrTrunc(width); })
          .Default([](Operation *) { return Number(); });
  return result ? IntegerAttr::get(type, *result) : Attribute();
}

/// Ids and sizes have no operands to fold; everything else goes by MLIR's own
/// folders, on a copy, as folding in place may exchange operands.
Attribute ProgramEvaluator::computeResult(OpResult result) {
  Operation *op = result.getOwner();
  // A map asks for the same numbers in each program.
  if (Attribute constant; matchPattern(op, m_Constant(&constant)))
    return constant;
  bool isOurs = isa<ProgramIdOp, NumProgramsOp, AxisIndexOp>(op) &&
                !isa<EmitPipelineOp>(grid) && getEnclosingGrid(op) == grid;
  if (auto id = dyn_cast<ProgramIdOp>(op); id && isOurs)
    return getId(id.getType(), grid.getGridDimensionOfAxis(id.getAxis()));
  if (auto number = dyn_cast<NumProgramsOp>(op); number && isOurs) {
    int64_t size =
        grid.getGridShape()[grid.getGridDimensionOfAxis(number.getAxis())];
    if (!ShapedType::isDynamic(size))
      return IntegerAttr::get(number.getType(), size);
  }
  if (auto index = dyn_cast<AxisIndexOp>(op); index && isOurs) {
    SmallVector<StringRef> names = grid.getGridDimensionNames();
    auto *it = llvm::find(names, index.getAxisName());
    if (it != names.end())
      return getId(index.getType(), it - names.begin());
  }
  if (auto get = dyn_cast<GetOp>(op))
    return readTable(get);
  if (auto choice = dyn_cast<scf::IfOp>(op)) {
    std::optional<int64_t> condition = evaluate(choice.getCondition());
    if (!condition)
      return {};
    Region &region =
        *condition ? choice.getThenRegion() : choice.getElseRegion();
    return compute(
        region.front().getTerminator()->getOperand(result.getResultNumber()));
  }
  Operation *copy = copies.lookup(op);
  if (!copy && (op->getNumRegions() || !hasNoEffects(op)))
    return unknown("it uses '" + op->getName().getStringRef() +
                   "', which only execution can tell");

  SmallVector<Attribute> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(compute(operand));
    if (!operands.back())
      return {};
  }
  if (Attribute folded = foldIntegers(op, operands))
    return folded;
  if (!copy)
    copies[op] = copy = op->clone();
  // Folding in place moves constants behind other operands, once.
  for (int attempt = 0; attempt < 2; ++attempt) {
    SmallVector<Attribute> ordered;
    for (Value operand : copy->getOperands())
      ordered.push_back(known.lookup(operand));
    SmallVector<OpFoldResult> results;
    if (failed(copy->fold(ordered, results)))
      break;
    if (results.empty())
      continue;
    OpFoldResult folded = results[result.getResultNumber()];
    if (auto attribute = dyn_cast<Attribute>(folded))
      return attribute;
    return known.lookup(cast<Value>(folded));
  }
  return unknown("it uses '" + op->getName().getStringRef() +
                 "', which can't be evaluated");
}

/// An odometer, with the last dimension the fastest. An empty grid has no
/// programs, so nothing can fail.
bool pallas::forEachProgram(ArrayRef<int64_t> grid,
                            function_ref<bool(ArrayRef<int64_t>)> body) {
  if (llvm::is_contained(grid, 0))
    return true;
  SmallVector<int64_t> ids(grid.size());
  while (true) {
    if (!body(ids))
      return false;
    int64_t dim = int64_t(grid.size()) - 1;
    while (dim >= 0 && ++ids[dim] == grid[dim])
      ids[dim--] = 0;
    if (dim < 0)
      return true;
  }
}

llvm::SmallSetVector<Value, 16> pallas::findSources(Value value) {
  llvm::SmallSetVector<Value, 16> sources;
  sources.insert(value);
  for (unsigned next = 0; next < sources.size(); ++next)
    if (Operation *op = sources[next].getDefiningOp())
      sources.insert_range(op->getOperands());
  return sources;
}

/// Ids of index maps. Kernels have captures and refs among their arguments.
static std::optional<unsigned> getMapId(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument)
    return std::nullopt;
  Region *map = argument.getParentRegion();
  auto grid = dyn_cast<GridMappingOpInterface>(map->getParentOp());
  bool isId = grid && map != &grid.getKernelRegion() &&
              argument.getArgNumber() < grid.getGridRank();
  return isId ? std::optional(argument.getArgNumber()) : std::nullopt;
}

/// The grid of an index map: only ids that the value depends on count, as a
/// grid of millions of programs often has few different results.
std::optional<ProgramTable> ProgramTable::compute(ProgramEvaluator &evaluator,
                                                  Value value,
                                                  ArrayRef<int64_t> shape,
                                                  int64_t limit) {
  ProgramTable table;
  table.shape.assign(shape.size(), 1);
  for (Value source : findSources(value))
    if (auto id = dyn_cast<BlockArgument>(source);
        id && id.getArgNumber() < shape.size())
      table.shape[id.getArgNumber()] = shape[id.getArgNumber()];
  int64_t total = 1;
  for (int64_t size : table.shape)
    if (ShapedType::isDynamic(size) || size > limit || (total *= size) > limit)
      return std::nullopt;
  std::optional<IntegerCode> code = IntegerCode::compile(value, getMapId);
  bool isKnown = forEachProgram(table.shape, [&](ArrayRef<int64_t> ids) {
    std::optional<int64_t> number;
    if (code) {
      number = code->run(ids);
    } else {
      evaluator.setProgram(ids);
      number = evaluator.evaluate(value);
    }
    table.numbers.push_back(number.value_or(0));
    return number.has_value();
  });
  return isKnown ? std::optional(std::move(table)) : std::nullopt;
}

int64_t ProgramTable::get(ArrayRef<int64_t> ids) const {
  int64_t place = 0;
  for (auto [id, size] : llvm::zip_equal(ids, shape))
    place = place * size + (size == 1 ? 0 : id);
  return numbers[place];
}
