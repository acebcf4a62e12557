//===- Mistakes.cpp - Kinds of mistakes, and which are allowed ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This file has the kinds of mistakes that checked mode finds, and decides
// which are allowed: by the caller, or by a comment at the line in the source.
//
//===----------------------------------------------------------------------===//

#include "pallas/Runtime/Mistakes.h"
#include "Tolerance.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace pallas_rt;

//===----------------------------------------------------------------------===//
// Kinds
//===----------------------------------------------------------------------===//

/// In the order of the enum.
static constexpr StringLiteral kTitles[] = {
    "uninitialised read",        "padding in a result",
    "window out of bounds",      "access out of bounds",
    "output not written",        "output revisited",
    "aliased input overwritten", "data race",
    "store not committed",       "copy never waited for",
    "semaphore not zero",        "phase never waited for"};
constexpr size_t kNumKinds = std::size(kTitles);
static_assert(kNumKinds ==
                  static_cast<size_t>(MistakeKind::PhaseNeverWaitedFor) + 1,
              "each kind of mistake has a title");

/// As messages spell it.
StringRef pallas_rt::getMistakeTitle(MistakeKind kind) {
  return kTitles[static_cast<size_t>(kind)];
}

/// As options and comments spell it: "output-not-written".
std::string pallas_rt::getMistakeName(MistakeKind kind) {
  std::string name = getMistakeTitle(kind).str();
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

/// For callers that only record what happens, as timelines do.
std::vector<Allowance> pallas_rt::allowAll() {
  std::vector<Allowance> all;
  for (size_t i = 0; i < kNumKinds; ++i)
    all.push_back({static_cast<MistakeKind>(i), "", 0});
  return all;
}

/// The error lists all kinds.
static llvm::Expected<MistakeKind> parseKind(StringRef name) {
  SmallVector<std::string> names;
  for (size_t i = 0; i < kNumKinds; ++i) {
    auto kind = static_cast<MistakeKind>(i);
    names.push_back(getMistakeName(kind));
    if (name == names.back())
      return kind;
  }
  return llvm::createStringError("'%s' is no kind of mistake; the kinds are %s",
                                 name.str().c_str(),
                                 llvm::join(names, ", ").c_str());
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {
/// The file and the line of `file:line:column`; the line is 0 if there is none.
struct Place {
  StringRef file;
  unsigned line = 0;

  explicit Place(StringRef location) {
    unsigned column;
    auto [front, last] = location.rsplit(':');
    auto [path, number] = front.rsplit(':');
    if (!last.getAsInteger(10, column) && !number.getAsInteger(10, line))
      file = path;
  }
};
} // namespace

/// Parses KIND, KIND@FILE or KIND@FILE:LINE.
static llvm::Expected<Allowance> parseAllowance(StringRef text) {
  auto [name, place] = text.split('@');
  auto kind = parseKind(name.trim());
  if (!kind)
    return kind.takeError();
  Allowance allowance{*kind, place.str()};
  auto [file, line] = place.rsplit(':');
  if (!line.empty()) {
    if (file.empty() || line.getAsInteger(10, allowance.line) ||
        allowance.line == 0)
      return llvm::createStringError(
          "'%s' names no place in '%s'; write KIND, KIND@FILE or "
          "KIND@FILE:LINE",
          place.str().c_str(), text.str().c_str());
    allowance.file = file.str();
  } else if (text.contains('@') && place.empty()) {
    return llvm::createStringError(
        "'%s' names no file behind '@'; write KIND, KIND@FILE or "
        "KIND@FILE:LINE",
        text.str().c_str());
  }
  return allowance;
}

/// A list with commas; empty entries are skipped, so that a trailing comma from
/// a script does no harm.
llvm::Expected<std::vector<Allowance>>
pallas_rt::parseAllowances(StringRef text) {
  std::vector<Allowance> allowances;
  SmallVector<StringRef> entries;
  text.split(entries, ',', -1, /*KeepEmpty=*/false);
  for (StringRef entry : entries) {
    if (entry.trim().empty())
      continue;
    auto allowance = parseAllowance(entry.trim());
    if (!allowance)
      return allowance.takeError();
    allowances.push_back(std::move(*allowance));
  }
  return allowances;
}

/// Whether `path` ends with the components of `end`.
static bool endsWithPath(StringRef path, StringRef end) {
  return path.consume_back(end) &&
         (path.empty() || path.back() == '/' || end.front() == '/');
}

/// Whether one allowance is about this finding.
static bool covers(const Allowance &allowance, MistakeKind kind,
                   StringRef location) {
  if (allowance.kind != kind)
    return false;
  if (allowance.file.empty())
    return true;
  Place place(location);
  return endsWithPath(place.file, allowance.file) &&
         (allowance.line == 0 || allowance.line == place.line);
}

//===----------------------------------------------------------------------===//
// Comments
//===----------------------------------------------------------------------===//

/// The comment of a line; empty if it has none.
static StringRef getComment(StringRef line) {
  size_t start = std::min(line.find('#'), line.find("//"));
  return line.substr(start).ltrim("#/ ");
}

/// Such a line belongs to the next line of code.
static bool isOnlyComment(StringRef line) {
  line = line.ltrim();
  return line.starts_with("#") || line.starts_with("//");
}

/// The list in `pallas: allow(...)`; nothing if the comment is another one.
static std::optional<StringRef> getAllowList(StringRef line) {
  StringRef comment = getComment(line);
  size_t start = comment.find("pallas: allow(");
  if (start == StringRef::npos)
    return std::nullopt;
  comment = comment.substr(start + StringLiteral("pallas: allow(").size());
  return comment.take_until([](char c) { return c == ')'; });
}

/// The lists in the comment of the line and in those directly above.
SmallVector<StringRef> Tolerance::readComments(StringRef file, unsigned line) {
  auto &buffer = sources[file];
  if (!buffer) {
    auto read = llvm::MemoryBuffer::getFile(file);
    // Without the source there are no comments.
    buffer = read ? std::move(*read) : llvm::MemoryBuffer::getMemBuffer("");
  }
  SmallVector<StringRef> above, lists;
  for (llvm::line_iterator it(*buffer, /*SkipBlanks=*/false); !it.is_at_end();
       ++it) {
    if (it.line_number() == line) {
      above.push_back(*it);
      break;
    }
    if (isOnlyComment(*it))
      above.push_back(*it);
    else
      above.clear();
  }
  for (StringRef text : above)
    if (std::optional<StringRef> list = getAllowList(text))
      lists.push_back(*list);
  return lists;
}

/// A misspelt kind is an error of the call: it would allow nothing, silently.
bool Tolerance::isAllowedByComment(MistakeKind kind, StringRef location) {
  Place place(location);
  if (place.line == 0)
    return false;
  bool isAllowed = false;
  for (StringRef list : readComments(place.file, place.line)) {
    SmallVector<StringRef> names;
    list.split(names, ',', -1, /*KeepEmpty=*/false);
    for (StringRef name : names) {
      auto allowed = parseKind(name.trim());
      if (allowed)
        isAllowed |= *allowed == kind;
      else
        errors.insert(llvm::formatv("{0}:{1}: {2}", place.file, place.line,
                                    llvm::toString(allowed.takeError()))
                          .str());
    }
  }
  return isAllowed;
}

/// Decisions are kept, since a loop asks the same thing for each of its
/// accesses and reading the source is slow.
bool Tolerance::allows(MistakeKind kind, StringRef location) {
  auto [known, isNew] =
      decisions.try_emplace({location.str(), static_cast<int>(kind)}, false);
  if (isNew)
    known->second = llvm::any_of(allowances,
                                 [&](const Allowance &allowance) {
                                   return covers(allowance, kind, location);
                                 }) ||
                    isAllowedByComment(kind, location);
  return known->second;
}
