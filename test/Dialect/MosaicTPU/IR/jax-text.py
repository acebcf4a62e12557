# REQUIRES: jax
# RUN: %python %s %root

"""Text travels between JAX and pallas-opt without loss, both ways."""

import glob
import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import mosaic_tpu as m

failures = []


def check(name, text):
  """Our print of the text is what jaxlib prints of it."""
  ours = m.run("pallas-opt", "-", *m.PRINT_OPTIONS, stdin=text.encode()).decode()
  generic = m.run("pallas-opt", "-", "--mlir-print-op-generic", stdin=text.encode())
  expected = m.jaxlib_print(text)
  if m.jaxlib_print(ours) != expected or m.jaxlib_print(generic.decode()) != expected:
    failures.append(name)
    print(f"{name}: the module changed on its way\n--- jaxlib\n{expected}\n--- pallas-opt\n{ours}")


count = 0
for name, wire in m.all_modules():
  check(name, m.jaxlib_deserialize(wire))
  count += 1
other = "older-ops.mlir" if m.KNOWS_VERSION_18 else "newer-ops.mlir"
for path in sorted(glob.glob(os.path.join(os.path.dirname(__file__), "*-ops.mlir"))):
  if os.path.basename(path) != other:
    check(os.path.basename(path), open(path).read())
print(count, "modules of JAX checked")
sys.exit(bool(failures))
