/* Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
   See the LICENSE file for license information.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

   The extension module tc_invoke: one function that passes the addresses of
   arrays to a kernel's C function. python/tc/_call/_invoke.py does the same by
   ctypes where this module is missing. It knows Python by the stable ABI, so
   one file serves all versions from 3.9 on. */

#define Py_LIMITED_API 0x03090000
#include <Python.h>

#include <stdint.h>
#include <string.h>

enum { MOST = 32 }; /* arguments of a kernel */

/* What an array of NumPy begins with, by its C interface (PyArrayObject). */
typedef struct {
  PyObject_HEAD void *data;
} Array;

#define TYPES_8 W, W, W, W, W, W, W, W
#define FROM_8(n)                                                              \
  a[n], a[n + 1], a[n + 2], a[n + 3], a[n + 4], a[n + 5], a[n + 6], a[n + 7]

/* All arguments are pointers or integers of 64 bits. By the C conventions of
 * x86-64 and AArch64 the caller removes them, so a function may be passed more
 * than it takes. */
static int call(intptr_t function, const intptr_t *a, Py_ssize_t count) {
  typedef intptr_t W;
  if (count <= 8)
    return ((int (*)(TYPES_8))function)(FROM_8(0));
  if (count <= 16)
    return ((int (*)(TYPES_8, TYPES_8))function)(FROM_8(0), FROM_8(8));
  return ((int (*)(TYPES_8, TYPES_8, TYPES_8, TYPES_8))function)(
      FROM_8(0), FROM_8(8), FROM_8(16), FROM_8(24));
}

PyDoc_STRVAR(
    invoke_doc,
    "invoke(words, arrays, result) -> int\n\n"
    "Calls a C function with the addresses of the arrays and of the "
    "result, and the other arguments.\n\n"
    "words: bytes of 64-bit integers, the function's address first, then "
    "the other arguments.\narrays: a tuple or list of NumPy's arrays.");

static PyObject *invoke(PyObject *module, PyObject *given) {
  PyObject *words, *arrays, *result;
  char *bytes;
  Py_ssize_t size;
  if (!PyArg_UnpackTuple(given, "invoke", 3, 3, &words, &arrays, &result) ||
      PyBytes_AsStringAndSize(words, &bytes, &size) < 0)
    return NULL;
  arrays = PySequence_Tuple(arrays); /* a tuple is taken as it is */
  if (!arrays)
    return NULL;
  Py_ssize_t operands = PyTuple_Size(arrays);
  Py_ssize_t tail = size / (Py_ssize_t)sizeof(intptr_t) - 1;
  Py_ssize_t all = operands + 1 + tail;
  if (tail < 0)
    PyErr_Format(PyExc_ValueError,
                 "expected the address of a function, got %zd bytes", size);
  else if (all > MOST)
    PyErr_Format(PyExc_ValueError, "expected at most %d arguments, got %zd",
                 (int)MOST, all);
  if (tail < 0 || all > MOST) {
    Py_DECREF(arrays);
    return NULL;
  }
  intptr_t function, arguments[MOST] = {0};
  memcpy(&function, bytes, sizeof function);
  for (Py_ssize_t n = 0; n < operands; ++n)
    arguments[n] = (intptr_t)((Array *)PyTuple_GetItem(arrays, n))->data;
  arguments[operands] = (intptr_t)((Array *)result)->data;
  memcpy(arguments + operands + 1, bytes + sizeof function,
         (size_t)tail * sizeof(intptr_t));

  PyThreadState *state = PyEval_SaveThread();
  int status = call(function, arguments, all);
  PyEval_RestoreThread(state);
  Py_DECREF(arrays);
  return PyLong_FromLong(status);
}

static int add_constants(PyObject *module) {
  return PyModule_AddIntConstant(module, "MOST", MOST);
}

static PyMethodDef methods[] = {{"invoke", invoke, METH_VARARGS, invoke_doc},
                                {NULL, NULL, 0, NULL}};

static PyModuleDef_Slot slots[] = {{Py_mod_exec, (void *)add_constants},
                                   {0, NULL}};

static PyModuleDef definition = {PyModuleDef_HEAD_INIT,
                                 "tc_invoke",
                                 NULL,
                                 0,
                                 methods,
                                 slots,
                                 NULL,
                                 NULL,
                                 NULL};

PyMODINIT_FUNC PyInit_tc_invoke(void) { return PyModuleDef_Init(&definition); }
