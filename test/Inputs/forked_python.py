# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs Python programs in forks of an interpreter that has imported JAX: importing takes longer than most tests.

  forked_python.py --serve SOCKET TIMES      forks for those who ask, until its standard input ends; adds a line to the file
                                             TIMES for each fork: its seconds of processor time, and the test
  forked_python.py INTERPRETER ARGUMENTS     what `INTERPRETER ARGUMENTS` does, in a fork if PALLAS_TEST_FORKS names a socket

An interpreter of its own runs what needs one: options like `-m`, variables that JAX and Python read while they start,
and everything where there is no server. What is ours is not imported ahead, so that no test misses an import.
"""
import os
import socket
import sys

# Names of variables begin like this.
AT_START = ("JAX_", "PYTHON", "LD_", "TPU_", "LIBTPU_", "TF_")


def at_start(environment):
  # JAX can be told of other platforms later.
  return {k: v for k, v in environment.items() if k.startswith(AT_START) and k != "JAX_PLATFORMS"}


#===- Those who ask --------------------------------------------------------===#


def ask(path, arguments):
  """How a program ended in a fork, or None if there is none for it."""
  text = repr((os.getcwd(), arguments, dict(os.environ))).encode()
  try:
    with socket.socket(socket.AF_UNIX) as connection:
      connection.connect(path.replace("@", "\0"))
      socket.send_fds(connection, [len(text).to_bytes(4, "big")], [0, 1, 2])
      connection.sendall(text)
      if connection.recv(1) != b"+":
        return None
      # A server that ends takes its forks with it.
      return int(connection.recv(16) or b"1")
  except OSError:
    return None


def run(interpreter, *arguments):
  path = os.environ.pop("PALLAS_TEST_FORKS", None)
  if path and arguments and (arguments[0] == "-c" or arguments[0].endswith(".py")):
    status = ask(path, arguments)
    if status is not None:
      if status < 0:
        os.kill(os.getpid(), -status)
      sys.exit(status)
  os.execv(interpreter, [interpreter, *arguments])


#===- The server -----------------------------------------------------------===#


def receive(connection):
  """A program, and the standard streams that it is to have."""
  size, streams, _, _ = socket.recv_fds(connection, 4, 3)
  size, text = int.from_bytes(size, "big"), b""
  while len(text) < size:
    text += connection.recv(size - len(text))
  import ast
  return ast.literal_eval(text.decode()), streams


def become(folder, arguments, environment, streams, added):
  """Makes this process the interpreter of a program; yields the module and the code that it is to run there. `added` are
  the variables that JAX sets for itself when it is imported."""
  import random
  import types
  for number, stream in enumerate(streams):
    os.dup2(stream, number)
    os.close(stream)
  os.chdir(folder)
  os.environ.clear()
  os.environ.update(added | environment)
  sys.modules["jax"].config.update("jax_platforms", environment.get("JAX_PLATFORMS"))
  # Forks would draw the same numbers.
  random.seed()
  sys.modules["numpy"].random.seed()
  main = sys.modules["__main__"] = types.ModuleType("__main__")
  if arguments[0] == "-c":
    sys.argv, sys.path[0] = ["-c", *arguments[2:]], ""
    return main, compile(arguments[1], "<string>", "exec")
  sys.argv, sys.path[0] = list(arguments), os.path.dirname(os.path.realpath(arguments[0]))
  main.__file__ = arguments[0]
  with open(arguments[0], "rb") as file:
    return main, compile(file.read(), arguments[0], "exec")


class Server:
  """Forks, and says how forks ended."""

  def __init__(self, path, times):
    import selectors
    import signal
    # Forks by their numbers: who asked, and for which test.
    self.own, self.running, self.selector, self.added = at_start(os.environ), {}, selectors.DefaultSelector(), {}
    self.times = open(times, "a", buffering=1)
    self.listener = socket.socket(socket.AF_UNIX)
    self.listener.bind(path.replace("@", "\0"))
    self.listener.listen(64)
    # A byte for each child that ends.
    self.ended, wake = socket.socketpair()
    self.ended.setblocking(False)
    wake.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake.fileno())
    self.wake = wake
    for source in (self.listener, self.ended, sys.stdin):
      self.selector.register(source, selectors.EVENT_READ)

  def fork(self):
    """The program of a fork, in the fork; None in the server."""
    import signal
    connection, _ = self.listener.accept()
    request, streams = receive(connection)
    taken = at_start(request[2]) == self.own
    connection.sendall(b"+" if taken else b"-")
    child = os.fork() if taken else None
    if child == 0:
      signal.set_wakeup_fd(-1)
      signal.signal(signal.SIGCHLD, signal.SIG_DFL)
      for other in (connection, self.listener, self.ended, self.wake, self.selector, self.times, *(asker for asker, _ in self.running.values())):
        other.close()
      return become(*request, streams, self.added)
    for stream in streams:
      os.close(stream)
    if taken:
      self.running[child] = connection, request[2].get("LIT_CURRENT_TESTCASE")
      self.selector.register(connection, 1)
    else:
      connection.close()
    return None

  def reap(self):
    self.ended.recv(4096)
    for child in list(self.running):
      found, status, usage = os.wait4(child, os.WNOHANG)
      if found:
        connection, test = self.running.pop(child)
        self.times.write(f"{usage.ru_utime + usage.ru_stime:.3f} {test}\n")
        if connection in self.selector.get_map():
          self.selector.unregister(connection)
        try:
          connection.sendall(str(os.waitstatus_to_exitcode(status)).encode())
        except OSError:
          pass
        connection.close()

  def leave(self, gone):
    """Ends the fork of one who does not wait for it any longer."""
    for child, (connection, _) in self.running.items():
      if connection is gone:
        self.selector.unregister(connection)
        os.kill(child, 9)

  def wait(self):
    """The program of a fork, in the fork; None in the server when it is to end."""
    while True:
      for key, _ in self.selector.select():
        if key.fileobj is self.listener:
          if program := self.fork():
            return program
        elif key.fileobj is self.ended:
          self.reap()
        elif key.fileobj is sys.stdin:
          for child in self.running:
            os.kill(child, 9)
          return None
        else:
          self.leave(key.fileobj)


def serve(path, times):
  # Threads do not live on in forks, and NumPy would start some.
  os.environ["OPENBLAS_NUM_THREADS"] = "1"
  # Those who ask before all is imported wait for it.
  server, environment = Server(path, times), dict(os.environ)
  import gc
  import jax
  import jax.experimental.pallas
  import jax.experimental.pallas.tpu
  import jax.numpy
  import numpy
  server.added = {k: v for k, v in os.environ.items() if environment.get(k) != v}
  # Forks share the memory of what they do not visit.
  gc.freeze()
  program = server.wait()
  if not program:
    return
  main, code = program
  try:
    exec(code, main.__dict__)
  except Exception as error:
    # Tracebacks begin in the program.
    sys.excepthook(type(error), error, error.__traceback__.tb_next)
    sys.exit(1)


if __name__ == "__main__":
  serve(*sys.argv[2:]) if sys.argv[1] == "--serve" else run(*sys.argv[1:])
