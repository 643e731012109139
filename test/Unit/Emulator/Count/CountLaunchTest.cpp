//===- CountLaunchTest.cpp - Counts of whole launches ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The counter's hooks, called as a running kernel calls them; which blocks are
// sampled; and how counts of a sample become those of the grid.
//
//===----------------------------------------------------------------------===//

#include "Count/Classify.h"
#include "Count/CountHarness.h"

#include "tc/Schema/Document.h"

#include "gmock/gmock.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::ElementsAre;

namespace {

ptx::Instruction makeInstruction(llvm::StringRef opcode,
                                 ptx::Type type = ptx::Type::B32,
                                 unsigned line = 1) {
  ptx::Instruction in;
  llvm::SmallVector<llvm::StringRef> words;
  opcode.split(words, '.');
  in.root = words.front();
  in.modifiers.assign(words.begin() + 1, words.end());
  in.type = type;
  in.line = line;
  return in;
}

std::string classOf(llvm::StringRef opcode, ptx::Type type = ptx::Type::B32) {
  InstructionClass found = classify(makeInstruction(opcode, type));
  return llvm::formatv("{0} on {1}: {2}", found.name, found.unit,
                       found.operations);
}

TEST(CountClassify, Arithmetic) {
  EXPECT_EQ(classOf("fma.rn.f32", ptx::Type::F32), "fma.f32 on f32: 1");
  EXPECT_EQ(classOf("fma.rn.f64", ptx::Type::F64), "fma.f64 on f64: 1");
  EXPECT_EQ(classOf("fma.rn.f16x2", ptx::Type::F16X2), "fma.f16 on f16: 1");
  EXPECT_EQ(classOf("fma.rn.f32x2", ptx::Type::F32X2), "fma.f32 on f32: 2");
  // Halves in, a float out.
  EXPECT_EQ(classOf("fma.rn.f32.f16", ptx::Type::F16), "fma.f32 on f32: 1");
  EXPECT_EQ(classOf("mad.lo.s32", ptx::Type::S32), "integer on integer: 1");
  EXPECT_EQ(classOf("mul.f32", ptx::Type::F32), "float.f32 on f32: 1");
  EXPECT_EQ(classOf("setp.lt.f64", ptx::Type::F64), "float.f64 on f64: 1");
  EXPECT_EQ(classOf("setp.lt.s32", ptx::Type::S32), "integer on integer: 1");
  EXPECT_EQ(classOf("setp.lt.f32", ptx::Type::F32),
            "compare.f32 on integer: 1");
  EXPECT_EQ(classOf("min.xorsign.abs.f32", ptx::Type::F32),
            "compare.f32 on integer: 1");
  EXPECT_EQ(classOf("and.b32"), "integer on integer: 1");
  EXPECT_EQ(classOf("ex2.approx.f32", ptx::Type::F32),
            "special.f32 on special: 1");
  EXPECT_EQ(classOf("div.u32", ptx::Type::U32), "integer on integer: 1");
  EXPECT_EQ(classOf("cvt.rn.f32.s32", ptx::Type::S32), "convert on convert: 1");
  EXPECT_EQ(classOf("mov.b32"), "move on none: 1");
}

TEST(CountClassify, RoundingAwayIsSeveralInstructions) {
  EXPECT_EQ(classOf("cvt.rna.tf32.f32", ptx::Type::F32),
            "convert.rna.tf32 on integer: 4");
  EXPECT_EQ(classOf("cvt.rn.tf32.f32", ptx::Type::F32),
            "convert.packed on integer: 1");
  EXPECT_EQ(classify(makeInstruction("cvt.rna.tf32.f32")).slots, 4u);
  EXPECT_EQ(classify(makeInstruction("cvt.rn.tf32.f32")).slots, 1u);
}

TEST(CountClassify, ConversionsByUnit) {
  for (llvm::StringRef packed :
       {"cvt.rn.f16x2.f32", "cvt.rn.bf16x2.f32", "cvt.rn.satfinite.e4m3x2.f32"})
    EXPECT_EQ(classOf(packed, ptx::Type::F32), "convert.packed on integer: 1");
  EXPECT_EQ(classOf("cvt.rn.f16x2.e4m3x2"), "convert.packed on integer: 1");
  EXPECT_EQ(classOf("cvt.f32.bf16"), "convert.bf16 on integer: 1");
  EXPECT_EQ(classOf("cvt.f32.f16", ptx::Type::F16), "convert.f16 on f16: 1");
  EXPECT_EQ(classOf("cvt.rn.f16.f32", ptx::Type::F32), "convert on convert: 1");
  EXPECT_EQ(classOf("cvt.rzi.s32.f32", ptx::Type::F32),
            "convert on convert: 1");
}

TEST(CountClassify, MemoryByWidthAndSpace) {
  EXPECT_EQ(classOf("ld.global.nc.v4.f32", ptx::Type::F32),
            "ld.global.16B on memory: 1");
  EXPECT_EQ(classOf("ld.shared::cta.v2.b64", ptx::Type::B64),
            "ld.shared.16B on memory: 1");
  EXPECT_EQ(classOf("st.f32", ptx::Type::F32), "st.generic.4B on memory: 1");
  EXPECT_EQ(classOf("atom.global.add.u64", ptx::Type::U64),
            "atom.global.8B on memory: 1");
  EXPECT_EQ(classOf("ldmatrix.sync.aligned.m8n8.x4.shared.b16", ptx::Type::B16),
            "ldmatrix.shared.16B on memory: 1");
  // Parameters are operands of what uses them.
  EXPECT_EQ(classOf("ld.param.u64", ptx::Type::U64), "ld.param.8B on none: 1");
  ptx::Instruction copy = makeInstruction("cp.async.cg.shared.global");
  copy.operands.resize(3);
  copy.operands[2].kind = ptx::Operand::Kind::Immediate;
  copy.operands[2].bits = 16;
  EXPECT_EQ(classify(copy).name, "cp.shared.16B");
  copy = makeInstruction("cp.async.wait_group");
  copy.operands.resize(1);
  copy.operands[0].kind = ptx::Operand::Kind::Immediate;
  copy.operands[0].bits = 2;
  EXPECT_EQ(classify(copy).name, "async group");
  EXPECT_EQ(classOf("cp.async.commit_group"), "async group on issue: 1");
}

// m * n * k multiply-adds; named by the type of a.
TEST(CountClassify, MatrixByShape) {
  EXPECT_EQ(classOf("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"),
            "mma.m16n8k16.f16 on mma.f16: 2048");
  EXPECT_EQ(classOf("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"),
            "mma.m16n8k16.bf16 on mma.f16: 2048");
  EXPECT_EQ(classOf("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"),
            "mma.m16n8k8.tf32 on mma.tf32: 1024");
  EXPECT_EQ(classOf("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64"),
            "mma.m8n8k4.f64 on mma.f64: 256");
  EXPECT_EQ(classOf("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32"),
            "mma.m16n8k32.s8 on mma.s8: 4096");
}

TEST(CountClassify, Control) {
  EXPECT_EQ(classOf("bar.sync"), "barrier on issue: 1");
  EXPECT_EQ(classOf("bra.uni"), "branch on issue: 1");
  EXPECT_EQ(classOf("shfl.sync.bfly.b32"), "shuffle on memory: 1");
  EXPECT_EQ(classOf("nanosleep.u32"), "other on issue: 1");
}

/// A kernel: block 0 loads and multiplies and branches, block 1 stores to
/// global and to shared memory.
class CountLaunch : public testing::Test {
protected:
  CountLaunch() {
    std::vector<const ptx::Instruction *> all;
    for (const ptx::Instruction &in : body) {
      plan.addSite(in, in.line == 10 ? "kernel.cu:3:5" : "");
      all.push_back(&in);
    }
    plan.addBlock(llvm::ArrayRef(all).take_front(4));
    plan.addBlock(llvm::ArrayRef(all).drop_front(4));
  }
  static std::vector<ptx::Instruction> makeBody() {
    ptx::Instruction branch = makeInstruction("bra", ptx::Type::B32, 13);
    branch.guard = 1;
    return {makeInstruction("ld.global.f32", ptx::Type::F32, 10),
            makeInstruction("fma.rn.f32", ptx::Type::F32, 11),
            makeInstruction("fma.rn.f32", ptx::Type::F32, 12),
            branch,
            makeInstruction("st.global.f32", ptx::Type::F32, 14),
            makeInstruction("st.shared.f32", ptx::Type::F32, 15)};
  }
  static constexpr uint32_t load = 0, store = 4, keep = 5; ///< sites

