//===- fake_peers.c - cuBLAS and cuTENSOR, as loops -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain loops behind the documented signatures of both libraries, on memory of
// the emulator, which is memory of this process. FAKE_STATUS makes a call fail
// (the name of the call), FAKE_WRONG spoils a result (the library).
//
//===----------------------------------------------------------------------===//

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int failing(const char *call) {
  const char *name = getenv("FAKE_STATUS");
  return name && strcmp(name, call) == 0 ? 15 : 0;
}

static double spoil(const char *library, double value) {
  const char *name = getenv("FAKE_WRONG");
  return name && strcmp(name, library) == 0 ? value * 1.01 : value;
}

static double get(const void *p, int64_t i, int wide) {
  return wide ? ((const double *)p)[i] : ((const float *)p)[i];
}

static void set(void *p, int64_t i, int wide, double value) {
  if (wide)
    ((double *)p)[i] = value;
  else
    ((float *)p)[i] = (float)value;
}

/* cuBLAS */

static int mode;

int cublasCreate_v2(void **handle) {
  *handle = &mode;
  return failing("cublasCreate");
}
int cublasSetStream_v2(void *handle, void *stream) {
  return handle == &mode && stream ? 0 : 7;
}
int cublasSetMathMode(void *handle, int value) {
  (void)handle;
  mode = value;
  return 0;
}
int cublasGetVersion_v2(void *handle, int *version) {
  (void)handle;
  *version = 130000;
  return 0;
}

/* Columns first: c[i + j * ldc] = sum over l of a[i, l] b[l, j]. */
static int gemm(int ta, int tb, int m, int n, int k, const void *alpha,
                const void *a, int lda, const void *b, int ldb,
                const void *beta, void *c, int ldc, int wide) {
  if (get(alpha, 0, wide) != 1 || get(beta, 0, wide) != 0 ||
      lda < (ta ? k : m) || ldb < (tb ? n : k) || ldc < m)
    return 7;
  for (int j = 0; j != n; ++j)
    for (int i = 0; i != m; ++i) {
      double sum = 0;
      for (int l = 0; l != k; ++l)
        sum += get(a, ta ? l + (int64_t)i * lda : i + (int64_t)l * lda, wide) *
               get(b, tb ? j + (int64_t)l * ldb : l + (int64_t)j * ldb, wide);
      set(c, i + (int64_t)j * ldc, wide, spoil("cublas", sum));
    }
  return 0;
}

int cublasGemmEx(void *handle, int ta, int tb, int m, int n, int k,
                 const void *alpha, const void *a, int kind, int lda,
                 const void *b, int kind_b, int ldb, const void *beta, void *c,
                 int kind_c, int ldc, int compute, int algorithm) {
  (void)handle;
  int is_double = kind == 1;
  if (kind > 1 || kind_b != kind || kind_c != kind || algorithm != -1 ||
      compute != (is_double ? 70 : 68))
    return 7;
  return gemm(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, is_double);
}

/* cuTENSOR */

enum { most = 16 };
typedef struct {
  uint32_t rank;
  int64_t extent[most], stride[most];
  int type;
} Tensor;
typedef struct {
  Tensor tensor[3];
  int32_t mode[3][most];
} Operation;
typedef struct {
  int algorithm, jit, autotune, tries;
} Preference;
typedef struct {
  Operation *operation;
  uint64_t workspace;
} Plan;

static const int compute32 = 32, compute64 = 64;
const void *const CUTENSOR_COMPUTE_DESC_32F = &compute32;
const void *const CUTENSOR_COMPUTE_DESC_64F = &compute64;
/* What was created and not destroyed; and of the plans, how many were made. */
int fakeAlive, fakePlans;

static void *create(size_t bytes) {
  ++fakeAlive;
  return calloc(1, bytes);
}
static int destroy(void *object) {
  --fakeAlive;
  free(object);
  return 0;
}

