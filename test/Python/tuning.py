# REQUIRES: libtpu, pallas-python
# RUN: rm -rf %t && mkdir %t
# RUN: %python -m pytest -q -p no:cacheprovider --tb=short %s --basetemp=%t/pytest
"""`pallas_mlir.tune` finds the fastest configuration by rules, a model and a judge, whatever single ones do."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl

import pallas_mlir
from pallas_mlir import tuning
from pallas_mlir.tuning import libtpu, pools, workers

ROOT = pathlib.Path(__file__).parent.parent.parent
X = np.ones((512, 256), np.float32)


def make(rows):
  """Rows of softmax, so many at a time."""
  if X.shape[0] % rows:
    raise ValueError(f"{rows} rows do not divide {X.shape[0]}")

  def kernel(x, o):
    e = jnp.exp(x[...] - jnp.max(x[...], axis=1, keepdims=True))
    o[...] = e / jnp.sum(e, axis=1, keepdims=True)

  def call(x):
    spec = pl.BlockSpec((rows, x.shape[1]), lambda i: (i, 0))
    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(x.shape[0] // rows,), in_specs=[spec], out_specs=spec)(x)
  return call


def test_the_judge_measures_what_the_model_prefers(tmp_path):
  result = pallas_mlir.tune(make, [dict(rows=r) for r in (8, 16, 32, 48, 128, 256)], X, target="tpu:v5e", budget=3, cache=tmp_path, progress=False)
  measured = [c for c in result.candidates if c.measured is not None]
  assert len(measured) == 3 and result.complete
  assert result.best.measured == min(c.measured for c in measured) and result.best.config["rows"] >= 128
  assert all(c.predicted <= d.predicted for c in measured for d in result.candidates if d.measured is None and not d.refused)
  left_out = next(c for c in result.candidates if c.config == dict(rows=48))
  assert left_out.refused == "ValueError: 48 rows do not divide 512"
  assert "rows=48" in str(result) and "left out: ValueError: 48 rows do not divide 512" in str(result)
  assert json.loads(json.dumps(result.to_json()))["candidates"][0]["config"] == result.best.config
  result.save_picture(tmp_path / "picture.svg")
  svg = xml.etree.ElementTree.parse(tmp_path / "picture.svg").getroot()
  assert sum(e.tag.endswith("circle") for e in svg.iter()) == 6


def test_an_interrupt_leaves_the_best_so_far_and_the_next_search_goes_on(tmp_path, monkeypatch):
  asked, judge = [], libtpu.Compiler.judge

  def interrupted(self, program):
    if len(asked) == 2:
      raise KeyboardInterrupt
    asked.append(program)
    return judge(self, program)

  search = lambda: tuning.tune(make, [dict(rows=r) for r in (64, 128, 256)], X, target="tpu:v6e", cache=tmp_path, progress=False, jobs=1)
  monkeypatch.setattr(libtpu.Compiler, "judge", interrupted)
  result = search()
  assert not result.complete and result.best.measured and sum(c.measured is not None for c in result.candidates) == 2
  assert "interrupted" in str(result)

  def counted(self, program):
    asked.append(program)
    return judge(self, program)

  monkeypatch.setattr(libtpu.Compiler, "judge", counted)
  result = search()
  assert result.complete and all(c.measured for c in result.candidates)
  assert len(asked) == len(set(asked)) == 3


ROWS = [dict(rows=r) for r in (32, 64, 128, 256)]


def measured(result):
  return {c.config["rows"]: c.measured for c in result.candidates}


def test_processes_side_by_side_find_the_same(tmp_path):
  search = lambda jobs: tuning.tune(make, ROWS, X, target="tpu:v6e", cache=tmp_path / str(jobs), progress=False, jobs=jobs)
  one, two = search(1), search(2)
  assert measured(one) == measured(two) and all(measured(one).values())
  assert len((tmp_path / "2" / "answers.jsonl").read_text().splitlines()) == len(ROWS)


def test_an_interrupt_ends_processes_side_by_side(tmp_path, monkeypatch):
  judge = libtpu.Compiler.judge

  def interrupted(self, program):
    answer = judge(self, program)
    os.kill(os.getpid(), signal.SIGINT)
    return answer

  # A suite that runs in the background ignores the keyboard.
  handler = signal.signal(signal.SIGINT, signal.default_int_handler)
  monkeypatch.setattr(libtpu.Compiler, "judge", interrupted)
  result = tuning.tune(make, ROWS, X, target="tpu:v6e", cache=tmp_path, progress=False, jobs=2)
  signal.signal(signal.SIGINT, handler)
  assert not result.complete and sum(c.measured is not None for c in result.candidates) < len(ROWS)


def test_one_program_is_judged_once(tmp_path, monkeypatch):
  asked, judge = [], libtpu.Compiler.judge
  monkeypatch.setattr(libtpu.Compiler, "judge", lambda self, program: asked.append(program) or judge(self, program))
  result = tuning.tune(lambda rows, name: make(rows), [dict(rows=64, name=name) for name in "ab"], X, target="tpu:v6e", cache=tmp_path, progress=False, jobs=1)
  assert len(asked) == 1 and len({c.measured for c in result.candidates}) == 1 and result.best.measured


DYING = """
import os, pathlib
from pallas_mlir.tuning import pools

