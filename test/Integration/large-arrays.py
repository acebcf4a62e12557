# REQUIRES: jax
# RUN: %python %s

"""Kernels on arrays that the nearest caches don't hold, which get loops of their own: matmuls whose programs share
packed operands, parts of arrays, strips of columns. Executed and compared with NumPy."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import ml_dtypes
import numpy as np
from block_kernels import ref, value, write_kernel
from module_execution import Modules

rng = np.random.default_rng(8)
DTYPES = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "i8": np.int8, "i16": np.int16}
modules = Modules()


def numbers(element, *shape):
  """Whole numbers, so that every order of a sum is exact."""
  return rng.integers(-4, 5, shape).astype(DTYPES[element])


def matmul(element, blocks, steps, transposed=False, adds=False, semantics=""):
  """A grid through rows and columns, and blocks that have all of k."""
  (m, n, k), (i, j) = blocks, steps
  wide = "f32" if element in ("f32", "bf16") else "i32"
  x, y = numbers(element, i * m, k), numbers(element, k, j * n)
  z = numbers("f32", i * m, j * n).astype(np.float32 if wide == "f32" else np.int32)
  result = (x.astype(np.float64) @ y.astype(np.float64) + (z if adds else 0)).astype(z.dtype)
  y_block = (n, k) if transposed else (k, n)
  add = "addf" if wide == "f32" else "addi"
  sums = value(wide, m, n)
  body = f"""
    %a = pallas.get %x0r[...] : {ref(element, m, k)}
    %b = pallas.get %x1r[...] : {ref(element, *y_block)}
    %c = pallas.get %x2r[...] : {ref(wide, m, n)}
    %d = pallas.dot_general %a, %b contract [1] x [{int(transposed)}] : {value(element, m, k)}, {value(element, *y_block)} -> {sums}
    %e = arith.{add} %d, {'%c' if adds else '%d'} : {sums}
    %f = pallas.swap %o0r[...], {'%e' if adds else '%d'} : {ref(wide, m, n)}, {sums}"""
  inputs = [x, np.ascontiguousarray(y.T) if transposed else y, z]
  windows = [((m, k), "%i, 0"), (y_block, "%j, 0" if transposed else "0, %j"), ((m, n), "%i, %j"), ((m, n), "%i, %j")]
  module = write_kernel(body, inputs, [result], steps, windows)
  if semantics:
    module = module.replace("  kernel(", f"  semantics [{semantics}]\n  kernel(")
  modules.add(f"matmul {element} {blocks} {steps} {transposed} {adds} {semantics}", module, inputs, [result])


def rotations(shape, *turns):
  """The sum of an array that is rotated in several ways, times the number of the row."""
  x = numbers("f32", *shape)
  result = sum(np.roll(x, turn, axis) for axis, turn in turns) * np.arange(shape[0], dtype=np.float32)[:, None]
  whole = value("f32", *shape)
  lines = [f"    %x = pallas.get %x0r[...] : {ref('f32', *shape)}"]
  for number, (axis, turn) in enumerate(turns):
    lines += [f"    %n{number} = arith.constant {turn % shape[axis]} : i32",
              f"    %r{number} = pallas.roll %x by %n{number} dim {axis} : {whole}"]
  total = "%r0"
  for number in range(1, len(turns)):
    lines.append(f"    %s{number} = arith.addf {total}, %r{number} : {whole}")
    total = f"%s{number}"
  lines += [f"    %rows = pallas.iota 0 : {whole}", f"    %p = arith.mulf {total}, %rows : {whole}",
            f"    %o = pallas.swap %o0r[...], %p : {ref('f32', *shape)}, {whole}"]
  module = write_kernel("\n".join(lines), [x], [result], (1,), [(shape, "0, 0")] * 2)
  modules.add(f"rotations {shape} {turns}", module, [x], [result])


def columns(rows, width, block):
  """Columns less their least element, divided by their sum."""
  x = numbers("f32", rows, width)
  d = x - x.min(0)
  result = d / d.sum(0)
  window = (rows, block)
  whole, one = value("f32", *window), value("f32", block)
  body = f"""
    %x = pallas.get %x0r[...] : {ref('f32', *window)}
    %m = pallas.reduce <min> %x dims [0] : {whole}
    %b = pallas.broadcast %m dims [1] : {one} -> {whole}
    %d = arith.subf %x, %b : {whole}
    %s = pallas.reduce <add> %d dims [0] : {whole}
    %t = pallas.broadcast %s dims [1] : {one} -> {whole}
    %q = arith.divf %d, %t : {whole}
    %o = pallas.swap %o0r[...], %q : {ref('f32', *window)}, {whole}"""
  module = write_kernel(body, [x], [result], (width // block,), [(window, "0, %i")] * 2)
  modules.add(f"columns {rows} {width} {block}", module, [x], [result])


for element in DTYPES:
  matmul(element, (64, 64, 512), (2, 3))
  matmul(element, (48, 32, 320), (3, 2), adds=True)
  matmul(element, (40, 64, 512), (2, 2), transposed=True)
  # Columns that are no whole panels, and tiles of few rows.
  matmul(element, (16, 24, 300), (2, 2))
  matmul(element, (64, 64, 512), (4, 4), semantics="parallel, parallel")
  matmul(element, (128, 128, 512), (4, 2), semantics="parallel, arbitrary", adds=True)
matmul("f32", (1100, 80, 288), (1, 1))
matmul("f32", (1024, 48, 300), (1, 2), adds=True)
matmul("bf16", (1030, 64, 512), (1, 2))
rotations((64, 128), (0, 1), (1, -1))
rotations((100, 70), (0, 1), (0, -1), (1, 1), (1, -1))
rotations((64, 128), (0, 32), (1, 64))
rotations((64, 128), (1, 5), (1, 9), (0, 3))
columns(1024, 256, 128)
columns(600, 512, 512)
columns(2048, 96, 96)
modules.run()
