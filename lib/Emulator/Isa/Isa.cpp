//===- Isa.cpp - Matching instructions against the table ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the rows' syntax once and matches opcodes against it.
//
//===----------------------------------------------------------------------===//

#include "Isa/Isa.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using llvm::StringRef;

namespace tc::emulator::isa {

namespace {

/// Words that stand for one of several in the rows.
constexpr std::pair<const char *, const char *> sets[] = {
    {"Int", "u16 u32 u64 s16 s32 s64"},
    {"IntW", "u16 u32 s16 s32"},
    {"Int32Up", "u32 u64 s32 s64"},
    {"Signed", "s16 s32 s64"},
    {"Int32", "u32 s32"},
    {"Bits", "b16 b32 b64"},
    {"Bits32Up", "b32 b64"},
    {"Logic", "pred b16 b32 b64"},
    {"Shift", "b16 b32 b64 u16 u32 u64 s16 s32 s64"},
    {"Select", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"},
    {"Compare", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64 f16 f16x2 bf16 "
                "bf16x2"},
    {"SetType", "u32 s32 f32 u16 s16 f16 f16x2 bf16 bf16x2"},
    {"Move", "pred b16 b32 b64 b128 u16 u32 u64 s16 s32 s64 f32 f64"},
    {"Memory", "b8 b16 b32 b64 b128 u8 u16 u32 u64 s8 s16 s32 s64 f32 f64"},
    {"Dst", "u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64"},
    {"Src", "u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64"},
    {"Packed", "f16x2 bf16x2"},
    {"Pair16", "u16x2 s16x2"},
    {"Half", "f16 bf16"},
    {"HalfOrTwo", "f16 f16x2"},
    {"BrainOrTwo", "bf16 bf16x2"},
    {"Quarters", "e4m3x2 e5m2x2"},
    {"Int16", "u16 s16"},
    {"SmallInt", "u8 s8 u4 s4 u2 s2"},
    {"DotType", "u32 s32"},
    {"Float", "f32 f64"},
    {"HiLo", "hi lo"},
    {"Rnd", "rn rz rm rp"},
    {"Rnd2", "rn rz"},
    {"Rounding", "rn rz rm rp rni rzi rmi rpi"},
    {"Cmp", "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan"},
    {"BoolOp", "and or xor"},
    {"LogicOp", "and or"},
    {"PermuteMode", "f4e b4e rc8 ecl ecr rc16"},
    {"TestOp", "finite infinite number notanumber normal subnormal"},
    {"Direction", "l r"},
    {"Clamp", "clamp wrap"},
    {"Space", "global shared shared::cta shared::cluster local const param "
              "param::entry param::func"},
    {"StSpace", "global shared shared::cta shared::cluster local param "
                "param::func"},
    {"CvtaSpace", "global shared shared::cta shared::cluster local const param "
                  "param::entry"},
    {"AtomSpace", "global shared shared::cta shared::cluster"},
    {"PrefetchSpace", "global local"},
    {"IsSpace", "global shared shared::cta shared::cluster local"},
    {"LdCop", "ca cg cs lu cv"},
    {"NcCop", "ca cg cs"},
    {"StCop", "wb cg cs wt"},
    {"Evict1", "L1::evict_normal L1::evict_unchanged L1::evict_first "
               "L1::evict_last L1::no_allocate"},
    {"Evict2", "L2::evict_normal L2::evict_first L2::evict_last"},
    {"EvictPriority", "L2::evict_last L2::evict_normal"},
    {"EvictFirst", "L2::evict_last L2::evict_normal L2::evict_first "
                   "L2::evict_unchanged"},
    {"EvictSecond", "L2::evict_first L2::evict_unchanged"},
    {"Prefetch", "L2::64B L2::128B L2::256B"},
    {"Vec", "v2 v4 v8"},
    {"LdOrder", "relaxed acquire"},
    {"StOrder", "relaxed release"},
    {"AtomOrder", "relaxed acquire release acq_rel"},
    {"RedOrder", "relaxed release"},
    {"FenceOrder", "sc acq_rel acquire release"},
    {"Scope", "cta cluster gpu sys"},
    {"NearScope", "cta cluster"},
    {"ClusterOrder", "release relaxed"},
    {"AddressType", "u32 u64"},
    {"AsyncSpace", "global shared::cta shared::cluster"},
    {"Arrive", "arrive arrive_drop"},
    {"BarrierOp", "and or"},
    {"IncDec", "inc dec"},
    {"MembarLevel", "cta gl sys"},
    {"AtomInt", "add min max"},
    {"AtomBit", "and or xor"},
    {"AtomWrap", "inc dec"},
    {"AtomMinMax", "min max"},
    {"AtomIntType", "u32 u64 s32 s64"},
    {"AtomAddType", "u32 u64 s32 f32 f64"},
    {"AtomHalf", "f16 f16x2 bf16 bf16x2"},
    {"AtomMoved", "b32 b64 b128"},
    {"AtomCompared", "b16 b32 b64 b128"},
    {"Level", "L1 L2"},
    {"ShuffleMode", "up down bfly idx"},
    {"VoteMode", "all any uni"},
    {"ReduxInt", "add min max"},
    {"ReduxBit", "and or xor"},
    {"LayoutA", "row col"},
    {"LayoutB", "row col"},
    {"MatrixCount", "x1 x2 x4"},
    {"MatrixSpace", "global shared shared::cta"},
    {"SharedSpace", "shared shared::cta"},
    {"BulkAdd", "u32 s32 u64"},
    {"BulkAddGlobal", "u32 s32 u64 f32 f64"},
    {"BulkMinMax", "u32 s32 u64 s64 f16 bf16"},
    {"BulkRed", "add min max inc dec and or xor"},
    {"RedAsyncType", "b32 b64 u32 u64 s32 s64 f32 f64"},
    {"Dim", "1d 2d 3d 4d 5d"},
    {"DimIm2col", "3d 4d 5d"},
    {"TensorMapSpace", "const param"},
    {"MapSpace", "global shared::cta"},
    {"MapExtent", "box_dim global_dim element_stride"},
    {"MapMode", "elemtype interleave_layout swizzle_mode fill_mode"},
    {"HalfD", "f16 f32"},
    {"HalfC", "f16 f32"},
    {"Quarter", "e4m3 e5m2"},
    {"Quarter2", "e4m3 e5m2"},
    {"Byte", "s8 u8"},
    {"Byte2", "s8 u8"},
    {"Nibble", "s4 u4"},
    {"Nibble2", "s4 u4"},
    {"PopcOp", "xor and"},
    {"ShapeHalf", "m16n8k8 m16n8k16"},
    {"ShapeTF32", "m16n8k4 m16n8k8"},
    {"ShapeF64", "m8n8k4 m16n8k4 m16n8k8 m16n8k16"},
    {"ShapeQuarter", "m16n8k16 m16n8k32"},
    {"ShapeByte", "m8n8k16 m16n8k16 m16n8k32"},
    {"ShapeNibble", "m8n8k32 m16n8k32 m16n8k64"},
    {"ShapeBit", "m8n8k128 m16n8k128 m16n8k256"},
    {"ShapeWmma", "m16n16k16 m32n8k16 m8n32k16"},
    {"ShapeSmall", "m8n8k32 m8n8k128"},
    {"ShapeGroup16",
     "m64n8k16 m64n16k16 m64n24k16 m64n32k16 m64n40k16 m64n48k16 "
     "m64n56k16 m64n64k16 m64n72k16 m64n80k16 m64n88k16 m64n96k16 "
     "m64n104k16 m64n112k16 m64n120k16 m64n128k16 m64n136k16 "
     "m64n144k16 m64n152k16 m64n160k16 m64n168k16 m64n176k16 "
     "m64n184k16 m64n192k16 m64n200k16 m64n208k16 m64n216k16 "
     "m64n224k16 m64n232k16 m64n240k16 m64n248k16 m64n256k16"},
    {"ShapeGroup8",
     "m64n8k8 m64n16k8 m64n24k8 m64n32k8 m64n40k8 m64n48k8 "
     "m64n56k8 m64n64k8 m64n72k8 m64n80k8 m64n88k8 m64n96k8 "
     "m64n104k8 m64n112k8 m64n120k8 m64n128k8 m64n136k8 m64n144k8 "
     "m64n152k8 m64n160k8 m64n168k8 m64n176k8 m64n184k8 m64n192k8 "
     "m64n200k8 m64n208k8 m64n216k8 m64n224k8 m64n232k8 m64n240k8 "
     "m64n248k8 m64n256k8"},
    {"ShapeGroup32",
     "m64n8k32 m64n16k32 m64n24k32 m64n32k32 m64n40k32 m64n48k32 "
     "m64n56k32 m64n64k32 m64n72k32 m64n80k32 m64n88k32 m64n96k32 "
     "m64n104k32 m64n112k32 m64n120k32 m64n128k32 m64n136k32 "
     "m64n144k32 m64n152k32 m64n160k32 m64n168k32 m64n176k32 "
     "m64n184k32 m64n192k32 m64n200k32 m64n208k32 m64n216k32 "
     "m64n224k32 m64n232k32 m64n240k32 m64n248k32 m64n256k32"},
    {"ShapeGroupByte",
     "m64n8k32 m64n16k32 m64n24k32 m64n32k32 m64n48k32 m64n64k32 "
     "m64n80k32 m64n96k32 m64n112k32 m64n128k32 m64n144k32 "
     "m64n160k32 m64n176k32 m64n192k32 m64n208k32 m64n224k32 "
     "m64n240k32 m64n256k32"},
    {"ShapeGroupBit",
     "m64n8k256 m64n16k256 m64n24k256 m64n32k256 m64n48k256 "
     "m64n64k256 m64n80k256 m64n96k256 m64n112k256 m64n128k256 "
     "m64n144k256 m64n160k256 m64n176k256 m64n192k256 m64n208k256 "
     "m64n224k256 m64n240k256 m64n256k256"},
    {"WmmaFactor", "a b"},
    {"WmmaElement", "f16 bf16 s8 u8"},
    {"WmmaResult", "f16 f32 s32"},
};

OperandSpec readOperand(StringRef text) {
  OperandSpec spec;
  spec.isOptional = text.consume_back("?");
  StringRef name;
  std::tie(name, spec.type) = text.split(':');
  using Kind = OperandSpec::Kind;
  spec.kind = llvm::StringSwitch<Kind>(name)
                  .Case("d", Kind::Dest)
                  .Case("p", Kind::PredicateDest)
                  .Case("!c", Kind::PredicateSource)
                  .Case("d|p", Kind::DestPair)
                  .Case("fd", Kind::FragmentDest)
                  .Case("fs", Kind::FragmentSource)
                  .Case("fx", Kind::FragmentBoth)
                  .Case("vd", Kind::VectorDest)
                  .Case("vs", Kind::VectorSource)
                  .Case("md", Kind::MoveDest)
                  .Case("ms", Kind::MoveSource)
                  .Case("imm", Kind::Constant)
                  .Case("[a]", Kind::Address)
                  .Case("[t]", Kind::TensorAddress)
                  .Case("io", Kind::Im2colOffsets)
                  .Case("label", Kind::Label)
                  .Case("table", Kind::Table)
                  .Case("call", Kind::Call)
                  .Case("prototype", Kind::Prototype)
                  .Default(Kind::Source);
  return spec;
}

} // namespace

Form readRow(const Row &row) {
  Form form;
  form.row = &row;
  StringRef opcode, operands;
  std::tie(opcode, operands) = StringRef(row.syntax).split(' ');
  size_t end = opcode.find_first_of(".{");
  form.root = opcode.substr(0, end);
  opcode = opcode.substr(form.root.size());
  while (!opcode.empty()) {
    Modifier modifier;
    modifier.isOptional = opcode.consume_front("{");
    opcode.consume_front(".");
    modifier.name = opcode.take_until(
        [](char c) { return c == '.' || c == '{' || c == '}'; });
    modifier.choices = getChoices(modifier.name);
    opcode = opcode.drop_front(modifier.name.size());
    opcode.consume_front("}");
    form.modifiers.push_back(std::move(modifier));
  }
  llvm::SmallVector<StringRef> words;
  operands.split(words, ',', -1, false);
  for (StringRef word : words)
    form.operands.push_back(readOperand(word.trim()));
  return form;
}

namespace {

using Index = llvm::StringMap<std::vector<Form>>;

const Index &getIndex() {
  static const Index index = [] {
    Index forms;
    for (const Row &row : getTable()) {
      Form form = readRow(row);
      forms[form.root].push_back(std::move(form));
    }
    return forms;
  }();
  return index;
}

/// Words may come in any order where no two of them are of one kind, which
/// CUDA's own headers make use of.
bool isOrdered(StringRef root) {
  return llvm::StringSwitch<bool>(root)
      .Cases({"atom", "red", "ld", "st", "min", "max"}, false)
      .Default(true);
}

/// One attempt to match an opcode's words with a row's.
struct Matcher {
  const Form &form;
  ptx::Instruction &instruction;
  size_t furthest = 0; ///< words that matched in the best attempt

