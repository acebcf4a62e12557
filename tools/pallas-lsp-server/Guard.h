//===- Guard.h - A language server that outlives its parser -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's server parses and verifies what is being typed in its own process. It
// is a child here: messages pass through, a text that ends or hangs it gets a
// diagnostic, and another child goes on with the other texts. On the way hovers
// gain the pages of operations and the facts about windows, and there are inlay
// hints and quick fixes.
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_TOOLS_PALLAS_LSP_SERVER_GUARD_H
#define PALLAS_TOOLS_PALLAS_LSP_SERVER_GUARD_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace mlir::pallas {

/// Cuts a stream of bytes into messages.
class MessageReader {
public:
  void append(llvm::StringRef bytes) { buffer.append(bytes); }
  /// The next whole message; what is no message is passed over.
  std::optional<llvm::json::Value> next();

private:
  std::string buffer;
};

class Guard {
public:
  /// `serve` runs MLIR's server on the standard input and output.
  explicit Guard(int (*serve)()) : serve(serve) {}

  /// Serves the client until it is done; the status for `main`.
  int run();

private:
  struct Document {
    std::string text;
    int64_t version = 0;
    /// Whether the text ended a server; it is kept from the next one.
    bool isHarmful = false;
    /// Those of the last check.
    llvm::json::Array diagnostics;
  };
  using Clock = std::chrono::steady_clock;

  void start();
  void stop();
  /// After the end of the server: answers what it was asked, blames the text
  /// that it read last, and starts another one.
  bool restart(llvm::StringRef reason);
  void openAgain(llvm::StringRef uri, const Document &document);

  void takeFromClient(llvm::json::Value message);
  void takeFromServer(llvm::json::Value message);
  /// Keeps the text of a notification; whether the server may see it.
  bool noteDocument(llvm::StringRef method, const llvm::json::Object &params);
  void answer(const llvm::json::Value &id, llvm::json::Value result);
  void enrich(llvm::json::Object &response, const llvm::json::Object &request);
  /// Keeps what was found and gives it the numbers of its rules.
  void noteDiagnostics(llvm::json::Object &params);
  void addToHover(llvm::json::Object &response,
                  const llvm::json::Object &request);
  void addCompletions(llvm::json::Object &response,
                      const llvm::json::Object &request);
  void addQuickFixes(llvm::json::Object &response,
                     const llvm::json::Object &request);
  llvm::json::Array getInlayHints(const llvm::json::Object &request);

  void sendToClient(const llvm::json::Value &message);
  void sendToServer(const llvm::json::Value &message);
  bool flushToServer();
  bool isLate() const;

  int (*serve)();
  int pid = -1, toServer = -1, fromServer = -1;
  MessageReader client, server;
  std::string unsent;
  std::optional<llvm::json::Value> initialize;
  bool isInitialized = false, isShutDown = false, hasExited = false;
  /// Whether the answer to the second `initialize` is still to come.
  bool isStartingAgain = false;
  unsigned numRestarts = 0;
  llvm::StringMap<Document> documents;
  std::string lastUri;
  /// Requests of the client that are not answered, by the text of their ids.
  std::map<std::string, llvm::json::Object> pending;
  unsigned numUnchecked = 0;
  Clock::time_point lastSign;
};

} // namespace mlir::pallas

#endif // PALLAS_TOOLS_PALLAS_LSP_SERVER_GUARD_H
