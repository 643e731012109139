//===- MatrixKernelTest.cpp - Kernels with matrix instructions ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ldmatrix, stmatrix and wmma on memory, for all types, shapes and layouts;
// which forms are refused; and that ptxas takes every form the table has.
//
//===----------------------------------------------------------------------===//

#include "Reference/MatrixModel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/Program.h"

#include "gmock/gmock.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;

namespace {

//===----------------------------------------------------------------------===//
// ldmatrix and stmatrix
//===----------------------------------------------------------------------===//

/// A kernel of two pointers: %q1 is this lane's 16 bytes of the first, %q2 of
/// the second, %r1 the lane, %r2 the address of a row in shared memory; rows
/// are in no order. The body starts on line 9.
std::string rowKernel(const std::string &body) {
  return header +
         ".visible .entry k(.param .u64 p, .param .u64 q) {\n.reg .pred %p<9>; "
         ".reg .b32 %r<20>; .reg .b64 %q<9>; .shared .align 16 .b8 "
         "tile[512];\nld.param.u64 %q1, [p]; ld.param.u64 %q2, [q]; mov.u32 "
         "%r1, %tid.x; mad.wide.u32 %q1, %r1, 16, %q1; mad.wide.u32 %q2, "
         "%r1, 16, %q2;\nmul.lo.u32 %r3, %r1, 5; and.b32 %r3, %r3, 31; "
         "mov.u32 %r2, tile; mad.lo.u32 %r2, %r3, 16, %r2;\n" +
         body + "\nret;\n}\n";
}

/// The row in memory and its column, of half `i` in `lane`: PTX ISA, sections
/// 9.7.14.5.15 and 16.
RowColumn placeOfHalf(unsigned lane, unsigned i, bool isTransposed) {
  int row = lane / 4, column = lane % 4 * 2 + i;
  return isTransposed ? RowColumn{column, row} : RowColumn{row, column};
}

struct WmmaCase {
  std::string shape;
  Element d, a, c;
  std::string types;    ///< of wmma.mma
  bool isFixed = false; ///< .row.col alone
  const char *sync = "sync.aligned.", *version = "8.0";
};

class MatrixKernel : public KernelTest {
protected:
  static void checkRows(unsigned matrices, bool isTransposed, bool isStore);
  static std::string rowError(const std::string &body);
  static void checkWmma(const WmmaCase &test, unsigned layouts, bool hasStride);
};

INSTANTIATE_TEST_SUITE_P(Executions, MatrixKernel, allExecutions());

void MatrixKernel::checkRows(unsigned matrices, bool isTransposed,
                             bool isStore) {
  std::string modifiers = "sync.aligned.m8n8.x" + std::to_string(matrices) +
                          (isTransposed ? ".trans" : "") + ".shared.b16";
  std::string list = registerList('r', matrices, 10);
  std::string vector = "{%r10, %r11, %r12, %r13}";
  std::string body =
      isStore
          ? "ld.global.v4.u32 " + vector + ", [%q1];\nstmatrix." + modifiers +
                " [%r2], " + list + ";\nbar.warp.sync -1; ld.shared.v4.u32 " +
                vector + ", [%r2];\n"
          : "ld.global.v4.u32 " + vector + ", [%q1]; st.shared.v4.u32 [%r2], " +
                vector +
                "; mov.u32 %r10, 0; mov.u32 %r11, 0; mov.u32 %r12, 0; "
                "mov.u32 %r13, 0; bar.warp.sync -1;\nldmatrix." +
                modifiers + " " + list + ", [%r2];\n";
  // Where fewer rows than 32 are written, the others are not read.
  std::string guard = "setp.lt.u32 %p1, %r1, " +
                      std::to_string(isStore ? 8 * matrices : 32) +
                      "; @!%p1 ret;\n";
  Device device(rowKernel((isStore ? "st.shared.v4.u32 [%r2], {%r1, %r1, %r1, "
                                     "%r1}; bar.warp.sync -1;\n"
                                   : "") +
                          body + guard + "st.global.v4.u32 [%q2], " + vector +
                          ";"));
  prepare(device);
  std::vector<uint16_t> values(256);
  for (unsigned i = 0; i < 256; ++i)
    values[i] = 1000 + i;
  DeviceArray<uint16_t> in(device.memory, values);
  DeviceArray<uint16_t> out(device.memory, std::vector<uint16_t>(256));
  ASSERT_EQ(device.run("k", {}, {32, 1, 1}, 0, in.get(), out.get()), "");
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned matrix = 0; matrix < matrices; ++matrix)
      for (unsigned i = 0; i < 2; ++i) {
        RowColumn at = placeOfHalf(lane, i, isTransposed);
        unsigned inRegister = lane * 8 + matrix * 2 + i;
        unsigned inMemory = (matrix * 8 + at.row) * 8 + at.column;
        EXPECT_EQ(out.values()[isStore ? inMemory : inRegister],
                  values[isStore ? inRegister : inMemory])
            << "lane " << lane << " matrix " << matrix << " half " << i;
      }
}