  bool match(size_t element, size_t word) {
    furthest = std::max(furthest, word);
    if (element == form.modifiers.size())
      return word == instruction.modifiers.size();
    const Modifier &modifier = form.modifiers[element];
    if (word < instruction.modifiers.size() &&
        llvm::is_contained(modifier.choices, instruction.modifiers[word])) {
      instruction.bindings.push_back(
          {modifier.name, instruction.modifiers[word]});
      if (match(element + 1, word + 1))
        return true;
      instruction.bindings.pop_back();
    }
    return modifier.isOptional && match(element + 1, word);
  }

  /// Each element takes the first word that it may; none may be left.
  bool matchUnordered() {
    llvm::SmallVector<StringRef, 8> words(instruction.modifiers.begin(),
                                          instruction.modifiers.end());
    for (const Modifier &modifier : form.modifiers) {
      auto *word = llvm::find_if(words, [&](StringRef word) {
        return llvm::is_contained(modifier.choices, word);
      });
      if (word == words.end()) {
        if (!modifier.isOptional)
          return false;
        continue;
      }
      instruction.bindings.push_back({modifier.name, *word});
      words.erase(word);
    }
    return words.empty();
  }
};

} // namespace

void listInstructions(llvm::raw_ostream &os) {
  constexpr const char *effects[] = {"registers", "effect", "warp"};
  os << "| Section | Instruction | Effect |\n|---|---|---|\n";
  for (const Row &row : getTable())
    os << "| " << row.section << " | `" << row.syntax << "` | "
       << effects[unsigned(row.effect)] << " |\n";
  os << "\n| Word | stands for |\n|---|---|\n";
  for (auto &set : sets)
    os << "| `" << set.first << "` | `" << set.second << "` |\n";
}

llvm::SmallVector<StringRef, 8> getChoices(StringRef word) {
  llvm::SmallVector<StringRef, 8> choices;
  for (auto &set : sets)
    if (word == set.first) {
      StringRef(set.second).split(choices, ' ', -1, false);
      return choices;
    }
  choices.push_back(word);
  return choices;
}

bool resolveNext(ptx::Instruction &instruction) {
  const std::vector<Form> &forms = getIndex().find(instruction.root)->second;
  while (++instruction.form != forms.data() + forms.size()) {
    instruction.bindings.clear();
    if (Matcher{*instruction.form, instruction}.match(0, 0))
      return true;
  }
  return false;
}

llvm::Error resolve(ptx::Instruction &instruction) {
  auto forms = getIndex().find(instruction.root);
  if (forms == getIndex().end())
    return ptx::makeError(instruction.line, "instruction '" +
                                                instruction.getOpcode() +
                                                "' is not covered");
  for (StringRef modifier : instruction.modifiers)
    if (std::optional<ptx::Type> type = ptx::findType(modifier))
      instruction.type = *type;
  size_t furthest = 0;
  for (const Form &form : forms->second) {
    instruction.bindings.clear();
    instruction.form = &form;
    Matcher matcher{form, instruction};
    if (matcher.match(0, 0))
      return llvm::Error::success();
    furthest = std::max(furthest, matcher.furthest);
  }
  if (!isOrdered(instruction.root))
    for (const Form &form : forms->second) {
      instruction.bindings.clear();
      instruction.form = &form;
      if (Matcher{form, instruction}.matchUnordered())
        return llvm::Error::success();
    }
  instruction.form = nullptr;
  std::string reason =
      furthest < instruction.modifiers.size()
          ? ("modifier '." + instruction.modifiers[furthest] + "'").str()
          : "end of its modifiers";
  return ptx::makeError(instruction.line,
                        "instruction '" + instruction.getOpcode() +
                            "' is not covered (at the " + reason + ")");
}

} // namespace tc::emulator::isa
