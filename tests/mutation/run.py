#!/usr/bin/env python3
"""Runs tests on a sample of the mutants that build.py has made. README.md says how it is used."""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
# Tests that reach the library: of its parts, of the whole over fake drivers, and of the whole with
# simulated devices. Of the kernel language only what the library has a part in.
TESTS = r"^(core|image|backend_hsa|driver|tools)\.|^hipcc\.unit\.ptx_names$" \
        r"|^fuzz\.(images|files|metadata|hostcalls|select|printf)$" \
        r"|^api\..*@(simcuda|simhsa-gfx90a)$|^kernel\.(printf|launch|memory|texture|surface" \
        r"|multi_grid|cooperative_groups)@(simcuda|simhsa-gfx90a)$"
SLOWER = 8  # a test that takes so many times its time has failed
SECONDS_MIN = 20

Mutant = collections.namedtuple("Mutant", "number name file line function kind old new")


class Test:
    def __init__(self, entry):
        properties = {p["name"]: p["value"] for p in entry.get("properties", [])}
        self.name, self.command = entry["name"], entry["command"]
        self.folder = properties.get("WORKING_DIRECTORY")
        self.environment = dict(v.split("=", 1) for v in properties.get("ENVIRONMENT", []))
        self.skip = properties.get("SKIP_RETURN_CODE")
        self.seconds = 0.0

    def run(self, limit, **variables):
        """How the test ended: an exit status, a signal below 0, or None for too late."""
        process = subprocess.Popen(
            self.command, cwd=self.folder, env={**os.environ, **self.environment, **variables},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True, preexec_fn=prepare)
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            return None
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)  # and what it has started
            except ProcessLookupError:
                pass
            process.wait()


def prepare():
    """In the child: gives way to others (by MUTATION_NICE), and ends first when memory is out."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pathlib.Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")
    os.nice(int(os.environ.get("MUTATION_NICE", "10")))


def read_mutants(path):
    with open(path, encoding="utf-8") as table:
        rows = [line.rstrip("\n").split("\t") for line in table]
    return [Mutant(int(row[0]), *row[1:3], int(row[3]), *row[4:]) for row in rows]


def read_tests(tree, pattern):
    shown = subprocess.run(["ctest", "--test-dir", tree, "--show-only=json-v1"], check=True,
                           stdout=subprocess.PIPE).stdout
    return [Test(entry) for entry in json.loads(shown)["tests"]
            if re.search(pattern, entry["name"]) and "command" in entry]


def choose(mutants, count, seed):
    """The sample: a mutant is in it or not by its own name, so that it changes little when the
    sources do. Each folder has a part by the number of its mutants."""
    by_folder = collections.defaultdict(list)
    for mutant in mutants:
        by_folder[mutant.file.split("/")[0]].append(mutant)
    chosen = []
    for folder in sorted(by_folder):
        share = round(count * len(by_folder[folder]) / len(mutants))
        chosen += sorted(by_folder[folder], key=lambda m: hashlib.sha256(
            f"{seed}|{m.name}".encode()).digest())[:share]
    return chosen


# ---- which test reaches which mutant -----------------------------------------------------------


def survey(test, count, work):
    """Runs a test without any mutant: (how it ended, its time, the mutants that it evaluates)."""
    path = work / f"reached.{test.name.replace('/', '_')}"
    path.write_bytes(bytes(count + 1))
    begin = time.monotonic()
    status = test.run(300, MUTANTS_REACHED=str(path))
    seconds = time.monotonic() - begin
    reached = path.read_bytes()
    path.unlink()
    return status, seconds, reached


def survey_all(tests, count, work, jobs):
    reached = {}
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = pool.map(lambda test: survey(test, count, work), tests)
        for test, (status, seconds, numbers) in zip(tests, results):
            test.seconds = seconds
            if status == 0:
                reached[test.name] = numbers
            else:
                print(f"left out: {test.name} ends with {status} without a mutant",
                      file=sys.stderr)
    return reached


# ---- one mutant -----------------------------------------------------------------------------


def order_of(test, mutant):
    """Quick tests first, and those of the mutant's own folder before others."""
    own = test.name.startswith(mutant.file.split("/")[0] + ".")
    return test.seconds * (0.2 if own else 1)


def run_mutant(mutant, test):
    """A test that is late is so because of the mutant only if it is not without it."""
    limit = max(SECONDS_MIN, SLOWER * test.seconds)
    while True:
        status = test.run(limit, MUTANT=str(mutant.number))
        begin = time.monotonic()
        if status is not None or \
                test.run(limit) == 0 and time.monotonic() - begin < limit / 2:
            return status
        limit *= 4


