//===- PackageFfi.cpp - Packaged kernels called through TVM-FFI -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a call takes is read from tensors: extents and strides are compared with
// the description of the package, or become its parameters. The structures are
// those of apache-tvm-ffi 0.1 (tvm/ffi/c_api.h), the functions those of its
// c_api.h and extra/c_env_api.h. They are looked up when they are needed, so
// that TVM-FFI may be loaded before, after, or never.
//
//===----------------------------------------------------------------------===//

#include "Dlpack.h"
#include "Package/Package.h"
#include "Package/ScalarBits.h"

#include <dlfcn.h>

using namespace tc::runtime;

//===----------------------------------------------------------------------===//
// TVM-FFI
//===----------------------------------------------------------------------===//

namespace {
/// TVMFFITypeIndex, where it matters here.
enum FfiKind : int32_t {
  ffiNone = 0,
  ffiInt = 1,
  ffiBool = 2,
  ffiFloat = 3,
  ffiTensorPointer = 7, ///< a DLTensor
  ffiTensor = 70        ///< an object with a DLTensor
};

/// TVMFFIAny.
struct FfiAny {
  int32_t kind;
  uint32_t padding;
  union {
    int64_t integer;
    double real;
    const char *pointer;
  };
};

/// TVMFFIObject, which every object begins with.
struct FfiObject {
  uint64_t references;
  int32_t kind;
  uint32_t padding;
  void (*deleter)(void *object, int flags);
};
static_assert(sizeof(FfiAny) == 16 && sizeof(FfiObject) == 24);

/// A function of TVM-FFI, where that is loaded; kept once it is found.
class FfiFunction {
public:
  explicit constexpr FfiFunction(const char *name) : name(name) {}

  template <typename Function>
  Function *get() {
    void *function = found.load(std::memory_order_relaxed);
    if (!function) {
      function = find();
      found.store(function, std::memory_order_relaxed);
    }
    return reinterpret_cast<Function *>(function);
  }

private:
  /// In what all libraries see, else in a library that is loaded for others.
  void *find() const {
    if (void *function = dlsym(RTLD_DEFAULT, name))
      return function;
    void *library = dlopen("libtvm_ffi.so", RTLD_LAZY | RTLD_NOLOAD);
    if (!library)
      return nullptr;
    void *function = dlsym(library, name);
    dlclose(library);
    return function;
  }

  const char *name;
  std::atomic<void *> found{nullptr};
};
} // namespace

/// The stream that work for a CUDA device goes to; null, the default stream,
/// without TVM-FFI.
static CUstream findStream(int32_t ordinal) {
  static FfiFunction getStream("TVMFFIEnvGetStream");
  auto *get = getStream.get<void *(int32_t type, int32_t ordinal)>();
  return static_cast<CUstream>(get ? get(kDLCUDA, ordinal) : nullptr);
}

/// Python's exception for a status.
static const char *exceptionFor(int status) {
  if (status == TC_INVALID_ARGUMENT)
    return "TypeError";
  bool isValue = status >= TC_WRONG_EXTENT && status <= TC_WRONG_DEVICE;
  return isValue ? "ValueError" : "RuntimeError";
}

/// Raises what tcLastError says.
static void raise(int status) {
  static FfiFunction setRaised("TVMFFIErrorSetRaisedFromCStr");
  if (auto *set = setRaised.get<void(const char *kind, const char *message)>())
    set(exceptionFor(status), tcLastError());
}

//===----------------------------------------------------------------------===//
// Words for messages
//===----------------------------------------------------------------------===//

static std::string nameKind(const FfiAny &value) {
  switch (value.kind) {
  case ffiNone:
    return "None";
  case ffiInt:
    return "the int " + std::to_string(value.integer);
  case ffiBool:
    return value.integer ? "True" : "False";
  case ffiFloat:
    return "the float " + std::to_string(value.real);
  case ffiTensorPointer:
  case ffiTensor:
    return value.pointer ? "a tensor" : "a null pointer";
  default:
    return "a value of TVM-FFI's type " + std::to_string(value.kind);
  }
}

/// "float32", "float8_e4m3fn".
static std::string nameType(DLDataType type) {
  std::string bits = std::to_string(type.bits);
  std::string lanes = type.lanes == 1 ? "" : "x" + std::to_string(type.lanes);
  switch (type.code) {
  case TC_CODE_INT:
    return "int" + bits + lanes;
  case TC_CODE_UINT:
    return "uint" + bits + lanes;
  case TC_CODE_FLOAT:
    return "float" + bits + lanes;
  case TC_CODE_BFLOAT:
    return "bfloat" + bits + lanes;
  case TC_CODE_COMPLEX:
    return "complex" + bits + lanes;
  case TC_CODE_BOOL:
    return "bool" + lanes;
  case TC_CODE_FLOAT8_E4M3:
    return "float8_e4m3fn" + lanes;
  case TC_CODE_FLOAT8_E5M2:
    return "float8_e5m2" + lanes;
  default:
    return bits + " bits" + lanes + " of DLPack's type " +
           std::to_string(type.code);
  }
}

