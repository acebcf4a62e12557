# REQUIRES: jax, pallas-python
# RUN: %python %s %root

"""jaxlib reads what we lower: text and bytes, of the corpus and of kernels of JAX."""

import glob
import os
import subprocess
import sys

root = sys.argv[1]
sys.path += [os.path.join(root, "test", folder) for folder in ("Inputs", "Integration/Inputs")]
import mosaic_tpu as m
import tpu_kernels

import pallas_mlir
from jaxlib.mlir import ir


# A transposed view has no form.
NOT_LOWERED = {"indexing.mlir"}


def sources():
  for path in sorted(glob.glob(f"{root}/test/Dialect/Pallas/IR/kernels/*.mlir")):
    text = open(path).read()
    name = os.path.basename(path)
    # Some are kernels for GPUs.
    if name not in NOT_LOWERED and "gmem" not in text and "#pallas.mesh<gpu" not in text:
      yield name, text
  for name, fn, args, _ in [*tpu_kernels.of_both(), *tpu_kernels.of_ours(), *tpu_kernels.of_library()]:
    yield name, pallas_mlir.export(fn, *args, locations=True)


def kernel_modules(text):
  """The modules in a module that has a function for each. The function may do
  more than call the kernel."""
  context = m.context()
  context.allow_unregistered_dialects = True
  with context, ir.Location.unknown():
    module = ir.Module.parse(text)
    assert module.operation.verify()
    for op in module.body:
      if op.operation.name == "builtin.module":
        yield op.operation.get_asm(enable_debug_info=True, print_generic_op_form=m.GENERIC)


failures, count = [], 0
for name, source in sources():
  lowered = subprocess.run(
      ["pallas-opt", "-", "--pallas-to-mosaic-tpu",
       "--mlir-print-debuginfo", "--mlir-print-op-generic"],
      input=source.encode(), capture_output=True)
  if lowered.returncode:
    failures.append(name)
    print(f"{name}: {lowered.stderr.decode()[:500]}")
    continue
  # What we make stands where its source does.
  if "loc(unknown)" not in source and b"loc(unknown)" in lowered.stdout:
    failures.append(name)
    print(f"{name}: an operation has no location")
  for text in kernel_modules(lowered.stdout.decode()):
    count += 1
    plain = m.jaxlib_print(text)
    # Printing what jaxlib has parsed, and parsing that, changes nothing.
    ours = m.run("pallas-opt", "-", *m.PRINT_OPTIONS, stdin=plain.encode()).decode()
    wire = m.run("pallas-translate", "--to-stable-mosaic", stdin=text.encode())
    # The bytes are written by a writer of our own.
    # Parsers of different releases name text that is no file differently.
    located = m.jaxlib_print(text, locations=True).replace('"<stdin>"', '"-"')
    if m.jaxlib_deserialize(wire, locations=True).replace('"<stdin>"', '"-"') != located:
      failures.append(name)
      print(f"{name}: bytes, read by jaxlib, have other locations")
    ways = [("text of jaxlib, read by us", m.jaxlib_print(ours)),
            ("bytes, read by jaxlib", m.jaxlib_deserialize(wire))]
    for version in range(15, m.NEWEST_VERSION + 1):
      ways.append((f"{version} of jaxlib, read by us", m.jaxlib_print(m.run(
          "pallas-translate", "--from-stable-mosaic", *m.PRINT_OPTIONS,
          stdin=m.jaxlib_serialize(plain, version)).decode())))
    for way, got in ways:
      if got != plain:
        failures.append(name)
        print(f"{name}: {way}:\n--- expected\n{plain}\n--- actual\n{got}"[:3000])
print(f"{count} modules, {len(failures)} differences: {failures}")
sys.exit(bool(failures))
