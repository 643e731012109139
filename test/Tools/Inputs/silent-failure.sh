#!/bin/sh
# An assembler that fails and does not say why.
exit 7
