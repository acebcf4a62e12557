//===- StepSamples.cpp - Scalars in the steps of a grid -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StepSamples.h"
#include "pallas/Dialect/Pallas/Analysis/PartConditions.h"
#include "pallas/Dialect/Pallas/IR/PallasDialect.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::pallas;

SmallVector<int64_t> mlir::pallas::getAssumedGrid(GridMappingOpInterface grid) {
  constexpr int64_t kAssumedSize = 8;
  SmallVector<int64_t> sizes = grid.getGridShape();
  llvm::replace(sizes, ShapedType::kDynamic, kAssumedSize);
  return sizes;
}

/// The loop that counts with this value. Upstream's getForInductionVarOwner has
/// a loop for the values that it carries, too.
static scf::ForOp getCountedLoop(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : scf::ForOp();
  return loop && loop.getInductionVar() == value ? loop : scf::ForOp();
}

/// Most conditions compare ids and counters of loops that count from a number,
/// as those of masks of attention do:
///
///   scf.for %j = %c0 to %c4 step %c1 : i32 {
///     %row = arith.muli %id, %c256 : i32        input 0
///     %column = arith.muli %j, %c512 : i32      input 1 of a grid of rank 1
///     %causal = arith.cmpi sgt, %row, %column : i32
///     scf.if %causal {
std::optional<IntegerCode> StepSamples::compile(Value value,
                                                ArrayRef<Counter> counters) {
  if (!llvm::all_of(counters, [](const Counter &counter) {
        return counter.first && counter.step;
      }))
    return std::nullopt;
  return IntegerCode::compile(value, [&](Value input) {
    if (std::optional<unsigned> dim = getDimensionOfId(grid, input))
      return dim;
    const Counter *counter = llvm::find_if(
        counters, [&](const Counter &c) { return c.value == input; });
    return counter == counters.end()
               ? std::nullopt
               : std::optional<unsigned>(grid.getGridRank() +
                                         (counter - counters.begin()));
  });
}

/// The way for everything else: loops whose bounds come from ids, and
/// operations that fold.
std::optional<int64_t> StepSamples::evaluate(Value value,
                                             ArrayRef<Counter> counters,
                                             ArrayRef<int64_t> point) {
  unsigned rank = grid.getGridRank();
  evaluator.setProgram(point.take_front(rank));
  for (auto [counter, index] :
       llvm::zip_equal(counters, point.drop_front(rank))) {
    scf::ForOp loop = counter.loop;
    std::optional<int64_t> first = evaluator.evaluate(loop.getLowerBound());
    std::optional<int64_t> step = evaluator.evaluate(loop.getStep());
    // Bounds may be known for some programs only.
    if (first && step)
      evaluator.assume(counter.value, *first + index * *step);
  }
  return evaluator.evaluate(value);
}

/// First and last are where conditions of kernels change, and one step in
/// between speaks for the rest. `visit` gets the share of each point.
static void forEachPoint(ArrayRef<int64_t> sizes,
                         const llvm::SmallBitVector &matters,
                         function_ref<void(ArrayRef<int64_t>, double)> visit) {
  SmallVector<int64_t> point(sizes.size(), 0);
  auto recurse = [&](auto &recurse, size_t dim, double share) -> void {
    if (dim == sizes.size())
      return visit(point, share);
    int64_t size = sizes[dim];
    if (!matters[dim] || size <= 1) {
      point[dim] = 0;
      return recurse(recurse, dim + 1, share);
    }
    auto at = [&](int64_t index, double weight) {
      point[dim] = index;
      recurse(recurse, dim + 1, share * weight / size);
    };
    at(0, 1);
    if (size > 2)
      at(size / 2, size - 2);
    at(size - 1, 1);
  };
  recurse(recurse, 0, 1);
}

double StepSamples::getShare(Value value, int64_t number) {
  SmallVector<int64_t> sizes = getAssumedGrid(grid);
  SmallVector<Counter> counters;
  llvm::SmallBitVector matters(sizes.size());
  for (Value source : findSources(value)) {
    // Values that depend on data may be anything:
    //
    //   %0 = pallas.get %mask[%i] : i32
    //   %1 = arith.cmpi ne, %0, %c0 : i32      counts as true in all steps
    if (source.getDefiningOp<GetOp>())
      return 1;
    if (std::optional<unsigned> dim = getDimensionOfId(grid, source))
      matters.set(*dim);
    scf::ForOp loop = getCountedLoop(source);
    if (std::optional<int64_t> count =
            loop ? getTripCount(loop) : std::nullopt) {
      counters.push_back({source, loop,
                          getConstantInteger(loop.getLowerBound()),
                          getConstantInteger(loop.getStep())});
      sizes.push_back(*count);
    }
  }
  matters.resize(sizes.size(), true);
  std::optional<IntegerCode> code = compile(value, counters);
  SmallVector<int64_t> inputs;
  double share = 0;
  forEachPoint(sizes, matters, [&](ArrayRef<int64_t> point, double weight) {
    std::optional<int64_t> found;
    if (code) {
      inputs.assign(point.begin(), point.end());
      for (auto [counter, input] : llvm::zip_equal(
               counters, llvm::drop_begin(inputs, grid.getGridRank())))
        input = *counter.first + input * *counter.step;
      found = code->run(inputs);
    } else {
      found = evaluate(value, counters, point);
    }
    share += found.value_or(number) == number ? weight : 0;
  });
  return share;
}

std::optional<int64_t> StepSamples::getTripCount(scf::ForOp loop) {
  evaluator.setProgram(SmallVector<int64_t>(grid.getGridRank(), 0));
  std::optional<int64_t> lower = evaluator.evaluate(loop.getLowerBound()),
                         upper = evaluator.evaluate(loop.getUpperBound()),
                         step = evaluator.evaluate(loop.getStep());
  if (!lower || !upper || !step || *step <= 0)
    return std::nullopt;
  return *upper > *lower ? llvm::divideCeil(*upper - *lower, *step) : 0;
}
