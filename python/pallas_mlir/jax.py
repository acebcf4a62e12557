# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs every Pallas call on JAX's CPU platform compiled.

Importing this module is enough. `install(interpret=True)`, or the environment
variable PALLAS_MLIR_INTERPRET=1, also takes the calls that ask for interpret mode.
With `install(checked=True)`, PALLAS_MLIR_CHECKED=1 or inside `with checked():` the
kernels are followed element by element, and their mistakes are errors. Those that
`allow=`, the environment variable PALLAS_MLIR_ALLOW or a comment at their line
allows are passed over.
"""
from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import threading
from typing import Iterable

import jax
import jax.numpy as jnp
from jax._src import config, xla_bridge
from jax._src.interpreters import mlir
from jax._src.lib.mlir import ir

from . import _native, devices, module
from .errors import CompileError, KernelError
from .exporting import complex_numbers
from .exporting import types as T
from .limited import refuse_behind, wait_for

TARGET = "pallas_mlir_call"

# States of JAX, so that what it compiled under another setting is not used.
_interpret = config.bool_state(
    "pallas_mlir_interpret", False, "Whether calls that ask for interpret mode run compiled as well",
    include_in_jit_key=True, include_in_trace_context=True)
_checked = config.bool_state(
    "pallas_mlir_checked", False, "Whether compiled kernels look for mistakes while they run",
    include_in_jit_key=True, include_in_trace_context=True)
# A list as `--allow` of pallas-run takes it.
_allowed = config.string_or_object_state(
    "pallas_mlir_allow", "", "Kinds of mistakes that checked kernels pass over, such as output-not-written@file.py:12",
    validator=_native.check_allowances, include_in_jit_key=True, include_in_trace_context=True)
_compile_locks: dict[str, threading.Lock] = {}
_lock = threading.Lock()


def install(*, interpret: bool | None = None, checked: bool | None = None,
            allow: str | Iterable[str] | None = None) -> None:
  """Takes over Pallas calls on the CPU; with `interpret`, also those that ask for interpret mode.

  With `checked`, kernels look for mistakes: reads of what nothing has written,
  accesses out of bounds, races, missing waits and more. It costs time. They pass
  over what `allow` names: `"output-not-written"` everywhere, `"output-not-written@file.py"`
  or `"output-not-written@file.py:12"` at one place, or several of these.
  """
  if allow is not None:
    jax.config.update("pallas_mlir_allow", _join(allow))
  if interpret is not None:
    jax.config.update("pallas_mlir_interpret", interpret)
  if checked is not None:
    jax.config.update("pallas_mlir_checked", checked)
  with _lock:
    if module.backend is None:
      jax.ffi.register_ffi_target(TARGET, _native.ffi_handler(), platform="cpu")
      module.install_rules()
      module.backend = _lower


def _join(allow: str | Iterable[str]) -> str:
  return allow if isinstance(allow, str) else ",".join(allow)


@contextlib.contextmanager
def checked(enabled: bool = True, *, allow: str | Iterable[str] = ()):
  """Inside, kernels are checked while they run; a mistake is a `KernelError` at its Python line.

  They pass over what `allow` names, as `install` takes it, and what is allowed outside.
  On leaving, everything that was started has been waited for.
  """
  refuse_behind("a checked call")
  with _checked(enabled), _allowed(",".join(filter(None, (_allowed.value, _join(allow))))):
    try:
      yield
      _wait()
    except Exception as error:
      # Another exception may hide results that failed and were not waited for.
      _wait()
      findings = _native.take_findings()
      if not findings:
        raise
      raise KernelError(findings) from error
    findings = _native.take_findings()
    if findings:
      raise KernelError(findings)


@jax.jit
def _late(x):
  """Too much for XLA to do it at once: it queues behind what was started before."""
  return jax.lax.fori_loop(0, 2, lambda i, x: jnp.sin(x @ x), x)


def _wait():
  what = "the end of a checked call"
  refuse_behind(what)
  # Asking for arrays would start JAX, and then its number of devices is fixed.
  if not xla_bridge.backends_are_initialized():
    return
  for array in jax.live_arrays():
    # What is wrong with others shows where they are used.
    with contextlib.suppress(jax.errors.JaxRuntimeError):
      wait_for(array, what)
  # Results that are no longer referenced.
  wait_for(_late(jnp.ones((64, 64))), what)


def _lower(primitive, original, ctx, *nodes, **params):
  """The lowering rule: exports and compiles the call, and emits a call of it."""
  if params.get("interpret") and not _interpret.value:
    return original(ctx, *nodes, **params)
  if params.get("interpret") and ctx.tokens_in is not None and ctx.tokens_in.effects():
    ctx.set_tokens_out(ctx.tokens_in)
  params, avals_in, avals_out = complex_numbers.split_call(params, ctx.avals_in, ctx.avals_out)
  nodes = complex_numbers.split_operands(nodes, ctx.avals_in)
  results = _call(primitive, ctx.replace(avals_in=avals_in, avals_out=avals_out), nodes, params)
  return complex_numbers.join_results(results, ctx.avals_out)


def _call(primitive, ctx, nodes, params):
  if _checked.value:
    # Checked kernels take turns.
    refuse_behind("a checked kernel")
  exporter = module.ModuleExporter(in_process=True)
  if params.get("debug"):
    for jaxpr in params.get("jaxprs") or (params["jaxpr"],):
      print(f"\nThe jaxpr of the kernel {jaxpr.debug_info.func_src_info}:\n{jaxpr}")
  entry = exporter.add(primitive, ctx.avals_in, ctx.avals_out, params)
  exporter.verify()
  if params.get("debug"):
    print(f"\nThe module of the call of {entry}:\n{exporter.text()}")
  attributes = _compile(exporter, _checked.value, _allowed.value)
  attributes["entry"] = entry
  for function in exporter.k.host_functions:
    ctx.module_context.add_keepalive(function)
  metadata = _metadata(ctx, params)
  # Arrays of keys are arrays of words for XLA.
  ctx = ctx.replace(avals_in=[T.physical(a) for a in ctx.avals_in], avals_out=[T.physical(a) for a in ctx.avals_out])
  ctx, nodes, place = devices.place(ctx, nodes)
  attributes |= place
  if any(_is_packed(a.dtype) for a in (*ctx.avals_in, *ctx.avals_out)):
    return _call_unpacked(ctx, nodes, attributes)
  results = jax.ffi.ffi_lowering(TARGET, has_side_effect=_must_run(params))(ctx, *nodes, **attributes)
  if metadata and results:
    results[0].owner.attributes["mhlo.frontend_attributes"] = ir.DictAttr.get({"kernel_metadata": ir.StringAttr.get(metadata)})
  return results


def _metadata(ctx, params) -> str:
  """The metadata of a kernel, where tools look for it in the text of a compiled program, as for a TPU."""
  entries = dict(params.get("metadata") or {})
  axes = devices.named_axes(ctx, params)
  if axes:
    if "mesh_axes" in entries:
      raise ValueError("the metadata of a kernel has a key 'mesh_axes', which is reserved for the axes that the kernel names; use another one")
    entries["mesh_axes"] = json.dumps(axes)
  return json.dumps(entries, sort_keys=True, indent=0, separators=(",", ":")) if entries else ""


def _must_run(params) -> bool:
  """Whether a call stays where its results are unused."""
  effects = getattr(params.get("compiler_params"), "has_side_effects", False)
  return effects is True or getattr(effects, "name", "") == "SIDE_EFFECTING"


def _compile(exporter, checked: bool, allowed: str) -> dict:
  """Compiles a module once per process and content; returns what a call carries to find it.

  The module goes along: an executable may be kept, and run by another process.
  """
  # Findings of checks begin with the place in the source.
  text = exporter.text(locations=checked)
  allowed = allowed if checked else ""
  cpu = os.environ.get("PALLAS_CPU", "")
  key = hashlib.sha256(f"{checked} {allowed} {cpu} {text}".encode()).hexdigest()
  with _lock:
    lock = _compile_locks.setdefault(key, threading.Lock())
  with lock:
    if not _native.is_compiled(key):
      messages = _native.compile(exporter.k.b, key, checked, allowed)
      if messages:
        raise _error(messages)
  return dict(key=key, module=text, checked=checked, allowed=allowed)


# How the engine spells a place in its messages.
_PLACE = re.compile(r'^loc\("([^"]+)":(\d+):\d+\): ')


def _error(messages) -> CompileError:
  lines = []
  for message in messages:
    lines.append(message.text)
    lines += [f"  note: {note.text}" for note in message.notes]
  first = messages[0]
  place = _PLACE.match(first.text)
  if place:
    return CompileError("\n".join(lines)[place.end():], f"{place[1]}:{place[2]}")
  return CompileError("\n".join(lines).removeprefix("loc(unknown): "), f"{first.file}:{first.line}" if first.file else "")


def _is_packed(dtype) -> bool:
  """Types of which XLA may keep several elements in a byte; kernels want a byte for each."""
  return getattr(dtype, "name", "") in ("int2", "uint2", "int4", "uint4", "float4_e2m1fn")


def _widen(array):
  """A byte per element; of floats their bits."""
  if not _is_packed(array.dtype):
    return array
  if array.dtype.name == "float4_e2m1fn":
    array = jax.lax.bitcast_convert_type(array, jnp.uint4)
  return array.astype(jnp.uint8 if array.dtype.name.startswith("u") else jnp.int8)


def _narrow(array, dtype):
  """Undoes `_widen`."""
  if getattr(dtype, "name", "") == "float4_e2m1fn":
    return jax.lax.bitcast_convert_type(array.astype(jnp.uint4), dtype)
  return array.astype(dtype)


def _call_unpacked(ctx, nodes, attributes):
  """The same call with a byte per element at its border."""
  results = [jax.eval_shape(_widen, jax.ShapeDtypeStruct(a.shape, a.dtype)) for a in ctx.avals_out]

  def call(*arrays):
    outputs = jax.ffi.ffi_call(TARGET, results)(*map(_widen, arrays), **attributes)
    return [_narrow(o, a.dtype) for o, a in zip(outputs, ctx.avals_out)]

  return mlir.lower_fun(call, multiple_results=True)(ctx, *nodes)


install()
