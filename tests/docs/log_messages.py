#!/usr/bin/python3
"""Every message has a test that reads it, or a row: log_messages.py SOURCE [--list | --renew].

A message is the format of a call that writes one, among its arguments the first with a text: errors
and warnings of the log in src/, what simulators report of a kernel or refuse (src/sim), and errors,
warnings and notes of the tools (tools/). REPORTERS has the functions. "%" stands for what differs
from case to case.

A test reads a message when a text of that test has more in common with it than with any other: the
text is a part of the message, what differs filled in, with at least ENOUGH characters in a row of
the message's own, or it contains all that stands between two conversions. The rows are in
log_messages.tsv beside this file: the message, and the reason why no test reads it. A new message
needs a test or a row; a row whose message is gone, or which a test reads, is wrong. --list prints
every message with its test or its row. --renew removes rows that are wrong, and adds one for every
other message that no test reads, with the reason to be written. A format of fewer than LETTERS
letters only joins other texts, and is left out.
"""
import os
import re
import sys

SOURCE = sys.argv[1]
ROWS = os.path.join(SOURCE, "tests", "docs", "log_messages.tsv")
MIN_LENGTH = 9
ENOUGH = 12
LETTERS = 8
NO_REASON = "no reason is given"
LOG = "AH_LOG_ERR|AH_LOG_WARN|AH_LOG_NOTICE|AH_LOG"
# What writes messages: a file or folder, and the names of functions there.
REPORTERS = (
    ("src", LOG),
    ("src/image/bundle.c", "refuse"),
    ("src/sim/machine", "sim_report_add"),
    ("src/sim/ptx", "ptx_fault|ptx_build_error|ptx_log_error|ptx_log_warning|ptx_parse_error|"
                    "sim_report_add"),
    ("src/sim/ptx/front/ptx_check.c", "fail"),
    ("src/sim/amdgpu", "amdgpu_fault\\w*|amdgpu_reject_dispatch|amdgpu_image_reject|"
                       "sim_report_add|reject_format"),
    ("src/sim/simcuda", "simcuda_violation|simcuda_log_line|sim_report_add"),
    ("src/sim/simhsa", "simhsa_violation|sim_report_add"),
    ("src/sim/simkmt", "simkmt_refuse|sim_report_add"),
    ("tools", "ah_report_error|ah_report_warning|ah_report_note|refuse|complain|fail"),
)
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
CONVERSION = re.compile(r"%[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?(?:hh|h|ll|l|z|j|t)?[a-zA-Z]|%%")


def files_of(folder, endings):
    top = os.path.join(SOURCE, folder)
    if os.path.isfile(top):
        with open(top, encoding="utf-8") as file:
            yield folder, file.read()
    for place, _, files in sorted(os.walk(top)):
        for name in sorted(files):
            if name.endswith(endings):
                path = os.path.join(place, name)
                with open(path, encoding="utf-8", errors="replace") as file:
                    yield os.path.relpath(path, SOURCE), file.read()


def without_comments(code):
    return re.sub(r"/\*.*?\*/", "", code, flags=re.S)


def arguments_of(code, start):
    """The text between the bracket before start and the one that closes it."""
    depth, at = 1, start
    while depth and at < len(code):
        string = STRING.match(code, at)
        if string:
            at = string.end()
            continue
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        at += 1
    return code[start:at - 1]


def joined(text):
    """The text with strings in several pieces put together, and formats of integers left out."""
    return re.sub(r'"\s*(?:PRI\w+\s*)?"', "", re.sub(r'%"\s*PRI(\w)\d+', r'%\1"', text))


def formats_of(text):
    """The strings of the first argument that has any; of "a ? "b" : "c"" there are two."""
    string = STRING.search(text)
    while string:
        yield string.group(1)
        between = re.compile(r"\s*:\s*(?:[^\",()]*\?\s*)?").match(text, string.end())
        string = STRING.match(text, between.end()) if between else None


def messages():
    """(message with % for conversions, file)"""
    found = {}
    for folder, names in REPORTERS:
        call_of = re.compile(r"(?<![\w.>])(%s)\s*\(" % names)
        for path, code in files_of(folder, (".c", ".h")):
            if path.endswith("common/log.h"):
                continue
            code = without_comments(code)
            for call in call_of.finditer(code):
                text = joined(arguments_of(code, call.end()))
                levels = ("AH_LOG_ERROR", "AH_LOG_WARNING")
                if call.group(1) == "AH_LOG" and not text.lstrip().startswith(levels):
                    continue
                for string in formats_of(text):
                    message = CONVERSION.sub("%", string)
                    if len(re.findall(r"(?<!\\)[A-Za-z]", message)) >= LETTERS:
                        found.setdefault(message, path)
    return found


