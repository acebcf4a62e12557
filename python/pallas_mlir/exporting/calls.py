# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls of kernels: grids, block mappings and parameters."""
from __future__ import annotations

import contextlib
import dataclasses
import math

import numpy as np
from jax._src.pallas import core as pallas_core
from jax._src.pallas.mosaic import core as tpu_core
from jax._src.pallas.mosaic import sc_core
from jax._src.pallas.triton import core as triton_core

from .. import _native, release
from ..errors import ExportError, VerificationError
from . import aliases, matrix_unit
from . import types as T
from .refs import scratch_type
from .registry import rule


def _dim(k, dim):
  """One dimension of a block."""
  match dim:
    case pallas_core.Squeezed():
      return k.b.block_dim("squeezed", 1, 0, 0)
    case pallas_core.Element():
      return k.b.block_dim("element", dim.block_size, *map(int, dim.padding))
    case pallas_core.BoundedSlice():
      return k.b.block_dim("bounded", dim.block_size, 0, 0)
    case pallas_core.Indirect():
      return k.b.block_dim("indirect", dim.block_size, 0, 0)
    case pallas_core.Blocked():
      return k.b.block_dim("blocked", dim.block_size, 0, 0)
  return k.b.block_dim("blocked", int(dim), 0, 0)


def _check_fields(value, *known):
  """A field of a parameter of JAX that nothing here reads must be unset."""
  for field in dataclasses.fields(value):
    if field.name not in known and getattr(value, field.name) != release.default_of(field):
      raise ExportError(f"{type(value).__name__} has the field '{field.name}' = {getattr(value, field.name)!r}, which has no form "
                        "in the pallas dialect; leave it out")


def _pipeline_mode(k, mode):
  if mode is None:
    return None
  _check_fields(mode, "buffer_count", "use_lookahead", "revisit")
  if not isinstance(mode.buffer_count, int):
    raise ExportError(f"a block has as many buffers for reading as for writing, but here they are {mode.buffer_count}; give one number")
  lookahead = ", lookahead" if mode.use_lookahead else ""
  revisit = ", revisit" if mode.revisit is not None and mode.revisit.name == "ANY" else ""
  return k.attr(f"#pallas.buffered<{mode.buffer_count}{lookahead}{revisit}>")


def layout_of(k, mapping):
  """How memory holds the block, as an array of transforms, or None."""
  parts = []
  for transform in mapping.transforms or ():
    if hasattr(transform, "tiling"):
      parts.append(k.attr(f"#pallas.tile<{', '.join(map(str, transform.tiling))}>"))
    elif hasattr(transform, "swizzle"):
      parts.append(k.attr(f"#pallas.swizzle<{transform.swizzle}>"))
    elif hasattr(transform, "permutation"):
      parts.append(k.attr(f"#pallas.transpose<{', '.join(map(str, transform.permutation))}>"))
    else:
      raise ExportError(f"block transform {type(transform).__name__} is not supported")
  return k.b.array_attr(parts) if parts else None


def _space(k, var, is_shared):
  """Where the ref of a block lies; blocks that share an array are that array, which GPUs keep in global memory."""
  name, core = ("gmem", None) if is_shared else T.space_of(var.aval.memory_space)
  return k.b.memory_space(name, core)


def block_mapping(k, mapping, memory_space):
  sizes = [*mapping.block_shape, *T.words_of_key(mapping.array_aval.dtype)]
  try:
    dims = [_dim(k, d) for d in sizes]
  except ValueError as error:
    raise VerificationError(f"{error} in the block of {mapping.origin}, whose array has shape {mapping.array_aval.shape}; "
                            "give blocks at least one element in each dimension, and call no kernel on arrays without") from error
  return k.b.block_mapping(dims, memory_space, _pipeline_mode(k, mapping.pipeline_mode), layout_of(k, mapping), mapping.origin or None)


def index_map(k, op, region, mapping, types):
  """The region that computes the block indices from program ids and index refs."""
  closed = mapping.index_map_jaxpr
  with k.inside(k.b.add_block(op, region, types)) as arguments:
    with k.program_ids(None):
      outputs = k.run_closed(closed, arguments)
    results = []
    for output, var in zip(outputs, closed.jaxpr.outvars):
      value = k.materialize(output, var.aval)
      results.append(_as_index(k, value, var.aval))
    results += [k.i32_constant(0) for _ in T.words_of_key(mapping.array_aval.dtype)]
    k.do("pallas.yield", results)


