# REQUIRES: pygls
# RUN: %python %s %judges | FileCheck %s
"""A session of the language server with the client of pygls, which takes apart every answer by the types of the protocol."""
import asyncio
import pathlib
import sys

sys.path.append(sys.argv[1])
from lsprotocol import types
from pygls.lsp.client import LanguageClient

KERNEL = (pathlib.Path(__file__).parents[2] / "examples/matmul.mlir").read_text().replace("512x256xf32", "500x256xf32")
WRONG = KERNEL.replace("pallas.dot_general", "pallas.dot_generel")
URI = "file:///matmul.mlir"
TEXT = types.TextDocumentIdentifier(uri=URI)


def position(text):
  before = KERNEL[:KERNEL.index(text)]
  return types.Position(line=before.count("\n"), character=len(before) - before.rfind("\n"))


def at(text):
  return dict(text_document=TEXT, position=position(text))


async def session():
  client, diagnostics = LanguageClient("editor", "1"), asyncio.Queue()

  @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
  def _(params: types.PublishDiagnosticsParams):
    diagnostics.put_nowait(params)

  await client.start_io("pallas-lsp-server")
  answer = await client.initialize_async(types.InitializeParams(capabilities=types.ClientCapabilities(), process_id=None, root_uri=None))
  # CHECK: capabilities: True True True True True True
  offered = answer.capabilities
  print("capabilities:", *map(bool, (offered.hover_provider, offered.definition_provider, offered.references_provider, offered.completion_provider,
                                     offered.code_action_provider, offered.inlay_hint_provider)))
  client.initialized(types.InitializedParams())
  client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(uri=URI, language_id="mlir", version=1, text=KERNEL)))
  # CHECK: wrong: 0 in version 1
  found = await diagnostics.get()
  print("wrong:", len(found.diagnostics), "in version", found.version)

  # CHECK: hover: markdown True
  hover = await client.text_document_hover_async(types.HoverParams(**at("pallas.dot_general")))
  print("hover:", hover.contents.kind.value, "operation ::= `pallas.dot_general`" in hover.contents.value)
  # CHECK: hover over a window: 4 x 2 windows of 128 x 128
  hover = await client.text_document_hover_async(types.HoverParams(**at("block<[128, 128], vmem> map(%i, %j, %k) -> (%i, %k)")))
  print("hover over a window:", hover.contents.value)
  # CHECK: definition: %k = pallas.program_id 2
  places = await client.text_document_definition_async(types.DefinitionParams(**at("%k, %c0")))
  print("definition:", KERNEL.splitlines()[places[0].range.start.line].strip())
  # CHECK: references: 1 or more: True
  uses = await client.text_document_references_async(types.ReferenceParams(context=types.ReferenceContext(include_declaration=False), **at("%k, %c0")))
  print("references: 1 or more:", len(uses) >= 1)
  # CHECK: hints: 32 programs, 4 x 2 windows
  everything = types.Range(types.Position(0, 0), types.Position(99, 0))
  hints = await client.text_document_inlay_hint_async(types.InlayHintParams(text_document=TEXT, range=everything))
  print("hints:", ", ".join(str(hint.label).strip() for hint in hints))

  changed = types.VersionedTextDocumentIdentifier(uri=URI, version=2)
  client.text_document_did_change(types.DidChangeTextDocumentParams(changed, [types.TextDocumentContentChangeWholeDocument(text=WRONG)]))
  # CHECK: error: custom op 'pallas.dot_generel' is unknown
  found = (await diagnostics.get()).diagnostics
  print(f"{found[0].severity.name.lower()}:", found[0].message)
  # CHECK: fix: write pallas.dot_general, quickfix
  fixes = await client.text_document_code_action_async(types.CodeActionParams(TEXT, found[0].range, types.CodeActionContext(diagnostics=found)))
  print(f"fix: {fixes[0].title},", fixes[0].kind.value if hasattr(fixes[0].kind, "value") else fixes[0].kind)
  client.text_document_did_close(types.DidCloseTextDocumentParams(TEXT))
  await client.shutdown_async(None)
  client.exit(None)
  await client.stop()


asyncio.run(asyncio.wait_for(session(), 120))
# CHECK: ended
print("ended")
