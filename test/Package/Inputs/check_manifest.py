"""Prints what a package's manifest says, after comparing it with the files there.

    check_manifest.py FOLDER"""

import hashlib
import json
import os
import sys


def list_files(folder):
    for parent, _, names in os.walk(folder):
        for name in names:
            yield os.path.relpath(os.path.join(parent, name), folder)


def main(folder):
    with open(os.path.join(folder, "manifest.json")) as file:
        manifest = json.load(file)
    there = set(list_files(folder)) - {"manifest.json"}
    if there != set(manifest["files"]):
        sys.exit(f"expected the files of the manifest, got {sorted(there)}")
    for path, digest in sorted(manifest["files"].items()):
        with open(os.path.join(folder, path), "rb") as file:
            if hashlib.sha256(file.read()).hexdigest() != digest:
                sys.exit(f"{path}: expected contents of hash {digest}")
        print(path)
    for entry in manifest["entries"]:
        print(*(parameter["name"] for parameter in entry["parameters"]))
        for argument in entry["arguments"]:
            shape, strides = (
                ",".join(map(str, argument[key])) for key in ("shape", "strides")
            )
            print(f"{argument['name']}[{shape}] strides {strides}")
        for variant in entry["variants"]:
            print(variant["chip"], *variant["schedules"])
            for image in variant["images"]:
                assert image["ptx"] in there and (image["cubin"] or image["ptx"]) in there


if __name__ == "__main__":
    main(sys.argv[1])
