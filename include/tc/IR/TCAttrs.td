//===- TCAttrs.td - Layouts, schedules, machines -----------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values a program carries: where data lies (#tc.lmad), what was decided
// (#tc.schedule), for which chip (#tc.machine), on which threads (#tc.map).
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_TCATTRS_TD
#define TC_IR_TCATTRS_TD

include "tc/IR/TCDialect.td"
include "mlir/IR/AttrTypeBase.td"

class TC_Attr<string name, string attrMnemonic>
    : AttrDef<TC_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def TC_LmadAttr : TC_Attr<"Lmad", "lmad"> {
  let summary = "a linear memory access descriptor";
  let description = [{
    `offset + sum(i_d * strides[d])` for `0 <= i_d < sizes[d]`, in elements.
    `?` stands for a value given at run time by the op that carries the
    attribute. Strides may be negative, zero, or overlap. See docs/LMAD.md.

    ```mlir
    #tc.lmad<offset = 8, sizes = [16, ?], strides = [256, 1]>
    ```
  }];
  let parameters = (ins "int64_t":$offset,
                        ArrayRefParameter<"int64_t">:$sizes,
                        ArrayRefParameter<"int64_t">:$strides);
  let assemblyFormat = [{
    `<` struct(custom<MaybeDynamic>($offset), custom<MaybeDynamics>($sizes),
               custom<MaybeDynamics>($strides)) `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    unsigned getRank() const { return getSizes().size(); }
    /// How many `?` there are: operands of the op that carries the attribute.
    unsigned getNumDynamic() const;
    /// The strided memref type of this access into a buffer of `source`'s
    /// element type and memory space; offsets add, as views compose.
    MemRefType getViewType(MemRefType source) const;
  }];
}

def TC_FactorList : OptionalArrayRefParameter<"::mlir::tc::Factor"> {
  let allocator = "$_dst = $_allocator.copyInto($_self);";
}

def TC_StagingAttr : TC_Attr<"Staging", "staging"> {
  let summary = "how an input gets to the threads of a block";
  let description = [{
    Either `in_place`: each thread reads what it needs where it lies in global
    memory. Or the dimensions of the tile that a block copies to shared memory,
    outermost first, with their strides in elements. `by n` says that the threads
    copy n neighbours along the last dimension at a time where addresses are
    aligned to as many, and else one by one.

    The tile has a dimension for each iterator that the input varies with, if it
    spans several points of it. One with a vector, or listed twice in `thread`, is
    several dimensions, outermost first: the rest, the lanes, the vector.

    ```mlir
    #tc.staging<[k = 132, m = 4, m = 1] by 4>
    #tc.staging<in_place>
    ```
  }];
  let parameters = (ins TC_FactorList:$strides, "int64_t":$chunk);
  let assemblyFormat = "`<` custom<Staging>($strides, $chunk) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static StagingAttr getInPlace(MLIRContext *context);
    /// Has it neither strides nor chunks?
    bool isInPlace() const;
  }];
}

def TC_StagingList : OptionalArrayRefParameter<"::mlir::tc::StagingAttr">;

def TC_MmaAttr : TC_Attr<"Mma", "mma"> {
  let summary = "a tensor instruction, and how iterators are folded into it";
  let description = [{
    The instruction by shape and type (`Target/Mma.h`), and which iterators the
    lanes of a warp are along, outermost first: `m`, 8 lanes of result iterators
    of one input; `n`, 4 lanes of result iterators of the other; and `k`, 4 lanes
    of contracted ones. No iterator has to have a multiple of the instruction's
    extents: several make up a row or a column of it together.

    Lane `4 g + t` is the `g`-th along `m` and the `t`-th along `n` and `k`. What
    else of its tile an instruction takes are results that the lane holds
    anyway: two places of `register` or `vector` along an iterator of `n`, as
    many along those of `m` as it has rows for 8 lanes, and the terms that
    follow in the step, the last contracted iterator fastest, and neighbours of
    a `vector` faster than these. A term of place `p` along an iterator of `k`
    with `f` lanes is that of lane `p mod f`.

    Inputs are of the type in the name, `s8` for `i8`, and `f8` for `f8E4M3FN`
    or `f8E5M2`, of each input its own; or of `f32`, with a `precision` of the
    contraction that permits products of the type in the name, `tf32` or `bf16`.
    These may be several instructions. Results are summed in
    `f64`, `i32` for inputs of `i8`, and `f32` for all others. Complex numbers of
    `f64` and of `f32` are multiplied by four such products of their components.

    `promote = n` (for sums in `f32`): n terms, a multiple of those of the
    instruction, are added to zero, and what they come to is added to the
    accumulators by an addition of `f32`, which rounds to nearest, as the unit
    does not. It is at most the terms of a step, whose last ones may be fewer.
    Without it, products that are one instruction are added to the accumulators
    by the unit; of several instructions, the terms of one are promoted together,
    and of `f8` 128.

    ```mlir
    #tc.mma<"m16n8k16.f64", m = [a = 4, i = 2], n = [b = 4], k = [q = 4]>
    #tc.mma<"m16n8k8.tf32", m = [a = 8], n = [b = 4], k = [q = 4], promote = 16>
    ```

    Example: test/Docs/attributes.mlir.
  }];
  let parameters = (ins "::mlir::StringAttr":$instruction, TC_FactorList:$m,
                        TC_FactorList:$n, TC_FactorList:$k,
                        DefaultValuedParameter<"int64_t", "0">:$promote);
  let assemblyFormat = [{
    `<` $instruction `,` `m` `=` custom<Factors>($m) `,` `n` `=`
    custom<Factors>($n) `,` `k` `=` custom<Factors>($k)
    (`,` `promote` `=` $promote^)? `>`
  }];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    const MmaShape &getShape() const;
    /// The types that each input may have, and that of accumulators.
    SmallVector<Type, 2> getInputTypes(Precision precision) const;
    Type getSumType() const;
    /// Lanes of a warp along a result iterator; 1 if it is not folded.
    int64_t getLanes(StringRef iterator) const;
    int64_t getTermLanes(StringRef iterator) const { return getFactor(getK(), iterator); }
    /// Terms that are added to zero before they are added to accumulators,
    /// `promote` or what it is by default; 0 if any number is added to these.
    int64_t getPromotedTerms(Precision precision) const;
    /// The same with other lists of factors.
    MmaAttr mapLists(function_ref<SmallVector<::mlir::tc::Factor>(
                         ArrayRef<::mlir::tc::Factor>)> map) const;
  }];
}

def TC_ScheduleAttr : TC_Attr<"Schedule", "schedule"> {
  let summary = "how a contraction is tiled and on what it runs";
  let description = [{
    The decision that `tc-schedule` takes (or a person writes) and every later
    pass carries out. Iterators are named as in the `tc.contract` that carries
    the attribute; a factor that is not listed is 1.

    - `thread`: threads of a block along each iterator, outermost first; the
      last one listed is the fastest in the thread number. Threads along a
      contracted iterator share results: thread `t` takes the terms
      `t, t + thread, t + 2*thread, ...` of each step, and what they have
      gathered is combined at the end. Terms may then have to be reordered. An
      iterator may be listed twice: with `[i = 8, j = 16, i = 2]` neighbours along
      i are neighbouring lanes by twos. The second factor, times the vector,
      divides the extent.
    - `register`: results per thread along each result iterator. Thread `t`
      holds the results `t, t + thread, t + 2*thread, ...` of its block tile.
    - `step`: how much of each contracted iterator is staged at a time, a
      multiple of the threads along it.
    - `vector`: neighbours along an iterator that a thread takes together; it
      divides the iterator's extent; where that is dynamic, `tc-variants`
      makes kernels for either case, and without vectors neighbours are registers.
      With a vector of v, thread `t` holds the results `(t + r * thread) * v + e` for `e < v` of each register `r`, and of
      a contracted iterator takes such terms. A step is a multiple of the vectors
      of its threads, and the register tile is unrolled over a vector.
    - `split`: parts of a contracted iterator, each of which has blocks of its
      own. Where they do not divide the extent a part is as many whole steps as
      each can have; of a dynamic extent there are at most so many parts, of as
      few whole steps as that allows. Parts are gathered in a buffer in global memory, and a second kernel combines them,
      in order, with what is left over: the same results on every run.
    - `stage`: how each input gets to the threads, as `#tc.staging` says it; where
      it is missing, `tc-schedule` adds it. The cost model predicts with what it
      would add.
    - `unroll`: how often a thread's loop over each contracted iterator of a step
      is unrolled, the elements of a vector included. Where it is missing,
      `tc-schedule` adds it, unless steps of `mma` are unrolled whole.
    - `stages`: buffers in shared memory for each input. With 1, a step waits for
      its own copies; with n, copies run n - 1 steps ahead.
    - `resident`: blocks that a multiprocessor is to hold at a time. The assembler
      keeps a thread within its share of the registers; with 1 it takes as many as
      it likes.
    - `kernel`: the instruction family of the register tile. With `fma` each
      thread computes its results. With `mma` the 32 threads of a warp compute
      theirs together, by the instruction of `unit`, a `#tc.mma`: `thread` lists
      all threads along an iterator, those of `unit` among them, which are
      neighbours along it. `unroll` is of whole instructions there. With `library`
      the host asks a library, of what is a batched matrix product
      (`tc.library_product`); the rest of the schedule, with `unit` or without, is
      that of the kernel that stands in where there is none. Without a list,
      `tc-schedule` chooses that.

    A block tile spans `thread * register * vector` of each result iterator; the
    grid has a block for each block tile, of each part.

    Example: test/Docs/attributes.mlir.
  }];
  let parameters = (ins TC_FactorList:$thread, TC_FactorList:$reg,
                        TC_FactorList:$step, TC_FactorList:$vector,
                        TC_FactorList:$split, TC_StagingList:$staging,
                        TC_FactorList:$unroll,
                        DefaultValuedParameter<"int64_t", "1">:$stages,
                        DefaultValuedParameter<"int64_t", "1">:$resident,
                        "::mlir::tc::Kernel":$kernel,
                        OptionalParameter<"::mlir::tc::MmaAttr">:$unit);
  let assemblyFormat = [{
    `<` (`thread` `=` custom<Factors>($thread)^ `,` ` `)?
    (`register` `=` custom<Factors>($reg)^ `,` ` `)?
    (`step` `=` custom<Factors>($step)^ `,` ` `)?
    (`vector` `=` custom<Factors>($vector)^ `,` ` `)?
    (`split` `=` custom<Factors>($split)^ `,` ` `)?
    (`stage` `=` custom<Stagings>($staging)^ `,` ` `)?
    (`unroll` `=` custom<Factors>($unroll)^ `,` ` `)?
    (`stages` `=` $stages^ `,` ` `)? (`resident` `=` $resident^ `,` ` `)?
    custom<Family>($kernel) (`,` `unit` `=` $unit^)? `>`
  }];
  let builders = [
    /// Without a word on how inputs are staged and what is unrolled.
    AttrBuilder<(ins "ArrayRef<Factor>":$thread, "ArrayRef<Factor>":$reg,
                     "ArrayRef<Factor>":$step, "ArrayRef<Factor>":$vector,
                     "ArrayRef<Factor>":$split, "int64_t":$stages,
                     "int64_t":$resident, "Kernel":$kernel,
                     CArg<"MmaAttr", "{}">:$unit), [{
      return $_get($_ctxt, thread, reg, step, vector, split,
                   ArrayRef<StagingAttr>(), ArrayRef<Factor>(), stages,
                   resident, kernel, unit);
    }]>,
    /// Without vectors and parts, too, one stage, one block on a multiprocessor.
    AttrBuilder<(ins "ArrayRef<Factor>":$thread, "ArrayRef<Factor>":$reg,
                     "ArrayRef<Factor>":$step, "Kernel":$kernel), [{
      return $_get($_ctxt, thread, reg, step, ArrayRef<Factor>(),
                   ArrayRef<Factor>(), ArrayRef<StagingAttr>(),
                   ArrayRef<Factor>(), 1, 1, kernel, MmaAttr());
    }]>
  ];
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The factor of `iterator` in each list; 1 when it is not listed.
    int64_t getThread(StringRef iterator) const;
    /// The second, faster factor of an iterator that `thread` lists twice; else
    /// 1.
    int64_t getFastThread(StringRef iterator) const;
    int64_t getRegister(StringRef iterator) const { return getFactor(getReg(), iterator); }
    int64_t getStep(StringRef iterator) const { return getFactor(getStep(), iterator); }
    int64_t getVector(StringRef iterator) const { return getFactor(getVector(), iterator); }
    int64_t getSplit(StringRef iterator) const { return getFactor(getSplit(), iterator); }
    /// Nothing where `unroll` does not list the iterator.
    std::optional<int64_t> findUnroll(StringRef iterator) const;
    /// Results of a result iterator in a block tile: thread * register * vector.
    int64_t getBlock(StringRef iterator) const;
    /// Threads in a block: the product of all thread factors.
    int64_t getNumThreads() const;
    /// The same with other threads.
    ScheduleAttr withThread(ArrayRef<::mlir::tc::Factor> thread) const;
    /// The same without parts.
    ScheduleAttr dropSplit() const;
    /// Is a library to be asked?
    bool asksLibrary() const { return getKernel() == Kernel::Library; }
    /// The same with a library to be asked, and without one.
    ScheduleAttr withLibrary() const;
    ScheduleAttr dropLibrary() const;
    /// The same with this staging, or none.
    ScheduleAttr withStaging(ArrayRef<::mlir::tc::StagingAttr> staging) const;
    /// The same with these loops unrolled, or without a word on it.
    ScheduleAttr withUnroll(ArrayRef<::mlir::tc::Factor> unroll) const;
    /// The same with other lists of factors.
    ScheduleAttr mapLists(
        function_ref<SmallVector<::mlir::tc::Factor>(
            ArrayRef<::mlir::tc::Factor>)> map) const;
    /// The factors that `keep` holds for, and the same staging and unit.
    ScheduleAttr
    filter(function_ref<bool(const ::mlir::tc::Factor &)> keep) const;
    /// The schedule of a contraction that has no iterators but `names`. Without
    /// staging, where that speaks of others.
    ScheduleAttr keepOnly(ArrayRef<StringRef> names) const;
  }];
}

