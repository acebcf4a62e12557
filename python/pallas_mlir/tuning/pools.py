# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who answers the questions of a search: processes of this machine, or workers of a Ray cluster. Answers come in the order in which
they are known."""
from __future__ import annotations

import collections
import concurrent.futures
import os
import queue
import socket
from typing import Iterator

from . import libtpu, modeling
from .workers import JudgeError

# A worker that dies with a question three times has most likely died of it.
MOST_LOSSES = 3


class Judge:
  """Answers one kind of question: `model` predicts a module, `libtpu` judges a program."""

  def __init__(self, kind: str, chip: str, seconds: float):
    self.judge = modeling.Model(chip, libtpu.release(), seconds) if kind == "model" else libtpu.Compiler(chip, seconds)

  def ask(self, question: str) -> dict:
    """The answer, or why there is none: `failed` holds for this run only."""
    try:
      return self.judge.predict(question) if isinstance(self.judge, modeling.Model) else self.judge.judge(question)
    except JudgeError as error:
      return {"failed": str(error)}

  def release(self) -> str:
    return libtpu.release()

  def end(self) -> None:
    self.judge.worker.end()

  def close(self) -> None:
    self.judge.close()


class Processes:
  """Judges on this machine, each with a process of its own."""

  def __init__(self, count: int | None, seconds: float):
    if count is not None and count < 1:
      raise ValueError(f"{count} processes answer nothing; use at least 1, or none for as many as there are processors")
    self.count, self.seconds = count or len(os.sched_getaffinity(0)), seconds

  def answers(self, kind: str, chip: str, questions: list[str]) -> Iterator[tuple[int, dict]]:
    """Pairs of the number of a question and its answer."""
    judges = [Judge(kind, chip, self.seconds) for _ in range(min(self.count, len(questions)))]
    try:
      yield from _ask_one(judges[0], questions) if len(judges) == 1 else _ask_many(judges, questions)
    finally:
      for judge in judges:
        judge.close()

  def close(self) -> None:
    pass


def _ask_one(judge, questions):
  for number, question in enumerate(questions):
    yield number, judge.ask(question)


def _ask_many(judges, questions):
  idle = queue.SimpleQueue()
  for judge in judges:
    idle.put(judge)

  def ask(question):
    judge = idle.get()
    try:
      return judge.ask(question)
    finally:
      idle.put(judge)

  with concurrent.futures.ThreadPoolExecutor(max(1, len(judges))) as threads:
    asked = {threads.submit(ask, question): number for number, question in enumerate(questions)}
    try:
      for future in concurrent.futures.as_completed(asked):
        yield asked[future], future.result()
    except BaseException:
      threads.shutdown(wait=False, cancel_futures=True)
      for judge in judges:
        judge.end()
      raise


def _reach(address: str) -> None:
  """Raises where nothing listens at an address: Ray itself tries for minutes, and then ends the process."""
  host, colon, port = address.removeprefix("ray://").rpartition(":")
  if colon and port.isdigit():
    socket.create_connection((host, int(port)), timeout=10).close()


class Cluster:
  """Judges on the machines of a Ray cluster, one per processor. A worker that dies is replaced, and its question asked again."""

  def __init__(self, address: str, seconds: float):
    try:
      import ray
    except ImportError:
      raise ValueError("a search on a cluster takes the package ray, which is not installed; run pip install 'pallas-mlir[cluster]'") from None
    self.ray, self.seconds, self.is_ours = ray, seconds, not ray.is_initialized()
    if self.is_ours:
      try:
        _reach(address)
        ray.init(address=None if address == "local" else address, log_to_driver=False, include_dashboard=False if address == "local" else None)
      except (OSError, RuntimeError, ValueError) as error:
        raise ValueError(f"there is no Ray cluster at '{address}' ({str(error).splitlines()[0]}); start one by ray start --head, "
                         "or use local for one on this machine") from None
    self.actor = ray.remote(num_cpus=1)(Judge)

  def answers(self, kind: str, chip: str, questions: list[str]) -> Iterator[tuple[int, dict]]:
    """Pairs of the number of a question and its answer."""
    search = _Search(self, kind, chip, questions)
    try:
      yield from search.run()
    finally:
      search.close()

  def close(self) -> None:
    if self.is_ours:
      self.ray.shutdown()


class _Search:
  """The questions of one kind, and the workers that they are given to."""

  def __init__(self, cluster: Cluster, kind: str, chip: str, questions: list[str]):
    self.cluster, self.ray, self.questions = cluster, cluster.ray, questions
    self.arguments = kind, chip, cluster.seconds
    self.waiting = collections.deque(range(len(questions)))
    self.losses = collections.Counter()
    self.idle, self.failed_starts = [], []
    # What each worker is at: the number of a question, or None while it starts.
    self.busy = {}
    count = int(self.ray.cluster_resources().get("CPU", 0))
    if count < 1:
      raise ValueError("the cluster has no processors, and a worker takes one; start its machines with ray start --num-cpus=N")
    for _ in range(min(count, len(questions))):
      self._start()

  def _start(self):
    worker = self.cluster.actor.remote(*self.arguments)
    self.busy[worker.release.remote()] = worker, None

  def _give(self):
    while self.idle and self.waiting:
      worker, number = self.idle.pop(), self.waiting.popleft()
      self.busy[worker.ask.remote(self.questions[number])] = worker, number

  def _wait(self):
    """A worker that is done, what it was at, and its answer; None if it is dead."""
    # A worker keeps the time of a question by itself. One that waits for a processor of the cluster may do so forever.
    asked = any(number is not None for _, number in self.busy.values())
    done, _ = self.ray.wait(list(self.busy), timeout=None if asked else self.cluster.seconds)
    if not done:
      raise ValueError(f"no machine of the cluster starts a worker within {self.cluster.seconds:g} s; ray status shows what it is at")
    worker, number = self.busy.pop(done[0])
    try:
      return worker, number, self.ray.get(done[0])
    except self.ray.exceptions.RayActorError as error:
      if number is None:
        self.failed_starts.append(str(error).strip().splitlines()[-1])
      return worker, number, None

  def run(self):
    left = len(self.questions)
    while left:
      worker, number, answer = self._wait()
      if answer is None:
        if len(self.failed_starts) >= MOST_LOSSES:
          raise ValueError(f"{MOST_LOSSES} workers of the cluster died while they started ({self.failed_starts[-1]}); "
                           "pallas-mlir and libtpu have to be installed on all its machines")
        self._start()
        if number is None:
          continue
        self.losses[number] += 1
        if self.losses[number] < MOST_LOSSES:
          self.waiting.appendleft(number)
        else:
          left -= 1
          yield number, {"failed": f"{MOST_LOSSES} workers died with it"}
        self._give()
        continue
      self.idle.append(worker)
      if number is None:
        self._check_release(answer)
        self.failed_starts.clear()
      else:
        left -= 1
      self._give()
      if number is not None:
        yield number, answer

  def _check_release(self, release: str):
    if release != libtpu.release():
      raise ValueError(f"a machine of the cluster has libtpu {release}, this one {libtpu.release()}; their figures differ, so install one release on all")

  def close(self):
    for worker in [*self.idle, *(worker for worker, _ in self.busy.values())]:
      self.ray.kill(worker)