TEST_P(MatrixKernel, LdmatrixAndStmatrix) {
  for (unsigned matrices : {1u, 2u, 4u})
    for (bool isTransposed : {false, true})
      for (bool isStore : {false, true}) {
        SCOPED_TRACE(matrices * 4 + isTransposed * 2 + isStore);
        checkRows(matrices, isTransposed, isStore);
      }
}

std::string MatrixKernel::rowError(const std::string &body) {
  Device device(rowKernel("st.shared.v4.u32 [%r2], {%r1, %r1, %r1, %r1}; "
                          "bar.warp.sync -1; " +
                          body));
  prepare(device);
  DeviceArray<uint32_t> data(device.memory, std::vector<uint32_t>(128));
  return device.run("k", {}, {32, 1, 1}, 0, data.get(), data.get());
}

TEST_P(MatrixKernel, BadRowAddresses) {
  std::string load = "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r4, %r5}, ";
  EXPECT_THAT(rowError("add.u32 %r2, %r2, 4;\n" + load + "[%r2];"),
              HasSubstr("PTX line 10"));
  EXPECT_THAT(rowError("setp.eq.u32 %p1, %r1, 9; @%p1 mov.u32 %r2, 4096;\n" +
                       load + "[%r2];"),
              HasSubstr("PTX line 10"));
  // Lanes from 16 on give no address.
  EXPECT_EQ(rowError("setp.ge.u32 %p1, %r1, 16; @%p1 mov.u32 %r2, 4;\n" + load +
                     "[%r2];"),
            "");
}

//===----------------------------------------------------------------------===//
// wmma
//===----------------------------------------------------------------------===//

std::string nameOf(Element element) {
  for (const char *name : {"f16", "bf16", "tf32", "f32", "f64", "s8", "u8",
                           "s4", "u4", "b1", "s32"})
    if (warp::findElement(name) == element)
      return name;
  return "";
}

/// A matrix in memory: elements of any width at `stride` by row or column.
struct MemoryMatrix {
  MemoryMatrix(Element element, unsigned rows, unsigned columns, bool isRow,
               unsigned pad)
      : element(element), rows(rows), columns(columns), isRow(isRow),
        stride((isRow ? columns : rows) + pad),
        bytes((isRow ? rows : columns) * stride * modelOf(element).bits / 8) {}
  size_t firstBit(unsigned row, unsigned column) const {
    size_t index = isRow ? row * stride + column : column * stride + row;
    return index * modelOf(element).bits;
  }
  void set(unsigned row, unsigned column, uint64_t value) {
    for (unsigned i = 0; i < modelOf(element).bits; ++i) {
      size_t bit = firstBit(row, column) + i;
      bytes[bit / 8] |= (value >> i & 1) << bit % 8;
    }
  }
  uint64_t get(unsigned row, unsigned column) const {
    uint64_t value = 0;
    for (unsigned i = 0; i < modelOf(element).bits; ++i) {
      size_t bit = firstBit(row, column) + i;
      value |= uint64_t(bytes[bit / 8] >> bit % 8 & 1) << i;
    }
    return value;
  }
  double value(unsigned row, unsigned column) const {
    return readElement(element, get(row, column));
  }
  void fill(std::mt19937_64 &random) {
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned column = 0; column < columns; ++column)
        set(row, column, randomElement(element, random));
  }
  std::string layout() const { return isRow ? "row" : "col"; }

  Element element;
  unsigned rows, columns;
  bool isRow;
  unsigned stride;
  std::vector<uint8_t> bytes;
};

