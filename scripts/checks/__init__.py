"""The checks of `./dev lint`. A check is a function from a Tree to findings; its
docstring is one line, shown when it fails."""
