"""Cycles that the compiler for TPUs estimates for the kernels of a program, ahead of time. The figures are deterministic."""

import hashlib
import json
import os
import pathlib
import re
import selectors
import subprocess
import sys
import tempfile
import time

# How the compiler names one host of each chip that its simulator knows.
TOPOLOGIES = {"v5e": "v5e:2x2", "v5p": "v5p:2x2x1", "v6e": "v6e:2x2", "tpu7x": "tpu7x:2x2x1"}
SECONDS = 120
# The compiler is about to abort, and will write down where for up to a minute.
ABORTS = re.compile(rb"^F\d{4} |SIG[A-Z]+ received|Check fail|Raising signal", re.M)


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
          # What XLA puts around the calls has other names.
          if not re.match(r"copy|bitcast|fusion|constant|broadcast|convert", name):
            cycles = (cycles or 0) + int(count)
    except Exception as error:
      print(str(error)[:300], file=sys.stderr)
    print("result " + json.dumps(cycles), flush=True)


class Compiler:
  """The compiler in a process of its own: its simulator aborts on some kernels."""

  def __init__(self, topology):
    self.topology, self.folder, self.process = topology, tempfile.TemporaryDirectory(), None

  def start(self):
    environment = dict(os.environ, LIBTPU_INIT_ARGS=f"--xla_jf_dump_static_llo_profile_to={self.folder.name}", JAX_PLATFORMS="cpu")
    self.process = subprocess.Popen([sys.executable, __file__, self.topology, self.folder.name], env=environment,
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    os.set_blocking(self.process.stdout.fileno(), False)
    os.set_blocking(self.process.stderr.fileno(), False)

  def cycles(self, path):
    """The cycles of all kernels of a program together, or None where it has no figures."""
    if self.process is None:
      self.start()
    self.process.stdin.write(f"{path}\n".encode())
    self.process.stdin.flush()
    return self._answer()

  def close(self):
    if self.process:
      self.process.kill()
      self.process.wait()
      self.process = None

  def _answer(self):
    text, errors, end = b"", b"", time.monotonic() + SECONDS
    with selectors.DefaultSelector() as selector:
      selector.register(self.process.stdout, selectors.EVENT_READ)
      selector.register(self.process.stderr, selectors.EVENT_READ)
      while ready := selector.select(max(0, end - time.monotonic())):
        for key, _ in ready:
          if key.fileobj is self.process.stderr:
            errors = errors[-4096:] + (self.process.stderr.read() or b"")
            continue
          read = self.process.stdout.read()
          text += read or b""
          if read == b"":
            errors = b"Check fail: no answer"
        for line in text.decode(errors="replace").split("\n")[:-1]:
          if line.startswith("result "):
            return json.loads(line.removeprefix("result "))
        if ABORTS.search(errors):
          break
    self.close()
    return None


class Judge:
  """Answers of the compiler for one chip, by the content of programs; a file keeps them."""

  def __init__(self, chip, cache=None):
    self.chip, self.compiler, self.known = chip, None, {}
    self.cache = pathlib.Path(cache) if cache else None
    if self.cache and self.cache.exists():
      for line in self.cache.read_text().splitlines():
        try:
          self.known.update(json.loads(line))
        except ValueError:
          pass  # The last line of a run that was cut off.

  def key(self, program):
    import importlib.metadata
    text = f"{importlib.metadata.version('libtpu')}\n{self.chip}\n{program}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]

  def cycles(self, program):
    key = self.key(program)
    if key not in self.known:
      self.compiler = self.compiler or Compiler(TOPOLOGIES[self.chip])
      with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(program)
        file.flush()
        self.known[key] = self.compiler.cycles(file.name)
      if self.cache:
        self.cache.parent.mkdir(parents=True, exist_ok=True)
        with open(self.cache, "a") as file:
          file.write(json.dumps({key: self.known[key]}) + "\n")
    return self.known[key]

  def close(self):
    if self.compiler:
      self.compiler.close()


if __name__ == "__main__":
  serve(*sys.argv[1:])
