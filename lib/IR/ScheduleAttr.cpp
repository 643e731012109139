//===- ScheduleAttr.cpp - #tc.schedule and #tc.host_schedule --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/IR/TC.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// #tc.staging
//===----------------------------------------------------------------------===//

StagingAttr StagingAttr::getInPlace(MLIRContext *context) {
  return StagingAttr::get(context, ArrayRef<Factor>(), /*chunk=*/0);
}

bool StagingAttr::isInPlace() const { return getChunk() == 0; }

LogicalResult StagingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<Factor> strides, int64_t chunk) {
  for (const Factor &dim : strides)
    if (dim.value < 1) // staging_stride
      return emitError() << "expected the stride of '"
                         << dim.iterator.getValue()
                         << "' in a tile to be at least 1, got " << dim.value;
  if (chunk < 0 || (chunk == 0 && !strides.empty())) // staging_chunk
    return emitError() << "expected to copy by at least 1 element, got "
                       << chunk;
  return success();
}

//===----------------------------------------------------------------------===//
// #tc.mma
//===----------------------------------------------------------------------===//

static int64_t getProduct(ArrayRef<Factor> factors) {
  int64_t product = 1;
  for (const Factor &factor : factors)
    if (llvm::MulOverflow(product, factor.value, product))
      return std::numeric_limits<int64_t>::max();
  return product;
}

LogicalResult MmaAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              StringAttr instruction, ArrayRef<Factor> m,
                              ArrayRef<Factor> n, ArrayRef<Factor> k,
                              int64_t promote) {
  const MmaShape *shape = findMmaShape(instruction.getValue());
  if (!shape) { // mma_instruction
    auto names = llvm::map_range(
        getMmaShapes(), [](const MmaShape &shape) { return shape.name; });
    return emitError() << "expected an instruction of "
                       << llvm::join(names, ", ") << ", got " << instruction;
  }
  struct Fold {
    StringRef name;
    ArrayRef<Factor> factors;
    int64_t lanes;
  };
  llvm::SmallDenseSet<StringAttr> seen;
  for (const Fold &fold :
       {Fold{"m", m, kMmaRowLanes}, Fold{"n", n, kMmaColumnLanes},
        Fold{"k", k, kMmaColumnLanes}}) {
    for (const Factor &factor : fold.factors) {
      if (factor.value < 2) // mma_factor
        return emitError() << "expected at least 2 lanes along '"
                           << factor.iterator.getValue() << "', got "
                           << factor.value;
      if (!seen.insert(factor.iterator).second) // mma_once
        return emitError() << "expected each iterator to be folded once, got '"
                           << factor.iterator.getValue() << "' again";
    }
    if (int64_t lanes = getProduct(fold.factors); lanes != fold.lanes)
      return emitError() << "expected " << fold.lanes << " lanes along "
                         << fold.name << ", got " << lanes; // mma_lanes
  }
  if (promote < 0 || promote % shape->k != 0) // mma_promote
    return emitError() << "expected 'promote' to be a positive multiple of the "
                       << shape->k << " terms of " << shape->name << ", got "
                       << promote;
  bool isRounded =
      isa<Float32Type>(tc::getSumType(*shape, instruction.getContext()));
  if (promote > 0 && !isRounded) // mma_promote_sums
    return emitError() << "expected no 'promote' with " << shape->name
                       << ", whose sums are not of f32";
  return success();
}

const MmaShape &MmaAttr::getShape() const {
  return *findMmaShape(getInstruction().getValue());
}

SmallVector<Type, 2> MmaAttr::getInputTypes(Precision precision) const {
  return tc::getInputTypes(getShape(), precision, getContext());
}

Type MmaAttr::getSumType() const {
  return tc::getSumType(getShape(), getContext());
}

SmallVector<Type, 2> mlir::tc::getInputTypes(const MmaShape &shape,
                                             Precision precision,
                                             MLIRContext *context) {
  if (getDecomposition(precision).type == shape.getType())
    return {Float32Type::get(context)};
  if (shape.getType() == "f8")
    return {Float8E4M3FNType::get(context), Float8E5M2Type::get(context)};
  return {llvm::StringSwitch<Type>(shape.getType())
              .Case("f64", Float64Type::get(context))
              .Case("f16", Float16Type::get(context))
              .Case("bf16", BFloat16Type::get(context))
              .Case("tf32", Float32Type::get(context))
              .Case("s8", IntegerType::get(context, 8))};
}

Type mlir::tc::getSumType(const MmaShape &shape, MLIRContext *context) {
  return llvm::StringSwitch<Type>(shape.getType())
      .Case("f64", Float64Type::get(context))
      .Cases({"f16", "bf16", "tf32", "f8"}, Float32Type::get(context))
      .Case("s8", IntegerType::get(context, 32));
}

Type mlir::tc::getNumberLike(Type real, Type like) {
  bool isComplex = isa<ComplexType>(getElementTypeOrSelf(like)) &&
                   isa<Float32Type, Float64Type>(real);
  return isComplex ? ComplexType::get(real) : real;
}