  void access(Counter &counter, uint32_t site, ptx::Space space,
              AccessKind kind, Pattern pattern, uint32_t mask = allLanes) {
    WarpState warp{};
    counter.access(warp, {site, mask, space, 4, kind, false, pattern.data()});
  }

  /// One warp of the block: reads 128 bytes that all blocks share and writes
  /// 128 of its own; at the last x or y only the lower half of the warp does.
  void runBlock(Counter &counter, uint64_t linear) {
    uint32_t index[3] = {uint32_t(linear % grid.x),
                         uint32_t(linear / grid.x % grid.y),
                         uint32_t(linear / grid.x / grid.y)};
    bool isEdge = index[0] + 1 == grid.x || index[1] + 1 == grid.y;
    uint32_t mask = hasEdges && isEdge ? 0xffff : allLanes;
    counter.beginBlock(linear);
    BlockCount *counts = counter.getBlockCounts();
    counts[0].warps += 1;
    counts[0].lanes += 32;
    counts[0].divergent += mask != allLanes;
    counts[1].warps += 1;
    counts[1].lanes += llvm::popcount(mask);
    access(counter, load, ptx::Space::Global, AccessKind::Read,
           stride(4, input));
    access(counter, store, ptx::Space::Global, AccessKind::Write,
           stride(4, output + 128 * linear), mask);
    access(counter, keep, ptx::Space::Shared, AccessKind::Write,
           stride(8, 1024), mask);
  }

