#!/bin/sh
# The test of a reduction: 1 is interesting, 0 is not.
! grep -q 'k = 4' "$1"
