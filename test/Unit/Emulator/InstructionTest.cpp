//===- InstructionTest.cpp - Every row of the table against a reference ---===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions are made from the table: for each row without effects, some
// choices of its words, by a seed. Each runs on edge values and random bits and
// must give what Reference.cpp gives; and ptxas, where there is one, must take
// it. A row without a reference fails.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "Isa/Isa.h"
#include "Isa/Verify.h"
#include "Ptx/Parser.h"
#include "Reference/Reference.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <random>
#include <set>

using namespace tc::emulator;
using namespace tc::emulator::test;
using llvm::StringRef;
using Kind = isa::OperandSpec::Kind;

namespace {

constexpr unsigned lanes = 256;
using Random = std::mt19937_64;

/// One instruction and the registers it names.
struct Sample {
  struct Register {
    std::string name;
    Type type;
    unsigned bits;        ///< of the value
    unsigned declared;    ///< of the register
    bool isConst = false; ///< not a register: `value` stands in the text
    uint64_t value = 0;
  };
  std::string text; ///< "add.s32 %d0, %s0, %s1;"
  std::vector<Register> sources, results;
  std::unique_ptr<ptx::Module> module; ///< owns what `instruction` names
  const ptx::Instruction *instruction = nullptr;

  std::string declare() const {
    std::string text;
    for (const auto *list : {&sources, &results})
      for (const Register &reg : *list)
        if (!reg.isConst)
          text += ".reg ." +
                  (reg.bits == 1 ? std::string("pred")
                                 : "b" + std::to_string(reg.declared)) +
                  " " + reg.name + "; ";
    return text;
  }
};

/// sm_90a, or sm_100a for what that has not.
bool needsNewest(const Sample &sample) {
  const ptx::Instruction &in = *sample.instruction;
  bool isMixed = in.has("Half") && in.root != "cvt";
  return isMixed || in.type == Type::F32X2 ||
         (in.has("tf32") && in.has("satfinite") && !in.has("rna"));
}

std::string headerFor(bool isNewest) {
  return std::string(".version 9.0\n.target sm_") +
         (isNewest ? "100a" : "90a") + "\n.address_size 64\n";
}

//===----------------------------------------------------------------------===//
// Making instructions
//===----------------------------------------------------------------------===//

/// Adds an operand of `spec` to the sample; false where the row cannot have it.
bool addOperand(Sample &sample, const ptx::Instruction &probe,
                const isa::OperandSpec &spec, Random &random) {
  auto [type, bits] = ptx::getOperandType(probe, spec);
  auto add = [&](std::vector<Sample::Register> &list, const char *prefix,
                 Type type, unsigned bits) {
    list.push_back({prefix + std::to_string(list.size()), type, bits,
                    std::max(bits, 16u)});
    return list.back().name;
  };
  if (spec.type == "wide")
    type = bits == 32 ? Type::B32 : Type::B64;
  std::string operand;
  switch (spec.kind) {
  case Kind::Dest:
  case Kind::MoveDest:
    operand = add(sample.results, "%d", type, bits);
    break;
  case Kind::DestPair:
    operand = add(sample.results, "%d", type, bits) + "|";
    operand += add(sample.results, "%d", Type::Pred, 1);
    break;
  case Kind::PredicateDest:
    operand = add(sample.results, "%d", Type::Pred, 1);
    // .f16 and .bf16 give one predicate only.
    if (random() % 2 && !(ptx::isFloat(type) && bits == 16))
      operand += "|" + add(sample.results, "%d", Type::Pred, 1);
    break;
  case Kind::PredicateSource:
    operand = add(sample.sources, "%s", Type::Pred, 1);
    break;
  case Kind::Source:
  case Kind::MoveSource:
    operand = add(sample.sources, "%s", type, bits);
    break;
  case Kind::Constant: {
    uint64_t value = random() % 256;
    sample.sources.push_back({"", type, bits, bits, true, value});
    operand = std::to_string(value);
    break;
  }
  case Kind::Address:
    operand = "[%in]";
    break;
  default:
    return false;
  }
  sample.text += (sample.text.back() == ' ' ? "" : ", ") + operand;
  return true;
}

/// A kernel of nothing but the instruction, to be verified.
std::string wrap(const Sample &sample) {
  return headerFor(true) + ".entry k() {\n.reg .b64 %in; " + sample.declare() +
         "\n" + sample.text + "\nret;\n}\n";
}

/// An instruction of the row by random choices; the verifier's word when it
/// refuses them.
llvm::Expected<Sample> makeSample(const isa::Row &row, Random &random) {
  isa::Form form = isa::readRow(row);
  ptx::Instruction probe;
  probe.root = form.root;
  Sample sample;
  sample.text = form.root.str();
  for (const isa::Modifier &modifier : form.modifiers) {
    if (modifier.isOptional && random() % 2)
      continue;
    StringRef word = modifier.choices[random() % modifier.choices.size()];
    probe.modifiers.push_back(word);
    sample.text += "." + word.str();
  }
  sample.text += " ";
  if (llvm::Error error = isa::resolve(probe))
    return std::move(error);
  if (probe.form->row != &row)
    return ptx::makeError(0, "'" + sample.text + "' is of another row");
  for (const isa::OperandSpec &spec : form.operands)
    if (!spec.isOptional || random() % 2)
      if (!addOperand(sample, probe, spec, random))
        return ptx::makeError(0, "operand kind of '" + sample.text + "'");
  sample.text += ";";
  auto module = ptx::parse(wrap(sample));
  if (!module)
    return module.takeError();
  if (llvm::Error error = ptx::verify(**module))
    return std::move(error);
  sample.module = std::move(*module);
  sample.instruction = &sample.module->functions.front().body.front();
  return sample;
}

/// Rows that depend on where memory lies have tests of their own.
bool isTestedElsewhere(StringRef root) {
  return root == "isspacep" || root == "cvta" || root == "mapa" ||
         root == "getctarank";
}

/// `perRow` different instructions of each row without effects.
std::vector<Sample> makeSamples(uint64_t seed, unsigned perRow) {
  Random random(seed);
  std::vector<Sample> samples;
  for (const isa::Row &row : isa::getTable()) {
    isa::Form form = isa::readRow(row);
    if (row.effect != isa::Effect::Pure || isTestedElsewhere(form.root))
      continue;
    std::set<std::string> seen;
    std::string reason;
    for (unsigned i = 0; i < 20 * perRow && seen.size() < perRow; ++i) {
      llvm::Expected<Sample> sample = makeSample(row, random);
      if (!sample) {
        reason = llvm::toString(sample.takeError());
        continue;
      }
      // There is no reference for 128 bits.
      if (sample->instruction->type == Type::B128 ||
          !seen.insert(sample->text).second)
        continue;
      samples.push_back(std::move(*sample));
    }
    EXPECT_FALSE(seen.empty())
        << "no instruction of the row '" << row.syntax << "': " << reason;
  }
  return samples;
}

//===----------------------------------------------------------------------===//
// Making values
//===----------------------------------------------------------------------===//

/// Numbers of a format with an exponent of `exponentBits` bits: zeros, ones,
/// infinities, NaN, the ends of the ranges, and numbers near 1.
uint64_t makeReal(Random &random, unsigned bits, unsigned exponentBits) {
  unsigned mantissa = bits - 1 - exponentBits;
  uint64_t bias = (uint64_t(1) << (exponentBits - 1)) - 1;
  uint64_t one = bias << mantissa, most = (uint64_t(1) << (bits - 1)) - 1;
  uint64_t infinity = most >> mantissa << mantissa;
  const uint64_t edges[] = {0,
                            1,
                            3,
                            one,
                            one + 1,
                            one + (uint64_t(1) << (mantissa - 1)),
                            one - 1,
                            infinity,
                            infinity - 1,
                            most,
                            (uint64_t(1) << mantissa),
                            (uint64_t(1) << mantissa) - 1,
                            (bias + mantissa) << mantissa};
  uint64_t sign = (random() & 1) << (bits - 1);
  uint64_t fraction = random() & ((uint64_t(1) << mantissa) - 1);
  switch (random() % 4) {
  case 0:
    return sign | edges[random() % std::size(edges)];
  case 1:
    return random() & llvm::maskTrailingOnes<uint64_t>(bits);
  case 2:
    // Few set bits: ties between two neighbours of a shorter format.
    fraction &= random() & random() & random();
    [[fallthrough]];
  default:
    uint64_t exponent = bias + random() % 48 - 24;
    return sign | ((exponent << mantissa | fraction) & most);
  }
}

uint64_t makeValue(Random &random, Type type, unsigned bits) {
  switch (type) {
  case Type::F16:
    return makeReal(random, 16, 5);
  case Type::BF16:
    return makeReal(random, 16, 8);
  case Type::F32:
    return makeReal(random, 32, 8);
  case Type::F64:
    return makeReal(random, 64, 11);
  case Type::F16X2:
    return makeReal(random, 16, 5) << 16 | makeReal(random, 16, 5);
  case Type::BF16X2:
    return makeReal(random, 16, 8) << 16 | makeReal(random, 16, 8);
  case Type::F32X2:
    return makeReal(random, 32, 8) << 32 | makeReal(random, 32, 8);
  default:
    break;
  }
  uint64_t mask = llvm::maskTrailingOnes<uint64_t>(bits);
  switch (random() % 4) {
  case 0:
    return random() % 70 & mask;
  case 1:
    return (0 - random() % 40) & mask;
  case 2: {
    uint64_t power = uint64_t(1) << random() % bits;
    return (power - random() % 2) & mask;
  }
  default:
    return random() & mask;
  }
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Thread i takes 64-bit slots of the i-th part of the input, and fills those
/// of the output. One sample lies on each line of its own.
std::string makeKernel(llvm::ArrayRef<const Sample *> samples, bool isNewest) {
  unsigned inputs = 0, outputs = 0;
  std::string body;
  for (const Sample *sample : samples) {
    std::string before, after;
    for (const Sample::Register &reg : sample->sources) {
      if (reg.isConst)
        continue;
      std::string address = "[%in+" + std::to_string(8 * inputs++) + "]; ";
      if (reg.bits == 1)
        before += "ld.global.b32 %i, " + address + "setp.ne.b32 " + reg.name +
                  ", %i, 0; ";
      else
        before += "ld.global.b" + std::to_string(reg.bits) + " " + reg.name +
                  ", " + address;
    }
    for (const Sample::Register &reg : sample->results) {
      std::string address = "[%out+" + std::to_string(8 * outputs++) + "], ";
      if (reg.bits == 1)
        after += "selp.b32 %i, 1, 0, " + reg.name + "; st.global.b32 " +
                 address + "%i; ";
      else
        after += "st.global.b" + std::to_string(reg.declared) + " " + address +
                 reg.name + "; ";
    }
    body +=
        "{ " + sample->declare() + before + sample->text + " " + after + "}\n";
  }
  auto place = [](const char *name, unsigned slots) {
    return "ld.param.u64 %" + std::string(name) + ", [" + name +
           "]; mad.lo.u64 %" + name + ", %t, " + std::to_string(8 * slots) +
           ", %" + name + "; ";
  };
  return headerFor(isNewest) +
         ".visible .entry k(.param .u64 in, .param .u64 out) { .reg .b32 %i, "
         "%j; .reg .b64 %in, %out, %t; mov.u32 %i, %ctaid.x; mov.u32 %j, "
         "%tid.x; mad.lo.u32 %i, %i, 128, %j; cvt.u64.u32 %t, %i; " +
         place("in", inputs) + place("out", outputs) + "\n" + body + "ret; }\n";
}

/// The line of the first sample in what makeKernel gives.
constexpr unsigned firstLine = 5;

void runSamples(llvm::ArrayRef<const Sample *> samples, uint64_t seed,
                Effort effort, LaunchOptions::Execution execution) {
  Random random(seed);
  std::vector<uint64_t> input;
  std::vector<std::vector<Bits>> sources(lanes);
  unsigned outputs = 0;
  for (const Sample *sample : samples)
    outputs += sample->results.size();
  for (unsigned lane = 0; lane < lanes; ++lane)
    for (const Sample *sample : samples) {
      Bits values;
      for (const Sample::Register &reg : sample->sources) {
        values.push_back(reg.isConst ? reg.value
                                     : makeValue(random, reg.type, reg.bits));
        if (!reg.isConst)
          input.push_back(values.back());
      }
      sources[lane].push_back(values);
    }
  Device device(makeKernel(samples, needsNewest(*samples[0])), effort);
  if (!device.module)
    return;
  LaunchOptions options;
  options.execution = execution;
  device.module->setOptions(options);
  DeviceArray<uint64_t> in(device.memory, input);
  DeviceArray<uint64_t> out(device.memory,
                            std::vector<uint64_t>(lanes * outputs));
  ASSERT_EQ(
      device.run("k", {lanes / 128, 1, 1}, {128, 1, 1}, 0, in.get(), out.get()),
      "");
  std::vector<uint64_t> results = out.values();
  size_t slot = 0;
  for (size_t i = 0; i < samples.size(); ++i) {
    const Sample &sample = *samples[i];
    Reference reference = findReference(sample.instruction->root);
    unsigned failures = 0;
    for (unsigned lane = 0; lane < lanes && failures < 3; ++lane) {
      Bits expected = reference(*sample.instruction, sources[lane][i]);
      for (size_t d = 0; d < sample.results.size(); ++d) {
        const Sample::Register &reg = sample.results[d];
        uint64_t got = results[lane * outputs + slot + d];
        uint64_t want = expected[d];
        if (reg.declared > reg.bits && ptx::isSigned(reg.type))
          want = uint64_t(llvm::SignExtend64(want, reg.bits)) &
                 llvm::maskTrailingOnes<uint64_t>(reg.declared);
        if (got == want || (reg.declared == reg.bits &&
                            isRight(*sample.instruction, reg.type, got, want)))
          continue;
        ++failures;
        std::string text;
        for (uint64_t source : sources[lane][i])
          text += " 0x" + llvm::utohexstr(source);
        ADD_FAILURE() << sample.text << " of" << text << ": expected 0x"
                      << llvm::utohexstr(want) << ", got 0x"
                      << llvm::utohexstr(got);
      }
    }
    slot += sample.results.size();
  }
}

/// Splits the samples into kernels of one target each.
template <typename Function>
void forEachKernel(const std::vector<Sample> &samples, size_t perKernel,
                   Function function) {
  for (bool isNewest : {false, true}) {
    std::vector<const Sample *> some;
    for (const Sample &sample : samples) {
      if (needsNewest(sample) == isNewest)
        some.push_back(&sample);
      if (some.size() == perKernel) {
        function(some);
        some.clear();
      }
    }
    if (!some.empty())
      function(some);
  }
}

TEST(Instructions, EveryRowHasAReference) {
  for (const isa::Row &row : isa::getTable()) {
    isa::Form form = isa::readRow(row);
    if (row.effect == isa::Effect::Pure && !isTestedElsewhere(form.root))
      EXPECT_NE(findReference(form.root), nullptr) << row.syntax;
  }
}

void matchReference(Effort effort, LaunchOptions::Execution execution) {
  uint64_t seed = 1;
  std::vector<Sample> samples = makeSamples(seed, 8);
  forEachKernel(samples, 16, [&](llvm::ArrayRef<const Sample *> some) {
    runSamples(some, ++seed, effort, execution);
  });
}

TEST(Instructions, MatchTheReferenceInThreads) {
  matchReference(Effort::Quick, LaunchOptions::Execution::Threads);
}
TEST(Instructions, MatchTheReferenceInWarps) {
  matchReference(Effort::Quick, LaunchOptions::Execution::Warps);
}
TEST(Instructions, MatchTheReferenceInOptimizedWarps) {
  matchReference(Effort::Optimized, LaunchOptions::Execution::Warps);
}
TEST(Instructions, MatchTheReferenceInMaskedWarps) {
  matchReference(Effort::Quick, LaunchOptions::Execution::Masked);
}

/// What the verifier lets through is PTX.
TEST(Instructions, AreAcceptedByPtxas) {
  auto ptxas = llvm::sys::findProgramByName("ptxas");
  if (!ptxas)
    ptxas = llvm::sys::findProgramByName("ptxas", {"/usr/local/cuda/bin"});
  if (!ptxas)
    GTEST_SKIP() << "no ptxas";
  std::vector<Sample> samples = makeSamples(7, 40);
  forEachKernel(samples, 4000, [&](llvm::ArrayRef<const Sample *> some) {
    llvm::SmallString<128> input, output, messages;
    llvm::sys::fs::createTemporaryFile("instructions", "ptx", input);
    llvm::sys::fs::createTemporaryFile("instructions", "cubin", output);
    llvm::sys::fs::createTemporaryFile("instructions", "txt", messages);
    bool isNewest = needsNewest(*some[0]);
    std::error_code error;
    llvm::raw_fd_ostream(input, error) << makeKernel(some, isNewest);
    ASSERT_FALSE(error);
    int status = llvm::sys::ExecuteAndWait(
        *ptxas,
        {*ptxas, "-O0", isNewest ? "-arch=sm_100a" : "-arch=sm_90a", input,
         "-o", output},
        std::nullopt, {std::nullopt, messages.str(), messages.str()});
    auto text = llvm::MemoryBuffer::getFile(messages);
    if (status != 0) {
      llvm::SmallVector<StringRef> lines;
      (*text)->getBuffer().split(lines, '\n');
      for (StringRef line : lines) {
        unsigned number = 0;
        StringRef rest = line.split("line ").second;
        if (rest.consumeInteger(10, number) || number < firstLine ||
            number - firstLine >= some.size()) {
          ADD_FAILURE() << line.str();
          continue;
        }
        ADD_FAILURE() << some[number - firstLine]->text << ": " << rest.str();
      }
    }
    for (StringRef file : {input, output, messages})
      llvm::sys::fs::remove(file);
  });
}

} // namespace
