//===- Isa.h - The instruction table ----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every instruction form the emulator covers is one row of one table
// (IsaTable.cpp, WarpTable.cpp, WarpgroupTable.cpp, AsyncTable.cpp,
// BulkTable.cpp), written as the PTX ISA document writes it. Parsing matches an
// instruction against the rows of its root; the row names the operands' kinds,
// which the verifier checks, and the function that translates it.
//
// Syntax of a row: `root.Mod{.Mod}.Type operand, operand`. A word in braces may
// be left out. A word that names a set (Rnd, Int, ...) stands for one of its
// members, any other word for itself. Operands:
//
//   d          a destination register       a b c e f   a source
//   p          a predicate, or a pair p|q   !c          a predicate, maybe `!`
//   d|p        a register, maybe with a predicate
//   fd, fs     a matrix fragment: a vector of registers
//   fx         one that is read and, later, written
//   vd, vs     as d and a, or a vector if .Vec is there
//   md, ms     as `mov` has them            imm         an integer constant
//   [a]        an address                   label, table, call,
//   [t]        a tensor map, coordinates    prototype
//   io         offsets of im2col
//
// An operand has the type of the instruction, which is the last type among its
// modifiers; `:u32` or `:Src` says another one, `:wide` doubles the width. A
// `?` behind an operand makes it optional.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_ISA_ISA_H
#define TC_LIB_EMULATOR_ISA_ISA_H

#include "Ptx/Ptx.h"

namespace llvm {
class raw_ostream;
}

namespace tc::emulator {
class Emitter;
struct Step;
} // namespace tc::emulator

namespace tc::emulator::isa {

/// Emits LLVM IR for one instruction, for one lane or for all of a warp.
using LowerFunction = void (*)(Emitter &, const ptx::Instruction &);
/// Executes one instruction for the active lanes of a warp; false after a
/// fault.
using RunFunction = bool (*)(Step &);

enum class Effect : uint8_t {
  /// Only registers, lane by lane: a false guard may be a select on the
  /// results.
  Pure,
  /// Memory, control or other threads: a false guard must branch around.
  Effect,
  /// The lanes of a warp come together first; then it runs once for them all.
  Collective,
};

/// How close results are to those of a GPU.
enum class Accuracy : uint8_t {
  Documented,  ///< the document leaves no choice
  Approximate, ///< it bounds the error, and the host's function has less
  Sum,         ///< of products; the document leaves open how they are rounded
  Flushes,     ///< as documented, but .f32 keeps subnormal numbers
};

/// A row as written: an instruction is either translated or run.
struct Row {
  constexpr Row(const char *section, const char *syntax, Effect effect,
                LowerFunction lower, Accuracy accuracy = Accuracy::Documented)
      : section(section), syntax(syntax), effect(effect), accuracy(accuracy),
        lower(lower) {}
  constexpr Row(const char *section, const char *syntax, Effect effect,
                RunFunction run, Accuracy accuracy = Accuracy::Documented)
      : section(section), syntax(syntax), effect(effect), accuracy(accuracy),
        run(run) {}

  const char *section; ///< of the PTX ISA document, 9.0
  const char *syntax;
  Effect effect;
  Accuracy accuracy;
  LowerFunction lower = nullptr;
  RunFunction run = nullptr;
};

/// The whole table, which is these parts one after the other.
llvm::ArrayRef<Row> getTable();
llvm::ArrayRef<Row> getScalarRows();    ///< IsaTable.cpp
llvm::ArrayRef<Row> getWarpRows();      ///< WarpTable.cpp
llvm::ArrayRef<Row> getWarpgroupRows(); ///< WarpgroupTable.cpp
llvm::ArrayRef<Row> getAsyncRows();     ///< AsyncTable.cpp
llvm::ArrayRef<Row> getBulkRows();      ///< BulkTable.cpp

struct OperandSpec {
  enum class Kind : uint8_t {
    Dest,
    Source,
    PredicateDest,
    PredicateSource,
    DestPair,
    FragmentDest,
    FragmentSource,
    FragmentBoth,
    VectorDest,
    VectorSource,
    MoveDest,
    MoveSource,
    Constant,
    Address,
    TensorAddress,
    Im2colOffsets,
    Label,
    Table,
    Call,
    Prototype
  };
  Kind kind;
  bool isOptional = false;
  llvm::StringRef type; ///< empty: the instruction's type
};

struct Modifier {
  llvm::StringRef name;
  bool isOptional = false;
  llvm::SmallVector<llvm::StringRef, 8> choices;
};

/// A row made ready for matching.
struct Form {
  const Row *row;
  llvm::StringRef root;
  std::vector<Modifier> modifiers;
  std::vector<OperandSpec> operands;
};

/// Reads a row's syntax.
Form readRow(const Row &row);

/// Prints the table as Markdown: section, instruction and effect of each row,
/// then what the words that stand for several are.
void listInstructions(llvm::raw_ostream &os);

/// What a word of a row stands for: the members of a set, or itself.
llvm::SmallVector<llvm::StringRef, 8> getChoices(llvm::StringRef word);

/// Finds the row that `instruction` matches by root and modifiers, and fills
/// `form`, `bindings` and `type`. Fails, naming the word that no row has there.
llvm::Error resolve(ptx::Instruction &instruction);
/// Goes on to the next row that matches: those of the same words have other
/// operands. False if there is none.
bool resolveNext(ptx::Instruction &instruction);

} // namespace tc::emulator::isa

#endif // TC_LIB_EMULATOR_ISA_ISA_H
