//===- MatrixProduct.h - One mma and its operands ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs one `mma` on matrices that the test fills, element by element.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_EMULATOR_MATRIXPRODUCT_H
#define TC_TEST_UNIT_EMULATOR_MATRIXPRODUCT_H

#include "Reference/MatrixModel.h"

namespace tc::emulator::test {

inline char prefixOf(Element element) {
  return element == Element::F64 ? 'd' : element == Element::F32 ? 'f' : 'r';
}

/// The types of "d.a.b.c".
inline std::array<Element, 4> splitTypes(llvm::StringRef types) {
  llvm::SmallVector<llvm::StringRef> names;
  types.split(names, '.');
  std::array<Element, 4> elements;
  for (unsigned i = 0; i < 4; ++i)
    elements[i] = *warp::findElement(names[i]);
  return elements;
}

struct Shape {
  unsigned m, n, k, copies;
};

/// One mma: operands by the given formulas, run, and compared.
struct Product {
  Product(const std::string &opcode, Shape shape, std::array<Element, 4> types,
          const LaneFormula &fa, const LaneFormula &fb, const LaneFormula &fc,
          const LaneFormula &fd, const std::string &chip = "sm_90")
      : shape(shape), d(types[0], shape.m, shape.n, shape.copies,
                        registers(types[0], shape.m * shape.n), fd),
        a(types[1], shape.m, shape.k, shape.copies,
          registers(types[1], shape.m * shape.k), fa),
        b(types[2], shape.k, shape.n, shape.copies,
          registers(types[2], shape.k * shape.n), fb),
        c(types[3], shape.m, shape.n, shape.copies,
          registers(types[3], shape.m * shape.n), fc),
        step(opcode + " " + list(d) + ", " + list(a) + ", " + list(b) + ", " +
                 list(c) + ";",
             chip) {}

  unsigned registers(Element element, unsigned elements) const {
    return elements * shape.copies * modelOf(element).bits / 32 /
           (element == Element::F64 ? 64 : 32);
  }
  static std::string list(const Matrix &matrix) {
    return registerList(prefixOf(matrix.element), matrix.registers);
  }
  void run() {
    step.sources.clear();
    for (Matrix *matrix : {&a, &b, &c})
      for (const Lanes &lanes : matrix->toLanes())
        step.sources.push_back(lanes);
    ASSERT_EQ(step.results.size(), d.registers);
    ASSERT_TRUE(step.run());
    d.fromLanes(step.results);
  }

  Shape shape;
  Matrix d, a, b, c;
  OneStep step;
};

inline Shape readShape(llvm::StringRef text) {
  Shape shape{0, 0, 0, 1};
  text.consume_front("m");
  text.consumeInteger(10, shape.m);
  text.consume_front("n");
  text.consumeInteger(10, shape.n);
  text.consume_front("k");
  text.consumeInteger(10, shape.k);
  return shape;
}

inline Product makeProduct(const Layout &layout, const char *modifier = "",
                           const std::string &chip = "sm_90") {
  return Product("mma.sync.aligned." + std::string(layout.shape) + ".row.col" +
                     modifier + "." + layout.types + layout.suffix,
                 readShape(layout.shape), splitTypes(layout.types),
                 byLane(layout.a), byLane(layout.b), byLane(layout.c),
                 byLane(layout.c), chip);
}

inline const Layout &findLayout(llvm::StringRef shape, llvm::StringRef types) {
  for (const Layout &layout : layouts)
    if (shape == layout.shape && types == layout.types)
      return layout;
  ADD_FAILURE() << "no layout " << shape.str() << " " << types.str();
  return layouts[0];
}

} // namespace tc::emulator::test

#endif // TC_TEST_UNIT_EMULATOR_MATRIXPRODUCT_H