MmaAttr MmaAttr::mapLists(
    function_ref<SmallVector<Factor>(ArrayRef<Factor>)> map) const {
  return get(getContext(), getInstruction(), map(getM()), map(getN()),
             map(getK()), getPromote());
}

int64_t MmaAttr::getPromotedTerms(Precision precision) const {
  return getPromote()
             ? getPromote()
             : tc::getPromotedTerms(getShape(), getDecomposition(precision));
}

int64_t mlir::tc::getPromotedTerms(const MmaShape &shape,
                                   const Decomposition &product) {
  return product.isSeveral() ? shape.k : shape.mostTerms;
}

int64_t MmaAttr::getLanes(StringRef iterator) const {
  return getFactor(getM(), iterator) * getFactor(getN(), iterator);
}

//===----------------------------------------------------------------------===//
// #tc.schedule
//===----------------------------------------------------------------------===//

LogicalResult
ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                     ArrayRef<Factor> thread, ArrayRef<Factor> reg,
                     ArrayRef<Factor> step, ArrayRef<Factor> vector,
                     ArrayRef<Factor> split, ArrayRef<StagingAttr> staging,
                     ArrayRef<Factor> unroll, int64_t stages, int64_t resident,
                     Kernel kernel, MmaAttr unit) {
  if (stages < 1) // schedule_stages
    return emitError() << "expected at least 1 stage, got " << stages;
  if (resident < 1 || resident > 1024) // schedule_resident
    return emitError() << "expected 1 to 1024 resident blocks, got "
                       << resident;
  if (kernel != Kernel::Library &&
      bool(unit) != (kernel == Kernel::Mma)) // schedule_unit
    return emitError() << "expected a unit with kernel mma, and only there; "
                          "got kernel "
                       << stringifyKernel(kernel)
                       << (unit ? " and one" : " without one");
  for (ArrayRef<Factor> list : {thread, reg, step, vector, split, unroll}) {
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

static std::optional<int64_t> findFactor(ArrayRef<Factor> factors,
                                         StringRef iterator) {
  for (const Factor &factor : factors)
    if (factor.iterator.getValue() == iterator)
      return factor.value;
  return std::nullopt;
}

int64_t mlir::tc::getFactor(ArrayRef<Factor> factors, StringRef iterator) {
  return findFactor(factors, iterator).value_or(1);
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
int64_t ScheduleAttr::getBlock(StringRef iterator) const {
  int64_t block = getThread(iterator);
  for (int64_t factor : {getRegister(iterator), getVector(iterator)})
    if (llvm::MulOverflow(block, factor, block))
      return std::numeric_limits<int64_t>::max();
  return block;
}
int64_t ScheduleAttr::getNumThreads() const { return getProduct(getThread()); }

std::optional<int64_t> ScheduleAttr::findUnroll(StringRef iterator) const {
  return findFactor(getUnroll(), iterator);
}

/// The schedule with other parts, staging and loops unrolled.
static ScheduleAttr replaceLists(ScheduleAttr schedule, ArrayRef<Factor> split,
                                 ArrayRef<StagingAttr> staging,
                                 ArrayRef<Factor> unroll) {
  return ScheduleAttr::get(schedule.getContext(), schedule.getThread(),
                           schedule.getReg(), schedule.getStep(),
                           schedule.getVector(), split, staging, unroll,
                           schedule.getStages(), schedule.getResident(),
                           schedule.getKernel(), schedule.getUnit());
}

ScheduleAttr ScheduleAttr::withThread(ArrayRef<Factor> thread) const {
  return get(getContext(), thread, getReg(), getStep(), getVector(), getSplit(),
             getStaging(), getUnroll(), getStages(), getResident(), getKernel(),
             getUnit());
}

ScheduleAttr ScheduleAttr::dropSplit() const {
  return replaceLists(*this, /*split=*/{}, getStaging(), getUnroll());
}

/// The schedule with another kernel.
static ScheduleAttr replaceKernel(ScheduleAttr schedule, Kernel kernel) {
  return ScheduleAttr::get(
      schedule.getContext(), schedule.getThread(), schedule.getReg(),
      schedule.getStep(), schedule.getVector(), schedule.getSplit(),
      schedule.getStaging(), schedule.getUnroll(), schedule.getStages(),
      schedule.getResident(), kernel, schedule.getUnit());
}

ScheduleAttr ScheduleAttr::withLibrary() const {
  return replaceKernel(*this, Kernel::Library);
}

ScheduleAttr ScheduleAttr::dropLibrary() const {
  return replaceKernel(*this, getUnit() ? Kernel::Mma : Kernel::Fma);
}

ScheduleAttr ScheduleAttr::withStaging(ArrayRef<StagingAttr> staging) const {
  return replaceLists(*this, getSplit(), staging, getUnroll());
}

ScheduleAttr ScheduleAttr::withUnroll(ArrayRef<Factor> unroll) const {
  return replaceLists(*this, getSplit(), getStaging(), unroll);
}

using MapFactors = function_ref<SmallVector<Factor>(ArrayRef<Factor>)>;

static ScheduleAttr mapFactors(ScheduleAttr schedule, MapFactors map,
                               MmaAttr unit) {
  return ScheduleAttr::get(schedule.getContext(), map(schedule.getThread()),
                           map(schedule.getReg()), map(schedule.getStep()),
                           map(schedule.getVector()), map(schedule.getSplit()),
                           schedule.getStaging(), map(schedule.getUnroll()),
                           schedule.getStages(), schedule.getResident(),
                           schedule.getKernel(), unit);
}

ScheduleAttr ScheduleAttr::mapLists(MapFactors map) const {
  return mapFactors(*this, map,
                    getUnit() ? getUnit().mapLists(map) : MmaAttr());
}

ScheduleAttr
ScheduleAttr::filter(function_ref<bool(const Factor &)> keep) const {
  auto keepThose = [&](ArrayRef<Factor> factors) {
    return llvm::filter_to_vector(factors, keep);
  };
  return mapFactors(*this, keepThose, getUnit());
}

ScheduleAttr ScheduleAttr::keepOnly(ArrayRef<StringRef> names) const {
  auto isKept = [&](const Factor &factor) {
    return llvm::is_contained(names, factor.iterator.getValue());
  };
  bool isWhole = llvm::all_of(getStaging(), [&](StagingAttr staging) {
    return llvm::all_of(staging.getStrides(), isKept);
  });
  ScheduleAttr kept = filter(isKept);
  return isWhole ? kept : kept.withStaging({});
}

//===----------------------------------------------------------------------===//
// #tc.host_schedule
//===----------------------------------------------------------------------===//

using Report = function_ref<InFlightDiagnostic()>;

/// Each iterator is in one class: once as a whole, and then its inner points.
static LogicalResult verifyLists(Report emitError,
                                 ArrayRef<ArrayRef<Factor>> lists) {
  llvm::SmallDenseSet<StringAttr> whole, inner;
  for (ArrayRef<Factor> list : lists) {
    llvm::SmallDenseSet<StringAttr> here;
    for (const Factor &factor : list) {
      StringRef name = factor.iterator.getValue();
      if (factor.value == 0) {
        if (!whole.insert(factor.iterator).second) // host_schedule_once
          return emitError()
                 << "expected each iterator once, got '" << name << "' again";
        here.insert(factor.iterator);
        continue;
      }
      if (factor.value < 2) // host_schedule_inner
        return emitError() << "expected at least 2 inner points of '" << name
                           << "', got " << factor.value;
      if (!here.contains(factor.iterator) ||
          !inner.insert(factor.iterator).second) // host_schedule_order
        return emitError() << "expected inner points once, after their iterator"
                           << ", got those of '" << name << "'";
    }
  }
  return success();
}

LogicalResult HostScheduleAttr::verify(
    Report emitError, ArrayRef<Factor> batch, ArrayRef<Factor> rows,
    ArrayRef<Factor> columns, ArrayRef<Factor> sums, int64_t vector,
    int64_t dot, ArrayRef<int64_t> tile, ArrayRef<int64_t> block, int64_t task,
    HostSource rowsFrom, HostSource columnsFrom, HostTasks tasks) {
  if (failed(verifyLists(emitError, {batch, rows, columns, sums})))
    return failure();
  if (rows.empty() || columns.empty()) // host_schedule_classes
    return emitError() << "expected rows and columns, got " << rows.size()
                       << " and " << columns.size() << " iterators";
  if (vector < 1 || vector > 64) // host_schedule_vector
    return emitError() << "expected vectors of 1 to 64 elements, got "
                       << vector;
  if (tile.size() != 2 || tile[0] < 1 || tile[1] < 1 || tile[1] % vector != 0 ||
      tile[0] > kMostHostTile || tile[1] > kMostHostTile * vector ||
      tile[0] * (tile[1] / vector) > kMostHostTile) // host_schedule_tile
    return emitError() << "expected a tile of rows and columns, these in whole "
                          "vectors of "
                       << vector << ", of at most " << kMostHostTile
                       << " vectors, got [" << tile << "]";
  if (block.size() != 3 || llvm::any_of(block, [](int64_t n) {
        return n < 1;
      })) // host_schedule_block
    return emitError() << "expected a block of rows, columns and sums, got ["
                       << block << "]";
  if (dot != 1 &&
      (dot != 2 || block[2] % 2 != 0 || rowsFrom != HostSource::Panels ||
       columnsFrom != HostSource::Panels)) // host_schedule_dot
    return emitError() << "expected dot of 1, or of 2 with a block of pairs of "
                          "sums and panels of both inputs, got "
                       << dot;
  if (block[0] % tile[0] != 0 || block[1] % tile[1] != 0) // host_schedule_whole
    return emitError() << "expected a block of whole tiles of " << tile[0]
                       << " rows and " << tile[1] << " columns, got "
                       << block[0] << " and " << block[1];
  if (task < 1 || task % tile[0] != 0 || task > block[0]) // host_schedule_task
    return emitError() << "expected a task of whole tiles of " << tile[0]
                       << " rows, of the " << block[0] << " of a block, got "
                       << task;
  return success();
}
