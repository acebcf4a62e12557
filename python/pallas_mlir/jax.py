"""Runs every Pallas call on JAX's CPU platform compiled.

Importing this module is enough. `install(interpret=True)`, or the environment
variable PALLAS_MLIR_INTERPRET=1, also takes the calls that ask for interpret mode.
"""
from __future__ import annotations

import hashlib
import os
import re
import threading

# First, because it checks the release of JAX.
from . import module

import jax
import jax.numpy as jnp
from jax._src.interpreters import mlir

from . import _native
from .errors import CompileError

TARGET = "pallas_mlir_call"

_options = {"interpret": os.environ.get("PALLAS_MLIR_INTERPRET", "0") not in ("", "0")}
_compile_locks: dict[str, threading.Lock] = {}
_lock = threading.Lock()


def install(*, interpret: bool | None = None) -> None:
  """Takes over Pallas calls on the CPU; with `interpret`, also those that ask for interpret mode."""
  if interpret is not None:
    _options["interpret"] = interpret
  with _lock:
    if module.backend is None:
      jax.ffi.register_ffi_target(TARGET, _native.ffi_handler(), platform="cpu")
      module.install_rules()
      module.backend = _lower


def _lower(primitive, original, ctx, *nodes, **params):
  """The lowering rule: exports and compiles the call, and emits a call of it."""
  if params.get("interpret") and not _options["interpret"]:
    return original(ctx, *nodes, **params)
  exporter = module.ModuleExporter()
  entry = exporter.add(primitive, ctx.avals_in, ctx.avals_out, params)
  exporter.verify()
  key = _compile(exporter)
  if params.get("interpret") and ctx.tokens_in is not None and ctx.tokens_in.effects():
    ctx.set_tokens_out(ctx.tokens_in)
  if any(_is_packed(a.dtype) for a in (*ctx.avals_in, *ctx.avals_out)):
    return _call_unpacked(ctx, nodes, key, entry)
  return jax.ffi.ffi_lowering(TARGET)(ctx, *nodes, key=key, entry=entry)


def _compile(exporter) -> str:
  """Compiles a module once per process and content; returns the key of the result."""
  key = hashlib.sha256(exporter.text().encode()).hexdigest()
  with _lock:
    lock = _compile_locks.setdefault(key, threading.Lock())
  with lock:
    if not _native.is_compiled(key):
      messages = _native.compile(exporter.k.b, key)
      if messages:
        raise _error(messages)
  return key


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


def _wide(dtype):
  if not _is_packed(dtype):
    return dtype
  return jnp.dtype("uint8") if dtype.name.startswith("u") else jnp.dtype("int8")


def _call_unpacked(ctx, nodes, key, entry):
  """The same call with a byte per element at its border."""
  if any(getattr(a.dtype, "name", "").startswith("float4") for a in (*ctx.avals_in, *ctx.avals_out)):
    raise NotImplementedError("arrays of float4_e2m1fn cannot cross the border of a compiled kernel; convert them outside")
  results = [jax.ShapeDtypeStruct(a.shape, _wide(a.dtype)) for a in ctx.avals_out]

  def call(*arrays):
    wide = [a.astype(_wide(a.dtype)) for a in arrays]
    outputs = jax.ffi.ffi_call(TARGET, results)(*wide, key=key, entry=entry)
    return [o.astype(a.dtype) for o, a in zip(outputs, ctx.avals_out)]

  return mlir.lower_fun(call, multiple_results=True)(ctx, *nodes)


install()
