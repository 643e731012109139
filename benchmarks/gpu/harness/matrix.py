"""The forms of `mma.sync` that contractions use (lib/Target/Mma.cpp), and a kernel that
does one product a warp.

A form is named by its shape and the type of its inputs, both where they differ; `_f16`
at the end says that accumulators are .f16. Registers are taken as they are: which
element lies where is said in include/tc/Target/Mma.h.
"""

import dataclasses

BITS = {"f64": 64, "f32": 32, "tf32": 32, "s32": 32, "f16": 16, "bf16": 16}
BITS |= {"e4m3": 8, "e5m2": 8, "s8": 8}
# The first version of PTX that knows a chip.
_VERSIONS = {75: 63, 80: 70, 86: 71, 87: 74, 89: 78, 90: 78, 100: 86, 103: 88, 120: 87, 121: 88}


@dataclasses.dataclass(frozen=True)
class Form:
    """One instruction: m x n results of type `d`, each of k products of `a` and `b`."""

    m: int
    n: int
    k: int
    a: str
    b: str
    d: str
    chip: int  # times ten, since which chips have it
    version: int  # of PTX, times ten

    @property
    def name(self):
        inputs = self.a if self.a == self.b else f"{self.a}.{self.b}"
        return f"{self.shape}.{inputs}" + ("_f16" if self.d == "f16" else "")

    @property
    def shape(self):
        return f"m{self.m}n{self.n}k{self.k}"

    @property
    def instruction(self):
        types = f"{self.d}.{self.a}.{self.b}.{self.d}"
        return f"mma.sync.aligned.{self.shape}.row.col.{types}"

    @property
    def width(self):
        """Bits of each register."""
        return 64 if self.d == "f64" else 32

    @property
    def is_f8(self):
        return self.a in ("e4m3", "e5m2")

    @property
    def products(self):
        return self.m * self.n * self.k

    @property
    def registers(self):
        """Of one lane: of A, of B, and of the accumulators."""
        sizes = (self.m * self.k, self.a), (self.k * self.n, self.b), (self.m * self.n, self.d)
        return [count * BITS[kind] // (32 * self.width) for count, kind in sizes]

    def write_head(self, chip=None):
        """The least version and target that have the form; or `chip` as the target."""
        chip = chip or self.chip
        version = max(self.version, _VERSIONS[chip])
        return f".version {version // 10}.{version % 10}\n.target sm_{chip}\n.address_size 64\n"


def _list_forms():
    forms = [Form(8, 8, 4, "f64", "f64", "f64", 80, 70)]
    forms += [Form(16, 8, k, "f64", "f64", "f64", 90, 78) for k in (4, 8, 16)]
    for d in ("f32", "f16"):
        forms += [Form(16, 8, 8, "f16", "f16", d, 75, 65), Form(16, 8, 16, "f16", "f16", d, 80, 70)]
    forms += [Form(16, 8, k, "bf16", "bf16", "f32", 80, 70) for k in (8, 16)]
    forms += [Form(16, 8, k, "tf32", "tf32", "f32", 80, 70) for k in (4, 8)]
    forms += [Form(16, 8, k, "s8", "s8", "s32", 80, 70) for k in (16, 32)]
    for d, version in (("f32", 84), ("f16", 87)):
        for a in ("e4m3", "e5m2"):
            forms += [Form(16, 8, 32, a, b, d, 89, version) for b in ("e4m3", "e5m2")]
    return forms


FORMS = _list_forms()


def braces(register, first, count):
    """"{%a3, %a4}", an operand of `count` registers."""
    return "{" + ", ".join(f"{register}{i}" for i in range(first, first + count)) + "}"


def write_product(form, chip):
    """A kernel whose every block, one warp, does one product. `from` has the registers
    of A, B and C, and `to` gets those of the result: of each product, of each register,
    a word of each lane."""
    a, b, c = form.registers
    size, kind = form.width // 8, f"b{form.width}"
    inputs = a + b + c
    text = form.write_head(chip) + (
        ".visible .entry product(.param .u64 to, .param .u64 from)\n{\n"
        f"  .reg .b32 %r<4>;\n  .reg .b64 %rd<8>;\n  .reg .{kind} %v<{inputs}>, %d<{c}>;\n"
        "  ld.param.u64 %rd1, [to];\n  ld.param.u64 %rd2, [from];\n"
        "  cvta.to.global.u64 %rd1, %rd1;\n  cvta.to.global.u64 %rd2, %rd2;\n"
        "  mov.u32 %r1, %ctaid.x;\n  mov.u32 %r2, %tid.x;\n"
        f"  mul.wide.u32 %rd3, %r2, {size};\n"
        "  add.s64 %rd1, %rd1, %rd3;\n  add.s64 %rd2, %rd2, %rd3;\n"
        f"  mul.wide.u32 %rd4, %r1, {32 * size * c};\n  add.s64 %rd1, %rd1, %rd4;\n"
        f"  mul.wide.u32 %rd5, %r1, {32 * size * inputs};\n  add.s64 %rd2, %rd2, %rd5;\n"
    )
    for i in range(inputs):
        text += f"  ld.global.{kind} %v{i}, [%rd2+{32 * size * i}];\n"
    operands = [braces("%d", 0, c), braces("%v", 0, a), braces("%v", a, b), braces("%v", a + b, c)]
    text += f"  {form.instruction} {', '.join(operands)};\n"
    for i in range(c):
        text += f"  st.global.{kind} [%rd1+{32 * size * i}], %d{i};\n"
    return text + "  ret;\n}\n"
