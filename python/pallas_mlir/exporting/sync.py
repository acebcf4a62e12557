"""Semaphores and async copies."""
from __future__ import annotations

from jax._src.pallas import primitives as pallas_primitives

from .kernel import takes_constants
from .refs import Operand, as_i32, for_each_choice, operands, unflatten, viewed
from .registry import rule


class Device:
  """Where a remote operation goes: operands and attributes."""

  def __init__(self, k, device_id, device_id_type):
    self.ids, self.attributes = [], {}
    if device_id is None:
      return
    mesh = device_id_type is pallas_primitives.DeviceIdType.MESH
    if isinstance(device_id, dict):
      axes = []
      for axis, index in device_id.items():
        if isinstance(axis, tuple):
          axes.append(k.b.array_attr([k.b.str_attr(str(a)) for a in axis]))
        else:
          axes.append(k.b.str_attr(str(axis)))
        self.ids.append(as_i32(k, index))
      self.attributes["deviceAxes"] = k.b.array_attr(axes)
      mesh = True
    elif isinstance(device_id, (tuple, list)):
      self.ids = [as_i32(k, index) for index in device_id]
    else:
      self.ids = [as_i32(k, device_id)]
    kind = "mesh" if mesh else "logical"
    self.attributes["deviceIdType"] = k.attr(f"#pallas<device_id_type {kind}>")


@rule(pallas_primitives.semaphore_signal_p)
@takes_constants
def _semaphore_signal(k, eqn, *values):
  ref, transforms, increment, device_id, core_index = unflatten(eqn.params["args_tree"], operands(eqn, values))
  semaphore, _ = viewed(k, ref, transforms)
  device = Device(k, device_id, eqn.params["device_id_type"])
  core = [] if core_index is None else [as_i32(k, core_index)]
  k.do("pallas.semaphore_signal", [semaphore, as_i32(k, increment), *device.ids, *core],
       operandSegmentSizes=k.b.i32_array([1, 1, len(device.ids), len(core)]), **device.attributes)


@rule(pallas_primitives.semaphore_wait_p)
@takes_constants
def _semaphore_wait(k, eqn, *values):
  ref, transforms, count, decrement = unflatten(eqn.params["args_tree"], operands(eqn, values))
  semaphore, _ = viewed(k, ref, transforms)
  if isinstance(decrement, Operand):
    decrement = bool(k.known(decrement.value))
  k.do("pallas.semaphore_wait", [semaphore, as_i32(k, count)], decrement=k.b.bool_attr(bool(decrement)))


@rule("semaphore_read")
@takes_constants
def _semaphore_read(k, eqn, *values):
  ref, transforms = unflatten(eqn.params["args_tree"], operands(eqn, values))
  semaphore, _ = viewed(k, ref, transforms)
  return k.op("pallas.semaphore_read", [semaphore], k.i32)


@rule("get_barrier_semaphore")
def _get_barrier_semaphore(k, eqn):
  return k.op("pallas.get_barrier_semaphore", [], k.type_of(eqn.outvars[0].aval))


def _dma(k, eqn, values, emit):
  """Calls `emit` with the refs of a copy, its semaphore at the source if it has one, and its device."""
  source, target, semaphore, source_semaphore, device_id = eqn.params["tree"].unflatten(operands(eqn, values))
  ends = [source, target, semaphore] + ([] if source_semaphore is None else [source_semaphore])
  device = Device(k, device_id, eqn.params["device_id_type"])
  for_each_choice(k, ends, lambda refs: emit(refs[:3], refs[3:], device))


@rule("dma_start")
@takes_constants
def _dma_start(k, eqn, *values):
  def emit(refs, sources, device):
    attributes = dict(device.attributes)
    if eqn.params.get("priority"):
      attributes["priority"] = k.b.int_attr(k.i32, eqn.params["priority"])
    if eqn.params.get("add"):
      attributes["add"] = k.b.unit_attr()
    k.do("pallas.dma_start", [*refs, *sources, *device.ids],
         operandSegmentSizes=k.b.i32_array([1, 1, 1, len(sources), len(device.ids), 0]), **attributes)
  _dma(k, eqn, values, emit)


@rule("dma_wait")
@takes_constants
def _dma_wait(k, eqn, *values):
  # The semaphore behind the target counts, also where JAX swaps the ends to
  # wait for the source of a remote copy. The other one plays no role.
  def emit(refs, _, device):
    k.do("pallas.dma_wait", [*refs, *device.ids],
         operandSegmentSizes=k.b.i32_array([1, 1, 1, 0, len(device.ids), 0]), **device.attributes)
  _dma(k, eqn, values, emit)


@rule("debug_barrier_p")
def _debug_barrier(k, eqn):
  """The threads of a program meet; programs are of one thread here."""
