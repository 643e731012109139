//===- ParseDirective.cpp - Directives and special registers --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Directives that stand in more than one place, and what registers are special
// (PTX ISA, sections 10 and 11).
//
//===----------------------------------------------------------------------===//

#include "Ptx/ParserImpl.h"

#include "llvm/ADT/STLExtras.h"

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace tc::emulator::ptx {

Error Parser::skipTo(char punctuation, const Twine &after) {
  while (!peek().is(punctuation) && peek().kind != Token::Kind::End)
    take();
  return expect(punctuation, "after " + after);
}

/// `.file`, `.loc` and `.pragma`, whose word was taken; nothing for another.
std::optional<Error> Parser::parseCommon(StringRef word) {
  if (word == "file")
    return parseFile();
  if (word == "loc")
    return parseLocation();
  if (word == "pragma")
    return skipTo(';', "'.pragma'");
  return std::nullopt;
}

/// `.file number "path"{, time, size}`; LLVM may give folder and name apart.
Error Parser::parseFile() {
  Expected<uint64_t> number = takeUnsigned("a file number");
  if (!number)
    return number.takeError();
  std::string path;
  while (peek().kind == Token::Kind::String)
    path += (path.empty() ? "" : "/") + take().text.str();
  if (path.empty())
    return unexpected("a file name");
  module.files[uint32_t(*number)] = path;
  while (accept(','))
    if (Expected<uint64_t> value = takeUnsigned("a number"); !value)
      return value.takeError();
  return Error::success();
}

/// `file line column`.
Expected<Location> Parser::parsePlace() {
  Location place;
  for (uint32_t *field : {&place.file, &place.line, &place.column}) {
    Expected<uint64_t> value = takeUnsigned("file, line and column");
    if (!value)
      return value.takeError();
    *field = uint32_t(*value);
  }
  return place;
}

/// `.loc file line column{, function_name label, inlined_at file line column}`.
Error Parser::parseLocation() {
  Expected<Location> place = parsePlace();
  if (!place)
    return place.takeError();
  while (accept(',')) {
    Expected<StringRef> what = takeIdentifier("'function_name'");
    if (!what)
      return what.takeError();
    if (*what == "function_name") {
      Expected<StringRef> label = takeIdentifier("a label");
      if (!label)
        return label.takeError();
      if (accept('+') || accept('-'))
        if (Expected<uint64_t> offset = takeUnsigned("an offset"); !offset)
          return offset.takeError();
    } else if (*what == "inlined_at") {
      Expected<Location> call = parsePlace();
      if (!call)
        return call.takeError();
      place->inlinedAt = module.locations.size();
      module.locations.push_back(*call);
    } else {
      return makeError(peek().line, "'" + *what + "' is not covered in '.loc'");
    }
  }
  location = module.locations.size();
  module.locations.push_back(*place);
  return Error::success();
}

/// `.alias name, function;`
Error Parser::parseAlias() {
  unsigned line = peek().line;
  Expected<StringRef> name = takeIdentifier("a function name");
  if (!name)
    return name.takeError();
  if (Error error = expect(',', "in '.alias'"))
    return error;
  Expected<StringRef> function = takeIdentifier("a function name");
  if (!function)
    return function.takeError();
  const Function *found = module.findFunction(*function);
  if (!found || !found->hasBody || found->isEntry)
    return makeError(line, "expected a function that is defined before, got '" +
                               *function + "'");
  module.aliases[*name] = found->name;
  return expect(';', "after '.alias'");
}

/// Clusters of one block are as none; larger ones are refused.
Error Parser::parseClusters(StringRef word, unsigned line) {
  if (word == "explicitcluster")
    return Error::success();
  if (word == "blocksareclusters")
    return makeError(line, "directive '." + word + "' is not covered");
  do {
    Expected<uint64_t> extent = takeUnsigned("a cluster extent");
    if (!extent)
      return extent.takeError();
    // A limit on the rank asks for no clusters.
    if (*extent != 1 && word != "maxclusterrank")
      return makeError(line, "'." + word +
                                 "': clusters of more than one block are not "
                                 "covered, got " +
                                 Twine(*extent));
  } while (accept(','));
  return Error::success();
}

/// `.attribute(.managed, .unified(1, 2))`: where the memory lies, which is all
/// the same here.
Error Parser::parseAttributeList() {
  if (Error error = expect('(', "after '.attribute'"))
    return error;
  do {
    if (acceptDotted("managed"))
      continue;
    if (!acceptDotted("unified"))
      return unexpected("'.managed' or '.unified'");
    if (Error error = expect('(', "after '.unified'"))
      return error;
    if (Error error = skipTo(')', "'.unified'"))
      return error;
  } while (accept(','));
  return expect(')', "after '.attribute'");
}

bool Parser::findSpecial(StringRef name, Operand &operand) {
  struct Entry {
    const char *name;
    Special special;
    bool isVector;
    /// What it reads as where nothing of the launch decides; -1 otherwise.
    int constant = -1;
  };
  static const Entry entries[] = {
      {"%tid", Special::Tid, true},
      {"%ntid", Special::NTid, true},
      {"%ctaid", Special::CtaId, true},
      {"%nctaid", Special::NCtaId, true},
      {"%laneid", Special::LaneId, false},
      {"%warpid", Special::WarpId, false},
      {"%nwarpid", Special::NWarpId, false},
      {"%lanemask_eq", Special::LaneMaskEq, false},
      {"%lanemask_lt", Special::LaneMaskLt, false},
      {"%lanemask_le", Special::LaneMaskLe, false},
      {"%lanemask_gt", Special::LaneMaskGt, false},
      {"%lanemask_ge", Special::LaneMaskGe, false},
      {"%smid", Special::SmId, false},
      {"%nsmid", Special::NSmId, false},
      {"%gridid", Special::GridId, false},
      {"%clock", Special::Clock, false},
      {"%clock_hi", Special::Clock, false, 0},
      {"%clock64", Special::Clock64, false},
      {"%globaltimer", Special::GlobalTimer, false},
      {"%globaltimer_lo", Special::GlobalTimer, false},
      {"%globaltimer_hi", Special::GlobalTimer, false, 0},
      {"%dynamic_smem_size", Special::DynamicShared, false},
      {"%total_smem_size", Special::TotalShared, false},
      {"%aggr_smem_size", Special::TotalShared, false},
      // Without clusters, each block is one.
      {"%clusterid", Special::CtaId, true},
      {"%nclusterid", Special::NCtaId, true},
      {"%cluster_ctaid", Special::Tid, true, 0},
      {"%cluster_nctaid", Special::Tid, true, 1},
      {"%cluster_ctarank", Special::Tid, false, 0},
      {"%cluster_nctarank", Special::Tid, false, 1},
      {"%is_explicit_cluster", Special::Tid, false, 0},
      {"%reserved_smem_offset_begin", Special::Tid, false, 0},
      {"%reserved_smem_offset_end", Special::Tid, false, 0},
      {"%reserved_smem_offset_cap", Special::Tid, false, 0},
      {"%reserved_smem_offset_0", Special::Tid, false, 0},
      {"%reserved_smem_offset_1", Special::Tid, false, 0},
      {"%current_graph_exec", Special::Tid, false, 0},
  };
  // %envreg0 to 31 and the counters %pm0 to 7 and %pm0_64 to 7_64.
  unsigned number;
  StringRef rest = name;
  if ((rest.consume_front("%envreg") && !rest.getAsInteger(10, number) &&
       number < 32) ||
      (rest.consume_front("%pm") &&
       (rest.consume_back("_64"), !rest.getAsInteger(10, number)) &&
       number < 8)) {
    operand.kind = Operand::Kind::Immediate;
    return true;
  }
  const Entry *entry = llvm::find_if(
      entries, [&](const Entry &entry) { return name == entry.name; });
  if (entry == std::end(entries))
    return false;
  if (entry->isVector) {
    StringRef dims = "xyz";
    if (!peek().isDotted() || peek().text.size() != 1 ||
        !dims.contains(peek().text))
      return false;
    operand.dim = dims.find(take().text[0]);
  }
  operand.kind =
      entry->constant < 0 ? Operand::Kind::Special : Operand::Kind::Immediate;
  operand.special = entry->special;
  operand.bits = entry->constant < 0 ? 0 : entry->constant;
  return true;
}

} // namespace tc::emulator::ptx
