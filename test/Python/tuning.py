# REQUIRES: libtpu, pallas-python
# RUN: rm -rf %t && mkdir %t
# RUN: %python -m pytest -q -p no:cacheprovider --tb=short %s --basetemp=%t/pytest
"""`pallas_mlir.tune` finds the fastest configuration by rules, a model and a judge, whatever single ones do."""
import json
import pathlib
import sys
import xml.etree.ElementTree

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl

import pallas_mlir
from pallas_mlir import tuning
from pallas_mlir.tuning import libtpu, workers

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

  search = lambda: tuning.tune(make, [dict(rows=r) for r in (64, 128, 256)], X, target="tpu:v6e", cache=tmp_path, progress=False)
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
  assert worker.ask(what="answer") == "well"
  worker.close()


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
