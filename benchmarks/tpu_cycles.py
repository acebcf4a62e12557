# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cycles that the compiler for TPUs estimates for our lowering of a kernel and for JAX's. Both are compiled in the program that
JAX makes, since XLA may keep what one operation hands to the next in fast memory; where the compiler has no figures for
that, call by call. The figures are deterministic."""

import math
import re
import subprocess

import common

# What calls a kernel: up to its configuration, the configuration, the other attributes, and the types.
CALL = re.compile(r'(= stablehlo\.custom_call @tpu_custom_call\([^)]*\) \{)(backend_config = "(?:[^"\\]|\\.)*")(.*?\} : )(.*)$', re.M)
# In our text: the configuration and the types.
OURS = re.compile(r'= "stablehlo\.custom_call"\([^)]*\) \{(backend_config = "(?:[^"\\]|\\.)*").*?\} : (.*)$', re.M)
TENSOR = re.compile(r"tensor<[^>]*>")


def signature(types):
  operands, results = re.sub(r" loc\(.*$", "", types).split("->")
  return TENSOR.findall(operands), TENSOR.findall(results)


def split(program):
  """A program per call of a kernel."""
  for call in CALL.finditer(program):
    operands, results = signature(call.group(4))
    names = [f"%a{i}" for i in range(len(operands))]
    values = [f"%r#{i}" for i in range(len(results))] if len(results) > 1 else ["%r"]
    yield f"""module {{
  func.func public @main({", ".join(f"{n}: {t}" for n, t in zip(names, operands))}) -> ({", ".join(results)}) {{
    %r{f":{len(results)}" if len(results) > 1 else ""} = stablehlo.custom_call @tpu_custom_call({", ".join(names)}) {{{call.group(2)}{call.group(3)}{re.sub(" loc.*$", "", call.group(4))}
    return {", ".join(values)} : {", ".join(results)}
  }}
}}
"""


def put_in_place(program, kernels):
  """JAX's program with our kernels in the place of its own, which are called with the same types in the same order."""
  # Ours do not say whether integers have signs.
  ours = [(signature(call.group(2)), call.group(1)) for call in OURS.finditer(kernels)]

  def replace(call):
    wanted = signature(call.group(4).replace("ui", "i"))
    place = next(i for i, (types, _) in enumerate(ours) if types == wanted)
    return call.group(1) + ours.pop(place)[1] + call.group(3) + call.group(4)

  program = CALL.sub(replace, program)
  if ours:
    raise RuntimeError(f"{len(ours)} kernels have no place in JAX's program")
  return program


def main():
  import jax
  import pallas_mlir
  import tpu_loops
  import tpu_lowering
  from pallas_mlir.tuning.libtpu import Compiler

  translate = common.BUILD / "bin/pallas-translate"
  for chip in ("v5e", "v6e"):
    compiler, ratios = Compiler(chip), []
    for name, function, arguments in [*tpu_lowering.kernels(), *tpu_loops.kernels()]:
      program = jax.jit(function).trace(*arguments).lower(lowering_platforms=("tpu",)).as_text()
      text = subprocess.run([translate, "--to-tpu-custom-call", "--chip", chip, "--coarsen=off", "-"], check=True, capture_output=True, text=True,
                            input=pallas_mlir.export(function, *arguments)).stdout
      programs = [program, put_in_place(program, text)]
      theirs, ours = map(compiler.cycles, programs)
      if not ours or not theirs:
        counts = [[compiler.cycles(call) for call in split(p)] for p in programs]
        theirs, ours = (None if None in c else sum(c) for c in counts)
      if not ours or not theirs:
        print(f"{chip} {name:28s} no figures", flush=True)
        continue
      ratios.append(ours / theirs)
      print(f"{chip} {name:28s} {ours:8d} cycles, JAX {theirs:8d}: {ratios[-1]:.3f}", flush=True)
    print(f"{chip} geometric mean {math.prod(ratios) ** (1 / len(ratios)):.4f} of {len(ratios)}", flush=True)


if __name__ == "__main__":
  main()
