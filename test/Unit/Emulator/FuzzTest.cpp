//===- FuzzTest.cpp - Malformed PTX is refused, whatever it is ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads mutants of good PTX: the file must be read or be refused with a line
// and a reason, and nothing else may happen. Mutants depend on the seed alone.
// The texts are those of Inputs and, where TC_FUZZ_TEXTS names a folder, the
// .ptx files in it. When a mutant ends the process, the stack trace names its
// number, and TC_FUZZ_SHOW=number prints that mutant instead.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "Isa/Verify.h"
#include "Ptx/Parser.h"
#include "Runtime/Kernel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/PrettyStackTrace.h"

#include <algorithm>
#include <random>
#include <unistd.h>

using namespace tc::emulator;
using namespace tc::emulator::test;
using llvm::StringRef;

namespace {

using Words = std::vector<std::string>;

/// Words, numbers, blanks and single characters; together they are the text.
Words split(StringRef text) {
  Words words;
  auto isWord = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$' || c == '%';
  };
  while (!text.empty()) {
    bool isBlank = llvm::isSpace(text[0]);
    size_t end = isBlank ? text.find_if_not(llvm::isSpace)
                         : std::max<size_t>(text.find_if_not(isWord), 1);
    end = std::min(end, text.size());
    words.push_back(text.take_front(end).str());
    text = text.drop_front(end);
  }
  return words;
}

/// What stands in no good text, and what stands where it should not.
const char *const strange[] = {
    "0",
    "1",
    "-1",
    "18446744073709551615",
    "99999999999999999999999999",
    "0xffffffffffffffff",
    "0x",
    "0b",
    "0b2",
    "08",
    "4294967296",
    "1099511627777",
    "2147483648",
    "0f",
    "0f123",
    "0fZZZZZZZZ",
    "0d0",
    "0d7FF8000000000000",
    "1.5",
    "1e400",
    "1e-400",
    "1.",
    ".5",
    "..",
    ".",
    "::",
    ";",
    ",",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "=",
    "@",
    "!",
    "|",
    "+",
    "-",
    "_",
    "$",
    "%",
    "%%",
    "\"",
    "\"x\"",
    "/*",
    "*/",
    "//",
    "\\",
    "#",
    "\n",
    "\x01",
    "\xff",
    "WARP_SZ",
    "generic(",
    "%tid",
    "%tid.x",
    "%tid.w",
    "%r0",
    "%rd1",
    "%p1",
    "%laneid",
    "add",
    "ld",
    "call",
    "bra",
    "ret",
    "mov",
    "cvt",
    "setp",
    "mma",
    "shfl",
    "bar",
    ".u32",
    ".s64",
    ".f32",
    ".f64",
    ".pred",
    ".b128",
    ".v4",
    ".v2",
    ".v8",
    ".wide",
    ".global",
    ".shared",
    ".param",
    ".local",
    ".const",
    ".reg",
    ".func",
    ".entry",
    ".visible",
    ".extern",
    ".version",
    ".target",
    ".address_size",
    ".align",
    ".file",
    ".loc",
    ".section",
    ".pragma",
    ".maxntid",
    ".branchtargets",
    ".alias",
    ".callprototype",
    ".ptr",
    ".sync",
    ".reg .b32 %r<4000000000>;",
    ".reg .b64 %q<18446744073709551615>;",
    ".global .b8 g[9223372036854775807][2];",
    ".global .align 4611686018427387904 .b8 h;",
    ".shared .b8 s[4294967297];",
    ".local .b8 l[1099511627776];",
    ".const .b8 c[] = {",
    ".extern .shared .b8 d[];",
    "add.s32 %r1, %r1, %r1;",
    "ld.global.v4.f32 {%r1}, [%r1+-9223372036854775808];",
    "bra nowhere;",
    "brx.idx %r1, t;",
    "call (x), f, (y);",
    "{ .reg .b32 %r<1>; }",
    "@%p0 @%p0 ret;",
    "mov.b64 {%r1, %r2}, %r3;",
    "bar.sync 99, 5;",
    "L: L:",
};

class Mutator {
public:
  Mutator(const std::vector<std::string> &texts, uint64_t seed)
      : texts(texts), seed(seed) {
    for (const std::string &text : texts)
      for (std::string &word : split(text))
        dictionary.push_back(std::move(word));
  }

