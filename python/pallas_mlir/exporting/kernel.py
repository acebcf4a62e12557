# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turns a jaxpr into operations, one equation after the other."""
from __future__ import annotations

import contextlib
import dataclasses
import math
from typing import Any, Sequence

import numpy as np
from jax._src import core as jax_core
from jax._src import source_info_util

from .. import _native, release
from ..errors import ExportError, VerificationError
from . import registry
from . import types as T


# The remedy for what no kernel can do.
OUTSIDE = "do what it does outside of the kernel"


@dataclasses.dataclass(frozen=True)
class Constant:
  """A value known now: it becomes an operation where it is used, in the shape needed there."""
  value: Any
  aval: Any


def where(eqn_or_source_info) -> str:
  """`file:line` of the user's code that made an equation."""
  info = getattr(eqn_or_source_info, "source_info", eqn_or_source_info)
  frame = source_info_util.user_frame(info.traceback)
  return f"{frame.file_name}:{frame.start_line}" if frame else ""


class KernelExporter:
  """Writes the operations of one module. Rules see it as `k`."""

  def __init__(self, in_process=False):
    # Whether the module is for this process, whose functions it may call.
    self.in_process = in_process
    self.b = _native.ModuleBuilder()
    self._types: dict[str, Any] = {}
    self._attributes: dict[str, Any] = {}
    self._locations: dict[Any, Any] = {}
    self._program_ids: list[Any] = []
    # The mesh whose kernel is written, if it is a mesh's.
    self.mesh: Any = None
    self.num_globals = 0
    # The functions of Python that kernels call: the engine keeps them alive.
    self.host_functions: list[Any] = []
    # The memory that models registers of matrix units, and the results that wait in their queues.
    self.matrix_registers: dict[tuple, Any] = {}
    self.matrix_queues: dict[int, list] = {}
    # Barriers of the hardware that code of a kernel names, by how many threads arrive.
    self.hardware_barriers: dict[int, Any] = {}
    # Another object in each block that operations go to.
    self.scope = object()
    # Whether these operations are in a branch or loop that may never run.
    self.is_conditional = False

  # Types and attributes

  def parse_type(self, text: str):
    found = self._types.get(text)
    if found is None:
      found = self._types[text] = self.b.parse_type(text)
    return found

  def attr(self, text: str):
    found = self._attributes.get(text)
    if found is None:
      found = self._attributes[text] = self.b.parse_attribute(text)
    return found

  def element(self, dtype):
    return self.parse_type(T.element_spelling(dtype))

  @property
  def i32(self):
    return self.parse_type("i32")

  @property
  def i1(self):
    return self.parse_type("i1")

  @property
  def index(self):
    return self.parse_type("index")

  def value_type(self, shape, dtype):
    """A tensor, or the element alone when there are no dimensions."""
    return self.b.value_type(list(map(int, shape)), self.element(dtype))

  def type_of(self, aval):
    if T.is_ref(aval):
      return self.ref_type(aval)
    aval = T.physical(aval)
    return self.value_type(aval.shape, aval.dtype)

  def ref_type(self, aval, space=None, transforms=None):
    name, core = T.space_of(aval.memory_space) if space is None else (space, None)
    return self.b.ref_type(*self._shape_and_element(aval), self.b.memory_space(name, core), transforms)

  def view_type(self, ref, aval):
    """The type of a view that JAX calls `aval`, in the memory where the ref is: JAX may know less of that."""
    return self.b.view_type(ref, *self._shape_and_element(aval))

  def _shape_and_element(self, aval):
    inner = T.physical(aval.inner_aval)
    if inner.dtype == np.dtype("V") or not hasattr(inner, "shape"):
      raise ExportError(f"a ref to {inner} has no type in the dialect")
    if math.prod(d for d in inner.shape if isinstance(d, int)) >= 2**63:
      raise VerificationError(f"a ref of shape {inner.shape} has more than 2**63 - 1 elements; use a smaller one")
    return [_native.DYNAMIC if not isinstance(d, int) else d for d in inner.shape], self.element(inner.dtype)

  # Operations

  def op(self, name: str, operands: Sequence, type_, /, **attributes):
    """Creates an operation with one result and returns it."""
    return self.b.value(name, list(operands), type_, attributes)

  def do(self, name: str, operands: Sequence = (), types: Sequence | None = (), /, regions=0, **attributes):
    """Creates an operation and returns it; with None for its types it infers them."""
    return self.b.create(name, list(operands), None if types is None else list(types), attributes, regions)

  @contextlib.contextmanager
  def inside(self, block, is_conditional=False):
    saved = self.b.block, self.scope, self.is_conditional
    self.b.block, self.scope = block, object()
    self.is_conditional |= is_conditional
    try:
      yield block.arguments
    finally:
      self.b.block, self.scope, self.is_conditional = saved

  def constant(self, value, shape, dtype):
    """A constant tensor or scalar; a scalar `value` is repeated over `shape`."""
    element = self.element(dtype)
    array = np.asarray(value)
    if array.dtype != dtype:
      array = array.astype(dtype)
    if not shape:
      return self.op("arith.constant", (), element, value=self._scalar_attr(array.reshape(())[()], element, dtype))
    if array.size != 1:
      array = np.broadcast_to(array, shape)
    type_ = self.b.tensor_type(list(map(int, shape)), element)
    if 0 in shape:
      return self.op("arith.constant", (), type_, value=self.attr(f"dense<> : {type_}"))
    return self.op("arith.constant", (), type_, value=self.b.dense(type_, _raw_bytes(array, dtype)))

  def _scalar_attr(self, value, element, dtype):
    if T.is_float(dtype):
      return self.b.float_attr(element, float(value))
    value = int(value)
    return self.b.int_attr(element, value - (1 << 64) if value >= 1 << 63 else value)

  def i32_constant(self, value: int):
    return self.op("arith.constant", (), self.i32, value=self.b.int_attr(self.i32, int(value)))

  def splat(self, value, shape, dtype, rank=0):
    """Repeats a scalar, or the unit dimensions of a value of the same rank, over a shape."""
    if not shape:
      return value
    dims = {"dimensions": self.b.i64_array(list(range(rank)))} if rank else {}
    return self.op("pallas.broadcast", [value], self.value_type(shape, dtype), **dims)

  @contextlib.contextmanager
  def on_mesh(self, mesh):
    saved, self.mesh = self.mesh, mesh
    try:
      yield
    finally:
      self.mesh = saved

  # Program ids of calls that bind them

  @contextlib.contextmanager
  def program_ids(self, ids):
    """Inside, `program_id` of an axis is the given operand; None leaves it to the grid."""
    self._program_ids.append(ids)
    try:
      yield
    finally:
      self._program_ids.pop()

  def local_program_id(self, axis: int):
    ids = self._program_ids[-1] if self._program_ids else None
    if ids is None or axis >= len(ids) or ids[axis] is None:
      return None
    return ids[axis].value

  # Jaxprs

  def read(self, env, atom):
    if isinstance(atom, jax_core.Literal):
      return Constant(atom.val, atom.aval)
    return env[atom]

  def materialize(self, value, aval=None):
    """The operation's value of what an environment holds."""
    if isinstance(value, Constant):
      aval = value.aval if aval is None else aval
      return self.constant(T.as_numpy(value.value, value.aval), aval.shape, value.aval.dtype)
    return value

  def known(self, value):
    """The Python number that a value is known to be, or None."""
    if isinstance(value, Constant) and np.ndim(value.value) == 0:
      return np.asarray(value.value)[()]
    return None

  def run(self, jaxpr, consts: Sequence, args: Sequence) -> list:
    """Writes the equations of `jaxpr`; arguments may be values or constants."""
    env: dict[Any, Any] = {}
    # Which variables of an open jaxpr are constants depends on the release; their order does not.
    env.update(zip([*jaxpr.constvars, *jaxpr.invars], [*consts, *args], strict=True))
    saved = self.b.location
    for eqn in jaxpr.eqns:
      # What JAX traces on its own, as the body of a pipeline, has frames of JAX only: its place is that of the
      # equation around it.
      self.b.location = self.location(eqn.source_info.traceback) or saved
      operands = [self.read(env, v) for v in eqn.invars]
      results = self.equation(eqn, operands)
      for var, result in zip(eqn.outvars, results, strict=True):
        env[var] = result
    self.b.location = saved
    return [self.read(env, v) for v in jaxpr.outvars]

  def run_closed(self, closed, args: Sequence) -> list:
    """Writes the equations of a jaxpr that needs no values beside its arguments."""
    jaxpr = release.open_of(closed)
    consts = [c if T.is_ref(v.aval) else Constant(c, v.aval)
              for c, v in zip(release.consts_of(closed), jaxpr.constvars)]
    return self.run(jaxpr, consts, args)

  def equation(self, eqn, operands) -> list:
    rule = registry.find(eqn.primitive)
    if any(T.holds_keys(v.aval) for v in eqn.outvars):
      rule = registry.KEY_RULES.get(eqn.primitive.name, rule)
    if rule is None:
      raise ExportError(
          f"primitive '{eqn.primitive.name}' has no form in the pallas dialect; {OUTSIDE}", where(eqn))
    try:
      if not getattr(rule, "takes_constants", False):
        operands = [self.materialize(v) for v in operands]
      params = registry.Params(eqn.params)
      results = rule(self, eqn.replace(params=params), *operands)
      registry.check_all_read(eqn.primitive, params)
    except (ExportError, VerificationError) as error:
      if error.where:
        raise
      raise type(error)(str(error), where(eqn)) from error
    except (TypeError, ValueError, AssertionError, KeyError, AttributeError) as error:
      raise ExportError(
          f"cannot export '{eqn.primitive.name}': {type(error).__name__}: {error}", where(eqn)) from error
    if results is None:
      return []
    return list(results) if isinstance(results, (list, tuple)) else [results]

  def location(self, traceback):
    """The place in the user's code, or None."""
    frame = source_info_util.user_frame(traceback)
    if frame is None:
      return None
    key = (frame.file_name, frame.start_line, frame.start_column)
    found = self._locations.get(key)
    if found is None:
      found = self._locations[key] = self.b.file_location(
          frame.file_name, max(frame.start_line, 0), max(frame.start_column, 0))
    return found

  def verify(self):
    """Raises what the verifier finds, with the Python line of the kernel."""
    messages = self.b.verify()
    if not messages:
      return
    lines = []
    for message in messages:
      lines.append(message.text)
      for note in message.notes:
        at = f" ({note.file}:{note.line})" if note.file else ""
        lines.append(f"  note: {note.text}{at}")
    first = messages[0]
    raise VerificationError("\n".join(lines), f"{first.file}:{first.line}" if first.file else "")


def takes_constants(rule):
  """Marks a rule that wants to see `Constant` operands as they are."""
  rule.takes_constants = True
  return rule


def _raw_bytes(array: np.ndarray, dtype) -> bytes:
  """Elements as MLIR keeps them: sub-byte ones take a byte each."""
  splat = array.size == 1
  array = array.reshape(1) if splat else np.ascontiguousarray(array)
  if T.is_bool(dtype):
    return array.astype(np.uint8).tobytes()
  return array.tobytes()
