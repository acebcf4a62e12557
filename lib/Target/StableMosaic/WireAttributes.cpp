//===- WireAttributes.cpp - Attributes and types of bytecode --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WireAttributes.h"

using namespace mlir;
using namespace mlir::tpu;

WireBuffer WireStrings::getSection() const {
  WireBuffer section;
  section.varInt(strings.size());
  for (StringRef text : llvm::reverse(strings))
    section.varInt(text.size() + 1);
  for (StringRef text : strings) {
    section.append(text);
    section.byte(0);
  }
  return section;
}

unsigned WireAttributes::getDialectNumber(StringRef name) {
  auto [it, isNew] = dialectNumbers.try_emplace(name, dialectNames.size());
  if (isNew)
    dialectNames.push_back(strings.getNumber(name));
  return it->second;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

static LogicalResult writeEncoded(const BytecodeDialectInterface &dialect,
                                  Attribute attr,
                                  DialectBytecodeWriter &writer) {
  return dialect.writeAttribute(attr, writer);
}

static LogicalResult writeEncoded(const BytecodeDialectInterface &dialect,
                                  Type type, DialectBytecodeWriter &writer) {
  return dialect.writeType(type, writer);
}

void WireAttributes::writeText(Attribute attr, raw_ostream &os) {
  attr.print(os, *printing);
}

void WireAttributes::writeText(Type type, raw_ostream &os) {
  type.print(os, *printing);
}

/// Dialects without an encoding for an entry have it printed as text, which the
/// reader parses.
template <typename T> void WireAttributes::writeNewEntries(Table<T> &table) {
  current = &table.bytes;
  Dialect *dialect = nullptr;
  unsigned dialectNumber = 0;
  const BytecodeDialectInterface *interface = nullptr;
  while (table.entries.size() < table.values.size()) {
    // Writing it may add others.
    T value = table.values[table.entries.size()];
    size_t start = table.bytes.size();
    // Most are of the same dialect as the one before.
    if (&value.getDialect() != dialect) {
      dialect = &value.getDialect();
      dialectNumber = getDialectNumber(dialect->getNamespace());
      interface = dialect->getRegisteredInterface<BytecodeDialectInterface>();
    }
    Entry entry;
    entry.dialect = dialectNumber;
    entry.isEncoded =
        interface && succeeded(writeEncoded(*interface, value, *this));
    if (!entry.isEncoded) {
      // Starting a printer costs more than all the rest of a small kernel.
      if (!printing)
        printing.emplace(context);
      std::string text;
      llvm::raw_string_ostream os(text);
      writeText(value, os);
      table.bytes.append(text);
      table.bytes.byte(0);
    }
    entry.size = table.bytes.size() - start;
    table.entries.push_back(entry);
  }
}

/// Neighbours of one dialect make a group. The reader takes the entries of a
/// group to follow each other.
void WireAttributes::writeGroups(ArrayRef<Entry> entries, WireBuffer &offsets) {
  while (!entries.empty()) {
    unsigned dialect = entries.front().dialect;
    ArrayRef<Entry> group = entries.take_while(
        [&](const Entry &entry) { return entry.dialect == dialect; });
    offsets.varInt(dialect);
    offsets.varInt(group.size());
    for (const Entry &entry : group)
      offsets.varIntWithFlag(entry.size, entry.isEncoded);
    entries = entries.drop_front(group.size());
  }
}

/// Writing an entry may give numbers to others, so this ends when neither table
/// has grown.
LogicalResult WireAttributes::writeSections(WireBuffer &bodies,
                                            WireBuffer &offsets) {
  // Attributes mention types and types attributes.
  while (attributes.entries.size() < attributes.values.size() ||
         types.entries.size() < types.values.size()) {
    writeNewEntries(attributes);
    writeNewEntries(types);
  }
  bodies.append(attributes.bytes.str());
  bodies.append(types.bytes.str());
  offsets.varInt(attributes.entries.size());
  offsets.varInt(types.entries.size());
  writeGroups(attributes.entries, offsets);
  writeGroups(types.entries, offsets);
  return failure(hasResources);
}

//===----------------------------------------------------------------------===//
// Functions that dialects call
//===----------------------------------------------------------------------===//

void WireAttributes::writeAttribute(Attribute attr) {
  current->varInt(getNumber(attr));
}

void WireAttributes::writeOptionalAttribute(Attribute attr) {
  if (attr)
    current->varIntWithFlag(getNumber(attr), true);
  else
    current->varInt(0);
}

void WireAttributes::writeType(Type type) { current->varInt(getNumber(type)); }

/// Resources have sections that the wire format lacks, so a module with one is
/// refused as a whole.
void WireAttributes::writeResourceHandle(const AsmDialectResourceHandle &) {
  hasResources = true;
}

void WireAttributes::writeVarInt(uint64_t value) { current->varInt(value); }

void WireAttributes::writeSignedVarInt(int64_t value) {
  current->signedVarInt(value);
}

/// The reader knows the width from the type, and with it which of three forms
/// follows: a byte, a signed number, or the words that are in use.
void WireAttributes::writeAPIntWithKnownWidth(const APInt &value) {
  if (value.getBitWidth() <= 8)
    return current->byte(uint8_t(value.getZExtValue()));
  if (value.getBitWidth() <= 64)
    return current->signedVarInt(int64_t(value.getZExtValue()));
  unsigned words = value.getActiveWords();
  current->varInt(words);
  for (uint64_t word : ArrayRef(value.getRawData(), words))
    current->signedVarInt(int64_t(word));
}

void WireAttributes::writeAPFloatWithKnownSemantics(const APFloat &value) {
  writeAPIntWithKnownWidth(value.bitcastToAPInt());
}

void WireAttributes::writeOwnedString(StringRef text) {
  current->varInt(strings.getNumber(text));
}

void WireAttributes::writeOwnedBlob(ArrayRef<char> blob) {
  current->varInt(blob.size());
  current->append(StringRef(blob.data(), blob.size()));
}

void WireAttributes::writeOwnedBool(bool value) { current->byte(value); }

/// Dialects that ask write what readers of all versions know.
int64_t WireAttributes::getBytecodeVersion() const { return 0; }

FailureOr<const DialectVersion *>
WireAttributes::getDialectVersion(StringRef) const {
  return failure();
}