def _as_index(k, value, aval):
  from .arith import convert
  if aval.dtype in (np.int32, np.int64) or not hasattr(aval, "dtype"):
    return value
  return convert(k, value, aval.shape, aval.dtype, np.dtype(np.int32))


def grid_size(k, value, aval):
  """The size of a grid dimension, an integer of any type, as the operand of a call."""
  if T.bit_width(aval.dtype) > 32:
    return k.op("arith.index_cast", [value], k.index)
  return _as_index(k, value, aval)


# Parameters

def _optional(name, value, spelling=str):
  return [] if value is None or value is False else [f"{name} = {spelling(value)}"]


def _flag(value) -> str:
  return "true" if value else "false"


def _attribute_text(value) -> str:
  if isinstance(value, bool):
    return _flag(value)
  if isinstance(value, int):
    return f"{value} : i64"
  if isinstance(value, float):
    return f"{value!r} : f64"
  return '"' + str(value).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _semantics(k, dim, name):
  try:
    return k.attr(f"#pallas<dimension_semantics {name}>")
  except ValueError:
    raise VerificationError(f"the semantics of grid dimension {dim} are {name!r}, which no target knows; use 'parallel' or 'arbitrary'") from None


# Fields that guide the compiler, and don't change the results of the kernel.
_TPU_STRATEGY = ("serialization_format", "disable_semaphore_checks", "allow_collective_id_without_custom_barrier",
                 "shape_invariant_numerics", "use_tc_tiling_on_sc", "needs_layout_passes", "fuse_transposed_lhs_in_matmul",
                 "opt_level")
_GPU_STRATEGY = ("profile_space", "profile_dir", "profile_trace_scope", "profile_bounds_check", "lowering_semantics",
                 "skip_device_barrier")


def compiler_params(k, params):
  """The target's parameters, and the dimension semantics, which are of no target."""
  if params is None:
    return {}
  attributes = {}
  gpu_core = T.mosaic_gpu()
  semantics = getattr(params, "dimension_semantics", None)
  if semantics is not None:
    names = [getattr(s, "value", s) for s in semantics]
    attributes["dimensionSemantics"] = k.b.array_attr([_semantics(k, i, name) for i, name in enumerate(names)])
  if isinstance(params, tpu_core.CompilerParams):
    _check_fields(params, "dimension_semantics", "vmem_limit_bytes", "collective_id", "internal_scratch_in_bytes", "has_side_effects",
                  "disable_bounds_checks", "skip_device_barrier", "allow_input_fusion", "flags", *_TPU_STRATEGY)
    effects = params.has_side_effects
    if not isinstance(effects, (bool, tpu_core.SideEffectType)):
      raise ValueError(f"Invalid side effect type: {effects!r}; give a bool or a SideEffectType")
    has_effects = effects if isinstance(effects, bool) else effects.name != "PURE"
    parts = [*_optional("vmemLimitBytes", params.vmem_limit_bytes), *_optional("collectiveId", params.collective_id),
             *_optional("internalScratchInBytes", params.internal_scratch_in_bytes),
             *_optional("hasSideEffects", has_effects, _flag), *_optional("disableBoundsChecks", params.disable_bounds_checks, _flag),
             *_optional("disableSemaphoreChecks", params.disable_semaphore_checks, _flag),
             *_optional("skipDeviceBarrier", params.skip_device_barrier, _flag)]
    parts += [f"{name} = false" for name, value in (("shapeInvariantNumerics", params.shape_invariant_numerics),
                                                    ("needsLayoutPasses", params.needs_layout_passes),
                                                    ("useTCTilingOnSC", params.use_tc_tiling_on_sc)) if value is False]
    if params.allow_input_fusion is not None:
      parts.append(f"allowInputFusion = [{', '.join(map(_flag, params.allow_input_fusion))}]")
    if params.flags:
      parts.append("flags = {" + ", ".join(f'"{n}" = {_attribute_text(v)}' for n, v in params.flags.items()) + "}")
    text = f"#pallas.tpu_params<{', '.join(parts)}>"
  elif gpu_core and isinstance(params, gpu_core.CompilerParams):
    _check_fields(params, "dimension_semantics", "max_concurrent_steps", "approx_math", "unsafe_no_auto_barriers",
                  "reduction_scratch_bytes", *_GPU_STRATEGY)
    parts = [f"maxConcurrentSteps = {params.max_concurrent_steps}", *_optional("approxMath", params.approx_math, _flag),
             *_optional("unsafeNoAutoBarriers", params.unsafe_no_auto_barriers, _flag),
             f"reductionScratchBytes = {params.reduction_scratch_bytes}"]
    text = f"#pallas.gpu_params<{', '.join(parts)}>"
  elif isinstance(params, triton_core.CompilerParams):
    _check_fields(params, "num_warps", "num_stages")
    parts = [*_optional("numWarps", params.num_warps), *_optional("numStages", params.num_stages)]
    text = f"#pallas.triton_params<{', '.join(parts)}>"
  elif isinstance(params, dict):
    return attributes
  else:
    raise ExportError(f"compiler parameters of type {type(params).__name__} are not supported")
  # Programs of Triton run at once on pointers, also without a parameter.
  if parts or isinstance(params, triton_core.CompilerParams):
    attributes["compilerParams"] = k.b.array_attr([k.attr(text)])
  return attributes


