//===- Guard.cpp - A language server that outlives its parser -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Guard.h"
#include "Documents.h"
#include "Rules.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir::pallas;
using llvm::StringRef;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

/// How long a text may keep the server busy.
static constexpr auto longest = std::chrono::seconds(20);
/// A server that ends so often in a row ends for another reason than a text.
static constexpr unsigned mostRestarts = 20;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static std::string frame(const Value &message) {
  std::string body = llvm::formatv("{0}", message);
  return llvm::formatv("Content-Length: {0}\r\n\r\n{1}", body.size(), body);
}

std::optional<Value> MessageReader::next() {
  constexpr StringRef key = "Content-Length:", gap = "\r\n\r\n";
  while (true) {
    size_t begin = StringRef(buffer).find_insensitive(key);
    size_t end = buffer.find(gap, begin == StringRef::npos ? 0 : begin);
    if (begin == StringRef::npos || end == StringRef::npos)
      return std::nullopt;
    size_t length;
    StringRef number = StringRef(buffer).slice(begin + key.size(), end);
    if (number.split('\r').first.trim().getAsInteger(10, length)) {
      buffer.erase(0, begin + key.size());
      continue;
    }
    size_t body = end + gap.size();
    if (buffer.size() - body < length)
      return std::nullopt;
    auto message = llvm::json::parse(
        llvm::json::fixUTF8(StringRef(buffer).substr(body, length)));
    buffer.erase(0, body + length);
    if (message && message->getAsObject())
      return *message;
    llvm::consumeError(message.takeError());
  }
}

/// Writes all of it, however many calls that takes.
static bool writeAll(int file, StringRef bytes) {
  while (!bytes.empty()) {
    ssize_t number = write(file, bytes.data(), bytes.size());
    if (number < 0 && errno != EINTR)
      return false;
    bytes = bytes.drop_front(std::max<ssize_t>(number, 0));
  }
  return true;
}

void Guard::sendToClient(const Value &message) {
  hasExited |= !writeAll(STDOUT_FILENO, frame(message));
}

void Guard::sendToServer(const Value &message) { unsent += frame(message); }

/// The server may be busy writing, so there is no wait for it to read.
bool Guard::flushToServer() {
  while (!unsent.empty()) {
    ssize_t number = write(toServer, unsent.data(), unsent.size());
    if (number < 0)
      return errno == EAGAIN || errno == EINTR;
    unsent.erase(0, number);
  }
  return true;
}

