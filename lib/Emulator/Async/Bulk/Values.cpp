//===- Values.cpp - Values that are stored asynchronously -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// st.async and red.async (PTX ISA, sections 9.7.9.12 and 9.7.13.9): a thread
// sends values to the shared memory of a block of its cluster, and its mbarrier
// counts their bytes.
//
//===----------------------------------------------------------------------===//

#include "Async/Bulk/Bulk.h"

namespace tc::emulator::bulk {

/// One lane's `count` values of the instruction's type.
static bool send(Step &step, unsigned lane, unsigned count, Combine combine) {
  const ptx::Instruction &in = step.instruction;
  uint32_t size = ptx::getBytes(in.type), bytes = size * count;
  bool isOfCluster = in.has("shared::cluster");
  uint64_t address = step.sources[0][lane];
  uint64_t to = isOfCluster ? toGeneric(*step.warp.block, address) : address;
  LanePointers objects;
  if (!resolve(step, 1u << lane,
               isOfCluster ? ptx::Space::Cluster : ptx::Space::Generic,
               step.sources[1 + count], 8, AccessKind::Atomic, objects))
    return false;
  bool isFine = checkMultiple(step, lane, "destination", address, bytes);
  if (step.launch.fault)
    return false;
  std::optional<uint64_t> there =
      isFine ? checkSpan(step, lane, ptx::Space::Cluster, to, bytes,
                         /*isStore=*/true)
             : 0;
  Targets targets;
  if (!there ||
      !findTargets(step, lane, to, reinterpret_cast<uint64_t>(objects[lane]),
                   std::nullopt, targets))
    return false;
  auto copy = std::make_unique<Copy>();
  copy->lane = lane;
  copy->object = targets[0].object;
  copy->bytes = bytes;
  copy->combine = combine;
  copy->isGeneric = copy->isBuffered = true;
  if (*there == bytes) {
    copy->to = {targets[0].to, bytes};
    copy->pieces.push_back({targets[0].to, nullptr, bytes});
    for (unsigned i = 0; i < count; ++i) {
      const char *value =
          reinterpret_cast<const char *>(&step.sources[1 + i][lane]);
      copy->buffer.insert(copy->buffer.end(), value, value + size);
    }
  }
  return issue(step, std::move(copy));
}

bool storeValues(Step &step) {
  unsigned count = 1;
  const ptx::Instruction &in = step.instruction;
  in.get("Vec").drop_front(in.has("Vec")).getAsInteger(10, count);
  return forLanes(step.active, [&](unsigned lane) {
    return send(step, lane, count, nullptr);
  });
}

bool reduceValue(Step &step) {
  const ptx::Instruction &in = step.instruction;
  llvm::StringRef operation;
  for (llvm::StringRef set : {"AtomBit", "AtomWrap", "AtomMinMax", "add"})
    if (in.has(set))
      operation = in.get(set);
  Combine combine = findCombine(operation, in.type);
  return forLanes(step.active,
                  [&](unsigned lane) { return send(step, lane, 1, combine); });
}

} // namespace tc::emulator::bulk
