//===- Products.cpp - Matrix products by cuBLASLt -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuBLASLt is asked once for the algorithm of a product: for its descriptor,
// the alignment of its matrices, and the context.
//
//===----------------------------------------------------------------------===//

#include "Library/Products.h"

#include "Library/CublasLt.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

using namespace tc::runtime;

//===----------------------------------------------------------------------===//
// Numbers of a library
//===----------------------------------------------------------------------===//

static lt::DataType toDataType(int64_t number) {
  constexpr lt::DataType types[] = {lt::R16F, lt::R16BF, lt::R32F,
                                    lt::R64F, lt::C32F,  lt::C64F};
  return types[number];
}

/// The type of alpha and beta: that of a sum.
static lt::DataType toScaleType(int64_t factor) {
  return factor == TC_F16 || factor == TC_BF16 ? lt::R32F : toDataType(factor);
}

static lt::ComputeType toComputeType(const tcProduct &product) {
  if (product.factor == TC_F64 || product.factor == TC_C128)
    return lt::Compute64F;
  if (product.rounding == TC_TO_TF32)
    return lt::Compute32FFastTF32;
  return product.rounding == TC_TO_BF16 ? lt::Compute32FFast16BF
                                        : lt::Compute32F;
}

namespace {
/// Alpha or beta in the type that the library reads.
class Scale {
public:
  Scale(const double (&parts)[2], lt::DataType type) {
    bool isSingle = type == lt::R32F || type == lt::C32F;
    for (int i = 0; i != 2; ++i) {
      singles[i] = static_cast<float>(parts[i]);
      doubles[i] = parts[i];
    }
    place = isSingle ? static_cast<const void *>(singles) : doubles;
  }
  Scale(const Scale &) = delete;
  Scale &operator=(const Scale &) = delete;

  const void *get() const { return place; }

private:
  float singles[2];
  double doubles[2];
  const void *place;
};
} // namespace

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

namespace {
/// A context, which may come to lie where another one was.
struct Context {
  CUcontext context = nullptr;
  unsigned long long id = 0;

  bool operator<(const Context &other) const {
    return std::pair(context, id) < std::pair(other.context, other.id);
  }
};

/// How a product is computed in a context; or why it is not.
struct Plan {
  lt::Operation operation = nullptr;
  std::array<lt::Layout, 4> layouts = {};
  lt::Algorithm algorithm = {};
  std::string problem;
};

/// All that a plan depends on, as words.
using PlanKey = std::vector<uint64_t>;

/// Handles and plans live as long as the process.
struct Plans {
  std::mutex mutex;
  std::map<Context, lt::Handle> handles;
  std::map<std::pair<Context, PlanKey>, Plan> plans;
};

/// Makes one plan.
class Planner {
public:
  Planner(const lt::Library &library, lt::Handle handle,
          const tcProduct &product)
      : library(library), handle(handle), product(product) {}

  Plan make(const std::array<uint32_t, 4> &alignments, uint64_t bytes);

private:
  bool check(const char *call, lt::Status status);
  bool describe();
  bool describeMatrix(size_t i);
  bool propose(const std::array<uint32_t, 4> &alignments, uint64_t bytes,
               lt::Preference preference);

  const lt::Library &library;
  lt::Handle handle;
  const tcProduct &product;
  Plan plan;
};
} // namespace

static Plans &getPlans() {
  static auto *plans = new Plans;
  return *plans;
}

bool Planner::check(const char *call, lt::Status status) {
  if (status != 0)
    plan.problem =
        library.path + ": " + call + " gives status " + std::to_string(status);
  return status == 0;
}

bool Planner::describeMatrix(size_t i) {
  auto [rows, columns, terms, batch] = product.extents;
  int64_t shapes[4][2] = {
      {rows, terms}, {terms, columns}, {rows, columns}, {rows, columns}};
  auto [height, width] = shapes[i];
  if (i < 2 && product.transposed[i])
    std::swap(height, width);
  int64_t type = i < 2 ? product.factor : product.result;
  lt::Layout &layout = plan.layouts[i];
  auto count = static_cast<int32_t>(batch);
  return check("cublasLtMatrixLayoutCreate",
               library.createLayout(
                   &layout, toDataType(type), static_cast<uint64_t>(height),
                   static_cast<uint64_t>(width), product.leading[i])) &&
         check("cublasLtMatrixLayoutSetAttribute",
               library.setLayout(layout, lt::BatchCount, &count,
                                 sizeof(count))) &&
         check("cublasLtMatrixLayoutSetAttribute",
               library.setLayout(layout, lt::BatchStride, &product.strides[i],
                                 sizeof(int64_t)));
}

bool Planner::describe() {
  if (!check("cublasLtMatmulDescCreate",
             library.createOperation(&plan.operation, toComputeType(product),
                                     toScaleType(product.factor))))
    return false;
  for (int i = 0; i != 2; ++i)
    if (product.transposed[i] &&
        !check("cublasLtMatmulDescSetAttribute",
               library.setOperation(plan.operation, lt::TransposeA + i,
                                    &lt::kTransposed, sizeof(int32_t))))
      return false;
  for (size_t i = 0; i != plan.layouts.size(); ++i)
    if (!describeMatrix(i))
      return false;
  return true;
}