def test_texts():
    """text -> file, of all tests."""
    texts = {}
    endings = (".c", ".h", ".hip", ".cpp", ".sh", ".py", ".txt", ".def", ".tsv")
    for path, code in files_of("tests", endings):
        if path.startswith("tests/docs/") or path.endswith("survivors.tsv"):
            continue
        code = re.sub(r'\bTEST\("[^"]*"\)', "", code) # what is tested, not what is read
        quoted = [match.group(1) for match in STRING.finditer(joined(without_comments(code)))]
        if path.endswith((".sh", ".py", ".txt")):
            quoted += re.findall(r"'([^'\n]*)'", code)
        for text in quoted:
            texts.setdefault(text, path)
    return texts


def unescaped(text):
    return text.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")


def pieces(text):
    """What of a test's text can be looked for: between conversions and wildcards."""
    parts = re.split(r"%|\n|\.\*|\[[^]]*\][*+]?|\\", CONVERSION.sub("%", unescaped(text)))
    return [part.strip(" .") for part in parts]


def begins(text, message):
    """Whether the message, in which each % may be any text that is not empty, begins with text."""
    at = {0}
    for letter in text:
        after = set()
        for position in at:
            if message[position:position + 1] == "%":
                after.update((position, position + 1))
            elif message[position:position + 1] == letter:
                after.add(position + 1)
        at = after
    return bool(at)


def common(text, place, message, at):
    """How many characters the text at place and the message at have in common."""
    length = 0
    while (place + length < len(text) and at + length < len(message) and
           text[place + length] == message[at + length] != "%"):
        length += 1
    return length


def overlap(text, message, grams):
    """How long the longest part is that the text and the message have in common: of a message that
    the text is a part of, or a whole part between two conversions; 0: there is none."""
    best = 0
    for place in range(len(text) - MIN_LENGTH + 1):
        for at in grams.get(text[place:place + MIN_LENGTH], ()):
            length = common(text, place, message, at)
            whole = ((at == 0 or message[at - 1] == "%") and
                     message[at + length:at + length + 1] in ("", "%"))
            if length > best and (whole or length >= ENOUGH) and (
                    whole or (begins(text[place:], message[at:]) and
                              begins(text[:place][::-1], message[:at][::-1]))):
                best = length
    return best


def grams_of(message):
    """The parts of MIN_LENGTH characters, a space among them, with their places."""
    found = {}
    for at in range(len(message) - MIN_LENGTH + 1):
        gram = message[at:at + MIN_LENGTH]
        if "%" not in gram and " " in gram.strip():
            found.setdefault(gram, []).append(at)
    return found


def key_of(text):
    return text.strip(" .:;,\n")


def read_messages(all_messages):
    """message -> a test that reads it. A text reads the messages with which it has most in
    common."""
    plain = {message: unescaped(message).strip() for message in all_messages}
    grams = {message: grams_of(plain[message]) for message in all_messages}
    alike = {key_of(text): message for message, text in plain.items()}
    with_gram = {}
    for message in all_messages:
        for gram in grams[message]:
            with_gram.setdefault(gram, set()).add(message)
    read = {}
    for text, path in test_texts().items():
        for piece in pieces(text):
            if key_of(piece) in alike:
                read.setdefault(alike[key_of(piece)], path)
                continue
            near = set()
            for at in range(len(piece) - MIN_LENGTH + 1):
                near |= with_gram.get(piece[at:at + MIN_LENGTH], set())
            lengths = {message: overlap(piece, plain[message], grams[message]) for message in near}
            most = max(lengths.values(), default=0)
            for message, length in lengths.items():
                if length == most > 0:
                    read.setdefault(message, path)
    return read


def rows():
    found = {}
    with open(ROWS, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                message, _, reason = line.rstrip("\n").partition("\t")
                found[message] = reason
    return found


def renew():
    known, all_messages = rows(), messages()
    read = read_messages(all_messages)
    with open(ROWS, encoding="utf-8") as file:
        lines = [line for line in file if line.startswith("#")]
    for message, _ in sorted(all_messages.items(), key=lambda item: item[::-1]):
        if message not in read:
            lines.append("%s\t%s\n" % (message, known.get(message, NO_REASON)))
    with open(ROWS, "w", encoding="utf-8") as file:
        file.writelines(lines)


def main():
    if "--renew" in sys.argv:
        renew()
    known, all_messages = rows(), messages()
    read = read_messages(all_messages)
    failed = 0
    for message, path in sorted(all_messages.items(), key=lambda item: item[::-1]):
        test = read.get(message)
        row = known.get(message)
        if "--list" in sys.argv:
            print("%s: %s\n    %s" % (path, message, test or row or "NOTHING"))
        if not test and row in (None, "", NO_REASON):
            failed += 1
            print("%s: no test reads %r, and log_messages.tsv gives no reason" % (path, message))
        if test and row:
            failed += 1
            print("%s reads %r, which needs no row in log_messages.tsv" % (test, message))
    for message in known.keys() - all_messages.keys():
        failed += 1
        print("log_messages.tsv has %r, which is no message" % message)
    print("%d messages, %d rows, %d wrong" %
          (len(all_messages), len(known), failed))
    return 1 if failed or len(all_messages) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
