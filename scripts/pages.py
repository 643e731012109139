#!/usr/bin/env python3
"""Makes the pages of kernels that docs/Reports.md shows, and the pictures taken from them.

Each command of the document that ends with `--report=html > NAME.html` is run by bash, with
the tools of the build, into reports/pages of the build folder. The document shows pictures
of these pages as `images/NAME-KIND.svg`, where KIND is the class of the figure: `tiles` or
`roofline`. Fails when one is not that of the page; with --save writes it instead.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/Reports.md"
COMMAND = re.compile(r"^(?:\$ )?(tc-\S.* --report=html > (\S+)\.html)$", re.MULTILINE)
PICTURE = re.compile(r"\(images/(\w+)-(tiles|roofline)\.svg\)")


def make_pages(document, build, folder):
    """The text of each page by name."""
    folder.mkdir(parents=True, exist_ok=True)
    tools = os.pathsep.join([str(build / "bin"), os.environ["PATH"]])
    pages = {}
    for command, name in COMMAND.findall(document.replace("\\\n", "")):
        subprocess.run(["bash", "-c", f"cd {ROOT} && {command.rsplit('>', 1)[0]}"
                        f"> {folder / name}.html"],
                       check=True, env={**os.environ, "PATH": tools})
        pages[name] = (folder / f"{name}.html").read_text(encoding="utf-8")
    return pages


def find_picture(page, kind):
    found = re.search(rf'<figure class="{kind}">\n(<svg.*?</svg>\n)', page, re.DOTALL)
    if found is None:
        sys.exit(f"error: expected a picture '{kind}' in the page, found none")
    return found.group(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build", help="the build folder")
    parser.add_argument("--save", action="store_true", help="write docs/images")
    arguments = parser.parse_args()
    build = pathlib.Path(arguments.build).resolve()
    document = DOCUMENT.read_text(encoding="utf-8")
    pages = make_pages(document, build, build / "reports/pages")
    stale = 0
    for name, kind in PICTURE.findall(document):
        path = DOCUMENT.parent / f"images/{name}-{kind}.svg"
        if name not in pages:
            sys.exit(f"error: expected a command that makes {name}.html in {DOCUMENT}")
        picture = find_picture(pages[name], kind)
        if arguments.save:
            path.write_text(picture, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != picture:
            print(f"{path}: expected the picture of the page; "
                  f"'{parser.prog} --save' writes it")
            stale += 1
    print(f"{len(pages)} pages, {stale} stale pictures")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
