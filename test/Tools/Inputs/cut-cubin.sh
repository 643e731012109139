#!/bin/sh
# An assembler, or a linker, that succeeds and writes the first half of an ELF file.
while [ "$1" != -o ]; do shift; done
head -c 6000 "$(command -v env)" >"$2"
