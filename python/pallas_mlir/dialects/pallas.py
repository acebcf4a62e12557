# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builders of the operations and enums of the pallas dialect, for MLIR's Python bindings.

  from pallas_mlir import ir
  from pallas_mlir.dialects import pallas

  with pallas.context(), ir.Location.unknown():
    module = ir.Module.create()
    with ir.InsertionPoint(module.body):
      ...
      x = pallas.get(ref, pallas.indexer("..."), [], results=[tensor])
  print(pallas.verify(module))

jaxlib's MLIR does not know the dialect: it takes types and attributes as text, so results need their types, and nothing is
verified before `verify`.
"""
from .. import _native
from .. import ir as _ir
from ..errors import VerificationError
from ._pallas_enum_gen import *
from ._pallas_ops_gen import *


def context() -> _ir.Context:
  """A context in which operations of the dialect can be created."""
  made = _ir.Context()
  made.allow_unregistered_dialects = True
  return made


def ref(shape, element, space="vmem") -> _ir.Type:
  """`!pallas.ref<8x128xf32, vmem>` for `ref((8, 128), "f32")`."""
  dims = "".join(f"{'?' if size is None else size}x" for size in shape)
  return _ir.Type.parse(f"!pallas.ref<{dims}{element}, {space}>")


def indexer(text) -> _ir.Attribute:
  """`#pallas.indexer<[ds(?, 8), :]>` for `indexer("ds(?, 8), :")`; each `?` takes the next of the operation's indices."""
  return _ir.Attribute.parse(f"#pallas.indexer<[{text}]>")


def verify(module: _ir.Module) -> str:
  """The text of a module, as the tools print it; raises what the verifiers report."""
  builder = _native.ModuleBuilder()
  messages = builder.parse(module.operation.get_asm(print_generic_op_form=True, enable_debug_info=True), "<builders>")
  if errors := [message for message in messages if message.severity == "error"]:
    raise VerificationError("; ".join(error.text for error in errors), f"{errors[0].file}:{errors[0].line}")
  return builder.print()
