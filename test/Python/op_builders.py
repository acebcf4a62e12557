# REQUIRES: pallas-python
# RUN: %python %s | FileCheck %s
"""Builders of operations that mlir-tblgen writes, on the MLIR that comes with jaxlib."""
import inspect

from jaxlib.mlir.dialects import arith, func
from pallas_mlir import ir
from pallas_mlir.dialects import pallas
from pallas_mlir.errors import VerificationError


def build(rows):
  """A function that doubles rows of a ref and adds them to others."""
  module = ir.Module.create()
  i32, tensor = ir.IntegerType.get_signless(32), ir.RankedTensorType.get((rows, 128), ir.F32Type.get())
  whole = pallas.ref((16, 128), "f32")
  with ir.InsertionPoint(module.body):
    f = func.FuncOp("double", ([whole, whole, i32], []))
    with ir.InsertionPoint(f.add_entry_block()):
      source, target, i = f.arguments
      some = pallas.indexer("ds(?, 8), :")
      x = pallas.get(source, some, [i], results=[tensor])
      y = arith.addf(x, x)
      pallas.atomic_rmw(pallas.AtomicKind.Add, target, some, [i], y, results=[tensor])
      func.ReturnOp([])
  return module


with pallas.context(), ir.Location.file("kernel.py", 7, 1):
  # CHECK: func.func @double
  # CHECK: %[[X:.*]] = pallas.get %{{.*}}[ds(%{{.*}}, 8), :] : !pallas.ref<16x128xf32, vmem>
  # CHECK: %[[Y:.*]] = arith.addf %[[X]], %[[X]]
  # CHECK: pallas.atomic_rmw <add> %{{.*}}[ds(%{{.*}}, 8), :], %[[Y]]
  print(pallas.verify(build(8)))

  # The verifiers are ours: jaxlib's MLIR does not know the operations.
  try:
    pallas.verify(build(4))
  except VerificationError as error:
    # CHECK: kernel.py:7: {{.*}}tensor<8x128xf32>
    print(error)

  # CHECK: {{[1-9][0-9]+}} operations, get(ref, indexer, indices
  classes = [c for _, c in inspect.getmembers(pallas, inspect.isclass) if getattr(c, "OPERATION_NAME", "").startswith("pallas.")]
  print(f"{len(classes)} operations, get{inspect.signature(pallas.get)}")
