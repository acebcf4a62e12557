//===- MeshTasks.cpp - Cores of a mesh that run at the same time ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cores that wait for each other are tasks of the runtime: an `scf.forall`
// whose body is one core. The pass outline-tasks makes a function of it later,
// which the runtime calls on one fiber per core.
//
//===----------------------------------------------------------------------===//

#include "ArrayRefs.h"
#include "MeshToLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "pallas/Dialect/Pallas/Utils/Concurrency.h"
#include "pallas/Support/Tasks.h"

using namespace mlir;
using namespace mlir::pallas;

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Each task has a stack.
static constexpr int64_t kMaxTasks = 4096;

/// Describes the tasks for messages: "scalar:core=2;vector:core=2,subcore=16".
static std::string describeTasks(ArrayRef<CoreKernel> kernels) {
  std::string text;
  for (const CoreKernel &kernel : kernels) {
    if (!text.empty())
      text += ";";
    if (kernels.size() > 1)
      text += (kernel.name + ":").str();
    for (auto [i, axis] : llvm::enumerate(kernel.getConcurrentAxes()))
      text += ((i ? "," : "") + axis.getName().getValue() + "=" +
               Twine(axis.getSize()))
                  .str();
  }
  return text;
}

static int64_t countTasks(const CoreKernel &kernel) {
  int64_t count = 1;
  for (MeshAxisAttr axis : kernel.getConcurrentAxes())
    count *= axis.getSize();
  return count;
}

/// The tasks of several kernels all run at the same time.
LogicalResult MeshToLoops::numberTasks(int64_t &numTasks) {
  for (CoreKernel &kernel : kernels) {
    kernel.firstConcurrent =
        kernel.hasOthers ? 0
                         : getFirstConcurrentAxis(kernel.mesh, *kernel.region);
    kernel.firstTask = numTasks;
    numTasks += countTasks(kernel);
  }
  if (numTasks <= kMaxTasks)
    return success();
  return mlir::emitError(loc)
         << "runs " << numTasks
         << " tasks that wait for each other; on CPUs at most " << kMaxTasks
         << " can run at the same time";
}

/// The coordinates of a task along the concurrent axes:
///
///   %0 = arith.divui %task, %c16 : index
///   %1 = arith.remui %0, %c2 : index
void MeshToLoops::addConcurrentIds(CoreKernel &kernel, Value task) {
  int64_t count = countTasks(kernel);
  for (MeshAxisAttr axis : kernel.getConcurrentAxes()) {
    count /= axis.getSize();
    Value id = arith::DivUIOp::create(
        b, loc, task, arith::ConstantIndexOp::create(b, loc, count));
    id = arith::RemUIOp::create(
        b, loc, id, arith::ConstantIndexOp::create(b, loc, axis.getSize()));
    addId(kernel, id);
  }
}

//===----------------------------------------------------------------------===//
// Scratch
//===----------------------------------------------------------------------===//

/// The kernel whose cores have an instance each of the scratch. A memory space
/// such as `semaphore@sc_vector` names the kind of core; without one the first
/// kernel owns it.
static const CoreKernel &getOwner(ArrayRef<CoreKernel> kernels, Type type) {
  auto ref = dyn_cast<RefType>(type);
  std::optional<CoreKind> core =
      ref ? ref.getMemorySpace().getCore() : std::nullopt;
  for (const CoreKernel &kernel : kernels) {
    MeshKind kind = kernel.mesh.getKind();
    bool matches =
        !core ||
        (kind == MeshKind::TensorCore && *core == CoreKind::TensorCore) ||
        (kind == MeshKind::ScScalar && *core == CoreKind::ScScalar) ||
        (kind == MeshKind::ScVector && *core == CoreKind::ScVector);
    if (matches)
      return kernel;
  }
  return kernels.front();
}

