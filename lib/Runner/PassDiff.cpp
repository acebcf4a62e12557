//===- PassDiff.cpp - Which pass changes the answer -----------------------===//

#include "pallas/Runner/PassDiff.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace mlir::pallas;

namespace {
/// The arrays that one execution yields.
struct Results {
  SmallVector<BufferType> types;
  std::vector<std::unique_ptr<llvm::WritableMemoryBuffer>> memory;
};
} // namespace

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

static llvm::Expected<Results> execute(ModuleOp module, StringRef entry,
                                       ArrayRef<BufferView> inputs) {
  EngineOptions options;
  options.useCache = false;
  options.optLevel = 0;
  options.pipeline.parallel = false;
  options.pipeline.optimize = false;
  // The module comes from a pass that may be broken.
  options.verifyEach = true;
  auto engine = Engine::create(module, options);
  if (!engine)
    return engine.takeError();
  if (entry.empty() && (*engine)->getEntries().size() == 1)
    entry = (*engine)->getEntries().front();
  const EntrySignature *signature = (*engine)->getSignature(entry);
  if (!signature)
    return llvm::createStringError("the module has no function '%s'",
                                   entry.str().c_str());
  Results results;
  SmallVector<BufferView> views;
  results.types = signature->outputs;
  for (const BufferType &type : results.types) {
    auto memory = allocateArrays(type);
    if (!memory)
      return memory.takeError();
    results.memory.push_back(std::move(*memory));
    views.push_back(
        {results.memory.back()->getBufferStart(), type.dtype, type.shape});
  }
  if (llvm::Error error = (*engine)->invoke(entry, inputs, views))
    return std::move(error);
  return results;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// How floats of a type are made of bits; null for other types, and for floats
/// so narrow that only equal ones are near.
static const llvm::fltSemantics *getSemantics(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return &llvm::APFloat::IEEEdouble();
  case DType::F32:
    return &llvm::APFloat::IEEEsingle();
  case DType::F16:
    return &llvm::APFloat::IEEEhalf();
  case DType::BF16:
    return &llvm::APFloat::BFloat();
  default:
    return nullptr;
  }
}

/// Sums in another order and functions of another library stay within this.
static double getTolerance(DType dtype) {
  switch (dtype) {
  case DType::F64:
    return 1e-9;
  case DType::F32:
    return 1e-4;
  case DType::F16:
    return 5e-3;
  default:
    return 4e-2;
  }
}

static uint64_t readBits(const llvm::WritableMemoryBuffer &memory, DType dtype,
                         int64_t index) {
  unsigned size = getByteSize(dtype);
  uint64_t bits = 0;
  memcpy(&bits, memory.getBufferStart() + index * size, size);
  return bits;
}

