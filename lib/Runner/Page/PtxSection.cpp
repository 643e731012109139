//===- PtxSection.cpp - PTX with counts by line ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Page/Sections.h"

#include "tc/Emulator/Lines.h"
#include "tc/Pages/LinePage.h"

using namespace mlir;

namespace mlir::tc {

static HtmlPart writeText(const Compilation &compilation) {
  HtmlPart part;
  part.body = "<h2 id=\"ptx\">PTX</h2>\n";
  for (const KernelBinary &binary : compilation.ptx)
    part.body += "<pre class=\"ptx\">" + escapeHtml(binary.ptx) + "</pre>\n";
  part.style = ".ptx { max-height: 40rem; }\n";
  return part;
}

HtmlPart writePtx(const Compilation &compilation, const CountResult *count) {
  if (!count)
    return writeText(compilation);
  ::tc::emulator::LineReport report;
  for (const CountedLaunch &launch : count->launches) {
    ::tc::emulator::LaunchReport launched;
    launched.counts = launch.counts;
    report.add(launched);
  }
  HtmlPart part = makeHtmlPart(report.makePage());
  part.body = "<h2 id=\"ptx\">PTX, with counts by line</h2>\n" + part.body;
  return part;
}

} // namespace mlir::tc