FOLDER = pathlib.Path(__file__).parent

class Judge(pools.Judge):
  def ask(self, question):
    kind = type(self.judge).__name__
    if not (FOLDER / kind).exists():
      (FOLDER / kind).touch()
      os._exit(1)
    answer = super().ask(question)
    with open(FOLDER / "answered", "a") as file:
      print(kind, hash(question), file=file)
    return answer
"""


@pytest.fixture
def cluster(tmp_path, monkeypatch):
  """Two workers on this machine."""
  import ray
  (tmp_path / "dying_judge.py").write_text(DYING)
  monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
  monkeypatch.setenv("PYTHONHASHSEED", "0")
  monkeypatch.syspath_prepend(str(tmp_path))
  ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
  yield
  ray.shutdown()


def test_a_worker_of_a_cluster_dies_in_the_middle(tmp_path, monkeypatch, cluster):
  """Nothing is lost, and nothing is judged twice."""
  import dying_judge
  one = tuning.tune(make, ROWS, X, target="tpu:v6e", cache=tmp_path / "one", progress=False, jobs=1)
  monkeypatch.setattr(pools, "Judge", dying_judge.Judge)
  result = tuning.tune(make, ROWS, X, target="tpu:v6e", cache=tmp_path / "cluster", progress=False, cluster="local")
  assert result.complete and measured(result) == measured(one)
  assert (tmp_path / "Model").exists() and (tmp_path / "Compiler").exists()
  answered = (tmp_path / "answered").read_text().splitlines()
  assert len(answered) == len(set(answered)) == 2 * len(ROWS)
  assert len((tmp_path / "cluster" / "answers.jsonl").read_text().splitlines()) == len(ROWS)


def test_a_question_that_ends_each_worker_is_left_out(tmp_path, monkeypatch, cluster):
  (tmp_path / "always_dying.py").write_text("import os\nfrom pallas_mlir.tuning import pools\nclass Judge(pools.Judge):\n"
                                            "  def ask(self, question):\n"
                                            "    return os._exit(1) if \"grid(64)\" in question else super().ask(question)\n")
  import always_dying
  monkeypatch.setattr(pools, "Judge", always_dying.Judge)
  result = tuning.tune(make, [dict(rows=r) for r in (8, 256)], X, target="tpu:v6e", cache=tmp_path / "cluster", progress=False, cluster="local")
  assert result.best.config == dict(rows=256)
  assert result.candidates[1].refused == f"{pools.MOST_LOSSES} workers died with it"


def test_bad_pools(tmp_path):
  search = lambda **how: tuning.tune(make, ROWS[:1], X, cache=tmp_path, progress=False, **how)
  with pytest.raises(ValueError, match="0 processes answer nothing; use at least 1"):
    search(target="tpu:v6e", jobs=0)
  with pytest.raises(ValueError, match="jobs=2 are processes of this machine, and cluster='local' has its own; give one of the two"):
    search(target="tpu:v6e", jobs=2, cluster="local")
  with pytest.raises(ValueError, match="timed one at a time on this machine"):
    search(target="cpu", jobs=2)
  with pytest.raises(ValueError, match="there is no Ray cluster at '127.0.0.1:1' .*; start one by ray start --head"):
    search(target="tpu:v6e", cluster="127.0.0.1:1")


def test_a_chip_refuses_what_does_not_fit(tmp_path):
  big = np.ones((65536, 1024), np.float32)
  result = tuning.tune(lambda rows: lambda x: pl.pallas_call(
      lambda i, o: o.__setitem__(..., i[...] * 2), out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(x.shape[0] // rows,),
      in_specs=[pl.BlockSpec((rows, 1024), lambda i: (i, 0))], out_specs=pl.BlockSpec((rows, 1024), lambda i: (i, 0)))(x),
                       [dict(rows=256), dict(rows=32768)], big, target="tpu:v5e", cache=tmp_path, progress=False)
  assert result.best.config == dict(rows=256)
  assert "VMEM" in result.candidates[1].refused


def test_times_on_this_cpu(tmp_path):
  def repeat(times):
    def kernel(x, o):
      c = jax.lax.fori_loop(0, times, lambda i, c: jnp.sin(c), x[...])
      o[...] = jnp.where(c > 1, c, x[...])
    return lambda x: pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)

  # Functions of bfloat16 and of plain integers as configurations.
  result = tuning.tune(repeat, [64, 1, 65], X.astype(jnp.bfloat16), target="cpu", cache=tmp_path, progress=False)
  assert result.best.config == 1 and result.best.low <= result.best.measured <= result.best.high
  assert result.unit == "seconds" and [c.config for c in result.candidates if c.low is not None] == [1]


def test_results_of_candidates_agree(tmp_path):
  """Rows that a configuration leaves out make it fast, and wrong."""
  def careless(rows):
    def kernel(x, o):
      o[...] = x[...] * 2
    spec = pl.BlockSpec((rows, X.shape[1]), lambda i: (i, 0))
    return lambda x: pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype), grid=(x.shape[0] // rows,), in_specs=[spec], out_specs=spec)(x)

  result = tuning.tune(careless, [256, 300], X, target="cpu", cache=tmp_path, progress=False)
  assert result.best.config == 256
  assert "of result 0 are not those of the first candidate" in result.candidates[1].refused


def test_a_time_out_is_no_answer_to_keep(tmp_path):
  search = lambda seconds: tuning.tune(make, [dict(rows=8)], X, target="tpu:v5e", seconds=seconds, cache=tmp_path, progress=False)
  assert search(0.01).best is None
  assert search(120).best.measured


def test_grids_of_a_module_in_any_form(tmp_path):
  text = (ROOT / "examples/softmax.mlir").read_text().replace(" grid(", "\n      grid(")
  assert len(tuning.tune_module(text, target="tpu:v5e", cache=tmp_path, progress=False).candidates) == 4


@pytest.mark.parametrize("target", ["cpu", "tpu:v5e"])
def test_factors_of_a_module(target, tmp_path):
  text = (ROOT / "examples/softmax.mlir").read_text()
  result = tuning.tune_module(text, target=target, cache=tmp_path, progress=False)
  assert {c.name for c in result.candidates} == {"as written", "d0=2", "d0=4", "d0=8"}
  assert not any(c.refused for c in result.candidates)
  if target != "cpu":
    assert result.best.config == {"d0": 8} and "grid(1)" in result.best.text


@pytest.mark.parametrize("what, message", [("crash", "the compiler crashes (SIGSEGV)"), ("leave", "the compiler ends with status 3: out of luck"),
                                           ("hang", "no answer within 2 s"), ("abort", "the compiler aborts")])
def test_what_happens_to_a_compiler_is_an_answer(what, message, tmp_path, monkeypatch):
  (tmp_path / "judge_that_fails.py").write_text('''
import json, os, signal, sys, time
from pallas_mlir.tuning.workers import answer
for line in sys.stdin:
  what = json.loads(line)["what"]
  if what == "crash": os.kill(os.getpid(), signal.SIGSEGV)
  if what == "leave": sys.exit(print("out of luck", file=sys.stderr) or 3)
  if what == "abort": print("F1122 check.cc:1] Check failed", file=sys.stderr, flush=True)
  if what != "answer": time.sleep(60)
  answer("well")
''')
  monkeypatch.setenv("PYTHONPATH", str(tmp_path))
  worker = workers.Worker("judge_that_fails", seconds=2 if what == "hang" else 60)
  with pytest.raises(workers.JudgeError, match=message.replace("(", r"\(").replace(")", r"\)")):
    worker.ask(what=what)
  # A process takes more than two seconds to start where others run.
  worker.seconds = 60
  assert worker.ask(what="answer") == "well"
  worker.close()


def test_a_compiler_that_dies_while_idle_is_started_again(tmp_path, monkeypatch):
  (tmp_path / "judge_that_lives.py").write_text("""