static double toDouble(uint64_t bits, DType dtype) {
  llvm::APFloat value(*getSemantics(dtype),
                      llvm::APInt(8 * getByteSize(dtype), bits));
  bool losesInfo;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

static bool isSame(uint64_t left, uint64_t right, DType dtype,
                   std::optional<double> tolerance) {
  if (left == right)
    return true;
  if (!getSemantics(dtype))
    return false;
  double a = toDouble(left, dtype), b = toDouble(right, dtype);
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return true;
  return std::abs(a - b) <=
         tolerance.value_or(getTolerance(dtype)) * (1 + std::abs(b));
}

static std::string spell(uint64_t bits, DType dtype) {
  if (getSemantics(dtype))
    return llvm::formatv("{0}", toDouble(bits, dtype));
  return std::to_string(llvm::SignExtend64(bits, 8 * getByteSize(dtype)));
}

/// `[1, 2]` for an element of an array of this shape.
static std::string spellPlace(int64_t index, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> place(shape.size());
  for (int64_t d = shape.size(); d-- > 0; index /= shape[d])
    place[d] = index % shape[d];
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "[";
  llvm::interleaveComma(place, stream);
  stream << "]";
  return text;
}

/// How results differ; empty if they don't.
static std::string compare(const Results &found, const Results &expected,
                           std::optional<double> tolerance) {
  if (found.types.size() != expected.types.size())
    return llvm::formatv("there are {0} results instead of {1}",
                         found.types.size(), expected.types.size());
  for (auto [number, type] : llvm::enumerate(expected.types)) {
    const BufferType &other = found.types[number];
    if (other.dtype != type.dtype || other.shape != type.shape)
      return llvm::formatv("result {0} has another type", number);
    int64_t count = 0, first = 0;
    int64_t size = ShapedType::getNumElements(type.shape);
    for (int64_t i = size; i-- > 0;)
      if (!isSame(readBits(*found.memory[number], type.dtype, i),
                  readBits(*expected.memory[number], type.dtype, i), type.dtype,
                  tolerance)) {
        ++count;
        first = i;
      }
    if (count)
      return llvm::formatv(
          "{0} of {1} elements of result {2} differ; at {3} it is {4} instead "
          "of {5}",
          count, size, number, spellPlace(first, type.shape),
          spell(readBits(*found.memory[number], type.dtype, first), type.dtype),
          spell(readBits(*expected.memory[number], type.dtype, first),
                type.dtype));
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Observation of passes
//===----------------------------------------------------------------------===//

namespace {
class Observer : public PassInstrumentation {
public:
  Observer(PassDiff &diff, const Results &expected, ArrayRef<BufferView> inputs,
           const PassDiffOptions &options)
      : diff(diff), expected(expected), inputs(inputs), options(options) {}

  void runAfterPass(Pass *pass, Operation *op) override {
    // What runs passes on nested operations is a pass as well.
    if (pass->getName() == "mlir::detail::OpToOpPassAdaptor")
      return;
    ++diff.numPasses;
    if (!diff.pass.empty())
      return;
    auto module = dyn_cast<ModuleOp>(op);
    if (!module)
      module = op->getParentOfType<ModuleOp>();
    // What is wrong with the module becomes the reason why it did not run.
    ScopedDiagnosticHandler silence(module.getContext(),
                                    [](Diagnostic &) { return success(); });
    auto results = execute(module, options.entry, inputs);
    if (!results) {
      diff.notExecuted.push_back(describe(pass, op) + ": " +
                                 llvm::toString(results.takeError()));
      return;
    }
    ++diff.numExecuted;
    diff.change = compare(*results, expected, options.tolerance);
    if (diff.change.empty())
      return;
    diff.pass = describe(pass, op);
    diff.number = diff.numPasses;
  }

private:
  static std::string describe(Pass *pass, Operation *op) {
    std::string name = pass->getArgument().str();
    if (name.empty())
      name = pass->getName().str();
    name += " on " + op->getName().getStringRef().str();
    if (auto symbol = op->getAttrOfType<StringAttr>("sym_name"))
      name += " @" + symbol.getValue().str();
    return name;
  }

  PassDiff &diff;
  const Results &expected;
  ArrayRef<BufferView> inputs;
  const PassDiffOptions &options;
};
} // namespace

llvm::Expected<PassDiff> pallas::diffPasses(ModuleOp module, PassManager &pm,
                                            ArrayRef<BufferView> inputs,
                                            const PassDiffOptions &options) {
  auto expected = execute(module, options.entry, inputs);
  if (!expected)
    return expected.takeError();
  PassDiff diff;
  // A module that is executed between two passes must not change under them.
  bool wasParallel = module.getContext()->isMultithreadingEnabled();
  module.getContext()->disableMultithreading();
  pm.addInstrumentation(
      std::make_unique<Observer>(diff, *expected, inputs, options));
  OwningOpRef<ModuleOp> copy = module.clone();
  LogicalResult status = pm.run(*copy);
  module.getContext()->disableMultithreading(!wasParallel);
  if (failed(status) && diff.pass.empty())
    return llvm::createStringError("the pipeline failed");
  return diff;
}
