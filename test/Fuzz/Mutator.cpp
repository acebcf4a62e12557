//===- Mutator.cpp - Mutants of modules in text and bytecode --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include <limits>

using namespace mlir::pallas;
using llvm::StringRef;

static bool isWord(char c) {
  return llvm::isAlnum(c) || StringRef("_$.").contains(c);
}

/// Length of the token at the start of `text`.
static size_t getTokenLength(StringRef text) {
  size_t length = 1;
  if (text[0] == '"') {
    while (length < text.size() && text[length] != '"' && text[length] != '\n')
      length += text[length] == '\\' ? 2 : 1;
    return std::min(length + 1, text.size());
  }
  if (llvm::isSpace(text[0])) {
    while (length < text.size() && llvm::isSpace(text[length]))
      ++length;
    return length;
  }
  if (text.starts_with("//"))
    return std::min(text.find('\n'), text.size());
  if (isWord(text[0]) || StringRef("%@!#^").contains(text[0]))
    while (length < text.size() && isWord(text[length]))
      ++length;
  return length;
}

static std::vector<StringRef> tokenize(StringRef text) {
  std::vector<StringRef> tokens;
  while (!text.empty()) {
    size_t length = getTokenLength(text);
    tokens.push_back(text.take_front(length));
    text = text.drop_front(length);
  }
  return tokens;
}

/// How many tokens from `start` make a type or attribute with its body, such as
/// `tensor` `<` `8xf32` `>`; 1 when there is no body.
static size_t getBodyExtent(llvm::ArrayRef<StringRef> tokens, size_t start) {
  if (start + 1 >= tokens.size() || tokens[start + 1] != "<")
    return 1;
  size_t depth = 0;
  for (size_t i = start + 1; i < tokens.size(); ++i) {
    // `->` is no bracket.
    if (tokens[i] == "<")
      ++depth;
    else if (tokens[i] == ">" && tokens[i - 1] != "-" && --depth == 0)
      return i - start + 1;
  }
  return 1;
}

Mutator::Mutator(std::vector<std::string> textSeeds,
                 std::vector<std::string> bytecodeSeeds, uint64_t seed)
    : texts(std::move(textSeeds)), bytecodes(std::move(bytecodeSeeds)),
      seed(seed) {
  llvm::StringSet<> seen, seenBodies;
  for (const std::string &text : texts) {
    Tokens &tokens = tokenized.emplace_back(tokenize(text));
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (seen.insert(tokens[i]).second)
        pool.push_back(tokens[i]);
      size_t extent = getBodyExtent(tokens, i);
      StringRef body(tokens[i].data(),
                     tokens[i + extent - 1].end() - tokens[i].data());
      if (extent > 1 && seenBodies.insert(body).second)
        bodies.push_back(body);
    }
  }
}

std::string Mutator::getMutant(uint64_t number) const {
  Random random(seed * 1000003 + number);
  if (getKind(number) == MutantKind::Text || bytecodes.empty())
    return mutateText(random);
  return getKind(number) == MutantKind::BytecodeText
             ? mutateBytecodeText(random)
             : mutateBytecodeBytes(random);
}

/// Numbers at which computations overflow or checks begin to matter.
static std::string getInterestingNumber(std::mt19937_64 &random) {
  static const int64_t numbers[] = {0,
                                    1,
                                    -1,
                                    2,
                                    3,
                                    7,
                                    255,
                                    1 << 16,
                                    int64_t(1) << 31,
                                    int64_t(1) << 32,
                                    int64_t(1) << 62,
                                    std::numeric_limits<int64_t>::max(),
                                    std::numeric_limits<int64_t>::min()};
  return std::to_string(numbers[random() % std::size(numbers)]);
}

/// A token that may stand for `token`: most often one of its kind from the same
/// module, else any that there is.
static StringRef getSubstitute(llvm::ArrayRef<StringRef> module,
                               llvm::ArrayRef<StringRef> pool, StringRef token,
                               std::mt19937_64 &random) {
  auto getKind = [](StringRef token) {
    return llvm::isDigit(token[0]) ? '0' : isWord(token[0]) ? 'a' : token[0];
  };
  for (unsigned attempt = 0; attempt < 32 && random() % 16; ++attempt) {
    StringRef candidate = module[random() % module.size()];
    if (getKind(candidate) == getKind(token) && candidate != token)
      return candidate;
  }
  return pool[random() % pool.size()];
}

