//===- PallasGridOps.td - Grid, devices, debugging ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_GRID_OPS_TD
#define PALLAS_GRID_OPS_TD

include "pallas/Dialect/Pallas/IR/PallasBase.td"

//===----------------------------------------------------------------------===//
// Position of a program in its grid and mesh
//===----------------------------------------------------------------------===//

class Pallas_GridQueryOp<string mnemonic> : Pallas_Op<mnemonic, [Pure]> {
  let results = (outs I32:$result);
}

def Pallas_ProgramIdOp : Pallas_GridQueryOp<"program_id"> {
  let summary = "coordinate of the program along a grid axis";
  let description = [{
    Counts the axes that the author wrote: those that batching introduced are
    invisible.

    ```mlir
    %i = pallas.program_id 0
    ```
  }];
  let arguments = (ins I64Attr:$axis);
  let assemblyFormat = "$axis attr-dict";
  let hasVerifier = 1;
}

def Pallas_NumProgramsOp : Pallas_GridQueryOp<"num_programs"> {
  let summary = "number of programs along a grid axis";
  let description = [{
    Counts axes as `pallas.program_id` does.

    ```mlir
    %n = pallas.num_programs 0
    ```
  }];
  let arguments = (ins I64Attr:$axis);
  let assemblyFormat = "$axis attr-dict";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Pallas_AxisIndexOp : Pallas_GridQueryOp<"axis_index"> {
  let summary = "coordinate along a named axis of the grid, the mesh or the devices";
  let description = [{
    The innermost operation that names such an axis counts.

    ```mlir
    %core = pallas.axis_index "core"
    ```
  }];
  let arguments = (ins StrAttr:$axisName);
  let assemblyFormat = "$axisName attr-dict";
}

def Pallas_AxisSizeOp : Pallas_GridQueryOp<"axis_size"> {
  let summary = "size of a named axis of the grid, the mesh or the devices";
  let description = [{
    ```mlir
    %cores = pallas.axis_size "core"
    ```
  }];
  let arguments = (ins StrAttr:$axisName);
  let assemblyFormat = "$axisName attr-dict";
  let hasFolder = 1;
}

def Pallas_DeviceIdOp : Pallas_Op<"device_id", [Pure]> {
  let summary = "logical id of this device";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def Pallas_CoreIdOp : Pallas_Op<"core_id", [Pure]> {
  let summary = "index of this core within its device";
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Time, random numbers, debugging
//===----------------------------------------------------------------------===//

def Pallas_DelayOp : Pallas_Op<"delay", [
    MemoryEffects<[MemWrite<Pallas_DeviceResource>]>]> {
  let summary = "waits for this many nanoseconds";
  let description = [{
    ```mlir
    pallas.delay %ns
    ```
  }];
  let arguments = (ins I32:$nanoseconds);
  let assemblyFormat = "$nanoseconds attr-dict";
}

def Pallas_PRNGSeedOp : Pallas_Op<"prng_seed", [
    MemoryEffects<[MemWrite<Pallas_PRNGResource>]>]> {
  let summary = "seeds the generator of this core";
  let description = [{
    ```mlir
    pallas.prng_seed %seed, %step
    ```
  }];
  let arguments = (ins Variadic<I32>:$seeds);
  let assemblyFormat = "$seeds attr-dict";
}

def Pallas_PRNGBitsOp : Pallas_Op<"prng_random_bits", [
    MemoryEffects<[MemRead<Pallas_PRNGResource>, MemWrite<Pallas_PRNGResource>]>]> {
  let summary = "random bits from the generator of this core";
  let description = [{
    ```mlir
    %bits = pallas.prng_random_bits : tensor<8x128xi32>
    ```
  }];
  let results = (outs AnyTypeOf<[StaticShapeTensorOf<[AnySignlessInteger]>, AnySignlessInteger],
                                "integer or tensor of integers of static shape">:$bits);
  let assemblyFormat = "attr-dict `:` type($bits)";
}

def Pallas_DebugPrintOp : Pallas_Op<"debug_print", [
    MemoryEffects<[MemWrite<Pallas_DeviceResource>]>]> {
  let summary = "prints values";
  let description = [{
    Each `{}` of the format prints a value. Values of which `unsignedValues`
    is true print as unsigned integers. `{{` and `}}` print a brace, as in
    Python.

    ```mlir
    pallas.debug_print "i = {}, x = {}" %i, %x : i32, tensor<8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$format, Variadic<Pallas_Value>:$values,
                       OptionalAttr<DenseBoolArrayAttr>:$unsignedValues);
  let assemblyFormat = "$format ($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}

def Pallas_CheckOp : Pallas_Op<"check", [
    MemoryEffects<[MemWrite<Pallas_DeviceResource>]>]> {
  let summary = "fails with a message when a condition is false";
  let description = [{
    ```mlir
    pallas.check %in_bounds, "the index must be in bounds"
    ```
  }];
  let arguments = (ins I1:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict";
  let hasCanonicalizer = 1;
}

def Pallas_TraceStartOp : Pallas_Op<"trace_start", [
    MemoryEffects<[MemWrite<Pallas_DeviceResource>]>]> {
  let summary = "opens a named span in profiles";
  let description = [{
    `level` is the level of detail from which on a profile has the span.

    ```mlir
    pallas.trace_start "load keys"
    ```
  }];
  let arguments = (ins StrAttr:$name, DefaultValuedAttr<I64Attr, "10">:$level);
  let assemblyFormat = "$name attr-dict";
}

def Pallas_TraceStopOp : Pallas_Op<"trace_stop", [
    MemoryEffects<[MemWrite<Pallas_DeviceResource>]>]> {
  let summary = "closes the innermost named span";
  let assemblyFormat = "attr-dict";
}

def Pallas_TraceValueOp : Pallas_Op<"trace_value", [
    MemoryEffects<[MemWrite<Pallas_DeviceResource>]>]> {
  let summary = "records a scalar in profiles";
  let description = [{
    ```mlir
    pallas.trace_value "step", %k : i32
    ```
  }];
  let arguments = (ins StrAttr:$name, Pallas_Scalar:$value);
  let assemblyFormat = "$name `,` $value attr-dict `:` type($value)";
}

#endif // PALLAS_GRID_OPS_TD
