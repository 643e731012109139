"""ResNet-50's distinct convolutions, with fewer channels and smaller images.

Writes one program a layer, on memrefs in the layout NHWC, one of all of them, and
the batch that runs each. Images come with their padding, as linalg wants them.
"""

import argparse
import json
import pathlib

# kernel, stride, input channels, output channels, output extent: those of the
# paper's table 1 (He et al., 2016), with the stride where its code has it.
LAYERS = [
    (7, 2, 3, 64, 112),
    # conv2_x
    (1, 1, 64, 64, 56),
    (3, 1, 64, 64, 56),
    (1, 1, 64, 256, 56),
    (1, 1, 256, 64, 56),
    # conv3_x
    (1, 1, 256, 128, 56),
    (3, 2, 128, 128, 28),
    (1, 2, 256, 512, 28),
    (1, 1, 128, 512, 28),
    (1, 1, 512, 128, 28),
    (3, 1, 128, 128, 28),
    # conv4_x
    (1, 1, 512, 256, 28),
    (3, 2, 256, 256, 14),
    (1, 2, 512, 1024, 14),
    (1, 1, 256, 1024, 14),
    (1, 1, 1024, 256, 14),
    (3, 1, 256, 256, 14),
    # conv5_x
    (1, 1, 1024, 512, 14),
    (3, 2, 512, 512, 7),
    (1, 2, 1024, 2048, 7),
    (1, 1, 512, 2048, 7),
    (1, 1, 2048, 512, 7),
    (3, 1, 512, 512, 7),
]


def name(layer):
    kernel, stride, inner, outer, extent = layer
    return f"conv_{kernel}x{kernel}_s{stride}_{inner}_{outer}_{extent}"


def function(layer, channels, extents):
    """The text of one layer; counts are divided by `channels` and `extents`."""
    kernel, stride, inner, outer, extent = layer
    inner, outer = max(inner // channels, 3), max(outer // channels, 2)
    extent = max(extent // extents, 3)
    padded = (extent - 1) * stride + kernel
    image = f"memref<1x{padded}x{padded}x{inner}xf32>"
    weights = f"memref<{kernel}x{kernel}x{inner}x{outer}xf32>"
    result = f"memref<1x{extent}x{extent}x{outer}xf32>"
    return f"""func.func @{name(layer)}(%x: {image}, %w: {weights}, %y: {result}) {{
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%y : {result})
  linalg.conv_2d_nhwc_hwcf {{strides = dense<{stride}> : vector<2xi64>, dilations = dense<1> : vector<2xi64>}}
      ins(%x, %w : {image}, {weights}) outs(%y : {result})
  return
}}
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--channels", type=int, default=32)
    parser.add_argument("--extents", type=int, default=8)
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    program, lines = "", ""
    for layer in LAYERS:
        text = function(layer, options.channels, options.extents)
        path = options.folder / f"{name(layer)}.mlir"
        path.write_text(text)
        program += text
        lines += json.dumps({"case": name(layer), "input": str(path)}) + "\n"
    (options.folder / "all.mlir").write_text(program)
    (options.folder / "batch.jsonl").write_text(lines)


if __name__ == "__main__":
    main()
