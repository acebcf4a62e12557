# %% [markdown]
# # Kernels of a JAX program in a compiler without JAX
#
# What leaves JAX is a module of the `pallas` dialect: text or bytecode that C++
# reads with one registered dialect. `examples/embedding` is the C++ side.

# %% A program with two kernels
import pathlib
import subprocess
import tempfile

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl

import pallas_mlir


def scale_kernel(x_ref, o_ref):
  o_ref[...] = x_ref[...] * 2


def exp_kernel(x_ref, o_ref):
  o_ref[...] = jnp.exp(x_ref[...])


def program(x):
  call = lambda kernel, v: pl.pallas_call(
      kernel, grid=(4,), out_shape=jax.ShapeDtypeStruct(v.shape, v.dtype),
      in_specs=[pl.BlockSpec((16, 128), lambda i: (i, 0))], out_specs=pl.BlockSpec((16, 128), lambda i: (i, 0)))(v)
  return call(exp_kernel, jnp.sin(call(scale_kernel, x)))


x = np.linspace(-1, 1, 64 * 128, dtype=np.float32).reshape(64, 128)

# %% One function per call, in the order in which the program reaches them
module = pallas_mlir.export(program, x)
print(module)

# %% What the stages make of it; any pipeline of pallas-opt can be named
print(pallas_mlir.show(program, x, pipeline="pallas-discharge-state")[:400])

# %% From here on there is no Python: the tools read files
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "module.mlir").write_text(module)
np.save(folder / "in.npy", x)
subprocess.run(["pallas-run", folder / "module.mlir", "--entry", "exp_kernel", f"--in={folder / 'in.npy'}", f"--out={folder / 'out.npy'}"], check=True)
np.testing.assert_allclose(np.load(folder / "out.npy"), np.exp(x), rtol=1e-5)
print("pallas-run computes the same")

# %% And for a TPU: the custom call that XLA takes
text = subprocess.run(["pallas-translate", "--to-tpu-custom-call", "--chip", "v5e", folder / "module.mlir"], check=True, capture_output=True, text=True).stdout
print(text.count("tpu_custom_call"), "custom calls for a TPU")