def TC_MachineAttr : TC_Attr<"Machine", "machine"> {
  let summary = "the limits of the chip a program is compiled for";
  let description = [{
    Limits that decide whether a schedule can be launched, by name. A module
    carries one as `tc.machine`; the known chips are in `Target/Machine.h`.
    Sizes are in bytes. Shared memory is what a block can have by opting in.

    The example is that of `#tc.schedule`.
  }];
  let parameters = (ins StringRefParameter<"name of the chip">:$chip,
                        "int64_t":$multiprocessors, "int64_t":$warp_size,
                        "int64_t":$max_block_threads,
                        "int64_t":$max_thread_registers,
                        "int64_t":$block_registers,
                        "int64_t":$block_shared_bytes);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// The machine of a known chip; reports the known names otherwise.
    static FailureOr<MachineAttr>
    getKnown(MLIRContext *context, StringRef chip,
             function_ref<InFlightDiagnostic()> emitError);
    /// The machine that `op` is compiled for: `chip` if not empty, else the
    /// `tc.machine` of an enclosing op, else kDefaultChip. Reports unknown chips
    /// at `op`.
    static FailureOr<MachineAttr> find(Operation *op, StringRef chip);
    /// What instructions the chip has, if it is a known one: see Machine.
    bool hasAsyncCopies() const;
    bool hasSignedMinimum() const;
    bool hasRoundingToTf32() const;
    bool hasF8Conversions() const;
    bool hasClusters() const;
    /// The same machine with so many bytes of shared memory for a block.
    MachineAttr withSharedBytes(int64_t bytes) const;
    /// Why the chip does not have a tensor instruction, if it does not.
    std::optional<std::string> findInstructionProblem(const MmaShape &shape) const;
    /// Why a block cannot have so many bytes of shared memory, if it cannot.
    std::optional<std::string> findSharedProblem(int64_t bytes) const;
  }];
}

