/*===- tc_package.h - What a packaged kernel asks of the runtime ---*- C
-*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions. See the LICENSE file for license information.                  *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The binary interface between the object files that `tc-compile             *|
|* --emit=package` writes and libtc-runtime. Programs do not need it: they    *|
|* call the functions of the package's own header.                            *|
|*                                                                            *|
|* An object file holds one tcPackagedEntry for each contraction, in constant *|
|* memory, and functions that hand it to the calls below.                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_RUNTIME_TC_PACKAGE_H
#define TC_RUNTIME_TC_PACKAGE_H

#include "tc-runtime/tc_product.h"
#include "tc-runtime/tc_status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Grows with every change of what is below. */
#define TC_PACKAGE_ABI 6

/** Workspace and every temporary in it begin at multiples of this. */
#define TC_WORKSPACE_ALIGNMENT 256

/** A number that is known, or that a call gives. */
typedef enum tcQuantityKind {
  TC_CONSTANT = 0,  /**< `value` itself */
  TC_PARAMETER = 1, /**< parameter number `value` */
  TC_ROW_MAJOR = 2  /**< of strides: the product of all later extents */
} tcQuantityKind;

typedef struct tcQuantity {
  int64_t value;
  int64_t kind; /**< tcQuantityKind */
} tcQuantity;

/** Bits of tcPackagedArgument.role. */
typedef enum tcArgumentRole {
  TC_READ = 1,
  TC_WRITTEN = 2,
  TC_SCALAR = 4, /**< passed by its bits; rank and what follows is empty */
  TC_HOST = 8    /**< in the memory of the host (#tc.host) */
} tcArgumentRole;

/** The type of an element as a DLDataType of one lane, of DLPack: `code` is a
    tcElementCode. */
#define TC_ELEMENT_TYPE(code, bits)                                            \
  ((uint32_t)(code) | (uint32_t)(bits) << 8 | (uint32_t)1 << 16)

/** Codes of DLPack (DLDataTypeCode). Whole numbers, with and without a sign;
    floats by the width of their exponents; pairs of floats; truth values. */
typedef enum tcElementCode {
  TC_CODE_INT = 0,
  TC_CODE_UINT = 1,
  TC_CODE_FLOAT = 2,
  TC_CODE_BFLOAT = 4,
  TC_CODE_COMPLEX = 5,
  TC_CODE_BOOL = 6,
  TC_CODE_FLOAT8_E4M3 = 10, /**< without infinities: kDLFloat8_e4m3fn */
  TC_CODE_FLOAT8_E5M2 = 12
} tcElementCode;

typedef struct tcPackagedArgument {
  const char *name;
  uint32_t role;
  uint32_t elementBytes; /**< also the alignment that is asked for */
  uint32_t rank;
  uint32_t elementType; /**< TC_ELEMENT_TYPE */
  tcQuantity
      offset; /**< of element [0, ..., 0] from the pointer, in elements */
  const tcQuantity *extents;
  const tcQuantity *strides; /**< in elements */
} tcPackagedArgument;

typedef struct tcPackagedParameter {
  const char *name;
  uint64_t isExtent; /**< 1: it may not be negative */
} tcPackagedParameter;

/** Machine code or text; no data where there is none. Text ends with a zero,
    which is counted. */
typedef struct tcPackagedImage {
  const void *data;
  uint64_t bytes;
} tcPackagedImage;

typedef struct tcPackagedKernel {
  const char *name;
  uint64_t image; /**< which of the variant's images has it */
} tcPackagedKernel;

/** What was compiled for one chip. */
typedef struct tcPackagedVariant {
  const char *chip;
  uint32_t capability; /**< 10 * major + minor, as 90 */
  uint32_t isExact;    /**< 1: for this capability alone, as sm_90a */
  uint32_t ptxVersion; /**< 10 * major + minor of the PTX ISA */
  uint32_t numImages;
  const tcPackagedImage *cubins; /**< of every image */
  const tcPackagedImage *ptx;
  uint64_t numKernels;
  const tcPackagedKernel *kernels;
  uint64_t numProducts;
  const tcProduct *products; /**< for which a library is asked */
  /** The host code. `words` holds for each buffer of rank n the 3 + 2n words of
      a memref descriptor (pointer, pointer, offset, extents, strides), for each
      scalar its bits, then the five of the workspace. */
  void (*launch)(void *call, const int64_t *words);
  /** Bytes of workspace that `launch` needs for the same words. */
  int64_t (*workspace)(const int64_t *words);
} tcPackagedVariant;

