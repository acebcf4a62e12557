# REQUIRES: jax
# RUN: %python %s

"""Products of matrices whose blocks are summed up over the grid, executed and compared with NumPy."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import ml_dtypes
import numpy as np
from block_kernels import ref, value, write_kernel
from module_execution import Modules

rng = np.random.default_rng(6)
modules = Modules()
TYPES = {"f32": (np.float32, "f32", "0.0", "1.5"), "bf16": (ml_dtypes.bfloat16, "f32", "0.0", "1.5"),
         "i8": (np.int8, "i32", "0", "7"), "i16": (np.int16, "i32", "0", "7")}

# How a factor goes through its blocks: the index in the map, and in Python.
PATHS = {"on": ("%k", lambda step, steps: step), "back": ("%b", lambda step, steps: steps - 1 - step),
         "stay": ("%zero", lambda step, steps: 0)}


def index_map(other, path, steps, summed_first=False):
    indices = ", ".join([PATHS[path][0], other] if summed_first else [other, PATHS[path][0]])
    return (f"{{ %zero = arith.constant 0 : i32 %last = arith.constant {steps - 1} : i32 "
            f"%b = arith.subi %last, %k : i32 pallas.yield {indices} : i32, i32 }}")


def product(element, blocks, steps, where="%accr", start=None, begins=0, paths=("on", "on"),
            transposed=False, narrows=False):
    """Sums up `blocks` (m, n, k) over `steps` (i, j, k) in scratch memory, or in the output; compares the result."""
    dtype, wide, zero, _ = TYPES[element]
    (m, n, k), (i, j, l) = blocks, steps
    # Whole numbers, so that every order of the sums is exact; sums of integers wrap.
    is_integer = np.issubdtype(dtype, np.integer)
    low, high = (np.iinfo(dtype).min, np.iinfo(dtype).max) if is_integer else (-4, 4)
    x, y = (rng.integers(low, high + 1, shape).astype(dtype) for shape in [(i * m, l * k), (l * k, j * n)])
    if is_integer:
        x[0], y[:, 0] = low, low
    sums, sum_ref = value(wide, m, n), ref(wide, m, n)
    y_block = (n, k) if transposed else (k, n)
    factors = f"{value(element, m, k)}, {value(element, *y_block)}"
    store = (f"%t = arith.truncf %v : {sums} to {value('bf16', m, n)}\n"
             f"      pallas.swap %o0r[...], %t : {ref('bf16', m, n)}, {value('bf16', m, n)}" if narrows else
             f"pallas.swap %o0r[...], %v : {sum_ref}, {sums}")
    end = f"""
    %c{l - 1} = arith.constant {l - 1} : i32
    %is_last = arith.cmpi eq, %k, %c{l - 1} : i32
    scf.if %is_last {{
      %v = pallas.get {where}[...] : {sum_ref}
      {store}
    }}""" if where == "%accr" else ""
    body = f"""
    %k = pallas.program_id 2
    %begin = arith.constant {begins} : i32
    %is_first = arith.cmpi eq, %k, %begin : i32
    scf.if %is_first {{
      %zero = arith.constant dense<{start or zero}> : {sums}
      pallas.swap {where}[...], %zero : {sum_ref}, {sums}
    }}
    %a = pallas.get %x0r[...] : {ref(element, m, k)}
    %b = pallas.get %x1r[...] : {ref(element, *y_block)}
    %old = pallas.get {where}[...] : {sum_ref}
    %new = pallas.dot_general %a, %b acc %old contract [1] x [{int(transposed)}] : {factors}, {sums} -> {sums}
    pallas.swap {where}[...], %new : {sum_ref}, {sums}{end}"""
    exact_type = np.int64 if is_integer else np.float64
    exact = np.full((i * m, j * n), float(start or zero)).astype(exact_type)
    for step in range(begins, l):
        a, b = (PATHS[path][1](step, l) for path in paths)
        exact += x[:, a * k:][:, :k].astype(exact_type) @ y[b * k:][:k].astype(exact_type)
    result = exact.astype(ml_dtypes.bfloat16 if narrows else {"f32": np.float32, "i32": np.int32}[wide])
    inputs = [x, np.ascontiguousarray(y.T) if transposed else y]
    windows = [((m, k), index_map("%i", paths[0], l)), (y_block, index_map("%j", paths[1], l, not transposed)),
               ((m, n), "%i, %j")]
    module = write_kernel(body, inputs, [result], steps, windows,
                          [f"%accr: {sum_ref}"] if where == "%accr" else [])
    name = f"{element} {blocks} {steps} {where} {start} {begins} {paths} {transposed} {narrows}"
    modules.add(name, module, inputs, [result])


for element in TYPES:
    for blocks, steps in [((16, 32, 16), (2, 2, 3)), ((24, 80, 64), (1, 2, 2)), ((9, 7, 5), (2, 1, 4)),
                          ((16, 64, 96), (1, 1, 4)), ((32, 32, 256), (1, 2, 5)), ((1, 16, 8), (2, 1, 2)),
                          ((8, 64, 16), (2, 1, 2)), ((11, 64, 16), (2, 1, 2))]:
        product(element, blocks, steps)
    product(element, (16, 64, 32), (2, 1, 3), where="%o0r")
    product(element, (16, 64, 32), (2, 1, 3), transposed=True)
    product(element, (16, 64, 32), (1, 2, 3), start=TYPES[element][3])
    # The sums begin anew in the second step.
    product(element, (16, 32, 32), (1, 2, 3), begins=1)
    # Blocks that go backwards, and one factor that stays.
    product(element, (16, 32, 32), (1, 2, 3), paths=("back", "on"))
    product(element, (16, 32, 32), (1, 2, 3), paths=("back", "back"))
    product(element, (16, 32, 32), (1, 2, 3), paths=("stay", "on"))
product("bf16", (16, 64, 32), (2, 1, 3), narrows=True)
modules.run()