def TC_MapAttr : TC_Attr<"Map", "map"> {
  let summary = "how thread numbers become the indices of a tc.par";
  let description = [{
    Combinators applied to the index space of the `tc.par`, first to last. The
    dimensions of the space they end in, the last one first, are the x, y and z
    axes of the grid or of the block.

    ```mlir
    #tc.map<shift_lb, fold_last2, split_last(65535)>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$names,
                        ArrayRefParameter<"::mlir::DenseI64ArrayAttr">:$arguments);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    static MapAttr get(MLIRContext *context, ArrayRef<Combinator> combinators);
    SmallVector<Combinator> getCombinators() const;
    /// The mapping of `space`; the message says which combinator does not apply.
    llvm::Expected<Mapping> getMapping(const IndexSpace &space) const;
  }];
}

def TC_HostAttr : TC_Attr<"Host", "host"> {
  let summary = "the memory of the host, as a memory space";
  let description = [{
    Of a memref in a function that launches kernels. Without it, arguments and
    what the function allocates lie in the memory of the device. Buffers of the
    host are read and written by `memref.copy`, which is in order with kernels as
    launches are (tc-async), and by loads and stores outside of nests, which
    wait for what they depend on. No kernel reaches them. What the function
    allocates there is pinned.

    ```mlir
    memref.copy %values, %device : memref<1024xf32, #tc.host> to memref<1024xf32>
    ```

    Loops on the CPU have one memory, and drop it.
  }];
  let extraClassDeclaration = [{
    /// Is this the memory space of `type`?
    static bool isSpaceOf(Type type) {
      auto memref = dyn_cast<BaseMemRefType>(type);
      return memref && isa_and_nonnull<HostAttr>(memref.getMemorySpace());
    }
  }];
}

include "tc/IR/HostScheduleAttr.td"
include "tc/IR/VersionAttrs.td"

#endif // TC_IR_TCATTRS_TD
