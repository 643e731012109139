#!/bin/sh
# ptxas, which notes in $NOTES that it was run.
echo run >>"$NOTES"
exec ptxas "$@"
