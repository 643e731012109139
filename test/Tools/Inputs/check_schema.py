"""Validates JSON against a schema by the package jsonschema, which is not ours.

    check_schema.py [--lines] SCHEMA DOCUMENT...

With --lines each line of a document is one of its own."""

import argparse
import json
import pathlib
import sys

import jsonschema


def read(path, is_lines):
    text = pathlib.Path(path).read_text(encoding="utf-8")
    return [json.loads(line) for line in (text.splitlines() if is_lines else [text])]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lines", action="store_true")
    parser.add_argument("schema")
    parser.add_argument("documents", nargs="+")
    options = parser.parse_args()
    schema = json.loads(pathlib.Path(options.schema).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    failed = False
    for path in options.documents:
        for number, document in enumerate(read(path, options.lines)):
            for error in validator.iter_errors(document):
                place = error.json_path
                print(f"{path}: document {number}: {place}: {error.message[:300]}")
                failed = True
    if not failed:
        print(f"{schema['title']}: valid")
    return failed


if __name__ == "__main__":
    sys.exit(main())
