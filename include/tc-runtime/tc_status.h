/*===- tc_status.h - What calls of the runtime come to -------------*- C
-*-===*\
|*                                                                            *|
|* Part of the tc project, under the Apache License v2.0 with LLVM            *|
|* Exceptions. See the LICENSE file for license information.                  *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* The codes that the launcher and packaged kernels return, and their text.   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_RUNTIME_TC_STATUS_H
#define TC_RUNTIME_TC_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

/** What a call came to. From a code below 16 on a packaged kernel, work may
    have been launched before; with one from 16 on nothing was. */
typedef enum tcStatus {
  TC_OK = 0,
  TC_INVALID_ARGUMENT = 1, /**< a null pointer, an unknown name or kind */
  TC_NO_DEVICE = 2,        /**< no library, or one without a device */
  TC_INVALID_IMAGE = 3,    /**< PTX that does not compile, a foreign cubin */
  TC_NOT_FOUND = 4,        /**< no such kernel in the module */
  TC_OUT_OF_MEMORY = 5,
  TC_INVALID_LAUNCH = 6, /**< a grid, block or shared size that cannot be */
  TC_KERNEL_FAULT = 7,   /**< a kernel failed; reopen the device to go on */
  TC_DRIVER_ERROR = 8,   /**< any other failure of the driver */

  TC_INVALID_PACKAGE = 16,  /**< made for another version of this library */
  TC_WRONG_EXTENT = 17,     /**< a negative extent, a buffer past 2^63 bytes,
                              a tensor of another shape or strides */
  TC_NULL_POINTER = 18,     /**< for a buffer that has elements */
  TC_MISALIGNED = 19,       /**< a buffer not at a multiple of its element */
  TC_OVERLAP = 20,          /**< a written buffer shares bytes with another */
  TC_BUFFER_TOO_SMALL = 21, /**< an allocation ends before the buffer does */
  TC_WORKSPACE = 22,        /**< workspace missing, too small, misaligned */
  TC_WRONG_DEVICE = 23,     /**< a buffer of the host or of another device */
  TC_NO_VARIANT = 24,       /**< nothing in the package is for this device */
  TC_DRIVER_TOO_OLD = 25,   /**< for what the package holds for this device */
  TC_NO_CPU_VERSION = 26    /**< nothing in the package is for this CPU */
} tcStatus;

/** A sentence for a code, in static memory. */
const char *tcErrorString(int status);

/** What the last failing call of this thread said, with what was expected and
    what was found; "" before any failure. The text lives until the next failure
    in this thread. */
const char *tcLastError(void);
/** Why the last call of this thread that runs a package, or prepares one, has
    taken kernels of its own where it could have asked a library; empty where
    there is nothing to tell. The text lives until the next call in this thread.
 */
const char *tcLastRemark(void);

#ifdef __cplusplus
}
#endif

#endif /* TC_RUNTIME_TC_STATUS_H */