char prefixOf(Element element) {
  return element == Element::F64 ? 'd' : element == Element::F32 ? 'f' : 'r';
}

unsigned registersOf(const MemoryMatrix &matrix, bool isFactor) {
  if (isFactor && matrix.element == Element::F16)
    return 8;
  return matrix.rows * matrix.columns * modelOf(matrix.element).bits / 32 /
         (matrix.element == Element::F64 ? 64 : 32);
}

struct Wmma {
  Wmma(const WmmaCase &c, unsigned m, unsigned n, unsigned k, unsigned layouts,
       unsigned pad)
      : a(c.a, m, k, !(layouts & 1), pad), b(c.a, k, n, layouts & 2, pad),
        c(c.c, m, n, layouts & 4, pad), d(c.d, m, n, layouts & 8, pad),
        shape(c.shape), types(c.types), sync(c.sync), version(c.version) {}

  std::string list(const MemoryMatrix &matrix, bool isFactor, unsigned first) {
    return registerList(prefixOf(matrix.element), registersOf(matrix, isFactor),
                        first);
  }
  std::string load(const char *role, const MemoryMatrix &matrix, unsigned first,
                   const char *space, const char *address, bool hasStride) {
    return std::string("wmma.load.") + role + "." + sync + matrix.layout() +
           "." + shape + space + "." + nameOf(matrix.element) + " " +
           list(matrix, role[0] != 'c', first) + ", [" + address + "]" +
           (hasStride ? ", " + std::to_string(matrix.stride) : "") + ";\n";
  }
  /// Loads by generic addresses, stores by global ones.
  std::string text(bool hasStride) {
    std::string bits = types.find("b1") != std::string::npos ? "xor.popc." : "";
    return ".version " + version +
           "\n.target sm_90\n.address_size 64\n"
           ".visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, "
           ".param .u64 pd) {\n.reg .b32 %r<99>; .reg .f32 %f<99>; .reg .f64 "
           "%d<99>; .reg .b64 %q<9>;\nld.param.u64 %q1, [pa]; ld.param.u64 "
           "%q2, [pb]; ld.param.u64 %q3, [pc]; ld.param.u64 %q4, [pd];\n" +
           load("a", a, 1, "", "%q1", hasStride) +
           load("b", b, 20, "", "%q2", hasStride) +
           load("c", c, 40, ".global", "%q3", hasStride) + "wmma.mma." + bits +
           sync + a.layout() + "." + b.layout() + "." + shape + "." + types +
           " " + list(d, false, 60) + ", " + list(a, true, 1) + ", " +
           list(b, true, 20) + ", " + list(c, false, 40) + ";\n" +
           "wmma.store.d." + sync + d.layout() + "." + shape + ".global." +
           nameOf(d.element) + " [%q4], " + list(d, false, 60) +
           (hasStride ? ", " + std::to_string(d.stride) : "") + ";\nret;\n}\n";
  }
  double model(unsigned row, unsigned column) const {
    double sum = c.value(row, column);
    for (unsigned k = 0; k < a.columns; ++k) {
      double x = a.value(row, k), y = b.value(k, column);
      sum += a.element == Element::B1 ? x != y : x * y;
    }
    return sum;
  }

  MemoryMatrix a, b, c, d;
  std::string shape, types, sync, version;
};

