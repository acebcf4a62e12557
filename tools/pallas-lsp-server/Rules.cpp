//===- Rules.cpp - The rules behind diagnostics ---------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A diagnostic has no number, so it is found by the words that are the same in
// each message of its check: utils/rule-messages.py lists them from the
// sources.
//
//===----------------------------------------------------------------------===//

#include "Rules.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <vector>

using namespace mlir::pallas;
using llvm::StringRef;

namespace {
struct RuleMessage {
  StringRef number, text;
  /// In this order, with sizes, types and names between.
  std::vector<StringRef> words;
};
} // namespace

static llvm::ArrayRef<RuleMessage> getMessages() {
  static const std::vector<RuleMessage> messages = {
#include "RuleMessages.inc"
  };
  return messages;
}

/// How many characters of the message are words of the check; 0 if any word is
/// not there.
static size_t countWords(const RuleMessage &known, StringRef message) {
  size_t count = 0;
  for (StringRef words : known.words) {
    size_t at = message.find(words);
    if (at == StringRef::npos)
      return 0;
    message = message.substr(at + words.size());
    count += words.size();
  }
  return count;
}

llvm::SmallVector<Rule> mlir::pallas::findRules(StringRef message) {
  llvm::SmallVector<Rule> rules;
  size_t most = 1;
  for (const RuleMessage &known : getMessages()) {
    size_t count = countWords(known, message);
    if (count < most)
      continue;
    if (count > most)
      rules.clear();
    most = count;
    if (llvm::none_of(rules, [&](const Rule &rule) {
          return rule.number == known.number;
        }))
      rules.push_back({known.number, known.text});
  }
  return rules;
}
