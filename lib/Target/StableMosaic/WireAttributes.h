//===- WireAttributes.h - Attributes and types of bytecode ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PALLAS_LIB_TARGET_STABLEMOSAIC_WIREATTRIBUTES_H
#define PALLAS_LIB_TARGET_STABLEMOSAIC_WIREATTRIBUTES_H

#include "WireBuffer.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/IR/AsmState.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::tpu {

/// The strings of a file. They outlive the table.
class WireStrings {
public:
  unsigned getNumber(StringRef text) {
    auto [it, isNew] = numbers.try_emplace(text, strings.size());
    if (isNew)
      strings.push_back(it->first());
    return it->second;
  }
  WireBuffer getSection() const;

private:
  llvm::StringMap<unsigned> numbers;
  SmallVector<StringRef> strings;
};

/// Numbers the attributes, types and dialects of a file in the order in which
/// they are met, and writes them.
class WireAttributes final : private DialectBytecodeWriter {
public:
  WireAttributes(MLIRContext *context, WireStrings &strings)
      : context(context), strings(strings) {}

  unsigned getNumber(Attribute attr) { return attributes.getNumber(attr); }
  unsigned getNumber(Type type) { return types.getNumber(type); }
  unsigned getDialectNumber(StringRef name);
  ArrayRef<unsigned> getDialectNames() const { return dialectNames; }

  /// Writes all that has a number, and what that mentions.
  LogicalResult writeSections(WireBuffer &bodies, WireBuffer &offsets);

private:
  /// One attribute or type in the file: its dialect, the number of its bytes,
  /// and whether they are an encoding or text.
  struct Entry {
    unsigned dialect;
    unsigned size;
    bool isEncoded;
  };
  /// Attributes, or types, with their numbers.
  template <typename T> struct Table {
    unsigned getNumber(T value) {
      auto [it, isNew] = numbers.try_emplace(value, values.size());
      if (isNew)
        values.push_back(value);
      return it->second;
    }
    DenseMap<T, unsigned> numbers;
    SmallVector<T> values;
    /// Those that have been written, and their bytes.
    SmallVector<Entry> entries;
    WireBuffer bytes;
  };

  template <typename T> void writeNewEntries(Table<T> &table);
  void writeText(Attribute attr, raw_ostream &os);
  void writeText(Type type, raw_ostream &os);
  static void writeGroups(ArrayRef<Entry> entries, WireBuffer &offsets);

  // How dialects write the parts of their attributes and types.
  void writeAttribute(Attribute attr) override;
  void writeOptionalAttribute(Attribute attr) override;
  void writeType(Type type) override;
  void writeResourceHandle(const AsmDialectResourceHandle &resource) override;
  void writeVarInt(uint64_t value) override;
  void writeSignedVarInt(int64_t value) override;
  void writeAPIntWithKnownWidth(const APInt &value) override;
  void writeAPFloatWithKnownSemantics(const APFloat &value) override;
  void writeOwnedString(StringRef text) override;
  void writeOwnedBlob(ArrayRef<char> blob) override;
  void writeOwnedBool(bool value) override;
  int64_t getBytecodeVersion() const override;
  FailureOr<const DialectVersion *>
  getDialectVersion(StringRef dialectName) const override;

  MLIRContext *context;
  WireStrings &strings;
  Table<Attribute> attributes;
  Table<Type> types;
  llvm::StringMap<unsigned> dialectNumbers;
  SmallVector<unsigned> dialectNames;
  /// Where the dialect writes.
  WireBuffer *current = nullptr;
  std::optional<AsmState> printing;
  bool hasResources = false;
};

} // namespace mlir::tpu

#endif // PALLAS_LIB_TARGET_STABLEMOSAIC_WIREATTRIBUTES_H
