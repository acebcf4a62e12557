# REQUIRES: jax
# RUN: %python %s

"""Kernels whose blocks reach over the ends of arrays, executed and compared with NumPy."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent / "Inputs"))

import ml_dtypes
import numpy as np
from block_kernels import ref, value, write_kernel
from module_execution import Modules

rng = np.random.default_rng(5)
modules = Modules()


def check(name, body, inputs, results, grid, blocks):
    """Runs a kernel on the given blocks, each with its index map."""
    module = write_kernel(body, inputs, results, grid, blocks)
    modules.add(name, module, inputs, results)


def random(dtype, *shape):
    if np.issubdtype(dtype, np.integer):
        return rng.integers(-100, 100, shape).astype(dtype)
    return rng.standard_normal(shape).astype(dtype)


def check_elementwise():
    for dtype, element, add in [(np.float32, "f32", "addf"), (np.int8, "i8", "addi"),
                                (ml_dtypes.bfloat16, "bf16", "addf")]:
        for rows, columns, high, wide in [(37, 53, 16, 16), (129, 300, 64, 128), (40, 65, 8, 64),
                                          (5, 7, 8, 16), (17, 1, 16, 1)]:
            x, y = (random(dtype, rows, columns) for _ in range(2))
            kind, tensor = ref(element, high, wide), value(element, high, wide)
            grid = (-(-rows // high), -(-columns // wide))
            block = ((high, wide), "%i, %j")
            body = f"""
    %a = pallas.get %x0r[...] : {kind}
    %b = pallas.get %x1r[...] : {kind}
    %c = arith.{add} %a, %b : {tensor}
    pallas.swap %o0r[...], %c : {kind}, {tensor}"""
            check(f"add {element} {rows}x{columns}", body, [x, y], [x + y], grid, [block] * 3)
            # Two results, of which one is read again.
            body += f"""
    %d = pallas.get %o0r[...] : {kind}
    %e = arith.{add} %d, %b : {tensor}
    pallas.swap %o1r[...], %e : {kind}, {tensor}"""
            check(f"sums {element} {rows}x{columns}", body, [x, y], [x + y, x + y + y], grid, [block] * 4)


def check_other_maps():
    x, v = random(np.float32, 70, 45), random(np.float32, 45)
    body = f"""
    %a = pallas.get %x0r[...] : {ref('f32', 32, 16)}
    %v = pallas.get %x1r[...] : {ref('f32', 16)}
    %b = pallas.broadcast %v dims [1] : {value('f32', 16)} -> {value('f32', 32, 16)}
    %c = arith.mulf %a, %b : {value('f32', 32, 16)}
    pallas.swap %o0r[...], %c : {ref('f32', 32, 16)}, {value('f32', 32, 16)}"""
    check("rows times a vector", body, [x, v], [x * v], (3, 3),
          [((32, 16), "%i, %j"), ((16,), "%j"), ((32, 16), "%i, %j")])
    body = f"""
    %a = pallas.get %x0r[...] : {ref('f32', 32, 16)}
    %b = pallas.transpose %a, [1, 0] : {value('f32', 32, 16)}
    pallas.swap %o0r[...], %b : {ref('f32', 16, 32)}, {value('f32', 16, 32)}"""
    check("transpose", body, [x], [np.ascontiguousarray(x.T)], (3, 3),
          [((32, 16), "%i, %j"), ((16, 32), "%j, %i")])
    # The last window of the input has more than that of the output.
    body = f"""
    %a = pallas.get %x0r[...] : {ref('f32', 32, 16)}
    %b = math.absf %a : {value('f32', 32, 16)}
    pallas.swap %o0r[...], %b : {ref('f32', 32, 16)}, {value('f32', 32, 16)}"""
    check("part of the input", body, [x], [np.abs(x[:50, :40])], (2, 3),
          [((32, 16), "%i, %j"), ((32, 16), "%i, %j")])


def check_products():
    for rows, columns, high, wide in [(40, 75, 32, 64), (100, 37, 24, 16), (65, 129, 64, 128), (17, 9, 32, 48)]:
        for dtype, element, total, combine in [(np.float32, "f32", "f32", "addf"), (np.int8, "i8", "i32", "addi"),
                                               (ml_dtypes.bfloat16, "bf16", "f32", "addf")]:
            x, y = random(dtype, rows, 32), random(dtype, 32, columns)
            exact = x.astype(np.float64) @ y.astype(np.float64)
            expected = exact.astype(np.int32 if total == "i32" else np.float32)
            types = ", ".join([value(element, high, 32), value(element, 32, wide)])
            body = f"""
    %a = pallas.get %x0r[...] : {ref(element, high, 32)}
    %b = pallas.get %x1r[...] : {ref(element, 32, wide)}
    %c = pallas.dot_general %a, %b contract [1] x [0] : {types} -> {value(total, high, wide)}
    pallas.swap %o0r[...], %c : {ref(total, high, wide)}, {value(total, high, wide)}"""
            check(f"product {element} {rows}x{columns}", body, [x, y], [expected],
                  (-(-rows // high), -(-columns // wide)),
                  [((high, 32), "%i, 0"), ((32, wide), "0, %j"), ((high, wide), "%i, %j")])


check_elementwise()
check_other_maps()
check_products()
modules.run()
