//===- GroupProductTest.cpp - Every form of wgmma -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each row of the table, with all types, some shapes, and layouts by a seed, as
// a kernel of one warpgroup against the model; in every way of execution.
//
//===----------------------------------------------------------------------===//

#include "GroupModel.h"
#include "Harness.h"
#include "Isa/Isa.h"

#include "gmock/gmock.h"

#include "llvm/ADT/StringExtras.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using llvm::StringRef;
using Execution = LaunchOptions::Execution;

namespace {

constexpr unsigned threads = 128;

struct Form {
  std::string opcode;
  unsigned n = 0, k = 0;
  std::string d, a, b;
  bool isInRegisters = false, isSaturated = false, hasSigns = false,
       hasTransposition = false;

  bool isReal() const { return d != "s32"; }
  unsigned countResults() const { return n * getElementBits(d) / 64; }
};

Form readForm(const std::string &opcode, bool isInRegisters) {
  Form form;
  form.opcode = opcode;
  form.isInRegisters = isInRegisters;
  llvm::SmallVector<StringRef> words;
  StringRef(opcode).split(words, '.');
  std::vector<std::string> types;
  for (StringRef word : words) {
    if (word.starts_with("m64n")) {
      word.drop_front(4).split('k').first.getAsInteger(10, form.n);
      word.split('k').second.getAsInteger(10, form.k);
    } else if (word == "satfinite") {
      form.isSaturated = true;
    } else if (word == "f16" || word == "f32" || word == "bf16" ||
               word == "tf32" || word == "e4m3" || word == "e5m2" ||
               word == "s8" || word == "u8" || word == "s32" || word == "b1") {
      types.push_back(word.str());
    }
  }
  form.d = types[0];
  form.a = types[1];
  form.b = types[2];
  form.hasSigns = form.isReal();
  form.hasTransposition = getElementBits(form.a) == 16;
  return form;
}

/// A form with what surrounds it.
struct Trial {
  Form form;
  SharedLayout a, b;
  int signA = 1, signB = 1;
  bool isAdded = true;

  unsigned getBytes() const {
    return (form.isInRegisters ? 0 : a.getBytes(64)) + b.getBytes(form.n);
  }