def cost_estimate(k, cost):
  if cost is None:
    return {}
  numbers = [f"flops = {int(cost.flops)}", f"transcendentals = {int(cost.transcendentals)}", f"bytesAccessed = {int(cost.bytes_accessed)}"]
  remote = getattr(cost, "remote_bytes_transferred", 0)
  if remote:
    numbers.append(f"remoteBytesTransferred = {int(remote)}")
  return {"costEstimate": k.attr(f"#pallas.cost<{', '.join(numbers)}>")}


def metadata(k, entries):
  if not entries:
    return {}
  return {"metadata": k.b.dict_attr({str(n): k.b.str_attr(str(v)) for n, v in entries.items()})}


def mesh_attr(k, mesh):
  def axis(role, name, size):
    return f'<{role} "{name}" = {int(size)}>'
  gpu_core = T.mosaic_gpu()
  match mesh:
    case tpu_core.TensorCoreMesh():
      kind, axes = "tensorcore", [axis("core", n, s) for n, s in mesh.shape.items()]
    case sc_core.ScalarSubcoreMesh():
      kind, axes = "sc_scalar", [axis("core", n, s) for n, s in mesh.shape.items()]
    case sc_core.VectorSubcoreMesh():
      kind = "sc_vector"
      axes = [axis("core", mesh.core_axis_name, mesh.num_cores), axis("subcore", mesh.subcore_axis_name, mesh.num_subcores)]
    case _ if gpu_core and isinstance(mesh, gpu_core.Mesh):
      kind = "gpu"
      axes = [axis("grid", n, s) for n, s in zip(mesh.grid_names, mesh.grid)]
      axes += [axis("cluster", n, s) for n, s in zip(mesh.cluster_names, mesh.cluster)]
      if mesh.thread_name is not None:
        axes.append(axis("thread", mesh.thread_name, mesh.num_threads))
    case _ if gpu_core and isinstance(mesh, gpu_core.WarpMesh):
      kind, axes = "warp", [axis("warp", mesh.axis_name, 4)]
    case _:
      raise ExportError(f"meshes of type {type(mesh).__name__} are not supported")
  return k.attr(f"#pallas.mesh<{kind}, [{', '.join(axes)}]>")


# Calls

def _array_type(k, aval):
  """Arrays at the border are tensors, also those without dimensions."""
  inner = T.physical(aval.inner_aval if T.is_ref(aval) else aval)
  return k.b.tensor_type(list(map(int, inner.shape)), k.element(inner.dtype))


def array_types(k, avals) -> list:
  return [_array_type(k, a) for a in avals]


