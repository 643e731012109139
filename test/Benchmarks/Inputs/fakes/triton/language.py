"""Names that a kernel's signature uses."""

constexpr = int
