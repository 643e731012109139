#!/usr/bin/env python3
"""Whether the pages that explain documents in JSON use the names of their schemas.

    check_names.py DOCS TC-COMPILE

docs/Schemas.md lists documents, and the section that explains each. What an item of a list
there begins with is a member of one of the document's structures, and each member of the
document itself is named, there or in an earlier section of the page, on which the section
builds. Members of inner structures may be left to the schema."""

import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))
import schema_page  # noqa: E402

ROW = re.compile(r"^\| (`[^|]*`) \|[^|]*\| \[[^]]*\]\((\w+\.md)#([\w-]+)\) \|$", re.M)
ITEM = re.compile(r"^ *- ((?:`[^`\n]+`(?:, | and )?)+)", re.M)


def words(text):
    """Names in code, without what stands around them."""
    return re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", text)))


def section(text, anchor):
    """What stands under a heading, up to the next of its level."""
    found, level, is_code = [], 0, False
    for line in text.splitlines():
        is_code ^= line.startswith("```")
        heading = None if is_code else re.match(r"(#+) (.*)", line)
        if heading:
            if level and len(heading[1]) <= level:
                break
            slug = re.sub(r"[^\w -]", "", heading[2].lower()).replace(" ", "-")
            level = level or (len(heading[1]) if slug == anchor else 0)
        elif level:
            found.append(line)
    return "\n".join(found)


def check(folder, tool):
    """Faults, one a line."""
    explained = {}
    listed = (folder / "Schemas.md").read_text(encoding="utf-8")
    for documents, page, anchor in ROW.findall(listed):
        text = section((folder / page).read_text(encoding="utf-8"), anchor)
        if not text:
            yield f"{page}: expected a section '#{anchor}'"
        known, whole = set(), set()
        for document in words(documents):
            schema = schema_page.read_schema(tool, document)
            structures = schema.get("$defs", {})
            main = structures.get(schema.get("$ref", "").rpartition("/")[2], schema)
            whole |= main.get("properties", {}).keys()
            for structure in structures.values():
                known |= structure.get("properties", {}).keys()
        explained.setdefault(page, set()).update(words(text))
        items = {name for item in ITEM.findall(text) for name in words(item)}
        place = f"{page}#{anchor}"
        yield from (f"{place}: '{name}' is in no schema" for name in sorted(items - known))
        for name in sorted(whole - explained[page]):
            yield f"{place}: expected the name '{name}' of the schema"
        print(f"{place}: {len(items)} items, {len(whole)} members")


faults = list(check(pathlib.Path(sys.argv[1]), sys.argv[2]))
print("\n".join(faults))
sys.exit(bool(faults))