  std::string getKernel() const {
    std::string results, inputs, text;
    unsigned count = form.countResults();
    for (unsigned i = 0; i < count; ++i)
      results += (i ? ", %d" : "%d") + std::to_string(i);
    std::string constants;
    if (form.hasSigns)
      constants = ", " + std::to_string(signA) + ", " + std::to_string(signB);
    if (form.hasTransposition && !form.isInRegisters)
      constants += a.isRowsTogether ? ", 1" : ", 0";
    if (form.hasTransposition)
      constants += b.isRowsTogether ? ", 1" : ", 0";
    text = ".version 8.4\n.target sm_90a\n.address_size 64\n"
           ".extern .shared .align 1024 .b8 tile[];\n"
           ".visible .entry k(.param .u64 image, .param .u64 sums, .param .u64 "
           "regs, .param .u64 da, .param .u64 db, .param .u32 adds) { .reg "
           ".pred %p<3>; .reg .b32 %d<128>, %a<4>, %i<8>; .reg .b64 %q<12>; "
           "ld.param.u64 %q1, [image]; ld.param.u64 %q2, [sums]; "
           "ld.param.u64 %q3, [regs]; ld.param.u64 %q4, [da]; ld.param.u64 "
           "%q5, [db]; ld.param.u32 %i5, [adds]; setp.ne.u32 %p1, %i5, 0;\n"
           "mov.u32 %i1, %tid.x; mov.u32 %i3, tile; shl.b32 %i2, %i1, 2; "
           "add.u32 %i3, %i3, %i2; cvt.u64.u32 %q6, %i2; add.u64 %q6, %q1, "
           "%q6;\n"
           "copy: ld.global.u32 %i4, [%q6]; st.shared.u32 [%i3], %i4; add.u32 "
           "%i2, %i2, 512; add.u32 %i3, %i3, 512; add.u64 %q6, %q6, 512; "
           "setp.lt.u32 %p2, %i2, " +
           std::to_string(getBytes()) +
           "; @%p2 bra copy; fence.proxy.async; bar.sync 0;\n"
           "mad.wide.u32 %q2, %i1, " +
           std::to_string(4 * count) +
           ", %q2; mad.wide.u32 %q3, %i1, 16, %q3; mov.u64 %q7, tile; shr.b64 "
           "%q7, %q7, 4; add.u64 %q4, %q4, %q7; add.u64 %q5, %q5, %q7;\n";
    for (unsigned i = 0; i < count; ++i)
      text += "ld.global.b32 %d" + std::to_string(i) + ", [%q2+" +
              std::to_string(4 * i) + "];\n";
    for (unsigned i = 0; i < 4; ++i)
      text += "ld.global.b32 %a" + std::to_string(i) + ", [%q3+" +
              std::to_string(4 * i) + "];\n";
    text += "wgmma.fence.sync.aligned;\n" + form.opcode + " {" + results +
            "}, " + (form.isInRegisters ? "{%a0, %a1, %a2, %a3}" : "%q4") +
            ", %q5, %p1" + constants +
            ";\nwgmma.commit_group.sync.aligned;\n"
            "wgmma.wait_group.sync.aligned 0;\n";
    for (unsigned i = 0; i < count; ++i)
      text += "st.global.b32 [%q2+" + std::to_string(4 * i) + "], %d" +
              std::to_string(i) + ";\n";
    return text + "ret;\n}\n";
  }
};

/// The matrices of a trial, as bits.
class Data {
public:
  Data(const Trial &trial, bool isSmall, std::mt19937_64 &random)
      : trial(trial), image(trial.getBytes() / 4),
        sums(threads * trial.form.countResults()), regs(threads * 4) {
    const Form &form = trial.form;
    for (std::vector<uint32_t> *list : {&image, &regs})
      for (uint32_t &word : *list)
        word = random();
    startOfB = form.isInRegisters ? 0 : trial.a.getBytes(64);
    bitsOfA = fill(64, form.a, isSmall, random);
    bitsOfB = fill(form.n, form.b, isSmall, random);
    for (unsigned row = 0; row < 64; ++row)
      for (unsigned b = 0; b < 32; ++b) {
        uint8_t byte = bitsOfA[row * 32 + b];
        if (!form.isInRegisters)
          bytes()[trial.a.place(row, b)] = byte;
        else
          putIntoRegisters(row, b, byte);
      }
    for (unsigned row = 0; row < form.n; ++row)
      for (unsigned b = 0; b < 32; ++b)
        bytes()[startOfB + trial.b.place(row, b)] = bitsOfB[row * 32 + b];
    for (uint32_t &word : sums) {
      uint32_t low = makeElement(form.d, isSmall, random);
      word = getElementBits(form.d) == 16
                 ? (low & 0xffff) | makeElement(form.d, isSmall, random) << 16
                 : low;
    }
  }

  uint8_t *bytes() { return reinterpret_cast<uint8_t *>(image.data()); }

  /// Section 9.7.15.5.1.2: figures of the fragment of a; a register has
  /// neighbours of one row.
  void putIntoRegisters(unsigned row, unsigned b, uint8_t byte) {
    unsigned within = row % 16;
    unsigned lane = within % 8 * 4 + b % 16 / 4;
    unsigned reg = within / 8 + b / 16 * 2;
    uint32_t &word = regs[(row / 16 * 32 + lane) * 4 + reg];
    word = (word & ~(0xffu << b % 4 * 8)) | uint32_t(byte) << b % 4 * 8;
  }
  /// And of d: columns 8j + 2 (lane % 4), rows 8 apart.
  uint32_t getSum(const std::vector<uint32_t> &list, unsigned row,
                  unsigned column) const {
    unsigned within = row % 16, lane = within % 8 * 4 + column % 8 / 2;
    unsigned index = column / 8 * 4 + within / 8 * 2 + column % 2;
    unsigned thread = row / 16 * 32 + lane;
    unsigned count = trial.form.countResults();
    if (getElementBits(trial.form.d) == 32)
      return list[thread * count + index];
    return list[thread * count + index / 2] >> index % 2 * 16 & 0xffff;
  }