static DLDataType typeOf(const tcPackagedArgument &argument) {
  return {static_cast<uint8_t>(argument.elementType),
          static_cast<uint8_t>(argument.elementType >> 8),
          static_cast<uint16_t>(argument.elementType >> 16)};
}

static bool isOnHost(DLDevice device) {
  return device.type == kDLCPU || device.type == kDLCUDAHost;
}

static bool isOnGpu(DLDevice device) {
  return device.type == kDLCUDA || device.type == kDLCUDAManaged;
}

static std::string nameDevice(DLDevice device) {
  if (isOnHost(device))
    return "the CPU";
  if (isOnGpu(device))
    return "cuda:" + std::to_string(device.number);
  return "device " + std::to_string(device.number) + " of DLPack's type " +
         std::to_string(device.type);
}

//===----------------------------------------------------------------------===//
// One call
//===----------------------------------------------------------------------===//

namespace {
/// Reads arguments into the values of a call.
class FfiCall {
public:
  FfiCall(const tcPackagedEntry &entry, const FfiAny *given)
      : entry(entry), given(given), tensors(entry.numArguments),
        values(entry.numArguments + entry.numParameters),
        givers(entry.numParameters) {}

  int run(int32_t count);

private:
  int refuse(unsigned number, tcStatus status, const std::string &why) const {
    return failIn(entry, status,
                  entry.arguments[number].name + (": expected " + why));
  }
  int checkCount(int32_t count) const;
  int readScalar(unsigned number);
  int readTensor(unsigned number);
  int checkDevice(unsigned number);
  int readExtents(unsigned number);
  int readStrides(unsigned number);
  int take(unsigned number, const std::string &what, tcQuantity quantity,
           int64_t rowMajor, int64_t found);
  void placePointer(unsigned number);

  const tcPackagedEntry &entry;
  const FfiAny *given;
  std::vector<const DLTensor *> tensors; ///< null for scalars
  std::vector<int64_t> values;
  std::vector<const char *>
      givers;                      ///< which argument gave a parameter, or null
  const DLTensor *first = nullptr; ///< that is not in memory of the host
  const char *nameOfFirst = nullptr;
};
} // namespace

int FfiCall::checkCount(int32_t count) const {
  if (static_cast<int64_t>(entry.numArguments) == count)
    return TC_OK;
  std::string names;
  for (uint32_t i = 0; i != entry.numArguments; ++i)
    names += (i ? ", " : "") + std::string(entry.arguments[i].name);
  return failIn(entry, TC_INVALID_ARGUMENT,
                "expected " + std::to_string(entry.numArguments) +
                    " arguments (" + names + "), got " + std::to_string(count));
}

int FfiCall::readScalar(unsigned number) {
  DLDataType type = typeOf(entry.arguments[number]);
  const FfiAny &value = given[number];
  bool isWhole = value.kind == ffiInt || value.kind == ffiBool;
  auto bits = isWhole                  ? scalarBits(type, value.integer)
              : value.kind == ffiFloat ? scalarBits(type, value.real)
                                       : std::nullopt;
  if (!bits)
    return refuse(number, TC_INVALID_ARGUMENT,
                  "a number of type " + nameType(type) + ", got " +
                      nameKind(value));
  values[number] = static_cast<int64_t>(*bits);
  return TC_OK;
}

int FfiCall::readTensor(unsigned number) {
  const tcPackagedArgument &argument = entry.arguments[number];
  const FfiAny &value = given[number];
  bool isObject = value.kind == ffiTensor;
  if ((!isObject && value.kind != ffiTensorPointer) || !value.pointer)
    return refuse(number, TC_INVALID_ARGUMENT,
                  "a tensor, got " + nameKind(value));
  const auto &tensor = *reinterpret_cast<const DLTensor *>(
      value.pointer + (isObject ? sizeof(FfiObject) : 0));
  tensors[number] = &tensor;
  DLDataType type = typeOf(argument);
  if (tensor.type.code != type.code || tensor.type.bits != type.bits ||
      tensor.type.lanes != type.lanes)
    return refuse(number, TC_INVALID_ARGUMENT,
                  "elements of type " + nameType(type) + ", got " +
                      nameType(tensor.type));
  if (static_cast<int64_t>(argument.rank) != tensor.rank)
    return refuse(number, TC_WRONG_EXTENT,
                  std::to_string(argument.rank) + " dimensions, got " +
                      std::to_string(tensor.rank));
  if (argument.rank != 0 && !tensor.shape)
    return refuse(number, TC_INVALID_ARGUMENT, "a shape, got a null pointer");
  return checkDevice(number);
}

