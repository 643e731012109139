//===- ScheduleAttr.cpp - #tc.schedule ------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/IR/TC.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

static ParseResult parseFactors(AsmParser &parser, StringRef keyword,
                                SmallVectorImpl<Factor> &factors) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  return failure(parser.parseEqual() ||
                 parser.parseCommaSeparatedList(
                     AsmParser::Delimiter::Square,
                     [&]() -> ParseResult {
                       std::string name;
                       int64_t value;
                       if (parser.parseKeywordOrString(&name) ||
                           parser.parseEqual() || parser.parseInteger(value))
                         return failure();
                       auto id = StringAttr::get(parser.getContext(), name);
                       factors.push_back({id, value});
                       return success();
                     }) ||
                 parser.parseComma());
}

static void printFactors(AsmPrinter &printer, StringRef keyword,
                         ArrayRef<Factor> factors) {
  if (factors.empty())
    return;
  printer << keyword << " = [";
  llvm::interleaveComma(factors, printer, [&](const Factor &factor) {
    printer.printKeywordOrString(factor.iterator.getValue());
    printer << " = " << factor.value;
  });
  printer << "], ";
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SmallVector<Factor> thread, reg, step, vector, split;
  int64_t stages = 1, resident = 1;
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseFactors(parser, "thread", thread) ||
      parseFactors(parser, "register", reg) ||
      parseFactors(parser, "step", step) ||
      parseFactors(parser, "vector", vector) ||
      parseFactors(parser, "split", split))
    return {};
  for (auto [keyword, value] :
       {std::pair("stages", &stages), std::pair("resident", &resident)})
    if (succeeded(parser.parseOptionalKeyword(keyword)) &&
        (parser.parseEqual() || parser.parseInteger(*value) ||
         parser.parseComma()))
      return {};
  SMLoc kernelLoc = parser.getCurrentLocation();
  if (parser.parseKeyword("kernel") || parser.parseEqual() ||
      parser.parseKeyword(&word))
    return {};
  std::optional<Kernel> kernel = symbolizeKernel(word);
  if (!kernel) {
    parser.emitError(kernelLoc, "expected kernel to be 'fma', got '")
        << word << "'";
    return {};
  }
  if (parser.parseGreater())
    return {};
  return ScheduleAttr::getChecked(
      [&] { return parser.emitError(loc); }, parser.getContext(),
      ArrayRef<Factor>(thread), ArrayRef<Factor>(reg), ArrayRef<Factor>(step),
      ArrayRef<Factor>(vector), ArrayRef<Factor>(split), stages, resident,
      *kernel);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printFactors(printer, "thread", getThread());
  printFactors(printer, "register", getReg());
  printFactors(printer, "step", getStep());
  printFactors(printer, "vector", getVector());
  printFactors(printer, "split", getSplit());
  if (getStages() != 1)
    printer << "stages = " << getStages() << ", ";
  if (getResident() != 1)
    printer << "resident = " << getResident() << ", ";
  printer << "kernel = " << stringifyKernel(getKernel()) << '>';
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<Factor> thread,
                                   ArrayRef<Factor> reg, ArrayRef<Factor> step,
                                   ArrayRef<Factor> vector,
                                   ArrayRef<Factor> split, int64_t stages,
                                   int64_t resident, Kernel kernel) {
  if (stages < 1) // schedule_stages
    return emitError() << "expected at least 1 stage, got " << stages;
  if (resident < 1 || resident > 1024) // schedule_resident
    return emitError() << "expected 1 to 1024 resident blocks, got "
                       << resident;
  for (ArrayRef<Factor> list : {thread, reg, step, vector, split}) {
    llvm::SmallDenseMap<StringAttr, unsigned> seen;
    unsigned most = list.data() == thread.data() && !list.empty() ? 2 : 1;
    for (const Factor &factor : list) {
      if (factor.value < 1) // schedule_factor
        return emitError() << "expected the factor of '"
                           << factor.iterator.getValue()
                           << "' to be at least 1, got " << factor.value;
      if (++seen[factor.iterator] > most) // schedule_once
        return emitError() << "expected each iterator at most "
                           << (most == 1 ? "once" : "twice")
                           << " in a list, got '" << factor.iterator.getValue()
                           << "' again";
    }
  }
  return success();
}

static int64_t findFactor(ArrayRef<Factor> factors, StringRef iterator) {
  for (const Factor &factor : factors)
    if (factor.iterator.getValue() == iterator)
      return factor.value;
  return 1;
}

static int64_t getProduct(ArrayRef<Factor> factors) {
  int64_t product = 1;
  for (const Factor &factor : factors)
    if (llvm::MulOverflow(product, factor.value, product))
      return std::numeric_limits<int64_t>::max();
  return product;
}

int64_t ScheduleAttr::getThread(StringRef iterator) const {
  return getProduct(llvm::filter_to_vector(getThread(), [&](const Factor &f) {
    return f.iterator.getValue() == iterator;
  }));
}
int64_t ScheduleAttr::getFastThread(StringRef iterator) const {
  auto isOf = [&](const Factor &f) {
    return f.iterator.getValue() == iterator;
  };
  return llvm::count_if(getThread(), isOf) < 2
             ? 1
             : llvm::find_if(llvm::reverse(getThread()), isOf)->value;
}
int64_t ScheduleAttr::getRegister(StringRef iterator) const {
  return findFactor(getReg(), iterator);
}
int64_t ScheduleAttr::getStep(StringRef iterator) const {
  return findFactor(getStep(), iterator);
}
int64_t ScheduleAttr::getVector(StringRef iterator) const {
  return findFactor(getVector(), iterator);
}
int64_t ScheduleAttr::getSplit(StringRef iterator) const {
  return findFactor(getSplit(), iterator);
}
int64_t ScheduleAttr::getBlock(StringRef iterator) const {
  int64_t block = getThread(iterator);
  for (int64_t factor : {getRegister(iterator), getVector(iterator)})
    if (llvm::MulOverflow(block, factor, block))
      return std::numeric_limits<int64_t>::max();
  return block;
}
int64_t ScheduleAttr::getNumThreads() const { return getProduct(getThread()); }

ScheduleAttr ScheduleAttr::dropSplit() const {
  return ScheduleAttr::get(getContext(), getThread(), getReg(), getStep(),
                           getVector(), /*split=*/{}, getStages(),
                           getResident(), getKernel());
}

ScheduleAttr
ScheduleAttr::filter(function_ref<bool(const Factor &)> keep) const {
  auto kept = [&](ArrayRef<Factor> factors) {
    return llvm::filter_to_vector(factors, keep);
  };
  return ScheduleAttr::get(getContext(), kept(getThread()), kept(getReg()),
                           kept(getStep()), kept(getVector()), kept(getSplit()),
                           getStages(), getResident(), getKernel());
}
