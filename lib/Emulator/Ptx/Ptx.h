//===- Ptx.h - PTX modules as data ------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a PTX file says, as plain data: no behaviour, no LLVM IR. The parser
// fills it, the verifier adds which row of the instruction table each
// instruction matched, the translator only reads it. Names and texts point into
// the source, which the module owns.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_PTX_PTX_H
#define TC_LIB_EMULATOR_PTX_PTX_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tc::emulator {
struct MatrixForm;
namespace isa {
struct Form;
}
} // namespace tc::emulator

namespace tc::emulator::ptx {

// clang-format off
enum class Type : uint8_t {
  U8, U16, U32, U64, S8, S16, S32, S64, B8, B16, B32, B64, B128,
  F16, F16X2, BF16, BF16X2, F32, F64, Pred,
  U16X2, S16X2, F32X2, TF32, E4M3X2, E5M2X2,
};
// clang-format on

/// The type of that PTX name ("u32", without the dot).
std::optional<Type> findType(llvm::StringRef name);
llvm::StringRef getName(Type type);
/// Width in bits; a predicate has 1.
unsigned getBits(Type type);
/// Bytes in memory; a predicate has none and gives 0.
inline unsigned getBytes(Type type) { return getBits(type) / 8; }
bool isSigned(Type type);
/// True for .f16 .bf16 .f32 .f64 (not for the packed pairs).
bool isFloat(Type type);
/// True for .u*, .s* and .b*.
bool isInteger(Type type);

enum class Space : uint8_t {
  Generic,
  Global,
  Shared, ///< of the thread's own block: shared::cta
  Local,
  Const,
  Param,
  Cluster, ///< shared memory of any block of the cluster: shared::cluster
};
std::optional<Space> findSpace(llvm::StringRef name);
llvm::StringRef getName(Space space);

/// A register that some instruction names.
struct Register {
  llvm::StringRef name; ///< prefix and, for `%r<9>`, the number
  Type type;
};

/// Where a variable's initial value holds the address of another one.
struct Relocation {
  uint64_t offset;        ///< in bytes from the variable's start
  llvm::StringRef symbol; ///< the variable or function addressed
  int64_t addend;         ///< in bytes
};

/// A .global, .const, .shared, .local or .param variable.
struct Variable {
  llvm::StringRef name;
  Space space = Space::Global;
  Type type = Type::B8;
  uint32_t align = 1;
  uint64_t bytes = 0;
  /// `.extern .shared x[]`: begins where the static shared memory ends.
  bool isDynamic = false;
  /// `.extern` with a size: defined in another module.
  bool isExternal = false;
  /// The formal parameter or return value of a function.
  bool isFormal = false;
  std::vector<uint8_t> initial; ///< empty, or `bytes` long
  std::vector<Relocation> relocations;
  /// For a parameter: where it lies in the packed buffer.
  uint32_t offset = 0;
  unsigned line = 0;
};

/// Blocks of a cluster at most, where more than the 8 that every GPU can run is
/// asked for (CUDA C++ Programming Guide, thread block clusters).
constexpr uint32_t maxClusterBlocks = 16;

enum class Special : uint8_t {
  Tid,
  NTid,
  CtaId,
  NCtaId,
  LaneId,
  WarpId,
  NWarpId,
  LaneMaskEq,
  LaneMaskLt,
  LaneMaskLe,
  LaneMaskGt,
  LaneMaskGe,
  SmId,
  NSmId,
  GridId,
  Clock,
  Clock64,
  GlobalTimer,
  DynamicShared,
  TotalShared,
  ClusterId,
  NClusterId,
  ClusterCtaId,
  ClusterNCtaId,
  ClusterCtaRank,
  ClusterNCtaRank,
  IsExplicitCluster,
  GridWorkspace, ///< `dim` 0 and 1: the halves of its address
};

struct Operand {
  enum class Kind : uint8_t {
    Register,  ///< `reg`, `negated`
    Immediate, ///< `bits`, `literal`
    Special,   ///< `special`, `dim`
    Variable,  ///< `variable` + `offset`: the address of a variable
    Name,      ///< `name`: a label or a function
    Address,   ///< `[elements[0] + offset]`, or with coordinates of a tensor
    Vector,    ///< `{elements...}`
    Pair,      ///< `elements[0]|elements[1]`
    Sink,      ///< `_`
  };
  enum class Literal : uint8_t { Integer, F32, F64 };