int FfiCall::checkDevice(unsigned number) {
  DLDevice device = tensors[number]->device;
  auto refusePlace = [&](const std::string &expected) {
    return refuse(number, TC_WRONG_DEVICE,
                  expected + ", got one of " + nameDevice(device));
  };
  if (!isOnHost(device) && !isOnGpu(device))
    return refusePlace("a tensor of the CPU or of a CUDA device");
  if (entry.arguments[number].role & TC_HOST)
    return isOnHost(device) ? static_cast<int>(TC_OK)
                            : refusePlace("a tensor of the CPU");
  if (!first) {
    first = tensors[number];
    nameOfFirst = entry.arguments[number].name;
  }
  bool isSame = isOnHost(device) ? isOnHost(first->device)
                                 : isOnGpu(first->device) &&
                                       device.number == first->device.number;
  if (isSame)
    return TC_OK;
  return refusePlace("a tensor of " + nameDevice(first->device) + ", as " +
                     nameOfFirst + " is");
}

/// Compares `found` with what the package says of it; the first time that it is
/// a parameter sets this.
int FfiCall::take(unsigned number, const std::string &what, tcQuantity quantity,
                  int64_t rowMajor, int64_t found) {
  int64_t expected = quantity.kind == TC_CONSTANT ? quantity.value : rowMajor;
  std::string source;
  if (quantity.kind == TC_PARAMETER) {
    int64_t &value = values[entry.numArguments + quantity.value];
    const char *&giver = givers[quantity.value];
    if (!giver) {
      giver = entry.arguments[number].name;
      value = found;
    }
    expected = value;
    source = std::string(" (") + entry.parameters[quantity.value].name +
             ", from " + giver + ")";
  }
  if (found == expected)
    return TC_OK;
  return refuse(number, TC_WRONG_EXTENT,
                what + " " + std::to_string(expected) + source + ", got " +
                    std::to_string(found));
}

int FfiCall::readExtents(unsigned number) {
  const tcPackagedArgument &argument = entry.arguments[number];
  for (uint32_t dim = 0; dim != argument.rank; ++dim)
    if (int status = take(
            number, "dimension " + std::to_string(dim) + " to have extent",
            argument.extents[dim], /*rowMajor=*/0, tensors[number]->shape[dim]))
      return status;
  return TC_OK;
}

/// A stride matters where there is a second element along it. What 63 bits
/// cannot count is found wrong with the other extents.
int FfiCall::readStrides(unsigned number) {
  const tcPackagedArgument &argument = entry.arguments[number];
  const DLTensor &tensor = *tensors[number];
  bool isEmpty = false;
  for (uint32_t dim = 0; dim != argument.rank; ++dim)
    isEmpty |= tensor.shape[dim] == 0;
  uint64_t rowMajor = 1;
  for (uint32_t dim = argument.rank; dim-- != 0;) {
    auto dense = static_cast<int64_t>(rowMajor);
    int64_t found = tensor.strides ? tensor.strides[dim] : dense;
    bool isParameter = argument.strides[dim].kind == TC_PARAMETER;
    if (isParameter || (tensor.shape[dim] > 1 && !isEmpty))
      if (int status = take(
              number, "dimension " + std::to_string(dim) + " to have stride",
              argument.strides[dim], dense, found))
        return status;
    rowMajor *= static_cast<uint64_t>(tensor.shape[dim]);
  }
  return TC_OK;
}

/// A tensor's pointer is that of its element [0, ..., 0], a package's may lie
/// before or after that. An offset that calls give is 0 here.
void FfiCall::placePointer(unsigned number) {
  const tcPackagedArgument &argument = entry.arguments[number];
  const DLTensor &tensor = *tensors[number];
  auto address = reinterpret_cast<uint64_t>(tensor.data);
  if (address == 0)
    return;
  uint64_t offset = argument.offset.kind == TC_CONSTANT
                        ? static_cast<uint64_t>(argument.offset.value)
                        : 0;
  values[number] = static_cast<int64_t>(address + tensor.byteOffset -
                                        offset * argument.elementBytes);
}

int FfiCall::run(int32_t count) {
  if (int status = checkCount(count))
    return status;
  for (uint32_t i = 0; i != entry.numArguments; ++i) {
    bool isScalar = entry.arguments[i].role & TC_SCALAR;
    if (int status = isScalar ? readScalar(i) : readTensor(i))
      return status;
  }
  for (uint32_t i = 0; i != entry.numArguments; ++i) {
    if (!tensors[i])
      continue;
    if (int status = readExtents(i))
      return status;
    if (int status = readStrides(i))
      return status;
    placePointer(i);
  }
  if (!first || isOnHost(first->device))
    return tcPackageRunCpu(&entry, values.data(), /*workspace=*/nullptr,
                           /*workspaceBytes=*/0);
  int32_t ordinal = first->device.number;
  return runWithOwnWorkspace(entry, values.data(), findStream(ordinal),
                             ordinal);
}

int tcPackageCallFfi(const tcPackagedEntry *entry, const void *arguments,
                     int32_t count, void *result) {
  int status = checkAbi(entry);
  if (status == TC_OK)
    status = FfiCall(*entry, static_cast<const FfiAny *>(arguments)).run(count);
  if (status != TC_OK) {
    raise(status);
    return -1;
  }
  if (result)
    *static_cast<FfiAny *>(result) = {ffiNone, 0, {0}};
  return 0;
}
