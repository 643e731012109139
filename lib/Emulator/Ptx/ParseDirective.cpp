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

/// `.pragma "name", "name";`. Those of loops are kept, others skipped.
Error Parser::parsePragma() {
  while (!peek().is(';') && peek().kind != Token::Kind::End)
    isAfterNoUnroll |= take().text == "nounroll";
  return expect(';', "after '.pragma'");
}

/// `.file`, `.loc` and `.pragma`, whose word was taken; nothing for another.
std::optional<Error> Parser::parseCommon(StringRef word) {
  if (word == "file")
    return parseFile();
  if (word == "loc")
    return parseLocation();
  if (word == "pragma")
    return parsePragma();
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

/// What a kernel says of its clusters (PTX ISA 9.0, section 11.8).
Error Parser::parseClusters(Function &function, StringRef word, unsigned line) {
  // A grid in units of clusters is for launches that no driver here makes.
  if (word == "blocksareclusters")
    return makeError(line, "directive '." + word + "' is not covered");
  if (module.getChip() < 90)
    return makeError(line, "directive '." + word + "' needs sm_90, got " +
                               module.target);
  if (word == "explicitcluster") {
    function.isExplicitCluster = true;
    return Error::success();
  }
  bool isRank = word == "maxclusterrank";
  uint32_t extents[3] = {1, 1, 1}, count = 0, blocks = 1;
  do {
    Expected<uint64_t> extent = takeUnsigned("a cluster extent");
    if (!extent)
      return extent.takeError();
    if (*extent == 0 || *extent > maxClusterBlocks || count == (isRank ? 1 : 3))
      return makeError(line, "'." + word + "': expected " +
                                 (isRank ? "a number" : "up to three extents") +
                                 " from 1 to " + Twine(maxClusterBlocks) +
                                 ", got " + Twine(*extent));
    extents[count++] = *extent;
    blocks *= *extent;
  } while (accept(','));
  if (blocks > maxClusterBlocks)
    return makeError(line, "'." + word + "': expected at most " +
                               Twine(maxClusterBlocks) +
                               " blocks in a cluster, got " + Twine(blocks));
  if (isRank)
    function.maxClusterRank = extents[0];
  else
    std::copy_n(extents, 3, function.clusterBlocks);
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
      {"%clusterid", Special::ClusterId, true},
      {"%nclusterid", Special::NClusterId, true},
      {"%cluster_ctaid", Special::ClusterCtaId, true},
      {"%cluster_nctaid", Special::ClusterNCtaId, true},
      {"%cluster_ctarank", Special::ClusterCtaRank, false},
      {"%cluster_nctarank", Special::ClusterNCtaRank, false},
      {"%is_explicit_cluster", Special::IsExplicitCluster, false},
      {"%reserved_smem_offset_begin", Special::Tid, false, 0},
      {"%reserved_smem_offset_end", Special::Tid, false, 0},
      {"%reserved_smem_offset_cap", Special::Tid, false, 0},
      {"%reserved_smem_offset_0", Special::Tid, false, 0},
      {"%reserved_smem_offset_1", Special::Tid, false, 0},
      {"%current_graph_exec", Special::Tid, false, 0},
  };
  // Where CUDA's cooperative groups look for the barrier of a grid
  // (cooperative_groups/details/driver_abi.h).
  if (name == "%envreg1" || name == "%envreg2") {
    operand.kind = Operand::Kind::Special;
    operand.special = Special::GridWorkspace;
    operand.dim = name == "%envreg1" ? 1 : 0;
    return true;
  }
  // The other %envreg0 to 31, and the counters %pm0 to 7 and %pm0_64 to 7_64.
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