  /// The mutant of that number: one to four changes of one text. What has one
  /// change may well be good; what has many is not.
  std::string get(uint64_t number) {
    engine.seed(seed * 1000003 + number);
    Words words = split(texts[pick(texts.size())]);
    unsigned harm = pick(4);
    for (unsigned left = 1 + harm; left && !words.empty(); --left)
      changeWords(words, harm);
    std::string text = llvm::join(words, "");
    if (harm == 3)
      changeBytes(text);
    return text;
  }

private:
  size_t pick(size_t bound) { return engine() % bound; }
  const std::string &anyWord() { return dictionary[pick(dictionary.size())]; }
  std::string anyStrange() { return strange[pick(std::size(strange))]; }

  /// A place of `words` that is not blank, if a few tries find one.
  size_t pickWord(const Words &words) {
    size_t at = pick(words.size());
    for (unsigned i = 0; i < 4 && llvm::isSpace(words[at][0]); ++i)
      at = pick(words.size());
    return at;
  }

  /// Another word of the text that begins alike: a register of the same prefix,
  /// a number, a word of an opcode. None after some tries.
  const std::string *findLike(const Words &words, const std::string &word) {
    auto kindOf = [](StringRef text) {
      if (text[0] == '%')
        return text.rtrim("0123456789").str();
      return std::string(llvm::isDigit(text[0])   ? "0"
                         : llvm::isAlpha(text[0]) ? "a"
                                                  : text);
    };
    for (unsigned i = 0; i < 100; ++i) {
      const std::string &other = words[pick(words.size())];
      if (other != word && kindOf(other) == kindOf(word))
        return &other;
    }
    return nullptr;
  }

  void changeWords(Words &words, unsigned harm) {
    size_t at = pickWord(words), other = pickWord(words);
    auto place = words.begin() + at;
    if (harm == 0 || pick(4) == 0) {
      if (const std::string *like = findLike(words, words[at]))
        words[at] = *like;
      return;
    }
    switch (pick(10)) {
    case 0:
      words.erase(place);
      return;
    case 1:
      words.insert(place, words[at]);
      return;
    case 2:
      std::swap(words[at], words[other]);
      return;
    case 3:
      words[at] = anyWord();
      return;
    case 4:
      words[at] = anyStrange();
      return;
    case 5:
      words.insert(place, " " + anyStrange() + " ");
      return;
    case 6: // Some words in a row vanish, or come a second time elsewhere.
    case 7: {
      size_t end = std::min(words.size(), at + 1 + pick(30));
      Words moved(place, words.begin() + end);
      if (pick(2))
        words.erase(place, words.begin() + end);
      words.insert(words.begin() + std::min(other, words.size()), moved.begin(),
                   moved.end());
      return;
    }
    case 8: // Deep nesting, long words.
      words.insert(place,
                   std::string(size_t(1) << pick(15), "{([<}-@a9 "[pick(10)]));
      return;
    case 9: // Digits of a number, or letters of a name.
      words[at][pick(words[at].size())] = "0123456789abcdefxXUu"[pick(20)];
      return;
    }
  }

  void changeBytes(std::string &text) {
    if (text.empty())
      return;
    size_t at = pick(text.size());
    switch (pick(4)) {
    case 0:
      text.resize(at);
      return;
    case 1:
      text[at] ^= 1 << pick(8);
      return;
    case 2:
      text.insert(at, 1, char(pick(256)));
      return;
    case 3:
      text.erase(at, 1);
      return;
    }
  }

  const std::vector<std::string> &texts;
  uint64_t seed;
  std::mt19937_64 engine;
  Words dictionary;
};

/// The .ptx files of a folder, in the order of their names.
std::vector<std::string> readTexts(StringRef folder) {
  std::vector<std::string> paths, texts;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator file(folder, error), end;
       file != end && !error; file.increment(error))
    if (StringRef(file->path()).ends_with(".ptx"))
      paths.push_back(file->path());
  std::sort(paths.begin(), paths.end());
  for (const std::string &path : paths)
    if (auto buffer = llvm::MemoryBuffer::getFile(path))
      texts.push_back((*buffer)->getBuffer().str());
  return texts;
}

