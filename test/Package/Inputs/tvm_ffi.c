/* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
   See the LICENSE file for license information.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   Calls the entries of a package for TVM-FFI with structures made by hand: on
   the CPU, then on the emulator. With RAISES it has the functions of TVM-FFI
   that entries look for. */
#include "tc-runtime/tc_runtime.h"
#include "tc_ffi.h"

#include <stdio.h>
#include <string.h>

typedef struct {
  void *data;
  int32_t device, number, rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} Tensor;

/* An object of TVM-FFI that is a tensor. */
typedef struct {
  int64_t header[3];
  Tensor tensor;
} TensorObject;

typedef struct {
  int32_t kind;
  uint32_t padding;
  union {
    int64_t integer;
    double real;
    void *pointer;
  } as;
} Any;

enum {
  NONE = 0,
  INT = 1,
  REAL = 3,
  TENSOR_POINTER = 7,
  STRING = 65,
  OBJECT = 70
};
enum { CPU = 1, CUDA = 2, ROCM = 10 };
enum { SIGNED = 0, FLOAT = 2, COMPLEX = 5 };

typedef int Entry(void *handle, const Any *arguments, int32_t count,
                  Any *result);
Entry __tvm_ffi_mm, __tvm_ffi_chain, __tvm_ffi_scaled, __tvm_ffi_half,
    __tvm_ffi_squares, __tvm_ffi_shifted, __tvm_ffi_fetched;

#ifdef RAISES
static char raised[512];
static int streams;
void TVMFFIErrorSetRaisedFromCStr(const char *kind, const char *message) {
  snprintf(raised, sizeof raised, "%s: %s", kind, message);
}
void *TVMFFIEnvGetStream(int32_t type, int32_t number) {
  streams += type == CUDA && number == 0;
  return NULL;
}
#endif

static tcDevice *device;
static int place = CPU;
static tcAddress held[32];
static int num_held;

/* `bytes` of the host where the tensors of this run lie. */
static void *put(void *host, size_t bytes) {
  tcAddress address = 0;
  if (place == CPU)
    return host;
  if (tcAllocate(device, bytes, &address) ||
      tcCopyIn(device, address, host, bytes))
    printf("%s\n", tcLastError());
  held[num_held++] = address;
  return (void *)(uintptr_t)address;
}

static void get(void *host, void *from, size_t bytes) {
  if (place != CPU &&
      tcCopyOut(device, host, (tcAddress)(uintptr_t)from, bytes))
    printf("%s\n", tcLastError());
}

static Tensor tensor(void *data, int code, int bits, int rank, int64_t *shape) {
  Tensor made = {data,          place, 0,     rank, (uint8_t)code,
                 (uint8_t)bits, 1,     shape, NULL, 0};
  return made;
}

static Any pointer(Tensor *tensor) {
  Any made = {TENSOR_POINTER, 0, {0}};
  made.as.pointer = tensor;
  return made;
}

static Any whole(int64_t value) {
  Any made = {INT, 0, {0}};
  made.as.integer = value;
  return made;
}

static Any real(double value) {
  Any made = {REAL, 0, {0}};
  made.as.real = value;
  return made;
}

static void call(const char *what, Entry *entry, const Any *arguments,
                 int count) {
  Any result = {INT, 0, {1}};
  int status = entry(NULL, arguments, count, &result);
  if (status == 0 && result.kind == NONE)
    printf("%s: done\n", what);
  else
#ifdef RAISES
    printf("%s: %d, %s\n", what, status, raised);
#else
    printf("%s: %d, %s\n", what, status, tcLastError());
#endif
}

static void show(const char *what, const float *values, int count) {
  printf("%s:", what);
  for (int n = 0; n != count; ++n)
    printf(" %g", values[n]);
  printf("\n");
}

static float ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static int64_t a_shape[] = {2, 4}, b_shape[] = {4, 3}, c_shape[] = {2, 3},
               square[] = {4, 4}, four[] = {4};

