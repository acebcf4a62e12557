"""The first half of JAX's compiler for GPUs, which needs neither a GPU nor CUDA.

Layout inference and the lowering of the dialect are Python in JAX's wheel. What
follows, C++ and ptxas, is in `gpu_assembler.py`.
"""

import io
import re

import mosaic_gpu as m
from jax.experimental.mosaic import gpu as mgpu
from jax.experimental.mosaic.gpu import core, launch_context
from jaxlib.mlir import ir
from jaxlib.mlir.passmanager import PassManager


def kernel_modules(text):
  """The modules that a lowered module holds, each as text of its own."""
  for nested in re.findall(r"^  (module @.*?\n  \}\n)", text, re.M | re.S):
    yield "\n".join(line[2:] if line.startswith("  ") else line
                    for line in nested.splitlines()) + "\n"


def walk(op):
  yield op.operation
  for region in op.operation.regions:
    for block in region:
      for nested in block.operations:
        yield from walk(nested)


def serialize(lowered):
  """The bytes that the second half takes."""
  with m.context() as context, ir.Location.unknown():
    context.load_all_available_dialects()
    module = core._run_serde_pass(ir.Module.parse(lowered), serialize=True)
    code = io.BytesIO()
    module.operation.write_bytecode(code, desired_version=0)
    return code.getvalue()


def _devices(module, entry):
  """What a context knows of other devices: the table of addresses that a kernel takes behind its arrays."""
  if launch_context.COLLECTIVE_ATTR not in module.operation.attributes:
    return {}
  block = entry.regions[0].blocks[0]
  table, = [op.results[0] for op in block if op.name == "builtin.unrealized_conversion_cast"
            and isinstance(op.results[0].type, ir.MemRefType) and launch_context.KERNEL_ARG_ID_ATTR not in op.attributes]
  arrays = max(op.attributes["rawConstantIndices"][0] for op in block if op.name == "llvm.getelementptr")
  places = (table.type.shape[0] - launch_context.COLLECTIVE_METADATA_SIZE) // arrays
  return {"device_collective_metadata": table, "num_peers": places - 1, "num_params": arrays}


def lower(text):
  """What JAX makes of a kernel module; raises what it has against it."""
  with m.context() as context, ir.Location.unknown():
    context.load_all_available_dialects()
    module = ir.Module.parse(text)
    assert module.operation.verify()
    launch, = [op for op in walk(module) if op.name == "gpu.launch"]
    entry, = [op for op in walk(module) if "llvm.emit_c_interface" in op.attributes]
    PassManager.parse("builtin.module(canonicalize,cse)").run(module.operation)
    attributes = module.operation.attributes
    arch = tuple(int(attributes[f"mosaic_gpu.arch_{part}"].value) for part in ("major", "minor"))
    scratch = launch_context.Scratch(launch.opview)
    cluster = [getattr(launch.opview, f"clusterSize{dim}") for dim in "XYZ"]
    sizes = tuple(1 if size is None else int(size.owner.attributes["value"].value) for size in cluster)
    buffers = entry.regions[0].blocks[0].arguments[1]
    at_launch = launch_context.LaunchContext(module, scratch, sizes, buffers, **_devices(module, entry))
    mgpu.infer_layout(module, arch=arch)
    mgpu.lower_mgpu_dialect(module, at_launch, auto_barriers=True)
    scratch.finalize_size()
    assert module.operation.verify()
    left = {op.name for op in walk(module) if op.name.startswith("mosaic_gpu.")}
    assert not left, f"left after lowering: {left}"
    return str(module)
