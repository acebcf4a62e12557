//===- TPUMiscOps.td - Regions, random bits, debugging -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations without an assembly format are printed in the generic form: that
// is their text.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_MOSAICTPU_TPUMISCOPS_TD
#define PALLAS_MOSAICTPU_TPUMISCOPS_TD

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "pallas/Dialect/MosaicTPU/IR/TPUOpBase.td"

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

class TPU_RegionOpBase<string mnemonic> : TPU_Op<mnemonic, [
    AutomaticAllocationScope, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"::mlir::tpu::YieldOp">,
    DeclareOpInterfaceMethods<RegionBranchOpInterface>]> {
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$region);
}

def TPU_RegionOp : TPU_RegionOpBase<"region"> {
  let summary = "runs its body, in which buffers and semaphores live";
  let description = [{
    ```mlir
    "tpu.region"() ({
      %buf = memref.alloca() : memref<8x128xf32, #tpu.memory_space<vmem>>
      %sem = tpu.sem_alloc : memref<!tpu.dma_semaphore, #tpu.memory_space<semaphore_mem>>
      tpu.yield
    }) : () -> ()
    ```
  }];
  let hasVerifier = 1;
}

def TPU_TraceOp : TPU_RegionOpBase<"trace"> {
  let summary = "runs its body under a name in the profile";
  let arguments = (ins StrAttr:$message, I32Attr:$level);
}

def TPU_YieldOp : TPU_Op<"yield", [
    Pure, ReturnLike, Terminator,
    ParentOneOf<["::mlir::tpu::RegionOp", "::mlir::tpu::TraceOp"]>]> {
  let summary = "ends a region";
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
  let builders = [OpBuilder<(ins), [{ (void)$_state; }]>];
}

//===----------------------------------------------------------------------===//
// Grid and random bits
//===----------------------------------------------------------------------===//

def TPU_IterationBoundOp : TPU_Op<"iteration_bound", [Pure]> {
  let summary = "size of a dimension of the grid";
  let arguments = (ins I32Attr:$dim);
  let results = (outs I32:$result);
  let assemblyFormat = "$dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TPU_PRNGSetSeed32Op : TPU_Op<"prng_set_seed_32"> {
  let summary = "seeds the random bits of this core";
  let arguments = (ins Variadic<I32>:$seeds);
}

def TPU_PRNGRandomBitsOp : TPU_Op<"prng_random_bits"> {
  let summary = "the next random bits of this core";
  let results = (outs TPU_Vreg:$output);
}

//===----------------------------------------------------------------------===//
// Debugging and profiling
//===----------------------------------------------------------------------===//

def TPU_TraceStartOp : TPU_Op<"trace_start"> {
  let summary = "opens a named span of the profile";
  let arguments = (ins StrAttr:$message, I32Attr:$level);
}

def TPU_TraceStopOp : TPU_Op<"trace_stop"> {
  let summary = "closes the span that was opened last";
}

def TPU_TraceValueOp : TPU_Op<"trace_value"> {
  let summary = "puts a number into the profile";
  let arguments = (ins AnyTypeOf<[I32, F32]>:$value, StrAttr:$label);
  let assemblyFormat = "$value `,` $label attr-dict `:` type($value)";
}

def TPU_DelayOp : TPU_Op<"delay"> {
  let summary = "does nothing for some nanoseconds";
  let arguments = (ins I32:$nanos);
  let assemblyFormat = "$nanos attr-dict";
}

def TPU_LogOp : TPU_Op<"log"> {
  let summary = "prints values at run time";
  let description = [{
    With `formatted`, `$s0`, `$u1`, `$f2` in the tag print operand 0 as
    signed number, operand 1 as unsigned number, operand 2 as float.
  }];
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$tag,
                       DefaultValuedAttr<BoolAttr, "false">:$formatted);
  let assemblyFormat = [{
    $tag attr-dict (`:` `[` $inputs^ `]` `:` type($inputs))?
  }];
  let hasVerifier = 1;
}

def TPU_LogBufferOp : TPU_Op<"log_buffer"> {
  let summary = "prints a memref at run time";
  let arguments = (ins AnyMemRef:$input, DenseI64ArrayAttr:$shape,
                       StrAttr:$tag);
  let assemblyFormat = "$tag attr-dict `:` $input `:` type($input)";
  let hasVerifier = 1;
}

#endif // PALLAS_MOSAICTPU_TPUMISCOPS_TD