def try_mutant(mutant, tests):
    for test in sorted(tests, key=lambda test: order_of(test, mutant)):
        status = run_mutant(mutant, test)
        if status != 0:
            return test.name, "too late" if status is None else str(status)
    return None, f"{len(tests)} tests"


def killed_before(path):
    """By name: what a run before this has found, to go on from there."""
    if not path.exists():
        return {}
    with open(path, encoding="utf-8") as table:
        rows = [line.rstrip("\n").split("\t") for line in table]
    return {row[0]: row for row in rows if row[1] not in ("survived", "not reached")}


def result_row(mutant, verdict, by, how):
    return [mutant.name, verdict, by or "", how, f"{mutant.file}:{mutant.line}", mutant.function,
            mutant.kind, mutant.old, mutant.new]


def try_all(sample, tests, reached, jobs, before, out):
    def one(mutant):
        if mutant.name in before:
            return before[mutant.name]
        reaching = [t for t in tests if t.name in reached and reached[t.name][mutant.number]]
        if not reaching:
            return result_row(mutant, "not reached", None, "")
        by, how = try_mutant(mutant, reaching)
        return result_row(mutant, "killed" if by else "survived", by, how)
    rows = []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool, \
            open(out, "a", encoding="utf-8") as log:
        futures = [pool.submit(one, mutant) for mutant in sample]
        for done, future in enumerate(concurrent.futures.as_completed(futures), 1):
            rows.append(future.result())
            print("\t".join(rows[-1]), file=log, flush=True)
            if done % 20 == 0:
                print(f"{done} of {len(sample)}", file=sys.stderr)
    return rows


def merge(path, rows):
    """What one tree's tests have killed stays so, whatever another's say."""
    kept = killed_before(path)
    rows = [kept.get(row[0], row) for row in rows]
    kept.update({row[0]: row for row in rows})
    path.write_text("".join("\t".join(row) + "\n" for row in kept.values()), encoding="utf-8")
    return rows


# ---- the result -----------------------------------------------------------------------------


def read_equivalent():
    with open(HERE / "equivalent.tsv", encoding="utf-8") as table:
        rows = [line.rstrip("\n").split("\t") for line in table if not line.startswith("#")]
    return {row[0]: row[-1] for row in rows if row[0]}


def report(rows, equivalent):
    """A line for each folder, and every survivor that is not known to be equivalent."""
    folders = collections.defaultdict(collections.Counter)
    for row in rows:
        verdict = row[1]
        if verdict != "killed" and row[0] in equivalent:
            verdict = "equivalent"
        for name in (row[4].split("/")[0], "all"):
            folders[name][verdict] += 1
            folders[name]["sample"] += 1
        if verdict in ("survived", "not reached"):
            print("\t".join(row))
    for name in sorted(folders, key=lambda name: (name == "all", name)):
        n = folders[name]
        print(f"{name}: {n['killed']} of {n['sample']} killed "
              f"({100 * n['killed'] / n['sample']:.1f} %), {n['equivalent']} equivalent, "
              f"{n['survived']} survived, {n['not reached']} not reached")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", type=pathlib.Path, default=ROOT / "build" / "mutation")
    parser.add_argument("--tree", default="plain", help="plain, address or thread")
    parser.add_argument("--sample", type=int, default=500)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--folder", default="", help="only mutants in files that this expression begins to match")
    parser.add_argument("--kind", default="", help="only mutants of this kind")
    parser.add_argument("--tests", default=TESTS, help="a regular expression")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--again", action="store_true", help="forget what was killed before")
    options = parser.parse_args()
    work = options.work.resolve()
    tree = work / "source" / "build" / options.tree
    mutants = read_mutants(work / "mutants.tsv")
    sample = [m for m in choose(mutants, options.sample, options.seed)
              if re.match(options.folder, m.file) and re.search(options.kind, m.kind)]
    tests = read_tests(tree, options.tests)
    reached = survey_all(tests, len(mutants), work, options.jobs)
    results = work / "results.tsv"
    if options.again:
        results.unlink(missing_ok=True)
    before = killed_before(results)
    rows = try_all(sample, tests, reached, options.jobs, before, work / "log.tsv")
    rows = merge(results, rows)
    report(rows, read_equivalent())


if __name__ == "__main__":
    main()