/// The scratch of all kernels, which have the same list of it; null without.
TaskScopeOp MeshToLoops::createTaskScope() {
  CoreKernel &front = kernels.front();
  auto scratch = front.getScratch();
  if (scratch.empty())
    return {};
  auto owners = llvm::map_to_vector(scratch, [&](BlockArgument ref) {
    return Attribute(getOwner(kernels, ref.getType()).mesh);
  });
  auto scope = TaskScopeOp::create(b, loc, front.firstConcurrent,
                                   b.getArrayAttr(owners));
  nameScratch(scope, scratch);
  Block *body = b.createBlock(&scope.getBody());
  for (BlockArgument ref : scratch)
    body->addArgument(ref.getType(), ref.getLoc());
  return scope;
}

//===----------------------------------------------------------------------===//
// Tasks
//===----------------------------------------------------------------------===//

/// A task sees its instances of the scratch. It reports memory to the checker
/// that it has for itself; the scope reports what all tasks share.
///
///   pallas.on_core <sc_vector, [<core "c" = 2>]>(%i) first_axis 0 first_task 0
///   {
///     %own = pallas.core_scratch %s : !pallas.ref<8xf32, vmem>
void MeshToLoops::runTask(CoreKernel &kernel, TaskScopeOp scope) {
  SmallVector<Type> own;
  auto scratch = kernel.getScratch();
  for (BlockArgument ref : scratch) {
    const CoreKernel &owner = getOwner(kernels, ref.getType());
    if (&owner == &kernel &&
        countInstances(owner.mesh, owner.firstConcurrent, ref.getType()) > 1)
      own.push_back(ref.getType());
  }
  Operation *first = &kernel.region->front().front();
  OpBuilder inside(first);
  for (auto [i, ref] : llvm::enumerate(scratch)) {
    auto instance = CoreScratchOp::create(inside, ref.getLoc(),
                                          scope.getBody().getArgument(i));
    if (checked)
      keepName(instance, ref);
    ref.replaceAllUsesWith(instance);
  }
  runCore(kernel, own, /*ownScratch=*/{});
}

/// Emits the kernels as tasks. Axes in front of the concurrent ones are loops
/// around them. For example, a kernel on 2 cores and one on 2x16 subcores
/// become
///
///   scf.forall (%task) in (34) {
///     %scalar = arith.cmpi ult, %task, %c2 : index
///     scf.if %scalar {...}
///     %rest = arith.subi %task, %c2 : index
///     %vector = arith.cmpi ult, %rest, %c32 : index
///     scf.if %vector {...}
///   } {pallas.axes = "scalar:core=2;vector:core=2,subcore=16"}
LogicalResult MeshToLoops::runTasks() {
  OpBuilder::InsertionGuard guard(b);
  int64_t numTasks = 0;
  if (failed(numberTasks(numTasks)))
    return failure();
  CoreKernel &front = kernels.front();
  for (MeshAxisAttr axis :
       front.mesh.getAxes().take_front(front.firstConcurrent))
    createLoop(front, axis);
  TaskScopeOp scope = createTaskScope();
  auto tasks = scf::ForallOp::create(b, loc, {b.getIndexAttr(0)},
                                     {b.getIndexAttr(numTasks)},
                                     {b.getIndexAttr(1)}, ValueRange(),
                                     /*mapping=*/std::nullopt);
  tasks->setAttr(kTaskAxesAttrName, b.getStringAttr(describeTasks(kernels)));
  for (CoreKernel &kernel : kernels) {
    b.setInsertionPoint(tasks.getBody()->getTerminator());
    Value task = tasks.getInductionVar(0);
    if (kernel.hasOthers) {
      task = arith::SubIOp::create(
          b, loc, task,
          arith::ConstantIndexOp::create(b, loc, kernel.firstTask));
      Value isOurs = arith::CmpIOp::create(
          b, loc, arith::CmpIPredicate::ult, task,
          arith::ConstantIndexOp::create(b, loc, countTasks(kernel)));
      auto branch = scf::IfOp::create(b, loc, isOurs);
      b.setInsertionPoint(branch.thenBlock()->getTerminator());
    }
    addConcurrentIds(kernel, task);
    runTask(kernel, scope);
  }
  return success();
}
