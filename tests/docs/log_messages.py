#!/usr/bin/python3
"""Every error and warning of the log has a test that reads it, or a row: log_messages.py SOURCE
[--list | --renew].

A message is the text of AH_LOG_ERR, AH_LOG_WARN, AH_LOG_NOTICE, or AH_LOG at the level of errors or
warnings, in src/; "%" stands for what differs from case to case. A test reads it when a text of that
test, of some words and at least MIN_LENGTH characters, is part of the message. The rows are in
log_messages.tsv beside this file: the message, and the test that makes the library write it without
reading it, or why there is none. A new message needs a test or a row; a row whose message is gone is
wrong. --list prints every message with its test or its row. --renew writes the rows anew: those that
there are stay, and every other message that no test reads gets one which says so.
"""
import os
import re
import sys

SOURCE = sys.argv[1]
ROWS = os.path.join(SOURCE, "tests", "docs", "log_messages.tsv")
MIN_LENGTH = 9
CALL = re.compile(r"\b(AH_LOG_ERR|AH_LOG_WARN|AH_LOG_NOTICE|AH_LOG)\s*\(")
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
CONVERSION = re.compile(r"%[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?(?:hh|h|ll|l|z|j|t)?[a-zA-Z]|%%")


def files_of(folder, endings):
    for place, _, files in sorted(os.walk(os.path.join(SOURCE, folder))):
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


def messages():
    """(message with % for conversions, file)"""
    found = {}
    for path, code in files_of("src", (".c", ".h")):
        if path.endswith("common/log.h"):
            continue
        code = without_comments(code)
        for call in CALL.finditer(code):
            text = joined(arguments_of(code, call.end()))
            levels = ("AH_LOG_ERROR", "AH_LOG_WARNING")
            if call.group(1) == "AH_LOG" and not text.lstrip().startswith(levels):
                continue
            string = STRING.search(text)
            if string:
                found.setdefault(CONVERSION.sub("%", string.group(1)), path)
    return found


def test_texts():
    """text -> file, of all tests."""
    texts = {}
    endings = (".c", ".h", ".hip", ".cpp", ".sh", ".py", ".txt", ".def")
    for path, code in files_of("tests", endings):
        if path.startswith("tests/docs/"):
            continue
        quoted = [match.group(1) for match in STRING.finditer(joined(without_comments(code)))]
        if path.endswith((".sh", ".py", ".txt")):
            quoted += re.findall(r"'([^'\n]*)'", code)
        for text in quoted:
            texts.setdefault(text, path)
    return texts


def pieces(text):
    """What of a test's text can be looked for: between conversions and wildcards."""
    plain = text.replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")
    parts = re.split(r"%|\n|\.\*|\[[^]]*\][*+]?|\\", CONVERSION.sub("%", plain))
    return [part.strip(" .") for part in parts]


def met():
    """The pieces of texts of all tests that are long enough, with their files."""
    found = {}
    for text, path in test_texts().items():
        for piece in pieces(text):
            if len(piece) >= MIN_LENGTH and " " in piece:
                found.setdefault(piece, path)
    return found


def rows():
    found = {}
    with open(ROWS, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                message, _, reason = line.rstrip("\n").partition("\t")
                found[message] = reason
    return found


def test_of(message, tests):
    """The test that reads the message: a part of it, or all of it with what differs filled in."""
    plain = message.replace('\\"', '"')
    whole = re.compile(".+".join(re.escape(part) for part in plain.split("%")))
    long = max(len(part) for part in plain.split("%")) > 2 * MIN_LENGTH
    return next((path for text, path in tests.items()
                 if text in plain or (long and whole.search(text))), None)


def renew():
    known, tests = rows(), met()
    with open(ROWS, encoding="utf-8") as file:
        lines = [line for line in file if line.startswith("#")]
    for message, _ in sorted(messages().items(), key=lambda item: item[::-1]):
        if not test_of(message, tests):
            lines.append("%s\t%s\n" % (message, known.get(message, "no test reads it")))
    with open(ROWS, "w", encoding="utf-8") as file:
        file.writelines(lines)


def main():
    if "--renew" in sys.argv:
        renew()
    known, tests = rows(), met()
    all_messages = messages()
    failed = 0
    for message, path in sorted(all_messages.items(), key=lambda item: item[::-1]):
        test = test_of(message, tests)
        if "--list" in sys.argv:
            print("%s: %s\n    %s" % (path, message, test or known.get(message, "NOTHING")))
        if not test and not known.get(message):
            failed += 1
            print("%s: no test reads %r, and it has no row in log_messages.tsv" % (path, message))
    for message in known.keys() - all_messages.keys():
        failed += 1
        print("log_messages.tsv has %r, which is no message" % message)
    print("%d messages, %d rows, %d wrong" %
          (len(all_messages), len(known), failed))
    return 1 if failed or len(all_messages) < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