  uint32_t getExpected(unsigned row, unsigned column) const {
    const Form &form = trial.form;
    uint32_t start = trial.isAdded ? getSum(sums, row, column) : 0;
    unsigned bits = getElementBits(form.a);
    if (!form.isReal()) {
      int64_t sum = 0;
      for (unsigned k = 0; k < 32; ++k) {
        uint8_t x = bitsOfA[row * 32 + k], y = bitsOfB[column * 32 + k];
        sum +=
            bits == 1
                ? int64_t(llvm::popcount(uint8_t(x & y)))
                : int64_t(decodeElement(form.a, x) * decodeElement(form.b, y));
      }
      sum += int32_t(start);
      if (form.isSaturated)
        sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      return uint32_t(sum);
    }
    double sum = decodeElement(form.d, start);
    unsigned bytes = bits / 8;
    for (unsigned k = 0; k < 32; k += bytes) {
      uint32_t x = 0, y = 0;
      std::memcpy(&x, &bitsOfA[row * 32 + k], bytes);
      std::memcpy(&y, &bitsOfB[column * 32 + k], bytes);
      sum = std::fma(trial.signA * decodeElement(form.a, x),
                     trial.signB * decodeElement(form.b, y), sum);
    }
    return encodeResult(form.d, sum);
  }