import sys
from pallas_mlir.tuning.workers import answer
for line in sys.stdin:
  answer(len(line))
""")
  monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}")
  worker = workers.Worker("judge_that_lives", seconds=60)
  first = worker.ask(program="a")
  worker.process.kill()
  worker.process.wait()
  assert worker.ask(program="a") == first
  worker.close()


def is_running(status):
  """Whether a process lives, by its page in /proc. One that nothing waits for stays as a zombie."""
  try:
    return "State:\tZ" not in status.read_text()
  except (FileNotFoundError, ProcessLookupError):
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends a process with its parent")
def test_a_judge_ends_with_a_search_that_is_killed(tmp_path):
  (tmp_path / "judge_that_stays.py").write_text("""
import os, time
from pallas_mlir.tuning.workers import answer, questions
for question in questions():
  answer(os.getpid())
  time.sleep(600)
""")
  search = subprocess.Popen([sys.executable, "-c", """
from pallas_mlir.tuning import workers
worker = workers.Worker("judge_that_stays", seconds=60)
print(worker.ask(), flush=True)
worker.ask()
"""], env=os.environ | {"PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}, stdout=subprocess.PIPE, text=True)
  status = pathlib.Path("/proc", search.stdout.readline().strip(), "status")
  assert is_running(status)
  search.kill()
  search.wait()
  end = time.monotonic() + 30
  while is_running(status) and time.monotonic() < end:
    time.sleep(0.05)
  assert not is_running(status)


def test_bad_input(tmp_path, monkeypatch):
  search = lambda configs=({"rows": 8},), **options: tuning.tune(make, configs, X, progress=False, **({"cache": tmp_path / "cache"} | options))
  with pytest.raises(ValueError, match="no judge for the target 'gpu'; there are cpu and tpu:v5e, "):
    search(target="gpu")
  with pytest.raises(ValueError, match="no configuration"):
    search(configs=[])
  with pytest.raises(ValueError, match="a budget of 0"):
    search(budget=0)
  (tmp_path / "answers.jsonl").mkdir()
  with pytest.raises(ValueError, match="answers.jsonl cannot be read .*; remove it"):
    search(cache=tmp_path)
  with pytest.raises(ValueError, match="module:1"):
    tuning.tune_module("func.func @", cache=tmp_path / "cache")
  (tmp_path / "cache").mkdir(exist_ok=True)
  (tmp_path / "cache" / "answers.jsonl").write_text('{"cut off')
  assert search(target="tpu:v5e").best.measured

  def missing(name):
    raise libtpu.importlib.metadata.PackageNotFoundError(name)

  monkeypatch.setattr(libtpu.importlib.metadata, "version", missing)
  with pytest.raises(ValueError, match="pip install libtpu"):
    search(target="tpu:v5e")
  monkeypatch.setattr(tuning.timing.importlib.util, "find_spec", lambda name: None)
  with pytest.raises(ValueError, match=r"pip install 'pallas-mlir\[tune\]'"):
    search(target="cpu")


if __name__ == "__main__":
  sys.exit(pytest.main([__file__]))