size_t cutensorGetVersion(void) { return 20300; }
int cutensorCreate(void **handle) {
  *handle = &fakePlans;
  return failing("cutensorCreate");
}
int cutensorCreateTensorDescriptor(void *handle, Tensor **out, uint32_t rank,
                                   const int64_t *extent, const int64_t *stride,
                                   int type, uint32_t alignment) {
  if (handle != &fakePlans || rank > most || alignment != 128)
    return 7;
  *out = create(sizeof(Tensor));
  (*out)->rank = rank;
  (*out)->type = type;
  memcpy((*out)->extent, extent, rank * sizeof *extent);
  memcpy((*out)->stride, stride, rank * sizeof *stride);
  return 0;
}
int cutensorDestroyTensorDescriptor(void *object) { return destroy(object); }
int cutensorCreateContraction(void *handle, Operation **out, Tensor *a,
                              const int32_t *modeA, int opA, Tensor *b,
                              const int32_t *modeB, int opB, Tensor *c,
                              const int32_t *modeC, int opC, Tensor *d,
                              const int32_t *modeD, const void *compute) {
  if (handle != &fakePlans || opA != 1 || opB != 1 || opC != 1 || c != d ||
      modeC != modeD || compute != (a->type ? &compute64 : &compute32))
    return 7;
  if (failing("cutensorCreateContraction"))
    return 15;
  Tensor *tensors[3] = {a, b, c};
  const int32_t *modes[3] = {modeA, modeB, modeC};
  *out = create(sizeof(Operation));
  for (int i = 0; i != 3; ++i) {
    (*out)->tensor[i] = *tensors[i];
    memcpy((*out)->mode[i], modes[i], tensors[i]->rank * sizeof(int32_t));
  }
  return 0;
}
int cutensorDestroyOperationDescriptor(void *object) { return destroy(object); }
int cutensorCreatePlanPreference(void *handle, Preference **out, int algorithm,
                                 int jit) {
  if (handle != &fakePlans || (algorithm != -1 && algorithm != -6))
    return 7;
  *out = create(sizeof(Preference));
  (*out)->algorithm = algorithm;
  (*out)->jit = jit;
  return 0;
}
int cutensorPlanPreferenceSetAttribute(void *handle, Preference *preference,
                                       int attribute, const int32_t *value,
                                       size_t bytes) {
  if (handle != &fakePlans || bytes != 4 || (attribute != 0 && attribute != 2))
    return 7;
  *(attribute ? &preference->tries : &preference->autotune) = *value;
  return 0;
}
int cutensorDestroyPlanPreference(void *object) { return destroy(object); }
int cutensorEstimateWorkspaceSize(void *handle, Operation *operation,
                                  Preference *preference, int wanted,
                                  uint64_t *size) {
  *size = 1024;
  return handle == &fakePlans && operation && preference && wanted == 2 ? 0 : 7;
}
int cutensorCreatePlan(void *handle, Plan **out, Operation *operation,
                       Preference *preference, uint64_t workspace) {
  if (handle != &fakePlans || !preference)
    return 7;
  *out = create(sizeof(Plan));
  (*out)->operation = operation;
  (*out)->workspace = workspace;
  ++fakePlans;
  return 0;
}
int cutensorDestroyPlan(void *object) { return destroy(object); }

/* Every mode once, with its stride in each tensor. */
typedef struct {
  int32_t mode;
  int64_t extent, stride[3];
} Loop;

static int findLoops(const Operation *operation, Loop *loops) {
  int count = 0;
  /* The result's modes first. */
  for (int i = 2; i >= 0; --i)
    for (uint32_t d = 0; d != operation->tensor[i].rank; ++d) {
      int l = 0;
      while (l != count && loops[l].mode != operation->mode[i][d])
        ++l;
      if (l == count)
        loops[count++] = (Loop){
            operation->mode[i][d], operation->tensor[i].extent[d], {0, 0, 0}};
      loops[l].stride[i] += operation->tensor[i].stride[d];
    }
  return count;
}

int cutensorContract(void *handle, Plan *plan, const void *alpha, const void *a,
                     const void *b, const void *beta, const void *c, void *d,
                     void *workspace, uint64_t size, void *stream) {
  int wide = plan->operation->tensor[0].type;
  if (handle != &fakePlans || c != d || !workspace || size != plan->workspace ||
      !stream || get(alpha, 0, wide) != 1 || get(beta, 0, wide) != 0)
    return 7;
  Loop loops[2 * most];
  int count = findLoops(plan->operation, loops);
  int free = (int)plan->operation->tensor[2].rank;
  int64_t results = 1, terms = 1;
  for (int l = 0; l != count; ++l)
    *(l < free ? &results : &terms) *= loops[l].extent;
  for (int64_t r = 0; r != results; ++r) {
    int64_t at[3] = {0, 0, 0}, rest = r;
    for (int l = 0; l != free; rest /= loops[l++].extent)
      for (int i = 0; i != 3; ++i)
        at[i] += rest % loops[l].extent * loops[l].stride[i];
    double sum = 0;
    for (int64_t t = 0; t != terms; ++t) {
      int64_t place[2] = {at[0], at[1]};
      rest = t;
      for (int l = free; l != count; rest /= loops[l++].extent)
        for (int i = 0; i != 2; ++i)
          place[i] += rest % loops[l].extent * loops[l].stride[i];
      sum += get(a, place[0], wide) * get(b, place[1], wide);
    }
    set(d, at[2], wide, spoil("cutensor", sum));
  }
  return 0;
}
