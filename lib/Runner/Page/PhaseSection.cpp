//===- PhaseSection.cpp - A program in each phase -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Page/Sections.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mlir::tc {

static std::pair<StringRef, StringRef> describe(Phase phase) {
  switch (phase) {
  case Phase::Named:
    return {"named", "the program as it came in"};
  case Phase::Contract:
    return {"contract", "contractions on memrefs"};
  case Phase::Normal:
    return {"normal", "one stride for each iterator of an operand"};
  case Phase::Scheduled:
    return {"scheduled", "contractions have schedules, nests versions"};
  case Phase::Tiled:
    return {"tiled", "loops by level around a register tile"};
  case Phase::Placed:
    return {"placed", "buffers in registers and shared memory"};
  case Phase::Mapped:
    return {"mapped", "loops bound to axes, barriers placed"};
  case Phase::Kernel:
    return {"kernel", "functions of the GPU, and host code"};
  }
  llvm_unreachable("all phases are listed");
}

/// A strip of columns, each as wide as half of the page, which scrolls
/// sideways.
static constexpr llvm::StringLiteral style = R"(
.strip { display: flex; align-items: flex-start; gap: 12px;
  overflow-x: auto; padding-bottom: .5rem; }
.strip section { flex: 0 0 calc(50% - 6px); min-width: 0; }
.strip h3 { margin: 0 0 .2rem; } .strip h3 span { color: var(--dim); font-weight: 400; }
.strip pre { max-height: 36rem; }
pre { overflow: auto; margin: 0; padding: .5rem; border: 1px solid var(--rule);
  font: 12px/1.4 ui-monospace, monospace; }
)";

/// Begins where decisions are seen; it is the same strip without.
static constexpr llvm::StringLiteral script = R"(
const strip = document.querySelector('.strip');
const scheduled = document.getElementById('phase3');
if (scheduled) strip.scrollLeft = scheduled.offsetLeft - strip.offsetLeft;
)";

HtmlPart writePhases(ArrayRef<PhaseText> phases) {
  HtmlPart part;
  part.style = style;
  part.script = script;
  part.body = "<h2 id=\"phases\">Phases, side by side</h2>\n<p>";
  for (const PhaseText &shown : phases)
    part.body += llvm::formatv("<a href=\"#phase{0}\">{0} {1}</a> ",
                               int(shown.phase), describe(shown.phase).first);
  part.body += "</p>\n<div class=\"strip\">\n";
  for (const PhaseText &shown : phases) {
    auto [name, meaning] = describe(shown.phase);
    part.body += llvm::formatv("<section id=\"phase{0}\"><h3>{0} {1} "
                               "<span>{2}; {3} lines</span></h3>\n<pre>",
                               int(shown.phase), name, meaning,
                               StringRef(shown.text).count('\n'));
    part.body += escapeHtml(shown.text) + "</pre></section>\n";
  }
  part.body += "</div>\n";
  return part;
}

} // namespace mlir::tc