static void multiply(void) {
  float a[8] = {1, 1, 1, 1, 2, 2, 2, 2}, c[6] = {0};
  TensorObject object = {{1, OBJECT, 0},
                         tensor(put(a, sizeof a), FLOAT, 32, 2, a_shape)};
  Tensor ta = object.tensor,
         tb = tensor(put(ones, sizeof ones), FLOAT, 32, 2, b_shape);
  Tensor tc = tensor(put(c, sizeof c), FLOAT, 32, 2, c_shape), wrong;
  Any arguments[] = {{OBJECT, 0, {0}}, pointer(&tb), pointer(&tc)};
  arguments[0].as.pointer = &object;
  call("mm", __tvm_ffi_mm, arguments, 3);
  get(c, tc.data, sizeof c);
  show("mm", c, 6);

  /* The strides are those of another order where there is one element, or none.
   */
  int64_t any_strides[] = {77, 1}, one_row[] = {1, 4}, one_result[] = {1, 3},
          none[] = {0, 4}, no_result[] = {0, 3};
  wrong = ta;
  wrong.shape = one_row;
  wrong.strides = any_strides;
  tc.shape = one_result;
  arguments[0] = pointer(&wrong);
  call("one row", __tvm_ffi_mm, arguments, 3);
  wrong.shape = none;
  wrong.data = NULL;
  tc.shape = no_result;
  call("no row", __tvm_ffi_mm, arguments, 3);
  tc.shape = c_shape;

  call("count", __tvm_ffi_mm, arguments, 2);
  call("no arguments", __tvm_ffi_mm, NULL, 0);
  arguments[0] = whole(7);
  call("number", __tvm_ffi_mm, arguments, 3);
  arguments[0].kind = STRING;
  call("text", __tvm_ffi_mm, arguments, 3);
  arguments[0] = pointer(NULL);
  call("no tensor", __tvm_ffi_mm, arguments, 3);
#define REFUSE(what, change)                                                   \
  wrong = ta;                                                                  \
  change;                                                                      \
  arguments[0] = pointer(&wrong);                                              \
  call(what, __tvm_ffi_mm, arguments, 3)
  int64_t three[] = {3, 4}, wide[] = {2, 5}, negative[] = {-1, 4},
          negative_result[] = {-1, 3}, columns[] = {1, 2};
  REFUSE("type", wrong.bits = 64);
  REFUSE("unknown type", wrong.code = 99);
  REFUSE("lanes", wrong.lanes = 4);
  REFUSE("rank", wrong.rank = 1);
  REFUSE("no shape", wrong.shape = NULL);
  REFUSE("extent", wrong.shape = wide);
  REFUSE("rows", wrong.shape = three);
  tc.shape = negative_result;
  REFUSE("negative", wrong.shape = negative);
  tc.shape = c_shape;
  REFUSE("strides", wrong.strides = columns);
  REFUSE("no memory", wrong.data = NULL);
  REFUSE("alignment", wrong.byte_offset = 2);
  REFUSE("overlap", wrong = tc; wrong.shape = a_shape);
  REFUSE("device", wrong.device = ROCM);
  arguments[0] = pointer(&ta);
  wrong = tb;
  wrong.device = CPU + CUDA - place;
  arguments[1] = pointer(&wrong);
  call("two devices", __tvm_ffi_mm, arguments, 3);
}

