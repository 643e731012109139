"""Tables of all documents in JSON, made from the schemas that the tools print."""

import json
import re
import subprocess

HEAD = """# Documents in JSON

Made from the schemas that `tc-compile --print-schema` prints. A member in italics may be left out.

"""


def list_documents(tool):
    """The names that --print-schema knows, as its --help lists them."""
    text = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout
    listed = re.search(r"--print-schema=<value>.*\n((?:    =\S+ .*\n(?: {8,}.*\n)*)+)", text)
    return re.findall(r"^ +=(\S+)", listed.group(1), re.M)


def read_schema(tool, document):
    done = subprocess.run(
        [tool, f"--print-schema={document}"], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def describe_type(schema):
    """A type in a few words, with a link where it is a structure."""
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{name})"
    if "anyOf" in schema:
        return " or ".join(describe_type(one) for one in schema["anyOf"])
    if "enum" in schema:
        return ", ".join(f"`{name}`" for name in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    kind = schema.get("type", "any JSON")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        least, most = schema.get("minItems"), schema.get("maxItems")
        length = f"{least} " if least and least == most else ""
        return f"array of {length}{describe_part(schema['items'])}"
    if kind == "object":
        return f"object of {describe_part(schema['additionalProperties'])} by name"
    return kind


def describe_part(schema):
    text = describe_type(schema)
    return f"({text})" if " or " in text else text


def describe_member(name, schema, is_required):
    shown = f"`{name}`" if is_required else f"*`{name}`*"
    cells = (shown, describe_type(schema), schema.get("unit", ""), schema.get("description", ""))
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def describe_structure(name, schema):
    text = f"### {name}\n\n{schema['description']}\n\n"
    text += "| member | type | unit | meaning |\n|---|---|---|---|\n"
    for member, inner in schema["properties"].items():
        text += describe_member(member, inner, member in schema["required"])
    others = schema["additionalProperties"]
    if isinstance(others, dict):
        text += describe_member("...", others, False)
    return text + "\n"


def make_page(tool):
    text = HEAD
    known = {}
    for document in list_documents(tool):
        schema = read_schema(tool, document)
        text += f"- `{document}`: {schema['title']}: {describe_type(schema)}\n"
        for name, structure in schema.get("$defs", {}).items():
            if known.setdefault(name, structure) != structure:
                raise ValueError(f"expected one structure '{name}' in all documents")
    return text + "\n" + "".join(describe_structure(*item) for item in known.items())
