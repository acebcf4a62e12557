# REQUIRES: listed-jax, pallas-python, gpu-compiler
# RUN: %gpu_compiler %python %s %root %t %cc

"""JAX's compiler for GPUs takes what we make of kernels down to machine code.

No GPU is needed. Of each kernel ptxas reports what it takes; here none may spill.
"""

import os
import sys

root, work, cc = sys.argv[1:4]
sys.path.insert(0, os.path.join(root, "test", "Inputs"))
import gpu_assembler as assembler
import gpu_compiler
import mosaic_gpu as m
import mosaic_gpu_kernels as k
import pallas_mlir

NAMES = "rms_norm", "hopper_matmul_cluster", "attention_causal", "ragged_dot"
KERNELS = {**m.KERNELS, **{name: k.KERNELS[name] for name in NAMES},
           "tensor_matmul": (k.tensor_matmul, [m.S((128, 128), m.f16)] * 2)}
BLACKWELL = {"tensor_matmul"}
WITHOUT_PRODUCTS = {"add", "row_softmax", "rms_norm"}
failures = 0
driver = assembler.build_driver(cc, work)


def fail(name, message):
  global failures
  failures += 1
  print(f"{name}: {message}", flush=True)


def lower(source, arch):
  text = m.run("pallas-opt", source, f"--pallas-to-mosaic-gpu=arch={arch}").decode()
  return list(gpu_compiler.kernel_modules(text))


def check(name, arch, modules, multiplies):
  if not modules:
    fail(name, "has no kernel")
  for module in modules:
    try:
      code = gpu_compiler.serialize(gpu_compiler.lower(module))
      figures = assembler.get_figures(*assembler.assemble(code, arch, f"{work}/{name}", driver))
    except Exception as error:
      fail(name, f"{type(error).__name__}: {error}\n{module}")
      continue
    print(name, arch, figures, flush=True)
    if figures["stack"] or figures["spilled"] or not figures["registers"]:
      fail(name, "keeps registers in memory, or takes none")
    if bool(figures["products"]) != multiplies:
      fail(name, f"has {figures['products']} products")


os.makedirs(work, exist_ok=True)
lowered = {}
for name, (function, arguments) in KERNELS.items():
  path = f"{work}/{name}.mlir"
  with open(path, "w") as file:
    file.write(str(pallas_mlir.export(function, *arguments)))
  arch = "sm_100a" if name in BLACKWELL else "sm_90a"
  lowered[name] = lower(path, arch)
  check(name, arch, lowered[name], name not in WITHOUT_PRODUCTS)

# The judge is one: an instruction that there is not is an error of ptxas.
broken = gpu_compiler.lower(lowered["matmul"][0]).replace("bar.sync $0, 128;", "bar.nonsense $0;")
try:
  assembler.assemble(gpu_compiler.serialize(broken), "sm_90a", f"{work}/broken", driver)
  fail("broken", "was accepted")
except assembler.Refused as error:
  if "Unknown modifier '.nonsense'" not in str(error):
    fail("broken", f"was refused for something else: {error}")

sys.exit(bool(failures))