def pallas_call(k, operands, out_avals, *, jaxpr, grid_mapping, input_output_aliases, compiler_params, cost_estimate,
                name, mesh=None, metadata=None, **_):
  """Appends a `pallas.pallas_call` and returns its results."""
  gm = grid_mapping
  if mesh is not None and not gm.vmapped_dims and all(T.is_ref(v.aval) for v in jaxpr.invars):
    # JAX's way for meshes without a rule of their own: programs on whole arrays, which may wait for each other.
    return mpmd_map(k, operands, (), out_avals, jaxprs=(jaxpr,), meshes=(mesh,), external_meshes=(), name=name, metadata=metadata,
                    input_output_aliases=input_output_aliases, compiler_params=compiler_params, cost_estimate=cost_estimate)
  num_dynamic = gm.num_dynamic_grid_bounds
  dynamic, arrays = list(operands[:num_dynamic]), list(operands[num_dynamic:])
  grid = [d if isinstance(d, int) else _native.DYNAMIC for d in gm.grid]
  num_programs = math.prod(d for d in gm.grid if isinstance(d, int) and d > 0)
  if num_programs >= 2**63:
    raise VerificationError(f"the grid {tuple(grid)} has {num_programs} programs; use at most 2**63 - 1")
  num_index, num_blocks = gm.num_index_operands, gm.num_inputs + gm.num_outputs
  if len(arrays) != num_index + gm.num_inputs:
    # JAX's rule for derivatives counts blocks for tangents of integers, which have none, and its interpreter fails on the call, too.
    raise ExportError(f"the call has {len(arrays)} operands, but its grid has {num_index + gm.num_inputs}, as jax.jvp and jax.grad make calls "
                      "with operands that have no tangent, such as integers; give the call a derivative of its own by jax.custom_jvp, or pass floats")
  block_vars = jaxpr.invars[num_index:num_index + num_blocks]
  scratch_vars = jaxpr.invars[num_index + num_blocks:]
  shared = aliases.shared_blocks(jaxpr, gm, input_output_aliases or (), compiler_params)
  spaces = [_space(k, v, i in shared) for i, v in enumerate(block_vars)]
  mappings = [block_mapping(k, m, s) for m, s in zip(gm.block_mappings, spaces)]
  attributes = dict(grid=k.b.i64_array(grid), blockMappings=k.b.array_attr(mappings),
                    operandSegmentSizes=k.b.i32_array([0, num_dynamic, num_index, gm.num_inputs]),
                    **_compiler_params(k, compiler_params), **_cost_estimate(k, cost_estimate), **_metadata(k, metadata))
  if name:
    attributes["kernelName"] = k.b.str_attr(name)
  if gm.grid_names is not None:
    attributes["gridNames"] = k.b.array_attr([k.b.str_attr("" if n is None else str(n)) for n in gm.grid_names])
  if gm.vmapped_dims:
    attributes["vmappedDims"] = k.b.i64_array(list(map(int, gm.vmapped_dims)))
  if input_output_aliases:
    attributes["aliases"] = k.b.i64_array([int(i) for pair in input_output_aliases for i in pair])
  op = k.do("pallas.pallas_call", [*dynamic, *arrays], array_types(k, out_avals), regions=1 + num_blocks, **attributes)

  index_types = [k.ref_type(v.aval, space="smem") for v in jaxpr.invars[:num_index]]
  map_types = [k.i32] * len(grid) + index_types
  for i, mapping in enumerate(gm.block_mappings):
    index_map(k, op, 1 + i, mapping, map_types)
  block_types = [_block_type(k, m, v, s) for m, v, s in zip(gm.block_mappings, block_vars, spaces)]
  scratch_types = [scratch_type(k, v.aval) for v in scratch_vars]
  with k.inside(k.b.add_block(op, 0, [*index_types, *block_types, *scratch_types])) as refs:
    with k.program_ids(None), matrix_unit.registers(k, jaxpr):
      _clear_scratch(k, scratch_vars, refs[len(refs) - len(scratch_vars):], grid)
      k.run(jaxpr, (), refs)
    k.do("pallas.yield")
  return op.results


def _clear_scratch(k, scratch_vars, refs, grid):
  avals = [v.aval for v in scratch_vars]
  if grid and math.prod(grid) != 1 and any(T.is_accumulator(a) for a in avals):
    raise ExportError(f"an accumulator of a matrix unit is scratch memory of all programs of the grid {tuple(grid)}; "
                      "allocate it in the kernel with pl.run_scoped")
  matrix_unit.clear_accumulators(k, avals, refs)


