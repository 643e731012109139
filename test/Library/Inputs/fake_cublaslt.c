//===- fake_cublaslt.c - cuBLASLt on the CPU ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of cuBLASLt that tc calls, in turn on the stream, for memory
// that the host reads: that of the emulator. Results go through a copy on the
// stream, so that the emulator knows who wrote them. What a caller gets wrong
// ends the program. A line for each product goes to stderr.
//
// FAKE_DRIVER names the emulator's library, FAKE_VERSION the version that the
// library says it has.
//
//===----------------------------------------------------------------------===//

#define _GNU_SOURCE
#include <complex.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { R32F, R64F, R16F, C32F = 4, C64F, R16BF = 14 } DataType;

typedef struct {
  int compute, scale, transposed[2];
} Operation;

typedef struct {
  int type;
  int64_t rows, columns, leading, stride;
  int32_t batch;
} Layout;

typedef struct {
  uint64_t workspace;
  uint32_t alignments[4];
} Preference;

typedef struct {
  uint64_t data[8];
} Algorithm;

typedef struct {
  Algorithm algorithm;
  size_t workspace;
  int status;
  float waves;
  int reserved[4];
} Proposal;

typedef struct {
  Operation operation;
  Layout layouts[4];
  const char *matrices[3];
  double complex alpha, beta;
  char *result;
} Job;

static void require(int condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "fake cuBLASLt: expected %s\n", what);
  abort();
}

