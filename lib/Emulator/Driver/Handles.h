//===- Handles.h - Handles that are checked ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contexts, streams, events, modules and kernels are known to the caller by
// numbers dressed as pointers. A number is never given twice, so a stale or
// foreign handle is recognised instead of followed.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_DRIVER_HANDLES_H
#define TC_LIB_EMULATOR_DRIVER_HANDLES_H

#include <cstdint>
#include <map>
#include <utility>

namespace tc::emulator::driver {

/// The next unused handle of any kind. Far from null and from the small numbers
/// that stand for the default streams.
inline uintptr_t takeHandle() {
  static uintptr_t next = 0x10000;
  return next += 0x10;
}

/// The live objects of one kind. Objects stay where they are until erased.
template <typename Handle, typename Object>
class Handles {
public:
  Handle add(Object object) {
    uintptr_t number = takeHandle();
    objects.emplace(number, std::move(object));
    return reinterpret_cast<Handle>(number);
  }
  /// The object behind a handle, or null.
  Object *find(Handle handle) {
    auto found = objects.find(reinterpret_cast<uintptr_t>(handle));
    return found == objects.end() ? nullptr : &found->second;
  }
  bool erase(Handle handle) {
    return objects.erase(reinterpret_cast<uintptr_t>(handle)) != 0;
  }
  template <typename Visit>
  void forEach(Visit visit) const {
    for (const auto &[number, object] : objects)
      visit(object);
  }
  template <typename Predicate>
  void eraseIf(Predicate dies) {
    for (auto it = objects.begin(); it != objects.end();)
      it = dies(it->second) ? objects.erase(it) : std::next(it);
  }

private:
  std::map<uintptr_t, Object> objects;
};

} // namespace tc::emulator::driver

#endif // TC_LIB_EMULATOR_DRIVER_HANDLES_H