void MatrixKernel::checkWmma(const WmmaCase &test, unsigned layouts,
                             bool hasStride) {
  unsigned m = 0, n = 0, k = 0;
  ASSERT_EQ(std::sscanf(test.shape.c_str(), "m%un%uk%u", &m, &n, &k), 3);
  unsigned pad = !hasStride ? 0 : test.isFixed ? k : 8;
  Wmma wmma(test, m, n, k, layouts, pad);
  std::mt19937_64 random(layouts);
  for (MemoryMatrix *matrix : {&wmma.a, &wmma.b, &wmma.c})
    matrix->fill(random);
  std::string text = wmma.text(hasStride);
  SCOPED_TRACE(text);
  Device device(text);
  prepare(device);
  DeviceArray<uint8_t> a(device.memory, wmma.a.bytes),
      b(device.memory, wmma.b.bytes), c(device.memory, wmma.c.bytes),
      d(device.memory, wmma.d.bytes);
  ASSERT_EQ(
      device.run("k", {}, {32, 1, 1}, 0, a.get(), b.get(), c.get(), d.get()),
      "");
  wmma.d.bytes = d.values();
  for (unsigned row = 0; row < m; ++row)
    for (unsigned column = 0; column < n; ++column)
      ASSERT_EQ(wmma.d.value(row, column), wmma.model(row, column))
          << row << " " << column;
}

TEST_P(MatrixKernel, Wmma) {
  std::vector<WmmaCase> cases = {
      {"m16n16k8", Element::F32, Element::TF32, Element::F32,
       "f32.tf32.tf32.f32"},
      {"m8n8k4", Element::F64, Element::F64, Element::F64, "f64.f64.f64.f64"},
      {"m8n8k4", Element::F64, Element::F64, Element::F64,
       "rn.f64.f64.f64.f64"},
      {"m8n8k4", Element::F64, Element::F64, Element::F64,
       "f64.f64.f64.f64.rn"},
      {"m8n8k32", Element::S32, Element::S4, Element::S32, "s32.s4.s4.s32",
       true},
      {"m8n8k32", Element::S32, Element::U4, Element::S32, "s32.u4.u4.s32",
       true},
      {"m8n8k128", Element::S32, Element::B1, Element::S32, "s32.b1.b1.s32",
       true}};
  for (const char *shape : {"m16n16k16", "m32n8k16", "m8n32k16"}) {
    for (Element d : {Element::F16, Element::F32})
      for (Element c : {Element::F16, Element::F32})
        cases.push_back(
            {shape, d, Element::F16, c, nameOf(d) + "." + nameOf(c)});
    cases.push_back({shape, Element::F32, Element::BF16, Element::F32,
                     "f32.bf16.bf16.f32"});
    cases.push_back(
        {shape, Element::S32, Element::S8, Element::S32, "s32.s8.s8.s32"});
    cases.push_back({shape, Element::S32, Element::U8, Element::S32,
                     "s32.u8.u8.s32.satfinite"});
  }
  unsigned layouts = 0;
  for (const WmmaCase &test : cases)
    for (bool hasStride : {false, true}) {
      layouts += 5; // visits all 16
      checkWmma(test, test.isFixed ? layouts & 12 : layouts & 15, hasStride);
    }
}

/// As LLVM writes it for PTX 6.0.
TEST_P(MatrixKernel, WmmaWithoutAligned) {
  checkWmma({"m16n16k16", Element::F32, Element::F16, Element::F32, "f32.f32",
             false, "sync.", "6.2"},
            5, true);
}

TEST_P(MatrixKernel, WmmaFromSharedMemory) {
  WmmaCase test = {"m16n16k16", Element::F32, Element::F16, Element::F32,
                   "f32.f32"};
  Wmma wmma(test, 16, 16, 16, 12, 8);
  std::mt19937_64 random(1);
  wmma.a.fill(random);
  std::string list = registerList('r', 8);
  // 16 rows of 48 bytes, copied by 4 bytes; out again through .col.
  Device device(
      header +
      ".visible .entry k(.param .u64 pa, .param .u64 pd) {\n.reg .pred %p<2>; "
      ".reg .b32 %r<99>; .reg .b64 %q<9>; .shared .align 32 .b8 tile[768];\n"
      "ld.param.u64 %q1, [pa]; ld.param.u64 %q2, [pd]; mov.u32 %r20, %tid.x; "
      "shl.b32 %r20, %r20, 2; mov.u32 %r22, tile;\n"
      "copy: cvt.u64.u32 %q3, %r20; add.u64 %q3, %q1, %q3; ld.global.u32 %r21, "
      "[%q3]; add.u32 %r23, %r22, %r20; st.shared.u32 [%r23], %r21; add.u32 "
      "%r20, %r20, 128; setp.lt.u32 %p1, %r20, 768; @%p1 bra copy;\n"
      "bar.sync 0; mov.u32 %r30, 24;\n"
      "wmma.load.c.sync.aligned.row.m16n16k16.shared.f16 {%r1, %r2, %r3, "
      "%r4}, [%r22], %r30;\n"
      "wmma.store.d.sync.aligned.col.m16n16k16.global.f16 [%q2], {%r1, %r2, "
      "%r3, %r4};\nret;\n}\n");
  prepare(device);
  DeviceArray<uint8_t> in(device.memory, wmma.a.bytes);
  DeviceArray<uint16_t> out(device.memory, std::vector<uint16_t>(256));
  ASSERT_EQ(device.run("k", {}, {32, 1, 1}, 0, in.get(), out.get()), "");
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 16; ++column)
      EXPECT_EQ(out.values()[column * 16 + row], wmma.a.get(row, column));
}

