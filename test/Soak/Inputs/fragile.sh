#!/bin/sh
# Stands for tc-compile, tc-opt and mlir-opt: dies where a tuning file has no entries, and of
# MLIR with a word of a loop.
case "$*" in
*--tuning=mutant*) grep -q entries mutant || kill -SEGV $$ ;;
*--split-input-file*) grep -q scf.forall mutant && kill -SEGV $$ ;;
esac
echo something > out
