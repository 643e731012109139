"""Kernels that each do one thing, as PTX text: what calibration times. All take a
number of rounds, the last parameter, and do the same work in each; `to` takes a
result that nobody reads, so that the work is not for nothing."""

from .matrix import braces

UNROLL = 64  # operations of each chain a round
CHAINS = 8
ACCESSES = 32  # of shared or global memory a round
PRODUCTS = 16  # of matrices, of each chain a round

_HEAD = ".version 7.0\n.target sm_75\n.address_size 64\n"
_INDEX = """  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
"""


def _kernel(name, parameters, registers, before, body, after, head=_HEAD):
    """A kernel with a loop of `rounds` times `body`."""
    declared = ", ".join(f".param .{kind} {p}" for p, kind in parameters)
    return (
        f"{head}.visible .entry {name}({declared}, .param .u32 rounds)\n{{\n"
        "  .reg .pred %more;\n  .reg .b32 %round, %r<64>;\n  .reg .b64 %rd<8>;\n"
        f"{registers}  ld.param.u32 %round, [rounds];\n{_INDEX}{before}ROUND:\n{body}"
        "  sub.u32 %round, %round, 1;\n  setp.ne.u32 %more, %round, 0;\n"
        f"  @%more bra ROUND;\n{after}  ret;\n}}\n"
    )


def _store(register, kind, size):
    return (
        "  ld.param.u64 %rd7, [to];\n  cvta.to.global.u64 %rd7, %rd7;\n"
        f"  mul.wide.u32 %rd6, %r3, {size};\n  add.s64 %rd7, %rd7, %rd6;\n"
        f"  st.global.{kind} [%rd7], {register};\n"
    )


def write_fma(dtype):
    """CHAINS chains of UNROLL multiply-adds a thread and round."""
    size = int(dtype[1:]) // 8
    one = "0f3F800000" if size == 4 else "0d3FF0000000000000"
    before = f"  cvt.rn.{dtype}.u32 %x, %r3;\n  mov.{dtype} %y, {one};\n"
    before += "".join(
        f"  cvt.rn.{dtype}.u32 %v{c}, %r{2 + c % 3};\n" for c in range(CHAINS)
    )
    chain = "".join(f"  fma.rn.{dtype} %v{c}, %v{c}, %x, %y;\n" for c in range(CHAINS))
    after = "".join(f"  add.rn.{dtype} %v0, %v0, %v{c};\n" for c in range(1, CHAINS))
    after += _store("%v0", dtype, size)
    registers = f"  .reg .{dtype} %x, %y, %v<{CHAINS}>;\n"
    return _kernel("micro", [("to", "u64")], registers, before, chain * UNROLL, after)


# A small number in each element of a register, of f64 in its upper half; with any of the
# three lowest bits it stays one.
_SMALL = {
    "f16": 0x20002000,
    "bf16": 0x3C003C00,
    "tf32": 0x3C000000,
    "s8": 0x01010101,
    "e4m3": 0x08080808,
    "e5m2": 0x20202020,
    "f64": 0x3F800000,
}
_ONE = {"f16": 0x3C003C00, "f32": 0x3F800000, "s32": 1, "f64": 0x3FF00000}


def _set_bits(register, form, word):
    """Sets a register to `word`, with the bits of %r5 as its lowest."""
    if form.width == 32:
        return f"  or.b32 {register}, %r5, {word:#x};\n"
    return f"  mov.u32 %r8, {word:#x};\n  mov.b64 {register}, {{%r5, %r8}};\n"


