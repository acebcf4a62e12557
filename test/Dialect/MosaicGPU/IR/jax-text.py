# REQUIRES: listed-jax
# RUN: %python %s %root

"""Text travels between JAX and pallas-opt without loss, both ways."""

import glob
import os
import sys

sys.path.insert(0, os.path.join(sys.argv[1], "test", "Inputs"))
import mosaic_gpu as m
import mosaic_gpu_kernels as k

failures = []


def check(name, text):
  """Our print of the text is what jaxlib prints of it."""
  expected = m.jaxlib_print(text)
  for options in [], ["--mlir-print-op-generic"]:
    ours = m.run("pallas-opt", "-", *options, stdin=text.encode()).decode()
    if m.jaxlib_print(ours) != expected:
      failures.append(name)
      print(f"{name}: the module changed on its way\n--- jaxlib\n{expected}\n--- pallas-opt\n{ours}")


def check_releases(text):
  """Through the form of another release and back, jaxlib reads it again."""
  newer = m.run("pallas-opt", "-", "--mosaic-gpu-set-release=release=0.12.0.1", stdin=text.encode())
  back = m.run("pallas-opt", "-", "--mosaic-gpu-set-release", stdin=newer)
  m.jaxlib_print(back.decode())


count = 0
for name, text in m.all_modules({**m.KERNELS, **k.KERNELS}):
  check(name, text)
  check_releases(text)
  count += 1
for path in sorted(glob.glob(os.path.join(os.path.dirname(__file__), "*-ops.mlir"))):
  if os.path.basename(path) != "newer-ops.mlir":
    check(os.path.basename(path), open(path).read())
print(count, "modules of JAX checked")
sys.exit(bool(failures) or count == 0)