/// True for "PTX line 12: reason" with a line that the text has.
bool isGoodMessage(StringRef message, StringRef text) {
  unsigned line;
  return message.consume_front("PTX line ") &&
         !message.consumeInteger(10, line) && line >= 1 &&
         line <= text.count('\n') + 1 && message.consume_front(": ") &&
         message.trim().size() > 3;
}

/// Loads `count` mutants. `alarm` ends the process when one hangs.
void load(const std::vector<std::string> &texts, uint64_t seed,
          uint64_t count) {
  ASSERT_FALSE(texts.empty());
  if (const char *other = std::getenv("TC_TEST_SEED"))
    seed = std::strtoull(other, nullptr, 10);
  Mutator mutator(texts, seed);
  if (const char *shown = std::getenv("TC_FUZZ_SHOW")) {
    llvm::outs() << mutator.get(std::strtoull(shown, nullptr, 10));
    return;
  }
  uint64_t refused = 0;
  for (uint64_t number = 0; number < count; ++number) {
    llvm::PrettyStackTraceFormat trace("mutant %llu of seed %llu",
                                       (unsigned long long)number,
                                       (unsigned long long)seed);
    std::string text = mutator.get(number);
    alarm(60);
    std::string message = loadError(text);
    refused += !message.empty();
    EXPECT_TRUE(message.empty() || isGoodMessage(message, text))
        << "mutant " << number << ": " << message;
  }
  alarm(0);
  // Some changes do no harm, but most do.
  EXPECT_GT(refused, count / 2);
  EXPECT_LT(refused, count);
}

/// Compiles the kernels of a text for warps and for threads, where it can be
/// read. Returns how many there are.
unsigned compile(StringRef text) {
  auto module = ptx::parse(text);
  if (llvm::errorToBool(module.takeError()) ||
      llvm::errorToBool(ptx::verify(**module)))
    return 0;
  unsigned count = 0;
  for (const ptx::Function &function : (*module)->functions) {
    if (!function.isEntry || !function.hasBody)
      continue;
    auto plan = makePlan(function);
    if (llvm::errorToBool(plan.takeError()))
      continue;
    Kernel kernel(std::move(*plan));
    auto place = [](const ptx::Variable &) { return uint64_t(1) << 20; };
    for (bool isThreads : {false, true}) {
      KernelCode &code =
          kernel.getCode(LaunchShape{{64, 1, 1}, true},
                         Hooks{true, true, false}, isThreads, place);
      EXPECT_EQ(messageOf(code.getFunction(Effort::Quick).takeError()), "");
      if (!isThreads)
        EXPECT_EQ(messageOf(code.getMasked(Effort::Quick).takeError()), "");
    }
    ++count;
  }
  return count;
}

class Fuzz : public testing::Test {
protected:
  static void SetUpTestSuite() { llvm::EnablePrettyStackTrace(); }
};

TEST_F(Fuzz, TextsAreGood) {
  for (const std::string &text : readTexts(TC_TEST_INPUTS))
    EXPECT_EQ(loadError(text), "");
}

TEST_F(Fuzz, MutantsAreReadOrRefused) {
  load(readTexts(TC_TEST_INPUTS), /*seed=*/1, 1000);
}

TEST_F(Fuzz, SlowMutantsAreReadOrRefused) {
  load(readTexts(TC_TEST_INPUTS), /*seed=*/2, 12000);
}

/// What the verifier lets through can be translated.
TEST_F(Fuzz, SlowMutantsThatAreReadCompile) {
  std::vector<std::string> texts = readTexts(TC_TEST_INPUTS);
  Mutator mutator(texts, /*seed=*/4);
  unsigned compiled = 0;
  for (uint64_t number = 0; number < 2000; ++number) {
    llvm::PrettyStackTraceFormat trace("mutant %llu of seed 4",
                                       (unsigned long long)number);
    SCOPED_TRACE(number);
    compiled += compile(mutator.get(number));
  }
  EXPECT_GT(compiled, 200u);
}

/// Run by test/Emulator/Fuzz with the PTX of other compilers.
TEST_F(Fuzz, SlowMutantsOfGivenTexts) {
  const char *folder = std::getenv("TC_FUZZ_TEXTS");
  if (!folder)
    GTEST_SKIP() << "TC_FUZZ_TEXTS names no folder";
  load(readTexts(folder), /*seed=*/3, 12000);
}

} // namespace