def write_mma(form, chains=CHAINS):
    """`chains` chains of PRODUCTS matrix products a warp and round, of one form
    (matrix.py). Each adds to the result before it; no two chains begin with the same
    numbers, or an assembler could make one of them.

    For sm_90 ptxas 13.0 makes of 8-bit floating point a product of halves without an
    accumulator, and an addition; what it has multiplied once it only adds. So there each
    chain has another pair of A and B, and the bytes of B change places before each
    product, in a way that depends on the thread."""
    a, b, c = form.registers
    kind = f"b{form.width}"
    left, right = (min(4, chains), -(-chains // 4)) if form.is_f8 else (1, 1)
    before = "  and.b32 %r5, %r3, 7;\n  and.b32 %r6, %r3, 4;\n  or.b32 %r7, %r6, 0x2103;\n"
    for i in range(a * left):
        before += _set_bits(f"%a{i}", form, _SMALL[form.a] + (i // a << 8))
    for i in range(b * right):
        before += _set_bits(f"%b{i}", form, _SMALL[form.b] + (i // b << 8))
    for i in range(c * chains):
        if i % c == 0:
            before += "  add.u32 %r5, %r5, 8;\n"
        before += _set_bits(f"%d{i}", form, _ONE[form.d])
    step = ""
    for i in range(b * right if form.is_f8 else 0):
        step += f"  prmt.b32 %b{i}, %b{i}, %b{i ^ 1}, %r7;\n"
    for chain in range(chains):
        d = braces("%d", c * chain, c)
        inputs = braces("%a", chain % left * a, a), braces("%b", chain // left % right * b, b)
        step += f"  {form.instruction} {d}, {', '.join(inputs)}, {d};\n"
    after = "".join(f"  xor.{kind} %d0, %d0, %d{i};\n" for i in range(1, c * chains))
    after += _store("%d0", kind, form.width // 8)
    registers = f"  .reg .{kind} %a<{a * left}>, %b<{b * right}>, %d<{c * chains}>;\n"
    parameters, head = [("to", "u64")], form.write_head()
    return _kernel("micro", parameters, registers, before, step * PRODUCTS, after, head)


def write_integer(with_fma=False):
    """The same of additions and exclusive ors in turns, which no assembler can fold;
    with as many multiply-adds of f32 between them."""
    before = "".join(f"  add.u32 %r{10 + c}, %r3, {c};\n" for c in range(CHAINS))
    before += "".join(f"  cvt.rn.f32.u32 %v{c}, %r{2 + c % 3};\n" for c in range(CHAINS))
    body = ""
    for step in range(UNROLL):
        name = "add.u32" if step % 2 else "xor.b32"
        for c in range(CHAINS):
            body += f"  {name} %r{10 + c}, %r{10 + c}, %r{4 - c % 2};\n"
            if with_fma:
                body += f"  fma.rn.f32 %v{c}, %v{c}, %v{c}, %v{c};\n"
    after = "".join(f"  xor.b32 %r10, %r10, %r{10 + c};\n" for c in range(1, CHAINS))
    after += "".join(f"  add.rn.f32 %v0, %v0, %v{c};\n" for c in range(1, CHAINS))
    after += "  cvt.rzi.u32.f32 %r5, %v0;\n  xor.b32 %r10, %r10, %r5;\n"
    after += _store("%r10", "u32", 4)
    registers = f"  .reg .f32 %v<{CHAINS}>;\n"
    return _kernel("micro", [("to", "u64")], registers, before, body, after)


def _vector(width):
    """(".v4", "{%r10, %r11, %r12, %r13}") of 16 bytes."""
    count = width // 4
    names = ", ".join(f"%r{10 + i}" for i in range(count))
    return ("", "%r10") if count == 1 else (f".v{count}", f"{{{names}}}")


def write_shared(width, stores=False):
    """ACCESSES of `width` bytes a lane, without bank conflicts, to shared memory. Each
    is of another place, and rounds take turns between two halves of the buffer, since
    an assembler keeps what it has loaded from one place before."""
    vector, value = _vector(width)
    half = ACCESSES * 32 * width
    # A warp covers 32 lanes in a row, and warps share the places.
    before = f"  .shared .align 16 .b8 buffer[{2 * half}];\n  mov.u32 %r6, buffer;\n"
    before += f"  and.b32 %r7, %r3, 31;\n  mad.lo.u32 %r6, %r7, {width}, %r6;\n"
    before += "".join(f"  mov.u32 %r{10 + i}, %r7;\n" for i in range(4))
    before += "".join(f"  mov.u32 %r{20 + i}, %r7;\n" for i in range(4))
    places = [f"[%r6+{k * 32 * width}]" for k in range(2 * ACCESSES)]
    before += "".join(f"  st.shared{vector}.b32 {place}, {value};\n" for place in places)
    before += f"  bar.sync 0;\n  mov.u32 %r8, {half};\n"
    body = ""
    for place in places[:ACCESSES]:
        if stores:
            body += f"  st.volatile.shared{vector}.b32 {place}, {value};\n"
            continue
        body += f"  ld.shared{vector}.b32 {value}, {place};\n"
        body += "".join(
            f"  xor.b32 %r{20 + i}, %r{20 + i}, %r{10 + i};\n" for i in range(width // 4)
        )
    # On by half of the buffer, and back.
    body += "  add.u32 %r6, %r6, %r8;\n  neg.s32 %r8, %r8;\n"
    after = "".join(f"  xor.b32 %r20, %r20, %r{20 + i};\n" for i in range(1, 4))
    return _kernel("micro", [("to", "u64")], "", before, body, after + _store("%r20", "u32", 4))


def write_global(kind, lane_bytes, lane_stride):
    """Streams `count` places of `lane_stride` bytes, of which each thread takes every
    n-th and reads or writes the first `lane_bytes`; all of it once a round. `kind`:
    read (cached in L2 only), write, or copy."""
    vector, value = _vector(lane_bytes)
    parameters = [("to", "u64"), ("from", "u64"), ("count", "u64")]
    registers = "  .reg .b64 %place, %step, %all, %from, %into;\n  .reg .pred %last;\n"
    before = (
        "  ld.param.u64 %into, [to];\n  ld.param.u64 %from, [from];\n"
        "  ld.param.u64 %all, [count];\n  cvta.to.global.u64 %into, %into;\n"
        "  cvta.to.global.u64 %from, %from;\n  mov.u32 %r5, %nctaid.x;\n"
        "  mul.wide.u32 %step, %r5, %r2;\n  mov.u32 %r20, 0;\n"
        + "".join(f"  mov.u32 %r{10 + i}, %r3;\n" for i in range(4))
    )
    body = "  cvt.u64.u32 %place, %r4;\nSTREAM:\n  setp.ge.u64 %last, %place, %all;\n"
    body += "  @%last bra STREAMED;\n"
    body += f"  mul.lo.u64 %rd1, %place, {lane_stride};\n"
    body += "  add.s64 %rd2, %from, %rd1;\n  add.s64 %rd3, %into, %rd1;\n"
    if kind in ("read", "copy"):
        body += f"  ld.global.cg{vector}.b32 {value}, [%rd2];\n"
    if kind in ("write", "copy"):
        body += f"  st.global{vector}.b32 [%rd3], {value};\n"
    else:
        body += "".join(f"  xor.b32 %r20, %r20, %r{10 + i};\n" for i in range(lane_bytes // 4))
    body += "  add.s64 %place, %place, %step;\n  bra STREAM;\nSTREAMED:\n"
    after = _store("%r20", "u32", 4) if kind == "read" else ""
    return _kernel("micro", parameters, registers, before, body, after)


def write_barrier():
    """ACCESSES barriers of the block a round."""
    return _kernel(
        "micro", [("to", "u64")], "", "", "  bar.sync 0;\n" * ACCESSES, _store("%r3", "u32", 4)
    )


def write_chase():
    """ACCESSES loads a round, each of the address that the one before found."""
    before = "  ld.param.u64 %rd1, [from];\n  cvta.to.global.u64 %rd1, %rd1;\n"
    body = "  ld.global.cg.u64 %rd1, [%rd1];\n" * ACCESSES
    after = "  cvt.u32.u64 %r10, %rd1;\n" + _store("%r10", "u32", 4)
    return _kernel("micro", [("to", "u64"), ("from", "u64")], "", before, body, after)


def write_clock():
    """Cycles and nanoseconds that the same loop takes, as two numbers at `to`."""
    before = "  cvt.rn.f32.u32 %x, %r3;\n  mov.u64 %rd1, %clock64;\n  mov.u64 %rd2, %globaltimer;\n"
    body = "  fma.rn.f32 %x, %x, %x, %x;\n" * UNROLL
    after = (
        "  mov.u64 %rd3, %clock64;\n  mov.u64 %rd4, %globaltimer;\n"
        "  sub.s64 %rd3, %rd3, %rd1;\n  sub.s64 %rd4, %rd4, %rd2;\n"
        "  ld.param.u64 %rd7, [to];\n  cvta.to.global.u64 %rd7, %rd7;\n"
        "  st.global.u64 [%rd7], %rd3;\n  st.global.u64 [%rd7+8], %rd4;\n"
        "  st.global.f32 [%rd7+16], %x;\n"
    )
    return _kernel("micro", [("to", "u64")], "  .reg .f32 %x;\n", before, body, after)