  const Trial &trial;
  unsigned startOfB;
  std::vector<uint32_t> image, sums, regs;
  std::vector<uint8_t> bitsOfA, bitsOfB; ///< by row, 32 bytes of k

private:
  static std::vector<uint8_t> fill(unsigned rows, StringRef type, bool isSmall,
                                   std::mt19937_64 &random) {
    std::vector<uint8_t> bytes(rows * 32);
    unsigned size = std::max(8u, getElementBits(type)) / 8;
    for (unsigned i = 0; i < bytes.size(); i += size) {
      uint32_t bits = makeElement(type, isSmall, random);
      std::memcpy(&bytes[i], &bits, size);
    }
    return bytes;
  }
};

void runTrial(const Trial &trial, bool isSmall, LaunchOptions options,
              std::mt19937_64 &random) {
  SCOPED_TRACE(trial.form.opcode + (trial.form.isInRegisters ? " rs" : " ss") +
               " a " + std::to_string(trial.a.swizzle) +
               (trial.a.isRowsTogether ? "t" : "") + " b " +
               std::to_string(trial.b.swizzle) +
               (trial.b.isRowsTogether ? "t" : ""));
  Data data(trial, isSmall, random);
  Device device(trial.getKernel(), Effort::Quick);
  ASSERT_TRUE(device.module);
  device.module->setOptions(options);
  DeviceArray<uint32_t> image(device.memory, data.image),
      sums(device.memory, data.sums), regs(device.memory, data.regs);
  ASSERT_EQ(device.run("k", {1, 1, 1}, {threads, 1, 1}, trial.getBytes(),
                       image.get(), sums.get(), regs.get(),
                       trial.a.getDescriptor(),
                       trial.b.getDescriptor() + data.startOfB / 16,
                       uint32_t(trial.isAdded)),
            "");
  std::vector<uint32_t> got = sums.values();
  for (unsigned row = 0; row < 64; ++row)
    for (unsigned column = 0; column < trial.form.n; ++column)
      ASSERT_EQ(llvm::utohexstr(data.getSum(got, row, column)),
                llvm::utohexstr(data.getExpected(row, column)))
          << row << ", " << column;
}

/// Layouts and constants by chance.
Trial makeTrial(Form form, std::mt19937_64 &random) {
  Trial trial;
  trial.form = std::move(form);
  for (auto [layout, rows] :
       {std::pair(&trial.a, 64u), std::pair(&trial.b, trial.form.n)}) {
    constexpr unsigned swizzles[] = {0, 32, 64, 128};
    layout->swizzle = swizzles[random() % 4];
    layout->isRowsTogether = trial.form.hasTransposition && random() % 2;
    layout->choose(rows, random() % 2);
  }
  trial.isAdded = random() % 4;
  if (trial.form.hasSigns) {
    trial.signA = random() % 2 ? 1 : -1;
    trial.signB = random() % 2 ? 1 : -1;
  }
  return trial;
}

/// Every opcode of a row with all its types, and some of its shapes.
std::vector<Form> listForms(unsigned shapes, std::mt19937_64 &random) {
  std::vector<Form> forms;
  for (const isa::Row &row : isa::getWarpgroupRows()) {
    isa::Form form = isa::readRow(row);
    if (form.operands.size() < 4)
      continue;
    std::vector<std::string> opcodes = {"wgmma"};
    for (const isa::Modifier &modifier : form.modifiers) {
      std::vector<std::string> longer;
      bool isShape = modifier.name.starts_with("ShapeGroup");
      for (const std::string &start : opcodes) {
        if (modifier.isOptional)
          longer.push_back(start);
        for (unsigned i = 0; i < (isShape ? shapes : modifier.choices.size());
             ++i) {
          size_t at = isShape ? random() % modifier.choices.size() : i;
          longer.push_back(start + "." + modifier.choices[at].str());
        }
      }
      opcodes = std::move(longer);
    }
    bool isInRegisters =
        form.operands[1].kind == isa::OperandSpec::Kind::FragmentSource;
    for (const std::string &opcode : opcodes)
      forms.push_back(readForm(opcode, isInRegisters));
  }
  return forms;
}

/// Each `step`-th of the forms, in turn with small numbers and with any bits.
void runForms(LaunchOptions options, uint64_t seed, size_t step) {
  std::mt19937_64 random(seed);
  std::vector<Form> forms = listForms(1, random);
  EXPECT_GE(forms.size(), 50u);
  for (size_t i = 0; i < forms.size(); i += step) {
    options.schedule.seed = i;
    runTrial(makeTrial(forms[i], random), (i / step + seed) % 2, options,
             random);
    if (testing::Test::HasFatalFailure())
      return;
  }
}

TEST(GroupProducts, MatchTheModelInWarps) {
  runForms({}, 1, 1);
  runForms({}, 2, 2);
}

TEST(GroupProducts, MatchTheModelInMaskedWarps) {
  LaunchOptions options;
  options.execution = Execution::Masked;
  options.checks = Checks::All;
  runForms(options, 3, 3);
}

TEST(GroupProducts, MatchTheModelInThreads) {
  LaunchOptions options;
  options.execution = Execution::Threads;
  runForms(options, 4, 3);
}

TEST(GroupProducts, MatchTheModelInAnyOrder) {
  LaunchOptions options;
  options.checks = Checks::All;
  options.schedule.kind = Schedule::Adversarial;
  runForms(options, 5, 4);
}

/// All widths of the accumulator, and all pairs of layouts.
TEST(GroupProducts, AllWidthsAndLayouts) {
  std::mt19937_64 random(5);
  unsigned n = 8;
  for (unsigned layout = 0; layout < 64; ++layout, n = n % 256 + 8) {
    bool isInRegisters = layout % 7 == 0;
    Trial trial =
        makeTrial(readForm("wgmma.mma_async.sync.aligned.m64n" +
                               std::to_string(n) + "k16.f32.bf16.bf16",
                           isInRegisters),
                  random);
    constexpr unsigned swizzles[] = {0, 32, 64, 128};
    trial.a.swizzle = swizzles[layout % 4];
    trial.b.swizzle = swizzles[layout / 4 % 4];
    trial.a.isRowsTogether = layout / 16 % 2;
    trial.b.isRowsTogether = layout / 32;
    trial.a.choose(64, layout % 3 == 0);
    trial.b.choose(n, layout % 5 == 0);
    runTrial(trial, true, {}, random);
  }
}

//===----------------------------------------------------------------------===//
// Arithmetic of the device
//===----------------------------------------------------------------------===//

/// Runs one product whose matrices are zero but for two terms of the first row
/// and column, and gives d there.
double addTwo(const std::string &shapeAndTypes, uint32_t x0, uint32_t y0,
              uint32_t x1, uint32_t y1, LaunchOptions::Arithmetic arithmetic) {
  Trial trial;
  trial.form = readForm("wgmma.mma_async.sync.aligned." + shapeAndTypes, false);
  trial.a.choose(64, false);
  trial.b.choose(trial.form.n, false);
  trial.isAdded = false;
  std::mt19937_64 random(6);
  Data data(trial, true, random);
  std::fill(data.image.begin(), data.image.end(), 0);
  unsigned bytes = getElementBits(trial.form.a) / 8;
  auto put = [&](unsigned k, uint32_t x, uint32_t y) {
    for (unsigned i = 0; i < bytes; ++i) {
      data.bytes()[trial.a.place(0, k * bytes + i)] = x >> 8 * i;
      data.bytes()[data.startOfB + trial.b.place(0, k * bytes + i)] =
          y >> 8 * i;
    }
  };
  put(0, x0, y0);
  put(1, x1, y1);
  Device device(trial.getKernel(), Effort::Quick);
  LaunchOptions options;
  options.arithmetic = arithmetic;
  device.module->setOptions(options);
  DeviceArray<uint32_t> image(device.memory, data.image),
      sums(device.memory, data.sums), regs(device.memory, data.regs);
  EXPECT_EQ(device.run("k", {1, 1, 1}, {threads, 1, 1}, trial.getBytes(),
                       image.get(), sums.get(), regs.get(),
                       trial.a.getDescriptor(),
                       trial.b.getDescriptor() + data.startOfB / 16, 0u),
            "");
  return decodeElement(trial.form.d, data.getSum(sums.values(), 0, 0));
}

/// Terms keep 25 bits after the point of the largest, but 13 where they are
/// products of bytes; and sums are cut, not rounded.
TEST(GroupProducts, AddAsTheDevice) {
  using Arithmetic = LaunchOptions::Arithmetic;
  constexpr Arithmetic exact = Arithmetic::Exact,
                       hardware = Arithmetic::Hardware;
  // 1.75 + 2^-14 by 1 * 1.75 and 2^-8 * 2^-6.
  const std::string bytes = "m64n8k32.f32.e4m3.e4m3";
  EXPECT_EQ(addTwo(bytes, 0x38, 0x3e, 0x02, 0x08, exact), 1.75 + 0x1p-14);
  EXPECT_EQ(addTwo(bytes, 0x38, 0x3e, 0x02, 0x08, hardware), 1.75);
  EXPECT_EQ(addTwo(bytes, 0x38, 0x3e, 0x04, 0x08, hardware), 1.75 + 0x1p-13);
  // 1 + 2^-24 + 2^-25 rounds to 1 + 2^-23, and is cut to 1.
  const std::string halves = "m64n8k16.f32.f16.f16";
  EXPECT_EQ(addTwo(halves, 0x3c00, 0x3c00, 0x0600, 0x1400, exact), 1 + 0x1p-23);
  EXPECT_EQ(addTwo(halves, 0x3c00, 0x3c00, 0x0600, 0x1400, hardware), 1);
  // The 13 lower bits of .tf32 do not count.
  EXPECT_EQ(
      addTwo("m64n8k8.f32.tf32.tf32", 0x3f801fff, 0x3f800000, 0, 0, hardware),
      1);
}

} // namespace
