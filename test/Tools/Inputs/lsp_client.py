"""A client of the language server protocol, as an editor is one."""
import json
import os
import queue
import signal
import subprocess
import threading


class Client:

  def __init__(self, command=("pallas-lsp-server",)):
    self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    self.number, self.versions, self.messages = 0, {}, queue.Queue()
    threading.Thread(target=self._read, daemon=True).start()

  def _read(self):
    stream = self.process.stdout
    while header := stream.readline():
      length = int(header.split(b":")[1])
      assert stream.readline() == b"\r\n"
      self.messages.put(json.loads(stream.read(length)))
    self.messages.put(None)

  def send_bytes(self, data):
    self.process.stdin.write(data)
    self.process.stdin.flush()

  def send(self, **message):
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(body) + body)

  def wait(self, wanted, seconds=120):
    """The first message from here on that is wanted."""
    while True:
      message = self.messages.get(timeout=seconds)
      assert message is not None, f"the server ended with {self.process.wait()}"
      if wanted(message):
        return message

  def request(self, method, **params):
    self.number += 1
    number = self.number
    self.send(id=number, method=method, params=params)
    return self.wait(lambda m: m.get("id") == number)

  def ask(self, method, uri, line, character, **more):
    answer = self.request(f"textDocument/{method}", textDocument={"uri": uri}, position={"line": line, "character": character}, **more)
    return answer.get("result")

  def initialize(self):
    answer = self.request("initialize", processId=None, rootUri=None, capabilities={})
    self.send(method="initialized", params={})
    return answer["result"]

  def diagnostics(self, uri):
    return self.wait(lambda m: m.get("method") == "textDocument/publishDiagnostics" and m["params"]["uri"] == uri)["params"]["diagnostics"]

  def open(self, uri, text):
    """Opens or changes a document; what is wrong with it."""
    self.versions[uri] = version = self.versions.get(uri, 0) + 1
    if version == 1:
      self.send(method="textDocument/didOpen", params={"textDocument": {"uri": uri, "languageId": "mlir", "version": version, "text": text}})
    else:
      self.send(method="textDocument/didChange", params={"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]})
    return self.diagnostics(uri)

  def close(self, uri):
    self.send(method="textDocument/didClose", params={"textDocument": {"uri": uri}})
    del self.versions[uri]

  def end_parser(self):
    """Ends the process that parses, as a text may that crashes it."""
    with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as children:
      os.kill(int(children.read().split()[0]), signal.SIGKILL)

  def shut_down(self):
    """The status with which the server ends."""
    self.request("shutdown")
    self.send(method="exit")
    return self.process.wait(timeout=60)
