"""Cycles that the compiler for TPUs estimates for our lowering of a kernel and for JAX's: both are compiled call by call, on
operands of their own, since XLA may keep what one call hands to the next in fast memory. The figures are deterministic."""

import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import common

sys.path.insert(0, str(common.ROOT / "test/Inputs"))

CALL = re.compile(r"^\s*%\S+ = (stablehlo\.custom_call @tpu_custom_call)\(([^)]*)\)( .*?) : \(([^)]*)\) -> (.*)$", re.M)


def split(text):
  """A module per TPU call of a StableHLO module."""
  for call in CALL.finditer(text):
    operands = [t.strip() for t in call.group(4).split(",") if t.strip()]
    result = re.sub(r" loc\(.*$", "", call.group(5).strip())
    count = len([t for t in result.strip("()").split(",") if t.strip()])
    names = [f"%a{i}" for i in range(len(operands))]
    arguments = ", ".join(f"{name}: {type}" for name, type in zip(names, operands))
    values = ", ".join(f"%r#{i}" for i in range(count)) if count > 1 else "%r"
    yield f"""module {{
  func.func public @main({arguments}) -> {result} {{
    %r{f":{count}" if count > 1 else ""} = {call.group(1)}({", ".join(names)}){call.group(3)} : ({", ".join(operands)}) -> {result}
    return {values} : {result.strip("()")}
  }}
}}
"""


def serve(topology, folder):
  """Compiles the modules whose paths come in and answers with their cycles, or null."""
  import tpu_compiler
  for line in sys.stdin:
    for old in pathlib.Path(folder).iterdir():
      old.unlink()
    cycles = None
    try:
      tpu_compiler.compile_stablehlo(pathlib.Path(line.strip()).read_text(), topology)
      for profile in pathlib.Path(folder).glob("*_static_llo_profile.textproto"):
        for name, count in re.findall(r'hlo_op_name: "([^"]*)"\s*estimated_cycles: (\d+)', profile.read_text()):
          # What XLA adds around the call has other names.
          if not re.match(r"copy|bitcast|fusion|constant|broadcast|convert", name):
            cycles = (cycles or 0) + int(count)
    except Exception as error:
      print(str(error)[:300], file=sys.stderr)
    print("result " + json.dumps(cycles), flush=True)


class Compiler:
  """The compiler in a process of its own: its simulator aborts on some kernels."""

  def __init__(self, topology):
    self.topology, self.folder, self.process = topology, tempfile.mkdtemp(), None

  def start(self):
    environment = dict(os.environ, LIBTPU_INIT_ARGS=f"--xla_jf_dump_static_llo_profile_to={self.folder}")
    self.process = subprocess.Popen([sys.executable, __file__, "--serve", self.topology, self.folder], env=environment,
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

  def cycles(self, path):
    if self.process is None:
      self.start()
    print(path, file=self.process.stdin, flush=True)
    for line in self.process.stdout:
      if line.startswith("result "):
        return json.loads(line.removeprefix("result "))
    self.process = None
    return None


def main():
  import jax
  import pallas_mlir
  import tpu_loops
  import tpu_lowering

  translate = common.BUILD / "bin/pallas-translate"
  with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "call.mlir"
    for chip in ("v5e", "v6e"):
      compiler, ratios = Compiler(f"{chip}:2x2"), []

      def total(text):
        counts = []
        for module in split(text):
          path.write_text(module)
          counts.append(compiler.cycles(path))
        return None if None in counts or not counts else sum(counts)

      for name, function, arguments in [*tpu_lowering.kernels(), *tpu_loops.kernels()]:
        theirs = total(jax.jit(function).trace(*arguments).lower(lowering_platforms=("tpu",)).as_text())
        text = subprocess.run([translate, "--to-tpu-custom-call", "--chip", chip, "-"], check=True, capture_output=True, text=True,
                              input=pallas_mlir.export(function, *arguments)).stdout
        ours = total(text)
        if not ours or not theirs:
          print(f"{chip} {name:28s} no figures", flush=True)
          continue
        ratios.append(ours / theirs)
        print(f"{chip} {name:28s} {ours:8d} cycles, JAX {theirs:8d}: {ratios[-1]:.3f}", flush=True)
      print(f"{chip} geometric mean {math.prod(ratios) ** (1 / len(ratios)):.4f} of {len(ratios)}", flush=True)


if __name__ == "__main__":
  if sys.argv[1:2] == ["--serve"]:
    serve(*sys.argv[2:])
  else:
    main()