static void *find(const char *name) {
  static void *driver;
  const char *path = getenv("FAKE_DRIVER");
  if (!driver)
    driver = dlopen(path ? path : "", RTLD_NOW | RTLD_NOLOAD);
  require(driver != NULL, "FAKE_DRIVER to be loaded");
  void *symbol = dlsym(driver, name);
  require(symbol != NULL, name);
  return symbol;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static size_t bytesOf(int type) {
  switch (type) {
  case R16F:
  case R16BF:
    return 2;
  case R32F:
    return 4;
  case C64F:
    return 16;
  default:
    return 8;
  }
}

static double complex load(const void *place, int type) {
  uint16_t half;
  uint32_t bits;
  float single;
  double pair[2] = {0, 0};
  float singles[2];
  _Float16 f16;
  switch (type) {
  case R16F:
    memcpy(&f16, place, 2);
    return (double)f16;
  case R16BF:
    memcpy(&half, place, 2);
    bits = (uint32_t)half << 16;
    memcpy(&single, &bits, 4);
    return single;
  case R32F:
    memcpy(&single, place, 4);
    return single;
  case C32F:
    memcpy(singles, place, 8);
    return singles[0] + I * singles[1];
  default:
    memcpy(pair, place, bytesOf(type));
    return pair[0] + I * pair[1];
  }
}

static void store(void *place, int type, double complex value) {
  float single = (float)creal(value);
  float singles[2] = {single, (float)cimag(value)};
  double pair[2] = {creal(value), cimag(value)};
  _Float16 f16 = (_Float16)creal(value);
  uint32_t bits;
  uint16_t half;
  memcpy(&bits, &single, 4);
  half = (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
  switch (type) {
  case R16F:
    memcpy(place, &f16, 2);
    break;
  case R16BF:
    memcpy(place, &half, 2);
    break;
  case R32F:
  case C32F:
    memcpy(place, singles, bytesOf(type));
    break;
  default:
    memcpy(place, pair, bytesOf(type));
  }
}

//===----------------------------------------------------------------------===//
// Descriptors
//===----------------------------------------------------------------------===//

size_t cublasLtGetVersion(void) {
  const char *version = getenv("FAKE_VERSION");
  return version ? (size_t)atol(version) : 130100;
}

int cublasLtCreate(void **handle) {
  *handle = malloc(1);
  return 0;
}

int cublasLtMatmulDescCreate(Operation **made, int compute, int scale) {
  *made = calloc(1, sizeof(Operation));
  (*made)->compute = compute;
  (*made)->scale = scale;
  return 0;
}

int cublasLtMatmulDescSetAttribute(Operation *operation, int attribute,
                                   const void *value, size_t bytes) {
  require(attribute == 3 || attribute == 4, "an attribute of transposition");
  require(bytes == sizeof(int32_t), "4 bytes of transposition");
  require(*(const int32_t *)value == 1, "CUBLAS_OP_T");
  operation->transposed[attribute - 3] = 1;
  return 0;
}

int cublasLtMatrixLayoutCreate(Layout **made, int type, uint64_t rows,
                               uint64_t columns, int64_t leading) {
  Layout layout = {type, (int64_t)rows, (int64_t)columns, leading, 0, 1};
  require(leading >= layout.rows, "columns that do not overlap");
  *made = malloc(sizeof(Layout));
  **made = layout;
  return 0;
}

int cublasLtMatrixLayoutSetAttribute(Layout *layout, int attribute,
                                     const void *value, size_t bytes) {
  if (attribute == 5) {
    require(bytes == sizeof(int32_t), "4 bytes of batch count");
    memcpy(&layout->batch, value, bytes);
    return 0;
  }
  require(attribute == 6, "an attribute of batches");
  require(bytes == sizeof(int64_t), "8 bytes of batch stride");
  memcpy(&layout->stride, value, bytes);
  return 0;
}

int cublasLtMatmulPreferenceCreate(Preference **made) {
  *made = calloc(1, sizeof(Preference));
  return 0;
}

int cublasLtMatmulPreferenceSetAttribute(Preference *preference, int attribute,
                                         const void *value, size_t bytes) {
  if (attribute == 1) {
    require(bytes == sizeof(uint64_t), "8 bytes of workspace");
    memcpy(&preference->workspace, value, bytes);
    return 0;
  }
  require(attribute >= 5 && attribute <= 8, "an attribute of alignment");
  require(bytes == sizeof(uint32_t), "4 bytes of alignment");
  memcpy(&preference->alignments[attribute - 5], value, bytes);
  return 0;
}

int cublasLtMatmulPreferenceDestroy(Preference *preference) {
  free(preference);
  return 0;
}

static int isRight(const Layout *layout, int transposed, int64_t rows,
                   int64_t columns) {
  return (transposed ? layout->columns : layout->rows) == rows &&
         (transposed ? layout->rows : layout->columns) == columns;
}

/// FAKE_REFUSES is what a library without an algorithm answers.
int cublasLtMatmulAlgoGetHeuristic(void *handle, Operation *operation,
                                   Layout *a, Layout *b, Layout *c, Layout *d,
                                   Preference *preference, int requested,
                                   Proposal *proposals, int *count) {
  require(handle && requested == 1, "one proposal");
  int64_t terms = operation->transposed[0] ? a->rows : a->columns;
  require(isRight(a, operation->transposed[0], d->rows, terms) &&
              isRight(b, operation->transposed[1], terms, d->columns) &&
              isRight(c, 0, d->rows, d->columns),
          "matrices that fit");
  require(a->batch == d->batch && b->batch == d->batch && c->batch == d->batch,
          "one batch count");
  for (int i = 0; i != 4; ++i)
    require(preference->alignments[i] >= bytesOf(i < 2 ? a->type : d->type),
            "matrices that are aligned to their elements");
  memset(proposals, 0, sizeof(*proposals));
  proposals->algorithm.data[0] = 4711;
  *count = getenv("FAKE_REFUSES") ? 0 : 1;
  return 0;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Where an element of a matrix, or of its transpose, lies.
static size_t placeOf(const Layout *layout, int transposed, int64_t row,
                      int64_t column, int64_t batch) {
  int64_t i = transposed ? column : row, j = transposed ? row : column;
  int64_t index = i + j * layout->leading + batch * layout->stride;
  return (size_t)index * bytesOf(layout->type);
}

static void compute(void *data) {
  Job *job = data;
  const Layout *a = &job->layouts[0], *b = &job->layouts[1];
  const Layout *c = &job->layouts[2], *d = &job->layouts[3];
  const int *transposed = job->operation.transposed;
  int64_t terms = transposed[0] ? a->rows : a->columns;
  char *result = job->result;
  for (int64_t l = 0; l != d->batch; ++l)
    for (int64_t j = 0; j != d->columns; ++j)
      for (int64_t i = 0; i != d->rows; ++i) {
        double complex sum = 0;
        for (int64_t p = 0; p != terms; ++p)
          sum += load(job->matrices[0] + placeOf(a, transposed[0], i, p, l),
                      a->type) *
                 load(job->matrices[1] + placeOf(b, transposed[1], p, j, l),
                      b->type);
        sum *= job->alpha;
        if (job->beta != 0)
          sum += job->beta *
                 load(job->matrices[2] + placeOf(c, 0, i, j, l), c->type);
        store(result, d->type, sum);
        result += bytesOf(d->type);
      }
}

int cublasLtMatmul(void *handle, Operation *operation, const void *alpha,
                   const void *a, Layout *aLayout, const void *b,
                   Layout *bLayout, const void *beta, const void *c,
                   Layout *cLayout, void *d, Layout *dLayout,
                   const Algorithm *algorithm, void *workspace, size_t bytes,
                   void *stream) {
  require(handle && algorithm->data[0] == 4711, "the proposed algorithm");
  require(workspace || bytes == 0, "workspace");
  Job *job = malloc(sizeof(Job));
  *job = (Job){*operation,
               {*aLayout, *bLayout, *cLayout, *dLayout},
               {a, b, c},
               load(alpha, operation->scale),
               load(beta, operation->scale),
               NULL};
  size_t column = (size_t)dLayout->rows * bytesOf(dLayout->type);
  // From here the copies are in turn, too: the emulator reads host memory then.
  job->result = malloc(column * (size_t)(dLayout->columns * dLayout->batch));
  int (*launch)(void *, void (*)(void *), void *) = find("cuLaunchHostFunc");
  int (*copy)(uintptr_t, const void *, size_t, void *) =
      find("cuMemcpyHtoDAsync_v2");
  if (launch(stream, compute, job))
    return 13;
  const char *from = job->result;
  for (int64_t l = 0; l != dLayout->batch; ++l)
    for (int64_t j = 0; j != dLayout->columns; ++j, from += column)
      if (copy((uintptr_t)d + placeOf(dLayout, 0, 0, j, l), from, column,
               stream))
        return 13;
  fprintf(stderr,
          "fake cuBLASLt: %lld x %lld, %lld times, compute %d, transposed %d "
          "%d\n",
          (long long)dLayout->rows, (long long)dLayout->columns,
          (long long)dLayout->batch, operation->compute,
          operation->transposed[0], operation->transposed[1]);
  return 0;
}
