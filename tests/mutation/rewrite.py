"""Rewrites the sources of the library so that every mutant is in them, behind a switch.

One source file goes in, with clang's description of it (-ast-dump=json), and comes out with a call
of mutant(n) (mutant.h) wherever one of the changes in README.md is possible. All changes are
insertions around expressions and replacements of binary operators, so that they nest."""

import hashlib
import json
import re
import subprocess

BOUNDARY = {b"<": b"<=", b"<=": b"<", b">": b">=", b">=": b">"}
NEGATED = {b"<": b">=", b"<=": b">", b">": b"<=", b">=": b"<", b"==": b"!=", b"!=": b"=="}
ARITHMETIC = {b"+": b"-", b"-": b"+", b"*": b"+", b"/": b"*", b"%": b"*",
              b"&": b"|", b"|": b"&", b"^": b"&", b"<<": b">>", b">>": b"<<"}
STATUS = {"hipError_t": "hipSuccess", "CUresult": "CUDA_SUCCESS", "hsa_status_t":
          "HSA_STATUS_SUCCESS"}
WAITS = re.compile(r"wait|lock|sync|join|drain|barrier|fence", re.I)
LOGS = re.compile(r"^ah_log|_log$|^ah_api_enter$")
# Nothing inside of these is an expression that is evaluated when the function runs.
UNEVALUATED = {"ConstantExpr", "UnaryExprOrTypeTraitExpr", "GenericSelectionExpr", "OffsetOfExpr",
               "StaticAssertDecl", "EnumDecl", "RecordDecl", "StmtExpr"}
TRANSPARENT = {"ImplicitCastExpr", "ParenExpr", "CStyleCastExpr"}
STATEMENTS = {"CompoundStmt", "IfStmt", "ForStmt", "WhileStmt", "DoStmt", "LabelStmt", "CaseStmt",
              "DefaultStmt"}
# The macro whose argument stands for itself, once.
SEEN_THROUGH = b"AH_LEAVE"


class Mutant:
    def __init__(self, file, function, line, kind, old, new):
        self.file, self.function, self.line, self.kind = file, function, line, kind
        self.old, self.new, self.number, self.name = old, new, 0, ""

    def set_name(self, taken):
        """A name that stays when other lines of the file change, or its room does."""
        folders = self.file.split("/")
        file = f"{folders[0]}/{folders[-1]}"
        text = "|".join((file, self.function, self.kind, self.old, self.new))
        taken[text] = taken.get(text, 0) + 1
        self.name = hashlib.sha256(f"{text}|{taken[text]}".encode()).hexdigest()[:10]


def strip(node):
    while node.get("kind") in TRANSPARENT and node.get("inner"):
        node = node["inner"][-1]
    return node


def type_of(node):
    return node.get("type", {}).get("qualType", "")


def is_pointer(node):
    kind = node.get("type", {})
    return kind.get("desugaredQualType", kind.get("qualType", "")).rstrip().endswith(("*", "]"))


def callee_of(call):
    callee = strip(call["inner"][0])
    if callee["kind"] == "UnaryOperator":
        callee = strip(callee["inner"][0])
    return callee.get("name") or callee.get("referencedDecl", {}).get("name", "")


def contains(node, kind):
    return node.get("kind") == kind or any(contains(n, kind) for n in node.get("inner", []))


