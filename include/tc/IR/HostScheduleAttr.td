//===- HostScheduleAttr.td - What was decided for a CPU ----*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The counterpart of #tc.schedule for contractions that run on the CPU.
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_HOSTSCHEDULEATTR_TD
#define TC_IR_HOSTSCHEDULEATTR_TD

include "tc/IR/TCDialect.td"

// Included by TCAttrs.td, behind the classes that it uses.

def TC_HostSource : TC_Enum<"HostSource", "where a register tile reads an input", [
  I32EnumAttrCase<"Panels", 0, "panels">,
  I32EnumAttrCase<"Memory", 1, "memory">
]>;

def TC_HostTasks : TC_Enum<"HostTasks", "what the threads of a CPU share out", [
  I32EnumAttrCase<"Blocks", 0, "blocks">,
  I32EnumAttrCase<"Batch", 1, "batch">
]>;

def TC_HostScheduleAttr : TC_Attr<"HostSchedule", "host_schedule"> {
  let summary = "how a CPU computes a contraction";
  let description = [{
    The decision that `tc-schedule-host` takes (or a person writes) and
    `tc-tile-host` carries out, as `tc.host_schedule` of a `tc.contract`. A
    contraction of two inputs is a matrix product whose rows, columns and sums are
    each several iterators, counted as one.

    - `batch`, `rows`, `columns`, `sums`: the iterators of each class, outermost
      first. Rows vary with one input and the result, columns with the other input
      and the result, sums with both inputs. `c = 24` is the innermost 24 points of
      an iterator that is listed before, and divides its extent. Of the last iterator of
      `columns`, it may instead be the extent in whole vectors: `c, c = 32` pads 30 points to
      32, so that no vector goes over the end of `c`. What is beyond is not written.
      A product without sums has no `sums`.
    - `vector`: accumulators of a vector, along columns.
    - `dot`: neighbouring sums that one instruction multiplies and adds up, 1 if it is
      not there. With 2, panels hold pairs of sums: of bf16, which are added up in f32,
      or of i16, for inputs of i8 or i16 that are added up in i32.
    - `tile`: rows and columns of a register tile; the columns are whole vectors.
    - `block`: rows, columns and sums that are near the core at a time, in whole
      tiles.
    - `task`: rows of a block that one task multiplies, in whole tiles.
    - `rows_from`, `columns_from`: whether register tiles read an input from
      `panels`, into which a block of it is copied, so that what a tile needs lies
      together, or from `memory` as it lies. Columns are read from memory where
      vectors of them are neighbours.
    - `tasks`: what threads share out, the `blocks` of a product or the `batch`.

    ```mlir
    #tc.host_schedule<rows = [a, c], columns = [b, d], sums = [k], vector = 8, tile = [4, 24],
                      block = [240, 384, 64], task = 240, rows_from = panels,
                      columns_from = panels, tasks = blocks>
    ```

    Example: test/Docs/tc-tile-host.mlir.
  }];
  let parameters = (ins TC_FactorList:$batch, TC_FactorList:$rows,
                        TC_FactorList:$columns, TC_FactorList:$sums,
                        "int64_t":$vector,
                        DefaultValuedParameter<"int64_t", "1">:$dot,
                        ArrayRefParameter<"int64_t">:$tile,
                        ArrayRefParameter<"int64_t">:$block, "int64_t":$task,
                        "::mlir::tc::HostSource":$rowsFrom,
                        "::mlir::tc::HostSource":$columnsFrom,
                        "::mlir::tc::HostTasks":$tasks);
  let assemblyFormat = [{
    `<` (`batch` `=` custom<Iterators>($batch)^ `,` ` `)?
    `rows` `=` custom<Iterators>($rows) `,`
    `columns` `=` custom<Iterators>($columns) `,`
    (`sums` `=` custom<Iterators>($sums)^ `,`)?
    `vector` `=` $vector `,` (`dot` `=` $dot^ `,`)?
    `tile` `=` `[` $tile `]` `,` `block` `=` `[` $block `]` `,`
    `task` `=` $task `,` `rows_from` `=` $rowsFrom `,`
    `columns_from` `=` $columnsFrom `,` `tasks` `=` $tasks `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getTileRows() const { return getTile()[0]; }
    int64_t getTileColumns() const { return getTile()[1]; }
    int64_t getBlockRows() const { return getBlock()[0]; }
    int64_t getBlockColumns() const { return getBlock()[1]; }
    int64_t getBlockSums() const { return getBlock()[2]; }
  }];
}

#endif // TC_IR_HOSTSCHEDULEATTR_TD
