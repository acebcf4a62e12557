//===- MosaicGPUAttributes.td - Attributes of the dialect --*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICGPU_ATTRIBUTES_TD
#define PALLAS_MOSAICGPU_ATTRIBUTES_TD

include "mlir/IR/AttrTypeBase.td"
include "pallas/Dialect/MosaicGPU/IR/MosaicGPUEnums.td"

class MosaicGPU_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<MosaicGPU_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

//===----------------------------------------------------------------------===//
// Layouts of vectors
//===----------------------------------------------------------------------===//

def MosaicGPU_WGStridedFragLayoutAttr
    : MosaicGPU_Attr<"WGStridedFragLayout", "WGStridedFragLayout"> {
  let summary = "lanes hold short runs of the flattened array in turn";
  let description = [{
    Element r * 128 * v + t * v + e of the array, in row-major order, is element
    e of register r of lane t, where v is the length of a run.

    ```mlir
    #mosaic_gpu.WGStridedFragLayout<[64, 128], 2>
    ```
  }];
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$shape, "int":$vector_size);
  let assemblyFormat = "`<` $shape `,` $vector_size `>`";
  let genVerifyDecl = 1;
}

def MosaicGPU_WGSplatFragLayoutAttr
    : MosaicGPU_Attr<"WGSplatFragLayout", "WGSplatFragLayout"> {
  let summary = "all elements are equal, and each lane holds one of them";
  let parameters = (ins "::mlir::DenseI64ArrayAttr":$shape);
  let assemblyFormat = "`<` $shape `>`";
}

def MosaicGPU_ReplicatedAttr : MosaicGPU_Attr<"Replicated", "Replicated"> {
  let summary = "lanes or warps that hold the same elements";
  let parameters = (ins "int":$times);
  let assemblyFormat = "`<` `times` `=` $times `>`";
  let genVerifyDecl = 1;
}

def MosaicGPU_TiledLayoutAttr : MosaicGPU_Attr<"TiledLayout", "TiledLayout"> {
  let summary = "tiles, and which of their dimensions lanes and warps hold";
  let description = [{
    Each tile cuts the trailing dimensions that the tiles before it left. The
    dimensions of the result are counted from the end: those in `warp_dims` tell
    the four warps of a warpgroup apart, those in `lane_dims` the 32 lanes of a
    warp, and `vector_dim` lies within one register. `#mosaic_gpu.Replicated`
    among them gives how many warps or lanes hold the same.

    ```mlir
    // The accumulator of wgmma.
    #mosaic_gpu.TiledLayout<[[64, 8], [16, 8], [8, 8], [2]], warp_dims = [-7], lane_dims = [-3, -2], vector_dim = -1>
    ```
  }];
  let parameters = (ins
    "::mlir::ArrayAttr":$tiling,
    "::mlir::ArrayAttr":$warp_dims,
    "::mlir::ArrayAttr":$lane_dims,
    "int":$vector_dim);
  let assemblyFormat = [{
    `<` $tiling `,` `warp_dims` `=` $warp_dims `,` `lane_dims` `=` $lane_dims
        `,` `vector_dim` `=` $vector_dim `>`
  }];
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Order of elements in shared memory
//===----------------------------------------------------------------------===//

def MosaicGPU_TileTransformAttr : MosaicGPU_Attr<"TileTransform", "tile"> {
  let summary = "shared memory is stored tile by tile";
  let description = [{
    A tile of n sizes cuts the last n dimensions, so that an array of shape
    (..., M, N) is stored as (..., M / a, N / b, a, b).

    ```mlir
    #mosaic_gpu.tile<[8, 64]>
    ```
  }];
  let parameters = (ins "::mlir::DenseI32ArrayAttr":$tiling);
  let assemblyFormat = "`<` $tiling `>`";
  let genVerifyDecl = 1;
}

def MosaicGPU_SwizzleTransformAttr
    : MosaicGPU_Attr<"SwizzleTransform", "swizzle"> {
  let summary = "chunks of 16 bytes change places by their row";
  let description = [{
    ```mlir
    #mosaic_gpu.swizzle<128 : i32>
    ```
  }];
  let parameters = (ins "::mlir::mosaic_gpu::SwizzlingModeAttr":$swizzle);
  let assemblyFormat = "`<` $swizzle `>`";
}

//===----------------------------------------------------------------------===//
// Copies of a cluster
//===----------------------------------------------------------------------===//

def MosaicGPU_CopyReplicatedAttr
    : MosaicGPU_Attr<"CopyReplicated", "copy_replicated"> {
  let summary = "all blocks that the leader tracks copy the same";
}

def MosaicGPU_CopyPartitionedAttr
    : MosaicGPU_Attr<"CopyPartitioned", "copy_partitioned"> {
  let summary = "the blocks that the leader tracks copy parts along a dimension";
  let parameters = (ins "int":$axis);
  let assemblyFormat = "`<` `axis` `=` $axis `>`";
}

//===----------------------------------------------------------------------===//
// Memory spaces
//===----------------------------------------------------------------------===//

def MosaicGPU_TmemAttr : MosaicGPU_Attr<"Tmem", "tmem"> {
  let summary = "tensor memory, as a memory space";
}

def MosaicGPU_SmemClusterAttr : MosaicGPU_Attr<"SmemCluster", "smem_cluster"> {
  let summary = "shared memory of another block of the cluster, as a memory space";
}

def MosaicGPU_SmemAllocAttr : MosaicGPU_Attr<"SmemAlloc", "smem_alloc"> {
  let summary = "a buffer in shared memory that run_scoped makes (since 0.12)";
  let parameters = (ins OptionalParameter<"::mlir::IntegerAttr">:$alignment);
  let assemblyFormat = "(`<` `alignment` `=` $alignment^ `>`)?";
}

#endif // PALLAS_MOSAICGPU_ATTRIBUTES_TD
