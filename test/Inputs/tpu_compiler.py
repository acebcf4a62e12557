"""The real compiler for TPUs, ahead of time: it needs libtpu and no TPU."""

import os

os.environ.update(
    TPU_SKIP_MDS_QUERY="1",
    ALLOW_MULTIPLE_LIBTPU_LOAD="1",
    TPU_ACCELERATOR_TYPE="v5litepod-4",
    TPU_WORKER_HOSTNAMES="localhost",
)

from jax._src import compiler
from jax._src.interpreters import mlir
from jax._src.lib import xla_client
from jax.experimental import topologies
from jaxlib.mlir import ir


def compile_stablehlo(text, topology):
  """Compiles a StableHLO module; an exception says why it cannot be."""
  description = topologies.get_topology_desc(
      platform="tpu", topology_name=topology
  )
  device = description.devices[0]
  options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
  with mlir.make_ir_context():
    module = ir.Module.parse(text)
    return device.client.compile(
        module, xla_client.DeviceList((device,)), options
    )