/** What was compiled for the CPUs of one level. */
typedef struct tcPackagedCpu {
  uint64_t level; /**< of x86-64, as 3 for x86-64-v3; 0: all that the object is
                     for */
  void (*launch)(void *call, const int64_t *words); /**< as a variant's */
  int64_t (*workspace)(const int64_t *words);
} tcPackagedCpu;

/** One contraction. A call's `values` are the pointers and scalars of its
    arguments, then its parameters, of 64 bits each. */
typedef struct tcPackagedEntry {
  uint32_t abi; /**< TC_PACKAGE_ABI */
  uint32_t numArguments;
  uint32_t numParameters;
  uint32_t numVariants;
  const char *name;
  const tcPackagedArgument *arguments;
  const tcPackagedParameter *parameters;
  const tcPackagedVariant *variants;
  uint64_t numCpus;          /**< 0: the package is for devices alone */
  const tcPackagedCpu *cpus; /**< the lowest level first */
  /** A null pointer in writable memory, for the runtime. */
  void **state;
} tcPackagedEntry;

/** Checks the call and launches the kernels on `stream` (a CUstream; null: the
    default stream). Waits for nothing. */
int tcPackageRun(const tcPackagedEntry *entry, const int64_t *values,
                 void *workspace, size_t workspaceBytes, void *stream);
/** Checks the call and computes on the CPU, in host memory. Where `workspace`
    is null, what is needed is allocated for the call. */
int tcPackageRunCpu(const tcPackagedEntry *entry, const int64_t *values,
                    void *workspace, size_t workspaceBytes);
/** The most workspace that a variant needs for these parameters. */
int tcPackageWorkspace(const tcPackagedEntry *entry, const int64_t *parameters,
                       size_t *bytes);
/** The workspace that the version for this CPU needs for them; 0 in a package
    for devices alone. */
int tcPackageWorkspaceCpu(const tcPackagedEntry *entry,
                          const int64_t *parameters, size_t *bytes);
/** Loads the kernels for the device of `stream`, or of the current context;
    device 0 if there is neither. */
int tcPackagePrepare(const tcPackagedEntry *entry, void *stream);

/** Calls the entry as TVM-FFI does, with `count` arguments (TVMFFIAny): tensors
    and scalars. Extents, strides and the device are those of the tensors, the
    stream is TVM-FFI's for the device, and workspace is allocated for the call.
    Gives 0 and sets `result` (a TVMFFIAny) to none; or -1, with an error raised
    in TVM-FFI where that is loaded. */
int tcPackageCallFfi(const tcPackagedEntry *entry, const void *arguments,
                     int32_t count, void *result);

/** Called by host code: launches a kernel, in its turn on the selected stream.
    `shape` holds x, y, z of grid, block and cluster, where zeros mean none.
    After a failure the call's further launches and copies do nothing. */
void tcPackageLaunch(void *call, int64_t kernel, const int64_t *shape,
                     int64_t dynamicShared, void **parameters);
/** Called by host code: the kernel that is launched next waits itself for the
    one before it in its stream, and may begin before that has ended. */
void tcPackageOverlap(void *call);
/** Called by host code: puts a product on the caller's stream where there is a
    library that takes it, and gives 1. Else nothing happens, tcLastRemark says
    why, and it gives 0. After a failure of the call it gives 1, and does
    nothing. */
int64_t tcPackageProduct(void *call, int64_t product, void *a, void *b, void *c,
                         void *d, void *workspace, int64_t workspaceBytes);
/** Called by host code: copies a box of elements from one buffer to another, of
    the host or the device, on the selected stream. `to` and `from` are its
   first element; `shape` holds `rank` extents, then as many strides of `to` and
   of `from`, in elements of `elementBytes` bytes. */
void tcPackageCopy(void *call, void *to, const void *from, int64_t elementBytes,
                   int64_t rank, const int64_t *shape);
/** Called by host code: later launches and copies go to this stream of the
    call. Stream 0 is the caller's, and the one to begin with; others come from
   a pool. */
void tcPackageSelect(void *call, int64_t stream);
/** Called by host code: event `event` of the call stands for all that `stream`
    has been given so far. */
void tcPackageRecord(void *call, int64_t stream, int64_t event);
/** Called by host code: what `stream` is given later comes after what the event
    stands for now. */
void tcPackageWait(void *call, int64_t stream, int64_t event);
/** Called by CPU code: runs `task` on ranges [begin, end) that make up [0,
    count), by the calling thread and, where more than one is allowed
    (tcSetThreads), others. Returns when all are done. */
void tcPackageParallel(int64_t count,
                       void (*task)(void *context, int64_t begin, int64_t end),
                       void *context);

#ifdef __cplusplus
}
#endif

#endif /* TC_RUNTIME_TC_PACKAGE_H */