  Kind kind = Kind::Sink;
  bool negated = false;
  Literal literal = Literal::Integer;
  Special special = Special::Tid;
  uint8_t dim = 0; ///< 0, 1, 2 for .x, .y, .z
  unsigned reg = 0;
  uint64_t bits = 0;
  int64_t offset = 0;
  const Variable *variable = nullptr;
  llvm::StringRef name;
  std::vector<Operand> elements;
};

/// A place in the program that the PTX was compiled from (`.loc`).
struct Location {
  uint32_t file = 0; ///< key of Module::files
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t inlinedAt = 0; ///< index of the call's location, or 0
};

/// One element of the instruction table's syntax and what it stood for, as
/// {"Rnd", "rz"}; an optional word that is there is bound to itself.
struct Binding {
  llvm::StringRef name;
  llvm::StringRef value;
};

struct Function;

/// What functions that a call through a register may call look like
/// (`.callprototype`), or which they are (`.calltargets`).
struct Prototype {
  bool isList = false;
  std::vector<uint64_t> results, parameters; ///< sizes in bytes
  std::vector<llvm::StringRef> targets;      ///< of a list
};

struct Instruction {
  llvm::StringRef root;                            ///< "add"
  llvm::SmallVector<llvm::StringRef, 6> modifiers; ///< "sat", "s32"
  std::vector<Operand> operands;
  /// Register of the guard, `@p` or `@!p`.
  std::optional<unsigned> guard;
  bool guardNegated = false;
  unsigned line = 0;
  llvm::StringRef text;         ///< the whole instruction as written
  uint32_t location = 0;        ///< index into Module::locations; 0 is unknown
  bool isAfterNoUnroll = false; ///< `.pragma "nounroll"` came just before

  // `call` alone. Through a register it has operands: that and the prototype.
  llvm::StringRef callee;
  std::vector<Operand> results, arguments;
  /// What the translator made of a call: nothing, a branch by the address of a
  /// function to that of `callees`, or one that fails where the stack is full.
  enum class Branch : uint8_t { None, Pointer, Stack };
  Branch branch = Branch::None;

  // Filled by the verifier.
  const isa::Form *form = nullptr;
  const MatrixForm *matrix = nullptr; ///< of `mma`, `wmma` and their kin
  llvm::SmallVector<Binding, 6> bindings;
  /// The type most operands have: the last type among the modifiers.
  Type type = Type::B32;
  const Function *target = nullptr;       ///< what `call` calls
  std::vector<const Function *> callees;  ///< or may call through a register
  llvm::SmallVector<unsigned, 1> targets; ///< instruction indices jumped to

  /// What that part of the syntax stood for; empty when it was left out.
  llvm::StringRef get(llvm::StringRef name) const;
  bool has(llvm::StringRef name) const { return !get(name).empty(); }
  /// The opcode with its modifiers.
  std::string getOpcode() const;
  /// The whole instruction in one line, with single spaces.
  std::string getText() const;
};

struct Function {
  llvm::StringRef name;
  bool isEntry = false;
  bool hasBody = false;
  std::vector<Variable *> parameters, results;
  std::vector<Register> registers;
  /// Its .local, .shared and .param variables, formal ones included.
  std::deque<Variable> variables;
  std::vector<Instruction> body;
  llvm::StringMap<unsigned> labels; ///< index of the instruction that follows
  llvm::StringMap<std::vector<llvm::StringRef>> branchTables;
  llvm::StringMap<Prototype> prototypes;
  /// From .maxntid and .reqntid; 0 when absent.
  uint32_t maxThreads[3] = {0, 0, 0};
  uint32_t requiredThreads[3] = {0, 0, 0};
  /// From .reqnctapercluster, and the most blocks by .maxclusterrank; 0 when
  /// absent.
  uint32_t clusterBlocks[3] = {0, 0, 0};
  uint32_t maxClusterRank = 0;
  /// .explicitcluster: it is to be launched in clusters.
  bool isExplicitCluster = false;
  uint32_t parameterBytes = 0;
  unsigned line = 0;
  /// The module names it other than in a call; found by the verifier.
  bool isAddressTaken = false;

  /// A number that nothing else on the device has as its address.
  uint64_t getAddress() const { return reinterpret_cast<uint64_t>(this); }
};

struct Module {
  std::string source;
  unsigned major = 0, minor = 0; ///< .version
  llvm::StringRef target;        ///< "sm_90a"
  std::deque<Variable> variables;
  std::deque<Function> functions;
  llvm::StringMap<llvm::StringRef> aliases; ///< .alias: name and function
  std::map<uint32_t, std::string> files;    ///< .file: number and path
  std::deque<std::string> names; ///< of labels that are unique in a block only
  /// What `.loc` said; element 0 stands for an unknown place.
  std::vector<Location> locations{Location()};

  /// The function of that name, or the one that it is an alias of.
  const Function *findFunction(llvm::StringRef name) const;
  /// 90 of "sm_90a".
  unsigned getChip() const;
  const Variable *findVariable(llvm::StringRef name) const;
  /// "a.cu:12:3, inlined at b.cu:4:1" for an instruction; "" if unknown.
  std::string describeLocation(const Instruction &instruction) const;
};

/// An error at a line of the PTX text: "PTX line 12: <message>".
llvm::Error makeError(unsigned line, const llvm::Twine &message);

} // namespace tc::emulator::ptx

#endif // TC_LIB_EMULATOR_PTX_PTX_H
