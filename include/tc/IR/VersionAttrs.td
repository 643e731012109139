//===- VersionAttrs.td - Several kernels for one op --------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For which sizes a contraction has other schedules (#tc.version), and which of
// its kernels an op is (#tc.variant). Part of TCAttrs.td.
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_VERSIONATTRS_TD
#define TC_IR_VERSIONATTRS_TD

def TC_VariantAttr : TC_Attr<"Variant", "variant"> {
  let summary = "which of several kernels of one contraction or nest this is";
  let description = [{
    Carried as `tc.variant` by a `tc.contract`, and then by the `tc.par grid` it
    is tiled into, or by one that was written. `name` becomes part of the kernel's name; `index` is the
    width of index arithmetic in the kernel, 32 or 64 bits. Without the
    attribute indices have 64 bits. Who writes 32 vouches that every position of
    an element, from the base of its buffer and as far as tiles stick out, is
    below 2^31, and so is the number of blocks. `alignment` is what the address
    of each buffer is a multiple of, in bytes; without it, of its element's size.

    ```mlir
    #tc.variant<name = "interior", index = 32, alignment = 16>
    ```
  }];
  let parameters = (ins OptionalParameter<"::mlir::StringAttr">:$name,
                        "int64_t":$index,
                        DefaultValuedParameter<"int64_t", "1">:$alignment);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def TC_VersionAttr : TC_Attr<"Version", "version"> {
  let summary = "another schedule, for other sizes";
  let description = [{
    A `tc.contract` of dynamic extents carries a list of these as `tc.versions`.
    The first one whose conditions all hold is better than the op's own
    schedule:

    - `most`: these extents are at most so large;
    - `below`, `from`: the product of its other dynamic result extents is less
      than the one, and at least the other;
    - `terms`: each result has at least so many terms.

    ```mlir
    #tc.version<below = 524288, schedule = <thread = [i = 8], kernel = fma>>
    #tc.version<below = 4096, terms = 2048,
                schedule = <thread = [i = 8], step = [k = 16], split = [k = 264], kernel = fma>>
    #tc.version<from = 1024, most = [j = 8],
                schedule = <thread = [k = 32], register = [j = 8], step = [k = 64], kernel = fma>>
    ```

    Versions with `most` come first, in any order, then those whose schedules
    split a sum, then others, both by rising `below`. There `split` says how many
    parts the sum of one block tile is to have; where results are several tiles,
    it has so many fewer, so that there are as many blocks.

    Example: test/Docs/attributes.mlir.
  }];
  let parameters = (ins DefaultValuedParameter<
                            "int64_t", "std::numeric_limits<int64_t>::max()">:$below,
                        DefaultValuedParameter<"int64_t", "0">:$from,
                        DefaultValuedParameter<"int64_t", "0">:$terms,
                        TC_FactorList:$most,
                        "::mlir::tc::ScheduleAttr":$schedule);
  let assemblyFormat = [{
    `<` (`below` `=` $below^ `,` ` `)? (`from` `=` $from^ `,` ` `)?
    (`terms` `=` $terms^ `,` ` `)?
    (`most` `=` custom<Factors>($most)^ `,` ` `)? `schedule` `=` $schedule `>`
  }];
  let builders = [
    /// For less than `below` results of at least so many terms.
    AttrBuilder<(ins "int64_t":$below, "int64_t":$terms,
                     "ScheduleAttr":$schedule), [{
      return $_get($_ctxt, below, /*from=*/0, terms, ArrayRef<Factor>(),
                   schedule);
    }]>
  ];
  let extraClassDeclaration = [{
    /// Is `iterator` among those of `most`?
    bool isNarrow(StringRef iterator) const {
      return llvm::any_of(getMost(), [&](const Factor &most) {
        return most.iterator.getValue() == iterator;
      });
    }
    /// For the same sizes.
    VersionAttr withSchedule(ScheduleAttr schedule) const {
      return get(getContext(), getBelow(), getFrom(), getTerms(), getMost(),
                 schedule);
    }
  }];
}

#endif // TC_IR_VERSIONATTRS_TD