class File:
    def __init__(self, name, text):
        self.name, self.text = name, text
        self.mutants, self.inserted, self.replaced = [], [], {}
        self.function, self.depth = "", 0

    # ---- places ----

    def place(self, location):
        """(offset, length, whether a macro without arguments stands there) or None."""
        macro = "expansionLoc" in location
        where = location.get("expansionLoc", location)
        if "offset" not in where or "includedFrom" in where:
            return None
        if not macro:
            return where["offset"], where["tokLen"], False
        name = re.compile(rb"[A-Za-z_]\w*").match(self.text, where["offset"])
        if not name:
            return None
        spelled = location["spellingLoc"]
        if name.group() == SEEN_THROUGH and where.get("isMacroArgExpansion"):
            inside = "includedFrom" not in spelled and "offset" in spelled
            return (spelled["offset"], spelled["tokLen"], False) if inside else None
        if self.text[name.end():].lstrip()[:1] == b"(":
            return None
        return where["offset"], len(name.group()), True

    def span(self, node):
        """(begin, end) of a node in this file's own text, or None."""
        begin = self.place(node.get("range", {}).get("begin", {}))
        end = self.place(node.get("range", {}).get("end", {}))
        if not begin or not end or begin[0] > end[0]:
            return None
        return begin[0], end[0] + end[1]

    def is_token(self, node):
        """Whether the node is what a macro without arguments stands for, or a part of it."""
        begin = self.place(node.get("range", {}).get("begin", {}))
        end = self.place(node.get("range", {}).get("end", {}))
        return bool(begin and end and begin[2] and end[2] and begin[0] == end[0])

    # ---- changes ----

    def add(self, kind, span, new):
        old = self.text[span[0]:span[1]].decode()
        line = self.text.count(b"\n", 0, span[0]) + 1
        old, new = (" ".join(text.split()) for text in (old, new))
        mutant = Mutant(self.name, self.function, line, kind, old, new)
        self.mutants.append(mutant)
        return mutant

    def around(self, span, before, after):
        order = len(self.inserted)
        self.inserted.append((span[0], 1, self.depth, order, before))
        self.inserted.append((span[1], 0, -self.depth, -order, after))

    def wrap(self, kind, node, before, after, new):
        span = self.span(node)
        if span and not self.is_token(node) or span and kind == "return":
            mutant = self.add(kind, span, new(self.text[span[0]:span[1]].decode()))
            self.around(span, lambda: before % mutant.number, lambda: after)

    def binary(self, node):
        left, right = node["inner"]
        whole, a, b = self.span(node), self.span(left), self.span(right)
        if not whole or not a or not b or self.is_token(node) or a[1] > b[0]:
            return
        operator = node["opcode"].encode()
        between = re.sub(rb"/\*.*?\*/", lambda m: b" " * len(m.group()), self.text[a[1]:b[0]],
                         flags=re.S)
        if between.strip() != operator:
            return
        begin = a[1] + between.index(operator)
        place = begin, begin + len(operator)
        if operator in (b"&&", b"||"):
            return self.logical(whole, place, operator)
        if contains(node, "CompoundLiteralExpr"):
            return
        if any(strip(side).get("isBitfield") or strip(side).get("objectKind") == "bitfield"
               for side in (left, right)):
            return
        changes = [("boundary", BOUNDARY.get(operator)), ("comparison", NEGATED.get(operator)),
                   ("arithmetic", self.arithmetic(operator, left, right))]
        changes = [(kind, new) for kind, new in changes if new]
        if changes:
            self.two_operands(whole, place, operator, changes)

    def arithmetic(self, operator, left, right):
        if is_pointer(right) or is_pointer(left) and operator not in (b"+", b"-"):
            return None
        return ARITHMETIC.get(operator)

    def replaced_text(self, whole, place, operator):
        text = self.text[whole[0]:place[0]] + operator + self.text[place[1]:whole[1]]
        return text.decode()

    def logical(self, whole, place, operator):
        other = b"||" if operator == b"&&" else b"&&"
        mutant = self.add("logical", whole, self.replaced_text(whole, place, other))
        then = "!!(" if operator == b"&&" else "m_ : !!("
        self.around(whole, lambda: "({ _Bool m_ = !!(",
                    lambda: ") : m_; })" if operator == b"&&" else "); })")
        self.replaced[place] = lambda: f"); (mutant({mutant.number}) != m_) ? {then}"

    def two_operands(self, whole, place, operator, changes):
        mutants = [(self.add(kind, whole, self.replaced_text(whole, place, new)), new)
                   for kind, new in changes]

        def result():
            chosen = "".join(f"mutant({m.number}) ? m_a {new.decode()} m_b : " for m, new in mutants)
            return f"); {chosen}m_a {operator.decode()} m_b; }})"
        # Operands that were changed define an m_a of their own, in a scope of their own.
        self.around(whole, lambda: "({ __auto_type m_a = (", result)
        self.replaced[place] = lambda: "); __auto_type m_b = ("

    def negate(self, kind, node):
        self.wrap(kind, node, "(mutant(%d) != !!(", "))", lambda old: f"!({old})")

    # ---- what can be changed ----

    def call(self, node, parent, is_statement):
        name, kind = callee_of(node), type_of(node)
        if LOGS.search(name):
            return
        change = "wait" if WAITS.search(name) else "call"
        if is_statement:
            self.wrap(change, node, "(mutant(%d) ? (void)0 : (void)(", "))", lambda old: "")
        elif kind in STATUS:
            self.wrap(change, node, f"(mutant(%d) ? ({kind})0 : (", "))", lambda old: STATUS[kind])

    def returned(self, node):
        inner = strip(node)
        kind = type_of(node)
        if kind == "hipError_t" and inner["kind"] != "CallExpr":
            if inner.get("referencedDecl", {}).get("name") != "hipSuccess":
                self.wrap("error", node, "(mutant(%d) ? (hipError_t)0 : (", "))",
                          lambda old: "hipSuccess")
        elif kind in ("bool", "_Bool") and inner["kind"] not in ("BinaryOperator", "UnaryOperator"):
            self.negate("return", node)

    def condition(self, node):
        inner = strip(node)
        if inner["kind"] == "CallExpr" and callee_of(inner) == "__builtin_expect":
            return self.condition(inner["inner"][1])
        if inner.get("opcode") in ("!", "&&", "||") or inner.get("opcode", "").encode() in NEGATED:
            return
        self.negate("condition", node)

    def expression(self, node, parent, is_statement):
        kind, opcode = node["kind"], node.get("opcode")
        if kind == "BinaryOperator" and opcode not in ("=", ","):
            self.binary(node)
        elif kind == "CompoundAssignOperator" and opcode in ("+=", "-="):
            other = "-=" if opcode == "+=" else "+="
            self.wrap("arithmetic", node["inner"][1], "(mutant(%d) ? -1 : 1) * (", ")",
                      lambda old: f"{other} {old}")
        elif kind == "CompoundAssignOperator" and is_statement or \
                kind == "UnaryOperator" and opcode in ("++", "--") and is_statement:
            self.wrap("arithmetic", node, "(mutant(%d) ? (void)0 : (void)(", "))", lambda old: "")
        elif kind == "UnaryOperator" and opcode == "!":
            self.negate("not", node)
        elif kind == "IntegerLiteral" and not self.is_constant(node, parent):
            self.wrap("constant", node, "(mutant(%d) + ", ")", lambda old: f"{old} + 1")
        elif kind == "CallExpr":
            self.call(node, parent, is_statement)

    def is_constant(self, node, parent):
        return parent.get("castKind") == "NullToPointer" or parent["kind"] == "InitListExpr" and \
            node.get("value") == "0"

    def visit(self, node, parent, grandparent, index):
        kind = node.get("kind")
        if not kind or kind in UNEVALUATED or node.get("storageClass") == "static":
            return
        self.depth += 1
        statement = parent["kind"] in STATEMENTS and self.is_body(parent, index)
        if parent.get("castKind") == "ToVoid":
            statement = grandparent["kind"] in STATEMENTS
        self.expression(node, parent, statement)
        inner = node.get("inner", [])
        if kind == "ReturnStmt" and inner:
            self.returned(inner[0])
        if kind in ("IfStmt", "ConditionalOperator"):
            self.condition(inner[0])
        if kind == "CallExpr" and callee_of(node) == "ah_leave":
            self.returned(inner[2])
        skipped = 2 if kind == "CallExpr" and callee_of(node) == "__builtin_expect" else None
        for i, child in enumerate(inner):
            if i != skipped:
                self.visit(child, node, parent, i)
        self.depth -= 1

    def is_body(self, parent, index):
        """Whether a child of a statement is itself one, not a condition or a step."""
        kind = parent["kind"]
        if kind == "ForStmt":
            return index == 4
        if kind == "DoStmt":
            return index == 0
        return kind in ("CompoundStmt", "LabelStmt", "DefaultStmt") or index >= 1

    def finish(self):
        """The rewritten text; every mutant has its number by now."""
        out, position = [], 0
        edits = [(offset, 0, side, depth, order, offset, text)
                 for offset, side, depth, order, text in self.inserted]
        edits += [(begin, 1, 0, 0, 0, end, text) for (begin, end), text in self.replaced.items()]
        for offset, _, _, _, _, end, text in sorted(edits, key=lambda edit: edit[:5]):
            out += [self.text[position:offset], text().encode()]
            position = end
        return b"".join(out + [self.text[position:]])


def functions_of(tree):
    for node in tree["inner"]:
        body = [n for n in node.get("inner", []) if n["kind"] == "CompoundStmt"]
        where = node.get("loc", {})
        where = where.get("expansionLoc", where)
        if node["kind"] == "FunctionDecl" and body and "includedFrom" not in where:
            yield node["name"], body[0]


def mutate(name, path, clang, flags, directory):
    """A File with the mutants of one source file."""
    command = [clang, *flags, "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json", path]
    result = subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, check=True)
    with open(path, "rb") as source:
        file = File(name, source.read())
    for function, body in functions_of(json.loads(result.stdout)):
        file.function = function
        file.visit(body, {"kind": "FunctionDecl"}, {"kind": ""}, 0)
    taken = {}
    for mutant in file.mutants:
        mutant.set_name(taken)
    return file
