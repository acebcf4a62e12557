//===- Attributes.cpp - C API of the pallas attributes --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "pallas-c/Attributes.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Support.h"
#include "pallas/Dialect/Pallas/IR/PallasTypes.h"

using namespace mlir;
using namespace mlir::pallas;

static BlockMappingAttr toMapping(MlirAttribute attr) {
  return cast<BlockMappingAttr>(unwrap(attr));
}

MlirAttribute pallasMemorySpaceAttrGet(MlirContext context,
                                       MlirStringRef name) {
  std::optional<MemorySpace> space = symbolizeMemorySpace(unwrap(name));
  if (!space)
    return wrap(Attribute());
  return wrap(Attribute(MemorySpaceAttr::get(unwrap(context), *space)));
}
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

MlirAttribute
pallasBlockMappingAttrGet(intptr_t numDims, const MlirAttribute *dims,
                          MlirAttribute memorySpace, MlirAttribute pipelineMode,
                          MlirAttribute transforms, MlirAttribute origin) {
  SmallVector<BlockDimAttr> blockDims;
  for (intptr_t dim = 0; dim < numDims; ++dim)
    blockDims.push_back(cast<BlockDimAttr>(unwrap(dims[dim])));
  auto space = cast<MemorySpaceAttr>(unwrap(memorySpace));
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
MlirType pallasBlockMappingAttrGetRefType(MlirAttribute attr,
                                          MlirType elementType) {
  return wrap(Type(toMapping(attr).getRefType(unwrap(elementType))));
}

MlirAttribute pallasIndexerAttrGetWhole(MlirContext context) {
  return wrap(Attribute(IndexerAttr::get(unwrap(context), {})));
}
bool pallasAttrIsAIndexer(MlirAttribute attr) {
  return isa<IndexerAttr>(unwrap(attr));
}
