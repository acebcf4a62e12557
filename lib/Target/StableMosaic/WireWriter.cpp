//===- WireWriter.cpp - Modules as bytecode of the wire format ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format is the first version of MLIR's bytecode, which readers of all
// versions understand.
//
//===----------------------------------------------------------------------===//

#include "WireWriter.h"
#include "WireAttributes.h"
#include "WireOps.h"

#include "mlir/Bytecode/Encoding.h"

using namespace mlir;
using namespace mlir::tpu;
namespace OpEncodingMask = mlir::bytecode::OpEncodingMask;
namespace Section = mlir::bytecode::Section;

namespace {

/// Writes a module in one walk: operations go to their section at once, and
/// strings, attributes and types get their numbers when they are met first.
class WireWriter {
public:
  explicit WireWriter(MLIRContext *context) : attributes(context, strings) {}

  LogicalResult write(ModuleOp module, DictionaryAttr moduleAttrs,
                      raw_ostream &os);

private:
  void writeOperation(Operation *op, DictionaryAttr attrs);
  void writeRegion(Region &region, unsigned firstValue);
  void writeBlock(Block &block, unsigned nextValue);
  void writeSuccessors(Operation *op);
  void writeRegions(Operation *op, unsigned nextValue);
  unsigned getNumber(OperationName name);
  DictionaryAttr getAttributes(Operation *op);
  WireBuffer getDialectSection() const;

  WireStrings strings;
  WireAttributes attributes;
  DenseMap<OperationName, unsigned> nameNumbers;
  SmallVector<unsigned> names;
  DenseMap<Value, unsigned> values;
  DenseMap<Block *, unsigned> blocks;
  /// Values in the regions around the operation that is written.
  unsigned numValues = 0;
  /// Dictionaries by operation and the bytes of its properties: many operations
  /// have equal ones, and making a dictionary is slow.
  DenseMap<std::pair<void *, StringRef>, DictionaryAttr> dictionaries;
  WireBuffer ir;
};

} // namespace

/// The number of a name is its place in the dialect section, which lists the
/// names by dialect. The module is met first and alone is of the builtin
/// dialect, so the order of the list is that of the numbers.
unsigned WireWriter::getNumber(OperationName name) {
  auto [it, isNew] = nameNumbers.try_emplace(name, names.size());
  if (isNew) {
    StringRef text = name.getStringRef();
    text.consume_front(kWirePrefix);
    names.push_back(strings.getNumber(text));
  }
  return it->second;
}

/// All attributes, inherent ones too, as the wire holds them.
DictionaryAttr WireWriter::getAttributes(Operation *op) {
  size_t size = op->getPropertiesStorageSize();
  if (size == 0 || !op->getDiscardableAttrDictionary().empty())
    return op->getAttrDictionary();
  // Of two objects that live at once, equal bytes mean equal values.
  StringRef bytes(op->getPropertiesStorage().as<const char *>(), size);
  auto [it, isNew] = dictionaries.try_emplace(
      {op->getName().getAsOpaquePointer(), bytes}, DictionaryAttr());
  if (isNew)
    it->second = op->getAttrDictionary();
  return it->second;
}

/// Blocks have numbers before their operations are written, as branches may go
/// forward.
void WireWriter::writeSuccessors(Operation *op) {
  ir.varInt(op->getNumSuccessors());
  for (Block *successor : op->getSuccessors())
    ir.varInt(blocks.lookup(successor));
}

/// The mask of the parts that follow comes first, so its byte is filled in
/// last.
void WireWriter::writeOperation(Operation *op, DictionaryAttr attrs) {
  size_t maskPlace = ir.size();
  uint8_t mask = 0;
  ir.byte(0);
  ir.varInt(attributes.getNumber(op->getLoc()));
  if (!attrs.empty()) {
    mask |= OpEncodingMask::kHasAttrs;
    ir.varInt(attributes.getNumber(attrs));
  }
  if (op->getNumResults()) {
    mask |= OpEncodingMask::kHasResults;
    ir.varInt(op->getNumResults());
    for (Type type : op->getResultTypes())
      ir.varInt(attributes.getNumber(type));
  }
  if (op->getNumOperands()) {
    mask |= OpEncodingMask::kHasOperands;
    ir.varInt(op->getNumOperands());
    for (Value operand : op->getOperands())
      ir.varInt(values.lookup(operand));
  }
  if (op->getNumSuccessors()) {
    mask |= OpEncodingMask::kHasSuccessors;
    writeSuccessors(op);
  }
  if (op->getNumRegions())
    mask |= OpEncodingMask::kHasInlineRegions;
  ir.setByte(maskPlace, mask);
}