bool Planner::propose(const std::array<uint32_t, 4> &alignments, uint64_t bytes,
                      lt::Preference preference) {
  auto prefer = [&](int attribute, const void *value, size_t size) {
    return check("cublasLtMatmulPreferenceSetAttribute",
                 library.setPreference(preference, attribute, value, size));
  };
  if (!prefer(lt::MaxWorkspaceBytes, &bytes, sizeof(bytes)))
    return false;
  for (size_t i = 0; i != alignments.size(); ++i)
    if (!prefer(lt::AlignmentOfA + static_cast<int>(i), &alignments[i],
                sizeof(uint32_t)))
      return false;
  lt::Proposal proposal = {};
  int count = 0;
  if (!check("cublasLtMatmulAlgoGetHeuristic",
             library.propose(handle, plan.operation, plan.layouts[0],
                             plan.layouts[1], plan.layouts[2], plan.layouts[3],
                             preference, /*requested=*/1, &proposal, &count)))
    return false;
  if (count == 0)
    plan.problem = library.path + ": there is no algorithm for the product";
  plan.algorithm = proposal.algorithm;
  return count != 0;
}

Plan Planner::make(const std::array<uint32_t, 4> &alignments, uint64_t bytes) {
  lt::Preference preference = nullptr;
  if (describe() && check("cublasLtMatmulPreferenceCreate",
                          library.createPreference(&preference)))
    propose(alignments, bytes, preference);
  if (preference)
    library.destroyPreference(preference);
  return plan;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static Context findContext(const Driver &driver) {
  Context found;
  if (driver.cuCtxGetCurrent(&found.context) != CUDA_SUCCESS)
    found.context = nullptr;
  if (driver.cuCtxGetId &&
      driver.cuCtxGetId(found.context, &found.id) != CUDA_SUCCESS)
    found.id = 0;
  return found;
}

static bool isCaptured(const Driver &driver, CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  uint64_t id = 0;
  return driver.cuStreamGetCaptureInfo &&
         driver.cuStreamGetCaptureInfo(stream, &status, &id) == CUDA_SUCCESS &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/// The handle of the context. `plans` is locked by the caller. Creating one
/// allocates memory, which no capture allows.
static lt::Handle findHandle(const lt::Library &library, Plans &plans,
                             const Context &context, bool mayCreate,
                             std::string &why) {
  lt::Handle &handle = plans.handles[context];
  if (handle)
    return handle;
  if (!mayCreate) {
    why = "expected the package to be prepared before its stream is captured";
    return nullptr;
  }
  if (lt::Status status = library.create(&handle)) {
    why = library.path + ": cublasLtCreate gives status " +
          std::to_string(status);
    handle = nullptr;
  }
  return handle;
}

std::string tc::runtime::prepareProducts(const Driver &driver) {
  std::string why;
  const lt::Library *library = lt::open(driver, why);
  if (!library)
    return why;
  Plans &plans = getPlans();
  std::lock_guard<std::mutex> lock(plans.mutex);
  findHandle(*library, plans, findContext(driver), /*mayCreate=*/true, why);
  return why;
}

/// What an address is a multiple of, as far as libraries care.
static uint32_t getAlignment(const void *address) {
  constexpr uintptr_t most = 256;
  uintptr_t bits = reinterpret_cast<uintptr_t>(address) | most;
  return static_cast<uint32_t>(bits & -bits);
}

std::string tc::runtime::computeProduct(const Driver &driver,
                                        const ProductCall &call,
                                        CUstream stream) {
  std::string why;
  const lt::Library *library = lt::open(driver, why);
  if (!library)
    return why;
  const tcProduct &product = call.product;
  std::array<uint32_t, 4> alignments = {};
  std::transform(call.matrices.begin(), call.matrices.end(), alignments.begin(),
                 getAlignment);
  Context context = findContext(driver);
  PlanKey key(sizeof(tcProduct) / sizeof(uint64_t));
  std::memcpy(key.data(), &product, sizeof(tcProduct));
  key.insert(key.end(), alignments.begin(), alignments.end());
  key.push_back(call.workspaceBytes);
  Plans &plans = getPlans();
  std::unique_lock<std::mutex> lock(plans.mutex);
  lt::Handle handle =
      findHandle(*library, plans, context, !isCaptured(driver, stream), why);
  if (!handle)
    return why;
  auto [place, isNew] = plans.plans.try_emplace({context, std::move(key)});
  if (isNew)
    place->second = Planner(*library, handle, product)
                        .make(alignments, call.workspaceBytes);
  const Plan &plan = place->second;
  lock.unlock(); // a plan stays where it is, as it is
  if (!plan.problem.empty())
    return plan.problem;
  lt::DataType scaleType = toScaleType(product.factor);
  Scale alpha(product.alpha, scaleType), beta(product.beta, scaleType);
  lt::Status status = library->multiply(
      handle, plan.operation, alpha.get(), call.matrices[0], plan.layouts[0],
      call.matrices[1], plan.layouts[1], beta.get(), call.matrices[2],
      plan.layouts[2], call.matrices[3], plan.layouts[3], &plan.algorithm,
      call.workspace, call.workspaceBytes, stream);
  return status == 0 ? ""
                     : library->path + ": cublasLtMatmul gives status " +
                           std::to_string(status);
}
