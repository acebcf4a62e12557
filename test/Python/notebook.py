# REQUIRES: pallas-python, ipython
# RUN: %python %s 2>&1 | FileCheck %s
"""`%%pallas_check` runs a cell with its kernels checked."""
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance(colors="nocolor", xmode="Minimal")


def run(title, cell):
  print(f"-- {title}", flush=True)
  result = shell.run_cell(cell)
  print("ends with", type(result.error_in_exec).__name__, flush=True)


# CHECK: -- prepares
# CHECK: ends with NoneType
run("prepares", """
%load_ext pallas_mlir
import jax, jax.numpy as jnp, numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
def call(kernel):
  return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8,), jnp.float32),
                        scratch_shapes=[pltpu.VMEM((8,), jnp.float32)], interpret=True)(np.ones(8, np.float32))
""")

MISTAKE = """
def unset(x, o, s):
  o[...] = x[...] + s[...]  # reads scratch
call(unset).shape
"""

# CHECK: -- a mistake
# CHECK: KernelError: the check found 1 mistake
# CHECK-NEXT: {{.*}}cell_1.py:2:{{[0-9]+}}: uninitialised read: 'pallas.get' reads element [0] of scratch 0
# CHECK-NEXT: 1 | def unset(x, o, s):
# CHECK-NEXT: > 2 |   o[...] = x[...] + s[...]  # reads scratch
# CHECK: ends with KernelError
run("a mistake", "%%pallas_check" + MISTAKE)

# The value of the last line is shown, and names stay.
# CHECK: -- allowed
# CHECK: (8,)
# CHECK: ends with NoneType
run("allowed", "%%pallas_check --allow uninitialised-read" + MISTAKE)
# CHECK: -- allowed by a comment
# CHECK: (8,)
# CHECK: ends with NoneType
run("allowed by a comment", "%%pallas_check" + MISTAKE.replace("# reads scratch", "# pallas: allow(uninitialised-read)"))
# CHECK: -- unchecked
# CHECK: (8,)
# CHECK: ends with NoneType
run("unchecked", "call(unset).shape")

# CHECK: -- right
# CHECK: 2.0
# CHECK: ends with NoneType
run("right", """%%pallas_check
def right(x, o, s):
  s[...] = x[...]
  o[...] = s[...] + 1
float(call(right)[0])
""")

# Other errors stay what they are.
# CHECK: -- another error
# CHECK: ends with ZeroDivisionError
run("another error", "%%pallas_check\n1 / 0")
# CHECK: -- a syntax error
# CHECK: ends with SyntaxError
run("a syntax error", "%%pallas_check\n1 +")
# CHECK: -- an empty cell
# CHECK: ends with NoneType
run("an empty cell", "%%pallas_check\n# nothing")

# CHECK: UsageError: %%pallas_check: bad --allow: 'typo' is no kind of mistake; the kinds are
run("a bad list", "%%pallas_check --allow typo\n1")
# CHECK: UsageError: %%pallas_check: unrecognized arguments: --alow=x; usage: %%pallas_check [--allow ALLOW]
run("a bad option", "%%pallas_check --alow=x\n1")
