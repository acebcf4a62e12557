"""Runs functions of JAX with their kernels as modules of the tpu dialect.

Each kernel that a function calls becomes a module, either by our lowering or by
JAX's own; `pallas-run` executes the module as it is.
"""

import contextlib
import itertools
import os
import subprocess
import sys
import tempfile

import jax
import numpy as np
from jax._src import tpu_custom_call
from jax._src.interpreters import mlir
from jax._src.pallas import mpmd
from jax._src.pallas.mosaic import pallas_call_registration, tpu_info
from jax.experimental import mosaic
from jaxlib.mlir import ir

from pallas_mlir import module as exporting

# JAX's lowering asks the default device what chip it is; this one has
# SparseCores too.
CHIP = tpu_info.ChipVersion.TPU_7X
tpu_info.registry["cpu"] = lambda: tpu_info.get_tpu_info_for_chip(CHIP, 1)
# Later releases ask whether it is a TPU, by either of two modules.
for questions in (tpu_info, sys.modules[tpu_info.ChipVersion.__module__]):
  questions.is_tpu_device = lambda: True

# A folder in which modules and arrays stay; without it they are deleted.
FOLDER = os.environ.get("TPU_STAGE_FOLDER") or tempfile.mkdtemp()
_numbers = itertools.count()


def run(*command, stdin=b""):
  done = subprocess.run(command, input=stdin, capture_output=True)
  if done.returncode:
    raise RuntimeError(
        f"{command[0]} failed:\n{done.stderr.decode(errors='replace')[:3000]}")
  return done.stdout.decode()


# ---------------------------------------------------------------- modules
def our_module(primitive, ctx, nodes, params):
  exporter = exporting.ModuleExporter()
  entry = exporter.add(primitive, ctx.avals_in, ctx.avals_out, params)
  exporter.verify()
  text = run("pallas-opt", "-", "--pallas-to-mosaic-tpu",
             stdin=exporter.text().encode())
  return call_module(ctx, nodes, text, entry)


RULES = {
    "pallas_call": pallas_call_registration.pallas_call_tpu_lowering_rule,
    "mpmd_map": mpmd._mpmd_map_tpu_lowering,
}


def module_of_jax(primitive, ctx, nodes, params):
  """JAX's own rule, but `pallas-run` makes the call."""
  original = mosaic.lower_module_to_custom_call

  def call(ctx, *nodes, module, input_output_aliases, **_):
    aliases = ", ".join(f"array<i64: {i}, {o}>" for i, o in input_output_aliases)
    module.operation.attributes["tpu.custom_call"] = ir.Attribute.parse(
        f"{{operands = [{array_types(ctx.avals_in)}], "
        f"results = [{array_types(ctx.avals_out)}], aliases = [{aliases}]}}",
        module.context)
    return call_module(ctx, nodes, read_module(module), entry=None)

  mosaic.lower_module_to_custom_call = call
  try:
    return RULES[primitive](ctx, *nodes, **params)
  finally:
    mosaic.lower_module_to_custom_call = original


def read_module(module):
  """Text of a module of jaxlib, which travels as it does to a TPU."""
  asm, *_ = tpu_custom_call._lower_mosaic_module_to_asm(module)
  return run("pallas-translate", "--from-stable-mosaic", "--mlir-print-debuginfo",
             stdin=asm)


def array_types(avals):
  return ", ".join(
      "tensor<" + "x".join([*map(str, a.shape), element_type(a.dtype)]) + ">"
      for a in avals)


def element_type(dtype):
  """Integers have no sign in kernels."""
  text = str(mlir.dtype_to_ir_type(np.dtype(dtype)))
  return text.removeprefix("u") if text.startswith("ui") else text


# ---------------------------------------------------------------- execution
def call_module(ctx, nodes, text, entry):
  stem = os.path.join(FOLDER, str(next(_numbers)))
  with open(stem + ".mlir", "w") as file:
    file.write(text)
  outs = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in ctx.avals_out]

  def execute(*arrays):
    command = ["pallas-run", stem + ".mlir"] + (["--entry", entry] if entry else [])
    for number, array in enumerate(arrays):
      np.save(f"{stem}.in{number}.npy", np.asarray(array))
      command += ["--in", f"{stem}.in{number}.npy"]
    for number in range(len(outs)):
      command += ["--out", f"{stem}.out{number}.npy"]
    run(*command)
    return [read(f"{stem}.out{i}.npy", out) for i, out in enumerate(outs)]

  call = lambda *arrays: jax.pure_callback(execute, outs, *arrays)
  return mlir.lower_fun(call, multiple_results=True)(ctx, *nodes)


def read(path, out):
  array = np.load(path)
  # Files don't know the types of machine learning, and kernels no signs.
  if array.dtype != out.dtype:
    array = array.view(out.dtype)
  return array.reshape(out.shape)


@contextlib.contextmanager
def kernels_by(lower):
  """Functions compiled in here run each kernel as the module that `lower` makes."""
  exporting.install_rules()
  saved = exporting.backend
  exporting.backend = lambda primitive, original, ctx, *nodes, **params: (
      original(ctx, *nodes, **params) if params.get("interpret")
      else lower(primitive, ctx, nodes, params))
  try:
    yield
  finally:
    exporting.backend = saved


def compile_with(lower, fn, args):
  with kernels_by(lower):
    # A function of our own: JAX keeps what it made of `fn`.
    return jax.jit(lambda *a: fn(*a)).lower(*args).compile()
