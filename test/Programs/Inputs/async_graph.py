"""The graph of tokens in a program of phase 7, read from its text, and who comes before whom.

It knows nothing of how tc-async decides: which steps conflict is told by the writer of the
program (random_graphs.py).
"""

import re

from random_graphs import Group, LENGTH, Work

WORK = re.compile(r"(?:(%\S+) = )?gpu\.(launch_func|memcpy|dealloc)\b(?: +async(?: \[(.*?)\])?)?(.*)")
WAIT = re.compile(r"(?:(%\S+) = )?gpu\.wait\b(?: (async))?(?: ?\[(.*?)\])?")
ALLOC = re.compile(r"(%\S+), (%\S+) = gpu\.alloc")
OPEN = re.compile(r"(?:(%[^\s:]+)(?::\d+)? = )?scf\.(if|for)\b")
CARRIED = re.compile(r"iter_args\((.*?)\) -> \((.*?)\) *(?:attributes)?.*\{")
YIELD = re.compile(r"scf\.yield (%.*) : (.*)")
TOKEN = "!gpu.async.token"


class Node:
    """A launch, a copy, a release, a wait, a loop or a condition, as it is written."""

    def __init__(self, kind, token, after, text=""):
        self.kind, self.token, self.after, self.text = kind, token, after, text
        self.blocks = []
        self.yields = []  # the tokens that each block ends with
        self.carried = []  # tokens that an iteration of a loop begins with


def tokens(text):
    """The names, each result of an op by the name of all."""
    return [token.strip().split("#")[0] for token in text.split(",")] if text else []


def split_types(text):
    """A list of types, in which commas are."""
    types, depth = [""], 0
    for character in text:
        depth += {"<": 1, ">": -1}.get(character, 0)
        if character == "," and depth == 0:
            types.append("")
        else:
            types[-1] += character
    return [one.strip() for one in types]


def only_tokens(names, types):
    pairs = zip(names, split_types(types))
    return [name for name, one in pairs if one == TOKEN]


def open_node(line, match):
    """A loop or a condition. A loop waits for the tokens that it begins with."""
    node = Node(match[2], match[1] if match[2] == "if" else None, [])
    if match[2] == "for" and (carried := CARRIED.search(line)):
        pairs = [pair.split(" = ") for pair in carried[1].split(", ")]
        node.carried = only_tokens([name for name, _ in pairs], carried[2])
        node.after = tokens(", ".join(only_tokens([init for _, init in pairs], carried[2])))
        node.after = list(dict.fromkeys(node.after))
        node.token = match[1] if node.carried else None
    return node


def parse(text):
    """The nodes of the only host function, and its allocations in order."""
    lines = iter(text[text.index("func.func @") :].splitlines())
    allocations = []

    def block(nodes):
        """Reads to the end of a block; gives the line that ended it, and what it yields."""
        result = []
        for line in lines:
            line = line.strip()
            if line.startswith("}"):
                return line, result
            if match := YIELD.match(line):
                result = only_tokens(tokens(match[1]), match[2])
            elif match := ALLOC.match(line):
                allocations.append(match[1])
                nodes.append(Node("alloc", match[2], []))
            elif match := WORK.match(line):
                nodes.append(Node(match[2], match[1], tokens(match[3]), match[4]))
            elif match := WAIT.match(line):
                kind = "token" if match[2] else "wait"
                nodes.append(Node(kind, match[1], tokens(match[3])))
            elif match := OPEN.match(line):
                node = open_node(line, match)
                nodes.append(node)
                end = "else"
                while "else" in end:
                    node.blocks.append([])
                    end, token = block(node.blocks[-1])
                    node.yields.append(token)
        raise ValueError("expected the end of a block")

    next(lines)
    nodes = []
    block(nodes)
    return nodes, allocations


def find_edges(text):
    """The lines of launches and copies outside of conditions, and of loops that carry tokens,
    each with a token that it waits for, of another one. (A condition whose token nobody has
    would be waited for where it ends, and where memory is freed the host waits.)"""
    edges, conditions, known = [], 0, set()
    for number, line in enumerate(text.splitlines()):
        match = WORK.match(line.strip())
        if "scf.if" in line or ("}" in line and conditions):
            conditions += line.count("{") - line.count("}")
        elif "scf.for" in line and TOKEN in line:
            conditions += 1
        elif match and match[2] != "dealloc" and not conditions:
            edges += [(number, token) for token in tokens(match[3]) if token in known]
            known.add(match[1])
        elif "scf.for" in line or "gpu.dealloc" in line:
            known.clear()
    return edges


def remove_edge(text, edge):
    """The program without that token."""
    number, token = edge
    lines = text.splitlines()
    head, names, tail = re.match(r"(.*?async )\[(.*?)\](.*)", lines[number]).groups()
    left = [name for name in names.split(", ") if name != token]
    lines[number] = f"{head}{'[' + ', '.join(left) + ']' if left else ''}{tail}"
    return "\n".join(lines) + "\n"


class Mismatch(Exception):
    pass


