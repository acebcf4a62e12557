//===- Documents.cpp - Facts about a text that is not parsed --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Documents.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include <optional>

using namespace mlir::pallas;
using llvm::SmallVector;
using llvm::StringRef;

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// Code units of UTF-16 that begin with this byte of UTF-8.
static unsigned getNumUnits(char byte) {
  auto bits = static_cast<unsigned char>(byte);
  return bits >= 0xF0 ? 2 : (bits & 0xC0) == 0x80 ? 0 : 1;
}

TextPosition mlir::pallas::getPosition(StringRef text, size_t offset) {
  StringRef before = text.take_front(offset);
  TextPosition position;
  position.line = before.count('\n');
  for (char byte : before.substr(before.rfind('\n') + 1))
    position.column += getNumUnits(byte);
  return position;
}

size_t mlir::pallas::getOffset(StringRef text, TextPosition position) {
  size_t offset = 0;
  for (unsigned line = 0; line < position.line; ++line) {
    size_t end = text.find('\n', offset);
    if (end == StringRef::npos)
      return text.size();
    offset = end + 1;
  }
  for (unsigned column = 0;
       offset < text.size() && text[offset] != '\n' && column < position.column;
       ++offset)
    column += getNumUnits(text[offset]);
  return offset;
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// Sizes with commas between; nothing if any is another kind of dimension.
static std::optional<SmallVector<int64_t>> parseSizes(StringRef list) {
  SmallVector<int64_t> sizes;
  SmallVector<StringRef> parts;
  list.split(parts, ',');
  for (StringRef part : parts) {
    int64_t size = 1;
    if (part.trim() != "squeezed" &&
        (part.trim().getAsInteger(10, size) || size <= 0))
      return std::nullopt;
    sizes.push_back(size);
  }
  return sizes;
}

/// `64x128` in front of an element type.
static SmallVector<int64_t> parseShape(StringRef type) {
  SmallVector<int64_t> shape;
  int64_t size;
  while (!type.consumeInteger(10, size) && type.consume_front("x"))
    shape.push_back(size);
  return shape;
}

static std::string spell(llvm::ArrayRef<int64_t> sizes) {
  return llvm::join(llvm::map_range(sizes, llvm::itostr), " x ");
}

/// `block<[8, 128], vmem>` behind `tensor<64x128xf32>)`.
static std::optional<WindowNote> describeWindow(StringRef text, size_t array) {
  size_t closed = text.find('>', array);
  if (closed == StringRef::npos ||
      !text.substr(closed + 1).starts_with(") block<["))
    return std::nullopt;
  size_t begin = closed + 3, list = text.find('[', begin) + 1;
  size_t end = text.find(']', list);
  size_t line = text.find('\n', list);
  if (end == StringRef::npos || end > line)
    return std::nullopt;
  SmallVector<int64_t> shape = parseShape(text.slice(array, closed));
  auto block = parseSizes(text.slice(list, end));
  if (!block || shape.empty() || block->size() != shape.size())
    return std::nullopt;
  SmallVector<int64_t> numbers;
  std::string ragged;
  for (auto [dim, size] : llvm::enumerate(shape)) {
    int64_t part = (*block)[dim];
    if (size <= 0)
      return std::nullopt;
    numbers.push_back((size - 1) / part + 1);
    if (size % part)
      ragged += "; the last one along dimension " + llvm::itostr(dim) +
                " has " + llvm::itostr(size % part) + " of " +
                llvm::itostr(part) + " elements in the array";
  }
  size_t last = text.find('>', end);
  return WindowNote{begin, (last < line ? last : end) + 1,
                    spell(numbers) + " windows",
                    spell(numbers) + " windows of " + spell(*block) +
                        " in an array of " + spell(shape) + ragged};
}

static std::optional<WindowNote> describeGrid(StringRef text, size_t call) {
  size_t line = text.find('\n', call);
  size_t begin = text.find(" grid(", call);
  if (begin == StringRef::npos || begin > line)
    return std::nullopt;
  size_t list = begin + 6, end = text.find(')', list);
  if (end == StringRef::npos || end > line)
    return std::nullopt;
  auto sizes = parseSizes(text.slice(list, end));
  if (!sizes)
    return std::nullopt;
  double number = 1;
  for (int64_t size : *sizes)
    number *= static_cast<double>(size);
  std::string label = llvm::formatv("{0:f0} programs", number);
  return WindowNote{begin + 1, end + 1, label,
                    label + ", the last dimension of the grid fastest"};
}

std::vector<WindowNote> mlir::pallas::findWindows(StringRef text) {
  constexpr StringRef callName = "pallas.pallas_call", arrayName = "tensor<";
  std::vector<WindowNote> notes;
  for (size_t call = text.find(callName); call != StringRef::npos;) {
    size_t next = text.find(callName, call + callName.size());
    if (auto grid = describeGrid(text, call))
      notes.push_back(std::move(*grid));
    // Operands are in front of the kernel.
    size_t end = std::min(next, text.find("kernel", call + callName.size()));
    for (size_t array = text.find(arrayName, call); array < end;
         array = text.find(arrayName, array + 1))
      if (auto window = describeWindow(text, array + arrayName.size()))
        notes.push_back(std::move(*window));
    call = next;
  }
  return notes;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static const char *const pageTexts[] = {
#include "OperationPages.inc"
};

/// Pages of operations by their names: the text below their headings.
static const llvm::StringMap<StringRef> &getPages() {
  static const llvm::StringMap<StringRef> pages = [] {
    llvm::StringMap<StringRef> found;
    for (StringRef page : pageTexts) {
      SmallVector<StringRef> parts;
      page.split(parts, "\n### `");
      for (StringRef part : llvm::drop_begin(parts)) {
        StringRef body = part.split('\n').second;
        found[part.split('`').first] = body.split("\n## ").first.trim();
      }
    }
    return found;
  }();
  return pages;
}

static bool isInName(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '.';
}

StringRef mlir::pallas::getOperationName(StringRef text, size_t offset) {
  size_t begin = std::min(offset, text.size()), end = begin;
  while (begin > 0 && isInName(text[begin - 1]))
    --begin;
  while (end < text.size() && isInName(text[end]))
    ++end;
  StringRef name = text.slice(begin, end);
  return name.contains('.') ? name : StringRef();
}

StringRef mlir::pallas::getOperationPage(StringRef name) {
  return getPages().lookup(name);
}

std::vector<StringRef> mlir::pallas::getOperationsWith(StringRef prefix) {
  std::vector<StringRef> names;
  for (StringRef name : getPages().keys())
    if (name.starts_with(prefix))
      names.push_back(name);
  llvm::sort(names);
  return names;
}

//===----------------------------------------------------------------------===//
// Words of enums
//===----------------------------------------------------------------------===//

namespace {
/// An enum as its page lists it.
struct EnumPage {
  StringRef summary;
  SmallVector<StringRef> words;
};
} // namespace

/// The cell with this number in `| Add | `1` | add |`; the first one is empty.
static StringRef getCell(StringRef row, size_t number) {
  SmallVector<StringRef> cells;
  row.split(cells, '|');
  return number < cells.size() ? cells[number].trim() : StringRef();
}

/// Enums by their C++ types, such as `::mlir::pallas::AtomicKind`.
static const llvm::StringMap<EnumPage> &getEnums() {
  static const llvm::StringMap<EnumPage> enums = [] {
    llvm::StringMap<EnumPage> found;
    for (StringRef page : pageTexts) {
      // `# 'pallas' Dialect`, whose name is that of its namespace.
      std::string space =
          ("::mlir::" + page.split("# '").second.split('\'').first + "::")
              .str();
      SmallVector<StringRef> parts;
      page.split("\n## Enums\n").second.split(parts, "\n### ");
      for (StringRef part : llvm::drop_begin(parts)) {
        auto [name, body] = part.split('\n');
        EnumPage &entry = found[space + name.trim().str()];
        entry.summary = body.trim().split('\n').first.trim("_");
        SmallVector<StringRef> rows;
        body.split("| :----").second.split(rows, '\n');
        for (StringRef row : llvm::drop_begin(rows))
          if (StringRef word = getCell(row, 3); !word.empty())
            entry.words.push_back(word);
      }
    }
    return found;
  }();
  return enums;
}

namespace {
/// A type or an attribute as its page has it.
struct TypePage {
  StringRef text;
  /// Parameters and their C++ types, without quotes.
  SmallVector<std::pair<StringRef, StringRef>> parameters;
};
} // namespace

/// `!pallas.ref` in the page of `RefType`: the first such name that it has.
static StringRef findTypeName(StringRef body, StringRef start) {
  size_t at = body.find(start);
  if (at == StringRef::npos)
    return {};
  return body.substr(at).take_while(
      [](char c) { return isInName(c) || c == '!' || c == '#'; });
}

/// Types and attributes by their names with signs: `!pallas.ref`.
static const llvm::StringMap<TypePage> &getTypes() {
  static const llvm::StringMap<TypePage> types = [] {
    llvm::StringMap<TypePage> found;
    for (StringRef page : pageTexts) {
      StringRef dialect = page.split("# '").second.split('\'').first;
      SmallVector<StringRef> parts;
      page.split(parts, "\n### ");
      for (StringRef part : parts) {
        auto [heading, rest] = part.split('\n');
        StringRef body = rest.split("\n## ").first;
        bool isType = heading.trim().ends_with("Type");
        if (!isType && !heading.trim().ends_with("Attr"))
          continue;
        StringRef name =
            findTypeName(body, ((isType ? "!" : "#") + dialect + ".").str());
        if (name.empty())
          continue;
        TypePage &entry = found[name];
        entry.text = body.trim();
        SmallVector<StringRef> rows;
        body.split("| :---").second.split(rows, '\n');
        for (StringRef row : llvm::drop_begin(rows))
          if (StringRef parameter = getCell(row, 1); !parameter.empty())
            entry.parameters.push_back({parameter, getCell(row, 2).trim('`')});
      }
    }
    return found;
  }();
  return types;
}

/// The type or attribute whose brackets are around an offset, and the place of
/// its bracket. In calls, `block<...>` has no sign.
static std::pair<StringRef, size_t> findTypeAround(StringRef text,
                                                   size_t offset) {
  constexpr size_t mostCharacters = 1000;
  size_t last = offset > mostCharacters ? offset - mostCharacters : 0;
  unsigned depth = 0;
  for (size_t i = offset; i > last; --i) {
    char c = text[i - 1];
    if (c == '{' || c == '}')
      break;
    if (c == '>' && !text.take_front(i).ends_with("->"))
      ++depth;
    if (c != '<' || depth-- > 0)
      continue;
    size_t begin = i - 1;
    while (begin > 0 && isInName(text[begin - 1]))
      --begin;
    if (begin > 0 && (text[begin - 1] == '!' || text[begin - 1] == '#'))
      --begin;
    StringRef name = text.slice(begin, i - 1);
    auto known = getTypes().find(name);
    if (known == getTypes().end())
      known = getTypes().find(("#pallas." + name).str());
    return {known == getTypes().end() ? StringRef() : known->first(), i};
  }
  return {};
}

/// The words of enums that the parameters of a type may be.
static std::vector<EnumWord> findWordsOfType(StringRef name) {
  std::vector<EnumWord> found;
  for (auto [parameter, type] : getTypes().lookup(name).parameters) {
    type.consume_back("Attr");
    auto known = getEnums().find(type);
    if (known == getEnums().end())
      continue;
    for (StringRef word : known->second.words)
      found.push_back({word, parameter, known->second.summary});
  }
  return found;
}

std::vector<StringRef> mlir::pallas::getTypesWith(StringRef prefix) {
  std::vector<StringRef> names;
  for (StringRef name : getTypes().keys())
    if (name.starts_with(prefix))
      names.push_back(name);
  llvm::sort(names);
  return names;
}

StringRef mlir::pallas::getTypePage(StringRef name) {
  return getTypes().lookup(name).text;
}

StringRef mlir::pallas::getTypeName(StringRef text, size_t offset) {
  size_t begin = std::min(offset, text.size()), end = begin;
  while (begin > 0 && isInName(text[begin - 1]))
    --begin;
  while (end < text.size() && isInName(text[end]))
    ++end;
  bool hasSign =
      begin > 0 && (text[begin - 1] == '!' || text[begin - 1] == '#');
  return hasSign ? text.slice(begin - 1, end) : StringRef();
}

std::string mlir::pallas::describeTypeWord(StringRef text, size_t offset) {
  offset = std::min(offset, text.size());
  StringRef name = getTypeName(text, offset);
  if (StringRef page = getTypePage(name); !page.empty())
    return ("### " + name + "\n\n" + page).str();
  size_t end = offset;
  while (end < text.size() && (llvm::isAlnum(text[end]) || text[end] == '_'))
    ++end;
  StringRef word = getTypedWord(text, end);
  StringRef around = findTypeAround(text, end - word.size()).first;
  for (const EnumWord &each : findWordsOfType(around))
    if (each.word == word)
      return ("`" + word + "`: " + each.attribute + " of `" + around + "` (" +
              each.summary + ")\n\n### " + around + "\n\n" +
              getTypePage(around))
          .str();
  return "";
}

StringRef mlir::pallas::getTypedWord(StringRef text, size_t offset) {
  StringRef before = text.take_front(offset);
  return before.drop_front(
      before.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
                              "WXYZ0123456789_") +
      1);
}

/// The name of the last operation before an offset. References to attributes
/// and types have a sign in front, and numbers begin with a digit.
static StringRef findOperationBefore(StringRef text) {
  for (size_t dot = text.rfind('.'); dot != StringRef::npos && dot > 0;
       dot = text.take_front(dot).rfind('.')) {
    size_t begin = dot;
    while (begin > 0 && isInName(text[begin - 1]))
      --begin;
    bool isName = begin < dot && llvm::isAlpha(text[begin]) &&
                  (begin == 0 || llvm::isSpace(text[begin - 1]) ||
                   text[begin - 1] == '"');
    if (isName)
      return getOperationName(text, dot);
    if (begin == 0)
      break;
    dot = begin;
  }
  return {};
}

/// The words of an array of enums that begins before the end of the text: its
/// keyword ends the name of an attribute, whose description names the enum:
///
///   semantics [parallel,   // dimensionSemantics: array of dimension semantics
static std::vector<EnumWord> findWordsOfArray(StringRef text) {
  size_t bracket = text.find_last_not_of("abcdefghijklmnopqrstuvwxyz_, ");
  if (bracket == StringRef::npos || text[bracket] != '[')
    return {};
  StringRef last = text.drop_front(bracket + 1).rtrim();
  StringRef keyword = getTypedWord(text.take_front(bracket).rtrim(),
                                   text.take_front(bracket).rtrim().size());
  if (keyword.empty() || !(last.empty() || last.ends_with(",")))
    return {};
  SmallVector<StringRef> rows;
  getOperationPage(findOperationBefore(text)).split(rows, "<tr><td><code>");
  for (StringRef row : rows) {
    auto [attribute, rest] = row.split("</code></td><td>");
    auto [_, elements] = rest.split("</td><td>array of ");
    if (elements.empty() || !attribute.ends_with_insensitive(keyword))
      continue;
    std::string name = ("#pallas." + elements.split("</td>").first).str();
    llvm::replace(name, ' ', '_');
    return findWordsOfType(name);
  }
  return {};
}

std::vector<EnumWord> mlir::pallas::findEnumWords(StringRef text,
                                                  size_t offset) {
  StringRef typed = getTypedWord(text, offset);
  StringRef before = text.take_front(offset).drop_back(typed.size());
  if (auto [type, bracket] = findTypeAround(text, before.size());
      !type.empty()) {
    // The first parameter comes behind the bracket, others behind commas.
    auto words = findWordsOfType(type);
    bool isFirst = before.drop_front(bracket).trim().empty();
    const auto &parameters = getTypes().find(type)->second.parameters;
    llvm::erase_if(words, [&](const EnumWord &each) {
      return !each.word.starts_with(typed) ||
             (isFirst && each.attribute != parameters.front().first) ||
             (typed.empty() && !isFirst && !before.rtrim().ends_with(","));
    });
    return words;
  }
  std::vector<EnumWord> inArray = findWordsOfArray(before);
  llvm::erase_if(inArray, [&](const EnumWord &each) {
    return !each.word.starts_with(typed);
  });
  if (!inArray.empty())
    return inArray;
  // A word may be nearly everywhere, so one letter of it is wanted where no
  // bracket announces it.
  if (typed.empty() && !before.ends_with("<"))
    return {};
  StringRef page = getOperationPage(findOperationBefore(before));
  SmallVector<StringRef> rows;
  page.split(rows, "<tr><td><code>");
  std::vector<EnumWord> found;
  for (StringRef row : rows) {
    auto [attribute, rest] = row.split("</code></td><td>");
    StringRef type = rest.split("</td>").first;
    if (!type.consume_back("Attr"))
      continue;
    auto known = getEnums().find(type);
    if (known == getEnums().end())
      continue;
    for (StringRef word : known->second.words)
      if (word.starts_with(typed))
        found.push_back({word, attribute, known->second.summary});
  }
  return found;
}

StringRef mlir::pallas::getNearestOperation(StringRef name) {
  StringRef nearest;
  unsigned least = 3;
  for (StringRef known : getPages().keys()) {
    unsigned distance = name.edit_distance(known, true, least);
    if (distance < least || (distance == least && known < nearest)) {
      least = distance;
      nearest = known;
    }
  }
  return nearest;
}
