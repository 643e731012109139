#!/bin/sh
# Stands for tc-compile: dies where a tuning file has no entries.
case "$*" in
*--tuning=mutant*) grep -q entries mutant || kill -SEGV $$ ;;
esac
echo something > out
