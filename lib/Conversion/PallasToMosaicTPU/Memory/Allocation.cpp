//===- Allocation.cpp - Memory that kernels can have ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Allocation.h"

using namespace mlir;
using namespace mlir::pallas;

using tpu::CoreType;

namespace {

/// Spaces in which the compiler allocates, as measured: it takes the types of
/// others, and fails when it looks for a place.
/// Each row is one core and one lifetime.
struct AllocationRule {
  CoreType core;
  MemoryLifetime lifetime;
  std::initializer_list<tpu::MemorySpace> spaces;
};

} // namespace

static const AllocationRule kRules[] = {
    {CoreType::TensorCore,
     MemoryLifetime::Kernel,
     {tpu::MemorySpace::Vmem, tpu::MemorySpace::Smem}},
    {CoreType::TensorCore,
     MemoryLifetime::Region,
     {tpu::MemorySpace::Vmem, tpu::MemorySpace::Smem}},
    {CoreType::ScScalarSubcore,
     MemoryLifetime::Kernel,
     {tpu::MemorySpace::Smem, tpu::MemorySpace::VmemShared,
      tpu::MemorySpace::Hbm}},
    {CoreType::ScScalarSubcore,
     MemoryLifetime::Region,
     {tpu::MemorySpace::Smem, tpu::MemorySpace::VmemShared,
      tpu::MemorySpace::Hbm}},
    {CoreType::ScVectorSubcore,
     MemoryLifetime::Kernel,
     {tpu::MemorySpace::Vmem, tpu::MemorySpace::Smem,
      tpu::MemorySpace::VmemShared, tpu::MemorySpace::Hbm}},
    {CoreType::ScVectorSubcore,
     MemoryLifetime::Region,
     {tpu::MemorySpace::Vmem, tpu::MemorySpace::Smem}},
};

LogicalResult mlir::pallas::checkAllocation(Location loc, MemRefType type,
                                            CoreType core,
                                            MemoryLifetime lifetime) {
  std::optional<tpu::MemorySpace> space = tpu::getMemorySpace(type);
  // Semaphores are always available.
  if (!space || *space == tpu::MemorySpace::SemaphoreMem)
    return success();
  // The kernel of one core may hold memory of another.
  CoreType owner = tpu::getNamedCoreType(type).value_or(core);
  const auto *rule = llvm::find_if(kRules, [&](const AllocationRule &rule) {
    return rule.core == owner && rule.lifetime == lifetime;
  });
  if (llvm::is_contained(rule->spaces, *space))
    return success();
  InFlightDiagnostic diag = emitError(loc);
  diag << "a kernel on " << tpu::stringifyCoreType(owner) << " can't allocate "
       << tpu::stringifyMemorySpace(*space)
       << (lifetime == MemoryLifetime::Region ? " for a region" : "")
       << "; use ";
  llvm::interleaveComma(rule->spaces, diag, [&](tpu::MemorySpace usable) {
    diag << tpu::stringifyMemorySpace(usable);
  });
  return diag << ", or pass an array to the call";
}