class Checker:
    """The steps of a block, each with those that come before it.

    `cut` is the number of a token that an op waits for which is left out. `edges` counts
    them.
    """

    def __init__(self, allocations, cut=None):
        self.buffers = {name: f"%b{number}" for number, name in allocations}
        self.cut = cut
        self.edges = 0
        self.faults = []
        self.idle = []  # edges between steps that do not conflict

    def dependencies(self, names, meaning, done):
        """What an op that waits for these tokens comes after."""
        before = set(done)
        for name in (n for n in dict.fromkeys(names) if meaning[n]):
            self.edges += 1
            if self.edges - 1 != self.cut:
                before |= meaning[name]
        return before

    def outer(self, node, meaning):
        """The tokens of outside that a condition uses, each once."""
        names = []
        for inner in (n for b in node.blocks for n in b):
            names += inner.after + self.outer(inner, meaning)
        names += [y for yields in node.yields for y in yields]
        return list(dict.fromkeys(n for n in names if n in meaning))

    def check_chain(self, block, yields, last=None):
        """Each part of a condition or a loop waits for the one before, and the first for
        `last`."""
        kinds = ("launch_func", "memcpy", "if", "for")
        for node in (n for n in block if n.kind in kinds):
            names = self.outer(node, {last: 0}) if node.kind == "if" else node.after
            if last and last not in names:
                raise Mismatch(f"expected {node.token} to wait for {last}")
            last = node.token
            for inner, result in zip(node.blocks, node.yields):
                self.check_inside(node, inner, result)
        if last and yields != [last]:
            raise Mismatch(f"expected {last} at the end, got {yields}")

    def check_inside(self, node, block, yields):
        """An iteration of a loop goes on with its first token, and gives on the others
        before its own."""
        if len(node.carried) > 1 and yields[:-1] != node.carried[1:]:
            raise Mismatch(f"expected {node.carried[1:]} to be given on, got {yields}")
        self.check_chain(block, yields[-1:], node.carried[0] if node.carried else None)

    def check(self, nodes, steps, outside=()):
        """Checks a block, and gives those of its steps that are not waited for at its end."""
        steps = list(steps)
        meaning, done, seen = {}, set(), []
        for node in nodes:
            if node.kind in ("alloc", "token"):
                meaning[node.token] = set().union(*(meaning[t] for t in node.after), set())
                continue
            if node.kind == "wait":
                done |= self.dependencies([t for t in node.after if meaning[t]], meaning, done)
                continue
            if node.kind == "dealloc":
                buffer = self.buffers[node.text.split()[0]]
                everything = {(buffer, element) for element in range(LENGTH)}
                step = Work("release", [everything & set()], [everything])
            else:
                step = steps.pop(0)
            names = node.after
            if node.kind == "if":
                names = self.outer(node, meaning)
            if node.token:
                for inner, result in zip(node.blocks, node.yields):
                    self.check_inside(node, inner, result)
            if node.kind == "for" and len(node.carried) != count_carried(node, step):
                self.faults.append(f"{describe(step)} carries {len(node.carried)} tokens")
            before = self.dependencies(names, meaning, done)
            for other in seen:
                if conflict(other, step) and other not in before:
                    self.faults.append(f"{describe(step)} does not wait for {describe(other)}")
            if node.kind != "dealloc":
                for name in (n for n in names if meaning[n]):
                    if not any(conflict(other, step) for other in meaning[name] - done):
                        self.idle.append(f"{describe(step)} waits for {name}")
            seen.append(step)
            if node.kind in ("for", "if") and not node.token:
                inner = step.steps if isinstance(step, Group) else [step]
                for block in node.blocks:
                    self.check(block, inner)
            if node.token:
                meaning[node.token] = before | {step}
            else:
                done |= before | {step}
        for step in seen:
            if step not in done:
                self.faults.append(f"nobody waits for {describe(step)}")


def members(step):
    return [step] if isinstance(step, Work) else [m for s in step.steps for m in members(s)]


def count_carried(node, step):
    """How many tokens a loop is to carry: four, where iterations are independent; one, where
    each step waits for the one before."""
    if step.kind == "par":
        return 4
    steps = step.steps
    return int(all(conflict(one, other) for one, other in zip(steps, steps[1:])))


def conflict(first, second):
    """May they touch one element, and one of them write it? Two steps of one loop in one
    iteration, a loop and another step in any."""
    whole = any(isinstance(s, Group) and s.kind != "if" for s in (first, second))
    for one in members(first):
        for other in members(second):
            if spread(one).conflicts(spread(other)) if whole else one.conflicts(other):
                return True
    return False


def spread(work):
    return Work(work.text, [set().union(*work.reads)], [set().union(*work.writes)])


def describe(step):
    return step.text.strip().splitlines()[0] if isinstance(step, Work) else step.kind


def check(text, steps, buffers, cut=None):
    """The faults and the idle edges of a program's graph, and how many edges it has."""
    nodes, allocations = parse(text)
    checker = Checker([], cut)
    checker.buffers = dict(zip(allocations, buffers))
    checker.check(nodes, steps)
    return checker.faults, checker.idle, checker.edges
