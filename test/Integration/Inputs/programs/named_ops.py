"""linalg's named contractions and convolutions, each as subscripts.

A letter of a layout is an iterator; "x" stands for the spatial dimensions. In a
convolution's input a spatial subscript is `place * stride + tap * dilation`.
"""

# name: subscripts of the inputs, then of the result; capitals are contracted.
CONTRACTIONS = {
    "linalg.matmul": ("aQ", "Qb", "ab"),
    "linalg.batch_matmul": ("caQ", "cQb", "cab"),
    "linalg.batch_reduce_matmul": ("RaQ", "RQb", "ab"),
    "linalg.matvec": ("aQ", "Q", "a"),
    "linalg.vecmat": ("Q", "Qa", "a"),
    "linalg.batch_matvec": ("baQ", "bQ", "ba"),
    "linalg.batch_vecmat": ("bQ", "bQa", "ba"),
    "linalg.dot": ("Q", "Q", ""),
    "linalg.mmt4d": ("aQcR", "bQdR", "abcd"),
}

# Ops of one input: their layouts, and what they say of the dimensions.
RESHAPES = {
    "linalg.reduce": ("aQb", "ab", "dimensions = [1]"),
    "linalg.transpose": ("abc", "cab", "permutation = [2, 0, 1]"),
    "linalg.broadcast": ("ac", "abc", "dimensions = [1]"),
    "linalg.copy": ("ab", "ab", ""),
}

# name: spatial dimensions, layouts of input, filter and result. n batch, c input
# channel, f output channel, g group, m multiplier; x spatial. What the result
# does not have is contracted.
CONVOLUTIONS = {
    "linalg.conv_1d": (1, "x", "x", "x"),
    "linalg.conv_2d": (2, "x", "x", "x"),
    "linalg.conv_3d": (3, "x", "x", "x"),
    "linalg.conv_1d_nwc_wcf": (1, "nxc", "xcf", "nxf"),
    "linalg.conv_1d_ncw_fcw": (1, "ncx", "fcx", "nfx"),
    "linalg.conv_2d_nhwc_hwcf": (2, "nxc", "xcf", "nxf"),
    "linalg.conv_2d_nhwc_fhwc": (2, "nxc", "fxc", "nxf"),
    "linalg.conv_2d_nchw_fchw": (2, "ncx", "fcx", "nfx"),
    "linalg.conv_3d_ndhwc_dhwcf": (3, "nxc", "xcf", "nxf"),
    "linalg.conv_3d_ncdhw_fcdhw": (3, "ncx", "fcx", "nfx"),
    "linalg.depthwise_conv_1d_nwc_wc": (1, "nxc", "xc", "nxc"),
    "linalg.depthwise_conv_1d_ncw_cw": (1, "ncx", "cx", "ncx"),
    "linalg.depthwise_conv_1d_nwc_wcm": (1, "nxc", "xcm", "nxcm"),
    "linalg.depthwise_conv_2d_nhwc_hwc": (2, "nxc", "xc", "nxc"),
    "linalg.depthwise_conv_2d_nchw_chw": (2, "ncx", "cx", "ncx"),
    "linalg.depthwise_conv_2d_nhwc_hwcm": (2, "nxc", "xcm", "nxcm"),
    "linalg.depthwise_conv_3d_ndhwc_dhwc": (3, "nxc", "xc", "nxc"),
    "linalg.depthwise_conv_3d_ncdhw_cdhw": (3, "ncx", "cx", "ncx"),
    "linalg.depthwise_conv_3d_ndhwc_dhwcm": (3, "nxc", "xcm", "nxcm"),
    "linalg.conv_2d_ngchw_fgchw": (2, "ngcx", "fgcx", "ngfx"),
    "linalg.conv_2d_ngchw_gfchw": (2, "ngcx", "gfcx", "ngfx"),
    "linalg.conv_2d_nhwgc_gfhwc": (2, "nxgc", "gfxc", "nxgf"),
}
PLAIN_CONVOLUTIONS = ("linalg.conv_1d", "linalg.conv_2d", "linalg.conv_3d")
