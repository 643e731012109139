//===- ValidationTest.cpp - Errors of simulated time ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The errors that machines are described with are those of the table that the
// validation wrote.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/Machine.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace mlir::tc;

namespace {

/// Of one column of the table, over the rows of a chip.
double getMeanError(llvm::StringRef table, llvm::StringRef chip,
                    llvm::StringRef column) {
  llvm::SmallVector<llvm::StringRef> lines, names, cells;
  table.split(lines, '\n', -1, /*KeepEmpty=*/false);
  lines.front().split(names, ',');
  auto find = [&](llvm::StringRef name) {
    return size_t(llvm::find(names, name) - names.begin());
  };
  size_t simulated = find(column), measured = find("measured_us");
  double sum = 0;
  unsigned count = 0;
  for (llvm::StringRef line : llvm::drop_begin(lines)) {
    cells.clear();
    line.split(cells, ',');
    double found = 0, known = 0;
    if (cells.front() != chip || cells[simulated].getAsDouble(found) ||
        cells[measured].getAsDouble(known))
      continue;
    sum += std::abs(found / known - 1);
    ++count;
  }
  return count ? sum / count : 0;
}

TEST(Validation, ErrorsAreThoseOfTheTable) {
  auto file = llvm::MemoryBuffer::getFile(TC_SIMULATED_TABLE);
  ASSERT_TRUE(file);
  llvm::StringRef table = (*file)->getBuffer();
  for (const Machine &machine : validationMachines()) {
    EXPECT_NEAR(machine.levelAError,
                getMeanError(table, machine.name, "level_a_us"), 0.005)
        << machine.name.str();
    EXPECT_NEAR(machine.levelBError,
                getMeanError(table, machine.name, "simulated_us"), 0.005)
        << machine.name.str();
  }
  for (const Machine &machine : knownMachines()) {
    EXPECT_EQ(machine.levelAError, 0) << machine.name.str();
    EXPECT_EQ(machine.levelBError, 0) << machine.name.str();
  }
}

} // namespace