void WireWriter::writeRegions(Operation *op, unsigned nextValue) {
  // Values in isolated operations are numbered from 0 again.
  bool isIsolated = op->hasTrait<OpTrait::IsIsolatedFromAbove>();
  ir.varIntWithFlag(op->getNumRegions(), isIsolated);
  for (Region &region : op->getRegions())
    writeRegion(region, isIsolated ? 0 : nextValue);
}

/// The values of a region have numbers in a row; those of regions inside come
/// after them.
void WireWriter::writeRegion(Region &region, unsigned firstValue) {
  ir.varInt(region.getBlocks().size());
  if (region.empty())
    return;
  unsigned nextValue = firstValue, nextBlock = 0;
  for (Block &block : region) {
    blocks[&block] = nextBlock++;
    for (BlockArgument argument : block.getArguments())
      values[argument] = nextValue++;
    for (Operation &op : block)
      for (OpResult result : op.getResults())
        values[result] = nextValue++;
  }
  ir.varInt(nextValue - firstValue);
  for (Block &block : region)
    writeBlock(block, nextValue);
}

/// The values here have numbers from `writeRegion`; those of regions inside
/// begin at `nextValue`. Regions beside each other use the same numbers, as
/// neither sees values of the other.
void WireWriter::writeBlock(Block &block, unsigned nextValue) {
  ir.varIntWithFlag(block.getOperations().size(), block.getNumArguments() != 0);
  if (block.getNumArguments()) {
    ir.varInt(block.getNumArguments());
    for (BlockArgument argument : block.getArguments()) {
      ir.varInt(attributes.getNumber(argument.getType()));
      ir.varInt(attributes.getNumber(argument.getLoc()));
    }
  }
  for (Operation &op : block) {
    ir.varInt(getNumber(op.getName()));
    writeOperation(&op, getAttributes(&op));
    if (op.getNumRegions())
      writeRegions(&op, nextValue);
  }
}

WireBuffer WireWriter::getDialectSection() const {
  WireBuffer section;
  ArrayRef<unsigned> dialects = attributes.getDialectNames();
  section.varInt(dialects.size());
  for (unsigned name : dialects)
    section.varInt(name);
  // The module is of the first dialect, what it holds of the second.
  ArrayRef<unsigned> all = names;
  for (auto [dialect, group] :
       {std::pair(0, all.take_front()), std::pair(1, all.drop_front())}) {
    if (group.empty())
      continue;
    section.varInt(dialect);
    section.varInt(group.size());
    for (unsigned name : group)
      section.varInt(name);
  }
  return section;
}

/// The highest bit of the id would announce an alignment, which no section here
/// needs.
static void writeSection(raw_ostream &os, Section::ID id,
                         const WireBuffer &section) {
  WireBuffer header;
  header.byte(id);
  header.varInt(section.size());
  os << header.str() << section.str();
}

/// The strings come last in the file: other sections refer to them by number
/// and may still add some.
LogicalResult WireWriter::write(ModuleOp module, DictionaryAttr moduleAttrs,
                                raw_ostream &os) {
  attributes.getDialectNumber("builtin");
  attributes.getDialectNumber(StableMosaicDialect::getDialectNamespace());
  // One operation in a block without arguments. The name of the module is not
  // shared with modules in it, which the wire renames.
  ir.varIntWithFlag(1, false);
  ir.varInt(names.size());
  names.push_back(strings.getNumber("module"));
  writeOperation(module, moduleAttrs);
  writeRegions(module, 0);

  WireBuffer bodies, offsets;
  if (failed(attributes.writeSections(bodies, offsets)))
    return module.emitError("holds a resource, which cannot be serialized; "
                            "pass the array as an operand");
  os << "ML\xefR";
  WireBuffer version;
  version.varInt(0);
  os << version.str() << "MLIR" << '\0';
  // Other sections may still add strings.
  WireBuffer dialects = getDialectSection();
  writeSection(os, Section::kDialect, dialects);
  writeSection(os, Section::kAttrType, bodies);
  writeSection(os, Section::kAttrTypeOffset, offsets);
  writeSection(os, Section::kIR, ir);
  writeSection(os, Section::kString, strings.getSection());
  return success();
}

LogicalResult tpu::writeWireModule(ModuleOp module, DictionaryAttr attributes,
                                   raw_ostream &os) {
  return WireWriter(module.getContext()).write(module, attributes, os);
}