TEST_P(MatrixKernel, AddressesOfWmmaAgree) {
  EXPECT_THAT(
      rowError("wmma.load.c.sync.aligned.row.m8n8k4.f64 {%q3, %q4}, [%q1];"),
      HasSubstr("expected the address and the stride of lane 0 in lane 1"));
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

TEST(MatrixRefusal, FormsAndOperands) {
  std::string four = "{%r1, %r2, %r3, %r4}";
  for (auto &[text, reason] : std::vector<std::pair<std::string, std::string>>{
           {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " + four +
                ", {%r1, %r2}, {%r3, %r4}, " + four + ";",
            "expected 4 registers, got 2"},
           {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " + four +
                ", {%r1, %r2}, %r3, " + four + ";",
            "expected a vector of 1 registers"},
           {"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%q1, %r2}, "
            "{%q1}, {%q2}, {%q1, %q2};",
            "expected a register of 64 bits, got '%r2'"},
           {"mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " + four +
                ", {%r1, %r2}, {%r3, %r4}, " + four + ", %r5, 0;",
            "modifier '.sp'"},
           {"mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 " + four + ", " +
                four + ", {%r3, %r4}, " + four + ";",
            "modifier '.row'"},
           {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2}, [%r3];",
            "expected 4 registers, got 2"},
           {"wmma.load.a.sync.aligned.row.m16n16k16.f16 " + four +
                ", [%q1], 16;",
            "expected 8 registers, got 4"},
           {"wmma.load.c.sync.row.m16n16k16.f16 " + four + ", [%q1];",
            "'.aligned' is required since PTX 6.3"}})
    EXPECT_THAT(loadError(rowKernel(text)), HasSubstr(reason)) << text;
}

/// Every opcode of a row's syntax: all choices of all its words.
std::vector<std::string> expandRow(llvm::StringRef syntax) {
  llvm::StringRef opcode = syntax.split(' ').first;
  size_t end = opcode.find_first_of(".{");
  std::vector<std::string> opcodes = {opcode.substr(0, end).str()};
  opcode = end == llvm::StringRef::npos ? "" : opcode.substr(end);
  while (!opcode.empty()) {
    bool isOptional = opcode.consume_front("{");
    opcode.consume_front(".");
    llvm::StringRef word = opcode.take_until(
        [](char c) { return c == '.' || c == '{' || c == '}'; });
    opcode = opcode.drop_front(word.size());
    opcode.consume_front("}");
    std::vector<std::string> longer;
    for (const std::string &start : opcodes) {
      if (isOptional)
        longer.push_back(start);
      for (llvm::StringRef choice : isa::getChoices(word))
        longer.push_back(start + "." + choice.str());
    }
    opcodes = std::move(longer);
  }
  return opcodes;
}

/// An operand that fits, as text.
std::string makeOperand(const ptx::Instruction &in, unsigned index) {
  const isa::OperandSpec &spec = in.form->operands[index];
  using Kind = isa::OperandSpec::Kind;
  switch (spec.kind) {
  case Kind::DestPair:
    return "%r1|%p1";
  case Kind::PredicateSource:
    return "!%p2";
  case Kind::Address:
    return "[%q1]";
  case Kind::FragmentDest:
  case Kind::FragmentSource: {
    const MatrixForm &form = *in.matrix;
    const Fragment *fragments[] = {&form.d, &form.a, &form.b, &form.c};
    bool isProduct = form.operands.size() == 4;
    const Fragment &fragment = *fragments[isProduct ? index : 0];
    char prefix = fragment.registers ? prefixOf(fragment.element) : 'r';
    return registerList(prefix, form.operands[index].count);
  }
  default:
    ptx::Type type = spec.type.empty() ? in.type : *ptx::findType(spec.type);
    unsigned bits = ptx::getBits(type);
    return bits == 1 ? "%p3" : bits == 64 ? "%q2" : "%r2";
  }
}