static void compute_others(void) {
  float a[8] = {1, 2, 3, 4, 5, 6, 7, 8}, c[6] = {0};
  Tensor ta = tensor(put(a, sizeof a), FLOAT, 32, 2, a_shape);
  Tensor tb = tensor(put(ones, sizeof ones), FLOAT, 32, 2, square);
  Tensor td = tensor(put(ones, sizeof ones), FLOAT, 32, 2, b_shape);
  Tensor tc = tensor(put(c, sizeof c), FLOAT, 32, 2, c_shape);
  Any chain[] = {pointer(&ta), pointer(&tb), pointer(&td), pointer(&tc)};
  size_t workspace = 0;
  if (tc_chain_workspace_size(&workspace) || workspace == 0)
    printf("expected a contraction with workspace\n");
  call("chain", __tvm_ffi_chain, chain, 4);
  get(c, tc.data, sizeof c);
  show("chain", c, 6);

  /* The columns of A as rows, from its second column on. */
  int64_t shape[] = {3, 2}, strides[] = {1, 4};
  ta.shape = tc.shape = shape;
  ta.strides = strides;
  ta.byte_offset = 4;
  Any scaled[] = {pointer(&ta), real(0.5), pointer(&tc)};
  call("scaled", __tvm_ffi_scaled, scaled, 3);
  get(c, tc.data, sizeof c);
  show("scaled", c, 6);
  scaled[1] = whole(2);
  call("scaled", __tvm_ffi_scaled, scaled, 3);
  get(c, tc.data, sizeof c);
  show("scaled", c, 6);
  scaled[1] = pointer(&ta);
  call("factor", __tvm_ffi_scaled, scaled, 3);

  /* 1, 2, 0.5, -1, times 1.5. */
  uint16_t halves[4] = {0x3c00, 0x4000, 0x3800, 0xbc00}, products[4] = {0};
  Tensor th = tensor(put(halves, sizeof halves), FLOAT, 16, 1, four), tp = th;
  tp.data = put(products, sizeof products);
  Any half[] = {pointer(&th), real(1.5), pointer(&tp)};
  call("half", __tvm_ffi_half, half, 3);
  get(products, tp.data, sizeof products);
  printf("half: %x %x %x %x\n", products[0], products[1], products[2],
         products[3]);

  float squares[8] = {0};
  Tensor tx = tensor(put(a, sizeof a), COMPLEX, 64, 1, four), ty = tx;
  ty.data = put(squares, sizeof squares);
  Any complex[] = {pointer(&tx), pointer(&ty)};
  call("squares", __tvm_ffi_squares, complex, 2);
  get(squares, ty.data, sizeof squares);
  show("squares", squares, 8);

  int8_t bytes[4] = {1, 2, 3, 4}, sums[4] = {0};
  Tensor ti = tensor(put(bytes, sizeof bytes), SIGNED, 8, 1, four), to = ti;
  to.data = put(sums, sizeof sums);
  Any shifted[] = {pointer(&ti), whole(-3), pointer(&to)};
  call("shifted", __tvm_ffi_shifted, shifted, 3);
  get(sums, to.data, sizeof sums);
  printf("shifted: %d %d %d %d\n", sums[0], sums[1], sums[2], sums[3]);
  shifted[1] = whole(128);
  call("by", __tvm_ffi_shifted, shifted, 3);
  shifted[1] = real(1);
  call("by", __tvm_ffi_shifted, shifted, 3);
}

/* From memory of the host to where the other tensor lies. */
static void fetch(void) {
  float from[24], to[24] = {0};
  int64_t shape[] = {4, 6};
  for (int n = 0; n != 24; ++n)
    from[n] = (float)n;
  Tensor tt = tensor(put(to, sizeof to), FLOAT, 32, 2, shape), tf = tt;
  tf.data = from;
  tf.device = CPU;
  Any arguments[] = {pointer(&tf), pointer(&tt)};
  call("fetched", __tvm_ffi_fetched, arguments, 2);
  get(to, tt.data, sizeof to);
  printf("fetched: %d\n", memcmp(from, to, sizeof to));
  tf.device = CUDA;
  call("fetched", __tvm_ffi_fetched, arguments, 2);
}

int main(void) {
  if (tcDeviceOpen(NULL, NULL, 0, &device))
    printf("%s\n", tcLastError());
  for (place = CPU; place <= CUDA; ++place) {
    printf("on %s\n", place == CPU ? "the CPU" : "a device");
    multiply();
    compute_others();
    fetch();
  }
  while (num_held)
    tcFree(device, held[--num_held]);
  tcDeviceClose(device);
#ifdef RAISES
  printf("streams: %d\n", streams > 0);
#endif
  return 0;
}