_compiler_params, _cost_estimate, _metadata = compiler_params, cost_estimate, metadata


@rule("pallas_call")
def _pallas_call(k, eqn, *operands):
  """A call inside of a kernel: its programs run one after the other, in place of the call."""
  params = {name: value for name, value in eqn.params.items() if name != "out_avals"}
  # Calls take and give arrays without dimensions, which are scalars inside of kernels.
  bounds = eqn.params["grid_mapping"].num_dynamic_grid_bounds
  arrays = [o if v.aval.shape else k.op("tensor.from_elements", [o], array_types(k, [v.aval])[0])
            for o, v in zip(operands[bounds:], eqn.invars[bounds:])]
  sizes = [grid_size(k, o, v.aval) for o, v in zip(operands[:bounds], eqn.invars)]
  results = pallas_call(k, [*sizes, *arrays], [v.aval for v in eqn.outvars], **params)
  return [r if v.aval.shape else k.op("tensor.extract", [r], k.element(v.aval.dtype)) for r, v in zip(results, eqn.outvars)]


def _block_type(k, mapping, var, memory_space):
  """The ref that the kernel sees: what the block keeps of the array, whatever layout it has."""
  shape = [int(d.block_size) for d in mapping.block_shape if not isinstance(d, pallas_core.Squeezed)]
  shape += T.words_of_key(var.aval.inner_aval.dtype)
  inner = T.physical(var.aval.inner_aval)
  layout = layout_of(k, mapping)
  return k.b.ref_type(shape, k.element(inner.dtype), memory_space, layout)


def _is_gpu_mesh(mesh):
  gpu_core = T.mosaic_gpu()
  return gpu_core and isinstance(mesh, gpu_core.Mesh)


def _operand_type(k, aval, mesh):
  """Kernels of GPUs have arrays in global memory, also those that state of a function around them holds."""
  if not T.is_ref(aval):
    return k.type_of(aval)
  if _is_gpu_mesh(mesh) and aval.memory_space is None:
    return k.ref_type(aval, space="gmem")
  return scratch_type(k, aval)


def _hardware_barriers(k, jaxpr, mesh):
  if not _is_gpu_mesh(mesh):
    return contextlib.nullcontext()
  from . import warpgroup_code
  return warpgroup_code.hardware_barriers(k, jaxpr, mesh)


def mpmd_map(k, operands, in_avals, out_avals, *, jaxprs, meshes, external_meshes, input_output_aliases,
             compiler_params, cost_estimate, name, metadata=None, **_):
  """Appends a `pallas.mpmd_map` and returns its results."""
  attributes = dict(meshes=k.b.array_attr([mesh_attr(k, m) for m in meshes]),
                    **_cost_estimate(k, cost_estimate), **_metadata(k, metadata))
  params = _compiler_params(k, compiler_params)
  params.pop("dimensionSemantics", None)
  attributes.update(params)
  if external_meshes:
    attributes["externalMeshes"] = k.b.array_attr([mesh_attr(k, m) for m in external_meshes])
  if name:
    names = [name] if len(jaxprs) == 1 else [f"{name}_{i}" for i in range(len(jaxprs))]
    attributes["kernelNames"] = k.b.array_attr([k.b.str_attr(n) for n in names])
  if input_output_aliases:
    pairs = input_output_aliases.items() if hasattr(input_output_aliases, "items") else input_output_aliases
    attributes["aliases"] = k.b.i64_array([int(i) for pair in pairs for i in pair])
  op = k.do("pallas.mpmd_map", operands, array_types(k, out_avals), regions=len(jaxprs), **attributes)
  for i, (jaxpr, mesh) in enumerate(zip(jaxprs, meshes)):
    types = [_operand_type(k, v.aval, mesh) for v in jaxpr.invars]
    with k.on_mesh(mesh), k.inside(k.b.add_block(op, i, types)) as refs:
      with _hardware_barriers(k, jaxpr, mesh), matrix_unit.registers(k, jaxpr):
        matrix_unit.clear_accumulators(k, [v.aval for v in jaxpr.invars], refs)
        k.run(jaxpr, (), refs)
      k.do("pallas.yield")
  return op.results