/// The forms of the table that a version of PTX has.
enum class Age { Current, Without63, Without64, Never };

Age ageOf(llvm::ArrayRef<llvm::StringRef> words) {
  auto has = [&](llvm::StringRef word) {
    return llvm::is_contained(words, word);
  };
  if (words[0] == "wmma" && !has("aligned"))
    return has("shared::cta") ? Age::Never : Age::Without63;
  return has("sync") || words[0] == "activemask" ? Age::Current
                                                 : Age::Without64;
}

/// The text of every form of the table of that age, with operands.
std::vector<std::string> listInstructions(Age age) {
  std::vector<std::string> texts;
  for (const isa::Row &row : isa::getWarpRows()) {
    for (const std::string &opcode : expandRow(row.syntax)) {
      llvm::SmallVector<llvm::StringRef> words;
      llvm::StringRef(opcode).split(words, '.');
      if (ageOf(words) != age)
        continue;
      ptx::Instruction in;
      in.root = words[0];
      in.modifiers.assign(words.begin() + 1, words.end());
      if (llvm::Error error = isa::resolve(in)) {
        ADD_FAILURE() << llvm::toString(std::move(error));
        continue;
      }
      resolveMatrix(in);
      std::string operands;
      for (unsigned i = 0; i < in.form->operands.size(); ++i)
        operands += (i ? ", " : " ") + makeOperand(in, i);
      texts.push_back(opcode + operands + ";");
    }
  }
  return texts;
}

/// What ptxas says of a module, or "".
std::string runPtxas(const std::string &ptxas, const std::string &text,
                     const std::string &chip) {
  llvm::SmallString<128> input, output;
  if (llvm::sys::fs::createTemporaryFile("forms", "ptx", input) ||
      llvm::sys::fs::createTemporaryFile("forms", "txt", output))
    return "no temporary file";
  llvm::FileRemover removeInput(input), removeOutput(output);
  std::error_code error;
  llvm::raw_fd_ostream(input, error) << text;
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, output.str(),
                                                output.str()};
  std::string arch = "-arch=" + chip;
  int status = llvm::sys::ExecuteAndWait(
      ptxas, {ptxas, arch, "-w", input, "-o", "/dev/null"}, std::nullopt,
      redirects);
  auto said = llvm::MemoryBuffer::getFile(output);
  return status == 0 ? "" : said ? (*said)->getBuffer().str() : "no output";
}

TEST(WarpTable, PtxasTakesEveryForm) {
  auto ptxas = llvm::sys::findProgramByName("ptxas");
  if (!ptxas)
    GTEST_SKIP() << "ptxas is not installed";
  struct Case {
    Age age;
    size_t forms; ///< at least
    const char *version, *target, *chip;
  };
  for (const Case &test :
       {Case{Age::Current, 300, "8.8", "sm_90", "sm_90"},
        Case{Age::Without64, 7, "6.3", "sm_75", "sm_75"},
        Case{Age::Without63, 100, "6.2", "sm_70", "sm_75"}}) {
    std::vector<std::string> texts = listInstructions(test.age);
    EXPECT_GT(texts.size(), test.forms);
    std::string module = wrapBody(llvm::join(texts, "\n"), test.version);
    module.replace(module.find("sm_90"), 5, test.target);
    EXPECT_EQ(runPtxas(*ptxas, module, test.chip), "");
    // And so does the emulator's front end.
    auto parsed = ptx::parse(module);
    ASSERT_TRUE(bool(parsed)) << llvm::toString(parsed.takeError());
    EXPECT_EQ(messageOf(ptx::verify(**parsed)), "");
  }
}

} // namespace