  LaunchCounts run(const std::vector<uint64_t> &blocks) {
    Counter counter(plan, BlockBox::of(grid));
    for (uint64_t block : blocks)
      runBlock(counter, block);
    return finish(counter);
  }
  LaunchCounts finish(const Counter &counter) {
    std::pair<uint64_t, uint64_t> allocations[] = {
        {input, 128}, {output, 128 * grid.count()}};
    return counter.finish({"k", grid, {32, 1, 1}, 256, allocations});
  }
  std::vector<uint64_t> choose(uint64_t count) {
    return chooseBlocks(grid, count, 1, /*isCounted=*/true);
  }

  static constexpr uint64_t input = 1 << 20, output = 1 << 24;
  std::vector<ptx::Instruction> body = makeBody();
  CountPlan plan;
  Dim3 grid{7, 5, 3};
  bool hasEdges = false;
};

TEST_F(CountLaunch, AddsUp) {
  LaunchCounts counts = run(choose(105));
  EXPECT_FALSE(counts.isSampled());
  // 105 warps: two fma, one of each other instruction.
  ASSERT_EQ(counts.instructions.size(), 5u);
  EXPECT_EQ(counts.instructions[0].name, "branch");
  EXPECT_EQ(counts.instructions[1].name, "fma.f32");
  EXPECT_EQ(counts.instructions[1].warps, 210u);
  EXPECT_EQ(counts.instructions[1].operations, 210u * 32);
  EXPECT_EQ(counts.instructions[2].name, "ld.global.4B");
  EXPECT_EQ(counts.getWarpInstructions(), 6u * 105);
  EXPECT_DOUBLE_EQ(counts.getActiveLanes(), 32);
  AccessCounts read = counts.getMemory("global", "read");
  EXPECT_EQ(read.requests, 105u);
  EXPECT_EQ(read.bytes, 105u * 128);
  EXPECT_EQ(read.sectors, 105u * 4);
  // Stride 2 in shared memory: two wavefronts each.
  EXPECT_EQ(counts.getMemory("shared").wavefronts, 210u);
  EXPECT_EQ(counts.getMemory("shared").idealWavefronts, 105u);
  EXPECT_EQ(counts.getL2Bytes(), 105u * 256);
  // All read the same 128 bytes.
  EXPECT_EQ(counts.read.bytes, 128u);
  EXPECT_EQ(counts.written.bytes, 105u * 128);
  EXPECT_EQ(counts.allTouched.sectors, 106u * 4);
  ASSERT_EQ(counts.allocations.size(), 2u);
  EXPECT_EQ(counts.allocations[0].written.bytes, 0u);
}

TEST_F(CountLaunch, NamesSites) {
  LaunchCounts counts = run(choose(105));
  ASSERT_EQ(counts.sites.size(), 3u);
  EXPECT_EQ(counts.sites[0].line, 10u);
  EXPECT_EQ(counts.sites[0].opcode, "ld.global.f32");
  EXPECT_EQ(counts.sites[0].source, "kernel.cu:3:5");
  EXPECT_EQ(counts.sites[0].distinct.bytes, 128u);
  EXPECT_EQ(counts.sites[2].space, "shared");
  EXPECT_EQ(counts.sites[2].kind, "write");
  EXPECT_EQ(counts.sites[2].counts.wavefronts, 210u);
}

// One place with a generic address, once in global, once in shared memory.
TEST_F(CountLaunch, SplitsSitesBySpace) {
  Counter counter(plan, BlockBox::of(grid));
  counter.beginBlock(0);
  access(counter, load, ptx::Space::Global, AccessKind::Read, stride(4, input),
         0xff);
  access(counter, load, ptx::Space::Shared, AccessKind::Read, stride(4, 1024),
         ~0xffu);
  LaunchCounts counts = finish(counter);
  ASSERT_EQ(counts.sites.size(), 2u);
  EXPECT_EQ(counts.sites[0].space, "global");
  EXPECT_EQ(counts.sites[0].counts.lanes, 8u * 105); // one of 105 blocks ran
  EXPECT_EQ(counts.sites[1].space, "shared");
  EXPECT_EQ(counts.sites[1].counts.lanes, 24u * 105);
}

// An access under a guard that no lane passes is no request.
TEST_F(CountLaunch, SkipsAccessesOfNoLane) {
  Counter counter(plan, BlockBox::of(grid));
  counter.beginBlock(0);
  access(counter, load, ptx::Space::Global, AccessKind::Read, stride(4, input),
         0);
  EXPECT_TRUE(finish(counter).sites.empty());
}

// What is atomic is read and written.
TEST_F(CountLaunch, AtomicsReadAndWrite) {
  grid = {1, 1, 1};
  Counter counter(plan, BlockBox::of(grid));
  counter.beginBlock(0);
  access(counter, store, ptx::Space::Global, AccessKind::Atomic,
         stride(0, output));
  LaunchCounts counts = finish(counter);
  EXPECT_EQ(counts.read.bytes, 4u);
  EXPECT_EQ(counts.written.bytes, 4u);
  EXPECT_EQ(counts.touched.bytes, 4u);
}

TEST_F(CountLaunch, CountsDivergence) {
  hasEdges = true;
  LaunchCounts counts = run(choose(105));
  // Blocks at the last x or y: 7*5 - 6*4 = 11 of each 35.
  ASSERT_EQ(counts.branches.size(), 1u);
  EXPECT_EQ(counts.branches[0].line, 13u);
  EXPECT_EQ(counts.branches[0].warps, 105u);
  EXPECT_EQ(counts.branches[0].divergent, 33u);
  // 4 instructions with 32 lanes, 2 with 16 in 33 warps.
  EXPECT_DOUBLE_EQ(counts.getActiveLanes(), 32 - 2.0 * 33 * 16 / (6.0 * 105));
}

llvm::json::Object toObject(const LaunchCounts &counts) {
  std::string text = mlir::tc::schema::format(counts);
  return *llvm::cantFail(llvm::json::parse(text)).getAsObject();
}

/// Counts that must not depend on whether all blocks ran.
std::string describe(LaunchCounts counts) {
  llvm::json::Object object = toObject(counts);
  for (llvm::StringRef key :
       {"blocks_run", "sampled", "classes", "distinct", "allocations"})
    object.erase(key);
  for (llvm::json::Value &site : *object.getArray("sites"))
    site.getAsObject()->erase("distinct");
  return llvm::formatv("{0:2}", llvm::json::Value(std::move(object)));
}

TEST_F(CountLaunch, SamplesOfUniformBlocksAreExact) {
  std::string whole = describe(run(choose(105)));
  for (uint64_t count : {1, 8, 10, 20, 50, 104}) {
    LaunchCounts sampled = run(choose(count));
    EXPECT_TRUE(sampled.isSampled());
    EXPECT_EQ(describe(std::move(sampled)), whole) << count;
  }
}

// Blocks at an edge do less, and a sample has more of them than the grid.
TEST_F(CountLaunch, SamplesOfBlocksByClassAreExact) {
  hasEdges = true;
  // The bytes written differ between a whole block and one at the edge, so what
  // is distinct is not exact.
  auto strip = [](LaunchCounts counts) {
    counts.allRead = counts.allWritten = counts.allTouched = {};
    return describe(std::move(counts));
  };
  std::string whole = strip(run(choose(105)));
  for (uint64_t count : {1, 8, 10, 20, 50, 104})
    EXPECT_EQ(strip(run(choose(count))), whole) << count;
}

// 16 of 105 blocks: what each block has of its own grows with the blocks, what
// they share stays within its allocation.
TEST_F(CountLaunch, ExtrapolatesDistinctBytes) {
  LaunchCounts counts = run(choose(16));
  EXPECT_EQ(counts.blocksRun, 16u);
  EXPECT_EQ(counts.written.bytes, 16u * 128);
  EXPECT_EQ(counts.allWritten.bytes, 105u * 128);
  EXPECT_EQ(counts.read.bytes, 128u);
  EXPECT_EQ(counts.allRead.bytes, 128u);
  EXPECT_EQ(counts.allTouched.sectors, 106u * 4);
}

// Parts of half a sector, one and a half, and two and a half, one behind the
// other: the base shares a sector with the next block, that one none with the
// block after it.
TEST_F(CountLaunch, ExtrapolatesSectorsThatBlocksShare) {
  for (unsigned lanes : {4, 12, 20}) {
    Counter counter(plan, BlockBox::of(grid));
    for (uint64_t block : choose(16)) {
      counter.beginBlock(block);
      access(counter, store, ptx::Space::Global, AccessKind::Write,
             stride(4, output + 16 + 4 * lanes * block), (1u << lanes) - 1);
    }
    LaunchCounts counts = finish(counter);
    EXPECT_EQ(counts.allWritten.bytes, 105u * 4 * lanes);
    EXPECT_EQ(counts.allWritten.sectors, (105u * lanes + 7) / 8) << lanes;
    EXPECT_DOUBLE_EQ(counts.estimateDramBytes(0, 105).written,
                     32.0 * double(counts.allWritten.sectors))
        << lanes;
  }
}

TEST_F(CountLaunch, CountersOfThreadsMerge) {
  hasEdges = true;
  std::string whole = describe(run(choose(105)));
  Counter a(plan, BlockBox::of(grid)), b(plan, BlockBox::of(grid));
  for (uint64_t block = 0; block < 105; ++block)
    runBlock(block % 3 ? a : b, block);
  a.merge(b);
  EXPECT_EQ(describe(finish(a)), whole);
}

TEST_F(CountLaunch, CompiledCodeAddsToBlockCounts) {
  grid = {1, 1, 1};
  Counter counter(plan, BlockBox::of(grid));
  counter.beginBlock(0);
  counter.getBlockCounts()[0].warps += 3;
  counter.getBlockCounts()[0].lanes += 40;
  counter.getBlockCounts()[0].divergent += 2;
  LaunchCounts counts = finish(counter);
  EXPECT_EQ(counts.getWarpInstructions(), 12u);
  ASSERT_EQ(counts.branches.size(), 1u);
  EXPECT_EQ(counts.branches[0].divergent, 2u);
  EXPECT_DOUBLE_EQ(counts.getActiveLanes(), 40.0 / 3);
}

TEST_F(CountLaunch, Reports) {
  LaunchCounts counts = run(choose(16));
  llvm::json::Object object = toObject(counts);
  EXPECT_EQ(object.getString("kernel"), llvm::StringRef("k"));
  EXPECT_EQ(object.getInteger("blocks"), 105);
  EXPECT_EQ(object.getInteger("blocks_run"), 16);
  EXPECT_EQ(object.getBoolean("sampled"), true);
  EXPECT_EQ(object.getInteger("shared_bytes"), 256);
  const llvm::json::Object *site = (*object.getArray("sites"))[0].getAsObject();
  EXPECT_EQ(site->getInteger("line"), 10);
  EXPECT_EQ(site->getString("source"), llvm::StringRef("kernel.cu:3:5"));
  EXPECT_EQ(site->getInteger("sectors"), 420);
  std::string text;
  llvm::raw_string_ostream os(text);
  counts.print(os);
  EXPECT_THAT(text, testing::HasSubstr("16 of 105 blocks ran"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("PTX line")));
  EXPECT_THAT(text, testing::HasSubstr("wavefronts 210 ideal_wavefronts 105"));
  counts.printSites(os);
  EXPECT_THAT(text, testing::HasSubstr("PTX line 10, kernel.cu:3:5 "
                                       "ld.global.f32: global read"));
}

} // namespace
