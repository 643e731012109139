tc-run: error: einsum:10: einstein sum subscript string does not contain proper '->' output specified
  abcd,dbea-
           ^
Command exited with non-zero status 1
build/bin 0.02
