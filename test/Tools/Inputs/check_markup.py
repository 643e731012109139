"""Reads pages of HTML, and fails where elements are not closed in order, two have one name, a
link leads nowhere, or a page needs anything beside itself."""

import html.parser
import sys

VOID = {"meta", "input", "br"}
# Names a kind of elements; nothing is fetched.
NAMESPACE = "http://www.w3.org/2000/svg"


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.names, self.links, self.faults = [], set(), set(), []

    def handle_startendtag(self, tag, attributes):
        self.read(tag, attributes)

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.read(tag, attributes)

    def read(self, tag, attributes):
        for name, value in attributes:
            value = value or ""
            if name == "id":
                if value in self.names:
                    self.faults.append(f"expected one element '{value}', got several")
                self.names.add(value)
            elif name == "href" and value.startswith("#"):
                self.links.add(value[1:])
            elif name in ("href", "src") or "http" in value.replace(NAMESPACE, ""):
                self.faults.append(f"expected nothing outside of the page, got {name}={value}")

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"expected elements to be closed in order, got </{tag}>")


def main():
    failed = False
    for path in sys.argv[1:]:
        reader = Reader()
        with open(path, encoding="utf-8") as file:
            reader.feed(file.read())
        reader.close()
        faults = reader.faults + [f"expected <{tag}> to be closed" for tag in reader.open]
        faults += [f"expected a place '{name}'" for name in reader.links - reader.names]
        for fault in faults:
            print(f"{path}: {fault}")
        failed |= bool(faults)
        print(f"{path}: {'FAILED' if faults else 'passed'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