void Mutator::mutateTokens(Tokens &tokens, Random &random,
                           std::vector<std::string> &owned) const {
  if (tokens.empty())
    return;
  size_t at = random() % tokens.size();
  // White space has nothing to change: the next token is meant.
  if (llvm::isSpace(tokens[at][0]))
    at = std::min(at + 1, tokens.size() - 1);
  auto here = tokens.begin() + at;
  switch (random() % 8) {
  case 0:
  case 1:
  case 2:
    *here = getSubstitute(tokens, pool, *here, random);
    return;
  case 3:
    if (random() % 2)
      tokens.erase(here);
    else
      tokens.insert(here, getSubstitute(tokens, pool, *here, random));
    return;
  case 4: { // a run of tokens, gone or doubled
    size_t count = std::min<size_t>(random() % 24 + 1, tokens.size() - at);
    Tokens run(here, here + count);
    if (random() % 2)
      tokens.erase(here, here + count);
    else
      tokens.insert(here, run.begin(), run.end());
    return;
  }
  case 5:
  case 6: { // another number
    auto number = std::find_if(here, tokens.end(), [](StringRef token) {
      return llvm::isDigit(token[0]);
    });
    if (number == tokens.end())
      return;
    std::string text = getInterestingNumber(random);
    // `128x64xf32` is one token: its first dimension changes.
    owned.push_back(text + number->ltrim("0123456789").str());
    *number = owned.back();
    return;
  }
  default: { // another type or attribute
    while (at < tokens.size() && getBodyExtent(tokens, at) == 1)
      ++at;
    if (at == tokens.size() || bodies.empty())
      return;
    size_t extent = getBodyExtent(tokens, at);
    tokens[at] = bodies[random() % bodies.size()];
    tokens.erase(tokens.begin() + at + 1, tokens.begin() + at + extent);
    return;
  }
  }
}

/// Changes a type, an attribute or a number wherever it stands. Uses and
/// definitions go on agreeing, so the verifiers get to see it.
std::string Mutator::mutateEverywhere(const Tokens &tokens,
                                      Random &random) const {
  size_t at = random() % tokens.size();
  size_t extent = 1;
  for (size_t steps = 0; steps < tokens.size(); ++steps) {
    at = (at + 1) % tokens.size();
    extent = getBodyExtent(tokens, at);
    if (extent > 1 || llvm::isDigit(tokens[at][0]))
      break;
  }
  auto from = llvm::ArrayRef<StringRef>(tokens).slice(at, extent);
  std::string to;
  if (extent == 1) {
    to = getInterestingNumber(random) + tokens[at].ltrim("0123456789").str();
  } else if (random() % 2 && !bodies.empty()) {
    to = bodies[random() % bodies.size()].str();
  } else {
    Tokens body(tokens.begin() + at, tokens.begin() + at + extent);
    std::vector<std::string> owned;
    owned.reserve(1);
    mutateTokens(body, random, owned);
    to = llvm::join(body, "");
  }
  std::string result;
  for (size_t i = 0; i < tokens.size();) {
    llvm::ArrayRef<StringRef> rest = llvm::ArrayRef<StringRef>(tokens).slice(i);
    bool matches = rest.take_front(extent) == from;
    result += matches ? StringRef(to) : tokens[i];
    i += matches ? extent : 1;
  }
  return result;
}

std::string Mutator::mutateText(Random &random) const {
  Tokens tokens = tokenized[random() % tokenized.size()];
  if (random() % 3 == 0)
    return mutateEverywhere(tokens, random);
  std::vector<std::string> owned;
  // One change leaves the most of a module valid, so it reaches the farthest.
  unsigned count = random() % 2 ? 1 : random() % 3 + 2;
  owned.reserve(count);
  for (unsigned i = 0; i < count; ++i)
    mutateTokens(tokens, random, owned);
  return llvm::join(tokens, "");
}

/// Changes characters of the text inside of the bytecode: attributes and types
/// of dialects, names, strings. The container stays as it is, so most of these
/// mutants reach our own parsers and verifiers.
std::string Mutator::mutateBytecodeText(Random &random) const {
  std::string bytes = bytecodes[random() % bytecodes.size()];
  for (unsigned i = 0, count = random() % 3 + 1; i < count; ++i) {
    // Behind the magic number and the version.
    size_t at = random() % bytes.size();
    auto isInText = [&](size_t at) {
      return at >= 16 && at + 6 < bytes.size() &&
             llvm::all_of(StringRef(bytes).substr(at - 6, 13), llvm::isPrint);
    };
    while (at < bytes.size() && !isInText(at))
      ++at;
    if (at >= bytes.size())
      continue;
    bytes[at] = random() % 2 ? char(' ' + random() % 95)
                             : bytes[at + 1 - 2 * (random() % 2)];
  }
  return bytes;
}

/// Changes the container: its counts, offsets and references, or its length.
std::string Mutator::mutateBytecodeBytes(Random &random) const {
  std::string bytes = bytecodes[random() % bytecodes.size()];
  for (unsigned i = 0, count = random() % 3 + 1; i < count; ++i) {
    size_t at = random() % bytes.size();
    size_t length = std::min<size_t>(random() % 16 + 1, bytes.size() - at);
    switch (random() % 8) {
    case 0: // the end is missing
      bytes.resize(std::max<size_t>(at, 1));
      break;
    case 1:
      bytes.erase(at, length);
      break;
    case 2:
      bytes.insert(at, bytes.substr(random() % bytes.size(), length));
      break;
    case 3: { // a part of another module
      const std::string &other = bytecodes[random() % bytecodes.size()];
      bytes.replace(at, length, other.substr(random() % other.size(), length));
      break;
    }
    case 4: // the longest numbers start with zero, the shortest end with one
      bytes[at] = "\x00\x01\x02\x7f\x80\xfe\xff"[random() % 7];
      break;
    case 5:
      bytes[at] ^= 1 << random() % 8;
      break;
    case 6: // a small step
      bytes[at] += random() % 2 ? 2 : -2;
      break;
    default:
      bytes[at] = char(random());
      break;
    }
    if (bytes.empty())
      bytes = "M";
  }
  return bytes;
}