void Guard::answer(const Value &id, Value result) {
  sendToClient(
      Object{{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

//===----------------------------------------------------------------------===//
// The server
//===----------------------------------------------------------------------===//

void Guard::start() {
  int in[2], out[2];
  if (pipe(in) || pipe(out)) {
    llvm::errs() << "pallas-lsp-server: no pipe to the parser\n";
    hasExited = true;
    return;
  }
  pid = fork();
  if (pid == 0) {
    dup2(in[0], STDIN_FILENO);
    dup2(out[1], STDOUT_FILENO);
    for (int file : {in[0], in[1], out[0], out[1]})
      close(file);
    _exit(serve());
  }
  close(in[0]);
  close(out[1]);
  toServer = in[1];
  fromServer = out[0];
  fcntl(toServer, F_SETFL, O_NONBLOCK);
  fcntl(toServer, F_SETFD, FD_CLOEXEC);
  server = MessageReader();
  unsent.clear();
  lastSign = Clock::now();
}

void Guard::stop() {
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  close(toServer);
  close(fromServer);
}

void Guard::openAgain(StringRef uri, const Document &document) {
  sendToServer(Object{
      {"jsonrpc", "2.0"},
      {"method", "textDocument/didOpen"},
      {"params", Object{{"textDocument", Object{{"uri", uri},
                                                {"languageId", "mlir"},
                                                {"version", document.version},
                                                {"text", document.text}}}}}});
}

bool Guard::restart(StringRef reason) {
  stop();
  for (auto &[text, request] : pending)
    sendToClient(
        Object{{"jsonrpc", "2.0"},
               {"id", *request.get("id")},
               {"error", Object{{"code", -32603},
                                {"message", "the parser " + reason.str()}}}});
  pending.clear();
  numUnchecked = 0;
  if (!initialize || ++numRestarts > mostRestarts) {
    llvm::errs() << "pallas-lsp-server: the parser " << reason << "\n";
    return false;
  }
  if (auto found = documents.find(lastUri); found != documents.end()) {
    found->second.isHarmful = true;
    Object begin{{"line", 0}, {"character", 0}};
    Object finding{
        {"range", Object{{"start", Object(begin)}, {"end", Object(begin)}}},
        {"severity", 1},
        {"source", "pallas"},
        {"message", "the parser " + reason.str() +
                        " on this text, which must not happen: please report "
                        "it; checks go on with the next change"}};
    sendToClient(
        Object{{"jsonrpc", "2.0"},
               {"method", "textDocument/publishDiagnostics"},
               {"params", Object{{"uri", lastUri},
                                 {"diagnostics", Array{std::move(finding)}}}}});
  }
  start();
  isStartingAgain = true;
  sendToServer(*initialize);
  if (isInitialized)
    sendToServer(Object{
        {"jsonrpc", "2.0"}, {"method", "initialized"}, {"params", Object{}}});
  for (const auto &entry : documents)
    if (!entry.second.isHarmful) {
      openAgain(entry.first(), entry.second);
      ++numUnchecked;
    }
  return true;
}

bool Guard::isLate() const {
  bool isBusy = !pending.empty() || numUnchecked > 0;
  return isBusy && Clock::now() - lastSign > longest;
}

int Guard::run() {
  signal(SIGPIPE, SIG_IGN);
  start();
  std::string bytes(1 << 16, '\0');
  while (!hasExited) {
    pollfd files[] = {{STDIN_FILENO, POLLIN, 0},
                      {fromServer, POLLIN, 0},
                      {toServer, short(unsent.empty() ? 0 : POLLOUT), 0}};
    if (poll(files, 3, /*timeout=*/1000) < 0 && errno != EINTR)
      break;
    if (files[0].revents) {
      ssize_t number = read(STDIN_FILENO, bytes.data(), bytes.size());
      // A client that is gone without a word is gone, too.
      hasExited |= number <= 0;
      client.append(StringRef(bytes.data(), std::max<ssize_t>(number, 0)));
      while (auto message = client.next())
        takeFromClient(std::move(*message));
    }
    bool hasEnded = !flushToServer();
    if (files[1].revents) {
      ssize_t number = read(fromServer, bytes.data(), bytes.size());
      hasEnded |= number <= 0;
      lastSign = Clock::now();
      server.append(StringRef(bytes.data(), std::max<ssize_t>(number, 0)));
      while (auto message = server.next())
        takeFromServer(std::move(*message));
    }
    if (hasExited)
      break;
    if (hasEnded ? !restart("ended")
                 : isLate() && !restart("takes longer than 20 seconds"))
      break;
  }
  stop();
  return isShutDown ? 0 : 1;
}

//===----------------------------------------------------------------------===//
// From the client
//===----------------------------------------------------------------------===//

static StringRef getUri(const Object &params) {
  const Object *document = params.getObject("textDocument");
  return document ? document->getString("uri").value_or("") : "";
}

bool Guard::noteDocument(StringRef method, const Object &params) {
  StringRef uri = getUri(params);
  if (method == "textDocument/didClose") {
    bool isKnown = documents.contains(uri) && !documents[uri].isHarmful;
    documents.erase(uri);
    return isKnown;
  }
  Document document;
  bool wasHarmful = documents.lookup(uri).isHarmful;
  const Object *named = params.getObject("textDocument");
  if (!named || uri.empty())
    return false;
  document.version = named->getInteger("version").value_or(0);
  std::optional<StringRef> text;
  if (method == "textDocument/didOpen") {
    text = named->getString("text");
  } else if (const Array *changes = params.getArray("contentChanges")) {
    // The server asks for whole texts.
    const Object *last =
        changes->empty() ? nullptr : changes->back().getAsObject();
    if (last && !last->get("range"))
      text = last->getString("text");
  }
  if (!text)
    return false;
  document.text = text->str();
  lastUri = uri.str();
  documents[uri] = document;
  ++numUnchecked;
  lastSign = Clock::now();
  if (!wasHarmful)
    return true;
  // The server of now never heard of it.
  openAgain(uri, document);
  return false;
}

void Guard::takeFromClient(Value message) {
  Object &object = *message.getAsObject();
  StringRef method = object.getString("method").value_or("");
  static const Object none;
  const Object *given = object.getObject("params");
  const Object &params = given ? *given : none;
  const Value *id = object.get("id");
  if (method == "textDocument/didOpen" || method == "textDocument/didChange" ||
      method == "textDocument/didClose") {
    if (noteDocument(method, params))
      sendToServer(message);
    return;
  }
  if (method == "textDocument/inlayHint" && id)
    return answer(*id, getInlayHints(object));
  if (method == "exit")
    hasExited = true;
  if (method == "initialize")
    initialize = message;
  if (method == "initialized")
    isInitialized = true;
  if (method == "shutdown")
    isShutDown = true;
  if (id && !method.empty()) {
    pending.insert_or_assign(llvm::formatv("{0}", *id).str(), object);
    lastSign = Clock::now();
  }
  sendToServer(message);
}

//===----------------------------------------------------------------------===//
// From the server
//===----------------------------------------------------------------------===//

void Guard::takeFromServer(Value message) {
  Object &object = *message.getAsObject();
  if (const Value *id = object.get("id"); id && !object.get("method")) {
    auto request = pending.find(llvm::formatv("{0}", *id).str());
    if (request == pending.end()) {
      isStartingAgain = false;
      return;
    }
    enrich(object, request->second);
    pending.erase(request);
  } else if (object.getString("method") == "textDocument/publishDiagnostics") {
    numUnchecked -= numUnchecked > 0;
    numRestarts = 0;
    if (Object *params = object.getObject("params"))
      noteDiagnostics(*params);
  }
  sendToClient(message);
}

void Guard::enrich(Object &response, const Object &request) {
  StringRef method = request.getString("method").value_or("");
  if (method == "initialize") {
    if (Object *result = response.getObject("result")) {
      if (Object *capabilities = result->getObject("capabilities"))
        (*capabilities)["inlayHintProvider"] = true;
      (*result)["serverInfo"] = Object{{"name", "pallas-lsp-server"}};
    }
  } else if (method == "textDocument/hover") {
    addToHover(response, request);
  } else if (method == "textDocument/completion") {
    addCompletions(response, request);
  } else if (method == "textDocument/codeAction") {
    addQuickFixes(response, request);
  }
}

/// `V12, V13`, which editors show as the code of a diagnostic.
static std::string spellNumbers(llvm::ArrayRef<Rule> rules) {
  return llvm::join(
      llvm::map_range(rules, [](const Rule &rule) { return rule.number; }),
      ", ");
}

void Guard::noteDiagnostics(Object &params) {
  auto document = documents.find(params.getString("uri").value_or(""));
  Array *found = params.getArray("diagnostics");
  if (!found || document == documents.end())
    return;
  for (Value &diagnostic : *found)
    if (Object *finding = diagnostic.getAsObject())
      if (auto rules = findRules(finding->getString("message").value_or(""));
          !rules.empty())
        (*finding)["code"] = spellNumbers(rules);
  document->second.diagnostics = *found;
}

static std::optional<TextPosition> readPosition(const Object *position) {
  if (!position)
    return std::nullopt;
  auto line = position->getInteger("line");
  auto column = position->getInteger("character");
  if (!line || !column || *line < 0 || *column < 0 || *line > INT32_MAX ||
      *column > INT32_MAX)
    return std::nullopt;
  return TextPosition{unsigned(*line), unsigned(*column)};
}

static Object writePosition(TextPosition position) {
  return Object{{"line", position.line}, {"character", position.column}};
}

/// The rules behind the diagnostics at a position.
static std::string describeRules(StringRef text, size_t offset,
                                 const Array &diagnostics) {
  std::string facts;
  for (const Value &diagnostic : diagnostics) {
    const Object *finding = diagnostic.getAsObject();
    const Object *range = finding ? finding->getObject("range") : nullptr;
    auto begin = range ? readPosition(range->getObject("start")) : std::nullopt;
    auto end = range ? readPosition(range->getObject("end")) : std::nullopt;
    if (!begin || !end || offset < getOffset(text, *begin) ||
        offset > getOffset(text, *end))
      continue;
    for (const Rule &rule :
         findRules(finding->getString("message").value_or("")))
      facts += llvm::formatv("**Rule {0}**: {1}\n\n", rule.number, rule.text);
  }
  return facts;
}

/// Pages of operations are shown for texts that don't parse, too.
void Guard::addToHover(Object &response, const Object &request) {
  const Object *params = request.getObject("params");
  auto document = params ? documents.find(getUri(*params)) : documents.end();
  auto position =
      params ? readPosition(params->getObject("position")) : std::nullopt;
  if (document == documents.end() || !position)
    return;
  StringRef text = document->second.text;
  size_t offset = getOffset(text, *position);
  std::string facts = describeRules(text, offset, document->second.diagnostics);
  for (const WindowNote &note : findWindows(text))
    if (note.begin <= offset && offset < note.end)
      facts += note.sentence + "\n\n";
  std::string ofType = describeTypeWord(text, offset);
  StringRef name = getOperationName(text, offset);
  if (!ofType.empty())
    facts += ofType;
  else if (StringRef page = getOperationPage(name); !page.empty())
    facts += "### " + name.str() + "\n\n" + page.str();
  if (facts.empty())
    return;
  if (Object *result = response.getObject("result"))
    if (Object *contents = result->getObject("contents"))
      facts = contents->getString("value").value_or("").str() + "\n\n---\n\n" +
              facts;
  response["result"] =
      Object{{"contents", Object{{"kind", "markdown"}, {"value", facts}}}};
}

/// MLIR's server knows what may follow a dot, but not how a name goes on that
/// is half there, and nothing of the words of enums.
void Guard::addCompletions(Object &response, const Object &request) {
  const Object *params = request.getObject("params");
  auto document = params ? documents.find(getUri(*params)) : documents.end();
  auto position =
      params ? readPosition(params->getObject("position")) : std::nullopt;
  const Object *result = response.getObject("result");
  const Array *items = result ? result->getArray("items") : nullptr;
  if (document == documents.end() || !position || (items && !items->empty()))
    return;
  StringRef text = document->second.text;
  size_t offset = getOffset(text, *position);
  StringRef typed = getOperationName(text.take_front(offset), offset);
  StringRef typedType = getTypeName(text.take_front(offset), offset);
  bool isType = typedType.contains('.');
  bool isOperation = !typed.empty() && !isType;
  if (isType)
    typed = typedType;
  else if (!isOperation)
    typed = getTypedWord(text, offset);
  TextPosition begin = getPosition(text, offset - typed.size());
  Object range{{"start", writePosition(begin)},
               {"end", writePosition(*position)}};
  Array found;
  auto add = [&](StringRef name, unsigned kind, const llvm::Twine &page) {
    found.push_back(Object{
        {"label", name},
        {"kind", kind},
        {"textEdit", Object{{"range", Object(range)}, {"newText", name}}},
        {"documentation",
         Object{{"kind", "markdown"}, {"value", page.str()}}}});
  };
  constexpr unsigned function = 3, structure = 22, enumMember = 20;
  if (isType)
    for (StringRef name : getTypesWith(typed))
      add(name, structure, getTypePage(name));
  else if (isOperation)
    for (StringRef name : getOperationsWith(typed))
      add(name, function, getOperationPage(name));
  else
    for (const EnumWord &each : findEnumWords(text, offset))
      add(each.word, enumMember, "`" + each.attribute + "`: " + each.summary);
  response["result"] =
      Object{{"isIncomplete", false}, {"items", std::move(found)}};
}

Array Guard::getInlayHints(const Object &request) {
  Array hints;
  const Object *params = request.getObject("params");
  auto document = params ? documents.find(getUri(*params)) : documents.end();
  if (document == documents.end())
    return hints;
  const Object *range = params->getObject("range");
  auto begin = range ? readPosition(range->getObject("start")) : std::nullopt;
  auto end = range ? readPosition(range->getObject("end")) : std::nullopt;
  StringRef text = document->second.text;
  for (const WindowNote &note : findWindows(text)) {
    TextPosition at = getPosition(text, note.end);
    if ((begin && at.line < begin->line) || (end && at.line > end->line))
      continue;
    hints.push_back(Object{{"position", writePosition(at)},
                           {"label", note.label},
                           {"tooltip", note.sentence},
                           {"paddingLeft", true}});
  }
  return hints;
}

//===----------------------------------------------------------------------===//
// Quick fixes
//===----------------------------------------------------------------------===//

namespace {
struct Fix {
  std::string title, text;
  TextPosition begin, end;
};
} // namespace

/// The remedies that are mechanical: what the parser expected is put in, and a
/// misspelled operation gets the name that is nearest.
static std::optional<Fix> findFix(StringRef text, const Object &diagnostic) {
  StringRef message = diagnostic.getString("message").value_or("");
  const Object *range = diagnostic.getObject("range");
  auto at = range ? readPosition(range->getObject("start")) : std::nullopt;
  if (!at)
    return std::nullopt;
  if (message.consume_front("expected '")) {
    auto [wanted, context] = message.split('\'');
    // Where there is a choice, the author has it.
    if (!wanted.empty() && !context.contains(" or ") && !context.contains(','))
      return Fix{"insert '" + wanted.str() + "'", wanted.str() + " ", *at, *at};
  }
  auto [before, rest] = message.split("custom op '");
  StringRef unknown = rest.split('\'').first;
  if (!before.empty() || unknown.empty() || !rest.contains("is unknown"))
    return std::nullopt;
  StringRef nearest = getNearestOperation(unknown);
  size_t offset = getOffset(text, *at);
  if (nearest.empty() || !text.substr(offset).starts_with(unknown))
    return std::nullopt;
  return Fix{"write " + nearest.str(), nearest.str(), *at,
             getPosition(text, offset + unknown.size())};
}

void Guard::addQuickFixes(Object &response, const Object &request) {
  const Object *params = request.getObject("params");
  const Object *context = params ? params->getObject("context") : nullptr;
  const Array *found = context ? context->getArray("diagnostics") : nullptr;
  auto document = params ? documents.find(getUri(*params)) : documents.end();
  if (!found || document == documents.end())
    return;
  Array actions;
  for (const Value &diagnostic : *found) {
    const Object *finding = diagnostic.getAsObject();
    auto fix =
        finding ? findFix(document->second.text, *finding) : std::nullopt;
    if (!fix)
      continue;
    Object range{{"start", writePosition(fix->begin)},
                 {"end", writePosition(fix->end)}};
    Object edit{{"range", std::move(range)}, {"newText", fix->text}};
    Object changes{{document->first(), Array{std::move(edit)}}};
    actions.push_back(
        Object{{"title", fix->title},
               {"kind", "quickfix"},
               {"diagnostics", Array{diagnostic}},
               {"isPreferred", true},
               {"edit", Object{{"changes", std::move(changes)}}}});
  }
  if (Array *others = response.getArray("result"))
    for (Value &other : *others)
      actions.push_back(std::move(other));
  response["result"] = std::move(actions);
}
