//===- Attributes.cpp - C API of the pallas attributes --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions named Get construct attributes that are always valid. Those named
// GetChecked verify their parts, report errors at a location and return null.
//
//===----------------------------------------------------------------------===//

#include "pallas-c/Attributes.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "pallas/Dialect/Pallas/IR/PallasTypes.h"

using namespace mlir;
using namespace mlir::pallas;

/// Getters of one kind of attribute take it unwrapped by this cast, which
/// asserts.
static BlockMappingAttr toMapping(MlirAttribute attr) {
  return cast<BlockMappingAttr>(unwrap(attr));
}

MlirAttribute pallasMemorySpaceAttrGet(MlirContext context,
                                       MlirStringRef name) {
  std::optional<MemorySpace> space = symbolizeMemorySpace(unwrap(name));
  // A name from outside may be unknown, which is no error of the program.
  if (!space)
    return wrap(Attribute());
  return wrap(Attribute(MemorySpaceAttr::get(unwrap(context), *space)));
}
/// The name follows MLIR's C API, where `IsA` is a prefix of the kind.
bool pallasAttrIsAMemorySpace(MlirAttribute attr) {
  return isa<MemorySpaceAttr>(unwrap(attr));
}
MlirStringRef pallasMemorySpaceAttrGetName(MlirAttribute attr) {
  return wrap(
      stringifyMemorySpace(cast<MemorySpaceAttr>(unwrap(attr)).getSpace()));
}

MlirAttribute pallasBlockDimAttrGetChecked(MlirLocation loc, MlirStringRef kind,
                                           int64_t size, int64_t padLow,
                                           int64_t padHigh) {
  auto emit = [&] { return emitError(unwrap(loc)); };
  // The kind comes as text, so that the C header needs no copy of the enum.
  std::optional<BlockDimKind> known = symbolizeBlockDimKind(unwrap(kind));
  if (!known) {
    emit() << "unknown kind of block dimension '" << unwrap(kind)
           << "'; it is one of blocked, squeezed, element, bounded, indirect";
    return wrap(Attribute());
  }
  return wrap(Attribute(BlockDimAttr::getChecked(
      emit, unwrap(loc)->getContext(), *known, size, padLow, padHigh)));
}
bool pallasAttrIsABlockDim(MlirAttribute attr) {
  return isa<BlockDimAttr>(unwrap(attr));
}
int64_t pallasBlockDimAttrGetSize(MlirAttribute attr) {
  return cast<BlockDimAttr>(unwrap(attr)).getSize();
}

/// Parts that are not of their kinds are errors of the program, as in MLIR's
/// own C API: there is no location to report them at.
MlirAttribute
pallasBlockMappingAttrGet(intptr_t numDims, const MlirAttribute *dims,
                          MlirAttribute memorySpace, MlirAttribute pipelineMode,
                          MlirAttribute transforms, MlirAttribute origin) {
  SmallVector<BlockDimAttr> blockDims;
  for (intptr_t dim = 0; dim < numDims; ++dim)
    blockDims.push_back(cast<BlockDimAttr>(unwrap(dims[dim])));
  auto space = cast<MemorySpaceAttr>(unwrap(memorySpace));
  // Null optional parts are absent.
  return wrap(Attribute(BlockMappingAttr::get(
      space.getContext(), blockDims, space,
      cast_or_null<PipelineModeAttr>(unwrap(pipelineMode)),
      cast_or_null<ArrayAttr>(unwrap(transforms)),
      cast_or_null<StringAttr>(unwrap(origin)))));
}
bool pallasAttrIsABlockMapping(MlirAttribute attr) {
  return isa<BlockMappingAttr>(unwrap(attr));
}
intptr_t pallasBlockMappingAttrGetNumDims(MlirAttribute attr) {
  return toMapping(attr).getDims().size();
}
MlirAttribute pallasBlockMappingAttrGetDim(MlirAttribute attr, intptr_t index) {
  return wrap(Attribute(toMapping(attr).getDims()[index]));
}
MlirAttribute pallasBlockMappingAttrGetMemorySpace(MlirAttribute attr) {
  return wrap(Attribute(toMapping(attr).getMemorySpace()));
}
/// Saves callers the rules by which a block becomes a ref: squeezed dimensions
/// go, the memory space stays.
MlirType pallasBlockMappingAttrGetRefType(MlirAttribute attr,
                                          MlirType elementType) {
  return wrap(Type(toMapping(attr).getRefType(unwrap(elementType))));
}

/// The indexer without entries selects the whole ref.
MlirAttribute pallasIndexerAttrGetWhole(MlirContext context) {
  return wrap(Attribute(IndexerAttr::get(unwrap(context), {})));
}
bool pallasAttrIsAIndexer(MlirAttribute attr) {
  return isa<IndexerAttr>(unwrap(attr));
}
