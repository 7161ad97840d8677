#!/usr/bin/python3
"""A trace file in a viewer, in a real browser: viewer.py CHROMIUM SPEEDSCOPE PROGRAM [PICTURE].

SPEEDSCOPE is the folder of its page; PROGRAM is tests/process/test_trace.c, which works on the devices
that ANYHIP_BACKEND names. The browser is spoken to through a pipe, in its DevTools protocol. What
the viewer lists must be the threads and streams of the trace, and the slices of each; PICTURE is where a
picture of the last goes.
"""
import base64
import json
import os
import subprocess
import sys
import tempfile
import time

LIMIT = 60  # seconds for what normally takes a few
WORK = ("copy host to device", "fill", "copy on device", "copy device to host")


class Browser:
    def __init__(self, program, folder):
        from_here, self.output = os.pipe()
        self.input, to_here = os.pipe()

        def give_pipes():  # the browser expects them as 3 and 4, which may be these
            high = [os.dup2(from_here, 100), os.dup2(to_here, 101)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--use-angle=swiftshader",
             "--enable-unsafe-swiftshader", "--allow-file-access-from-files",
             "--user-data-dir=" + folder, "--remote-debugging-pipe", "--window-size=1000,3000",
             "about:blank"],
            close_fds=False, preexec_fn=give_pipes, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(from_here)
        os.close(to_here)
        self.received = b""
        self.last = 0
        self.session = None

    def message(self):
        while b"\0" not in self.received:
            more = os.read(self.input, 1 << 16)
            if not more:
                sys.exit("FAIL: the browser has ended")
            self.received += more
        text, self.received = self.received.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.last += 1
        request = {"id": self.last, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        text = json.dumps(request).encode() + b"\0"
        while text:
            text = text[os.write(self.output, text):]
        while True:
            answer = self.message()
            if answer.get("id") == self.last:
                if "error" in answer:
                    sys.exit("FAIL: %s: %s" % (method, answer["error"]))
                return answer["result"]

    def open(self, url):
        target = self.call("Target.createTarget", url=url)["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def text(self):
        result = self.call("Runtime.evaluate", expression="document.body.innerText",
                           returnByValue=True)
        return result["result"].get("value", "")

    def key(self, key):
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=key)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def wait_for(self, words, before=None):
        """The text of the page once it has the words, and is not the one before."""
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            text = self.text()
            if words in text and text != before:
                return text
            time.sleep(0.05)
        sys.exit("FAIL: the viewer does not show %s, but: %s" % (words, text))

    def picture(self, path):
        part = {"x": 0, "y": 0, "width": 1000, "height": 240, "scale": 1}
        data = self.call("Page.captureScreenshot", format="png", clip=part)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))


def make_trace(program, path):
    subprocess.run([program, "--program", "work"], check=True,
                   env=dict(os.environ, ANYHIP_TRACE=path))
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def rows_of(events):
    """The names of threads and streams that have slices, in a set."""
    names = {}
    used = set()
    for event in events:
        if event["name"] == "thread_name":
            names[event["pid"], event["tid"]] = event["args"]["name"]
        if event["ph"] == "X":
            used.add((event["pid"], event["tid"]))
    return {key: names[key] for key in used}


def page_of(speedscope, trace, folder):
    """The address at which the viewer opens the file, which it takes in a script."""
    script = os.path.join(folder, "load.js")
    with open(trace, "rb") as file:
        data = base64.b64encode(file.read()).decode()
    with open(script, "w", encoding="utf-8") as file:
        file.write("speedscope.loadFileFromBase64('trace.json', '%s')" % data)
    return "file://%s/index.html#localProfilePath=%s" % (os.path.abspath(speedscope), script)


def check(browser, events):
    rows = rows_of(events)
    devices = {key[0] for key in rows if key[0] >= 100000000}
    seen = 0
    text = browser.wait_for("(1/%d)" % len(rows))
    browser.key("3")  # a table of the slices
    text = browser.wait_for("Symbol Name", text)
    for number in range(1, len(rows) + 1):
        name = next((key for key in rows if "%s (tid %d)" % (rows[key], key[1]) in text
                     and "(pid %d)" % key[0] in text), None)
        if not name:
            sys.exit("FAIL: no thread or stream of the trace: " + text)
        slices = {event["name"] for event in events
                  if event["ph"] == "X" and (event["pid"], event["tid"]) == name}
        for title in slices:
            browser.wait_for(title)
        seen += name[0] in devices and all(title in slices for title in WORK)
        if number < len(rows):
            browser.key("n")  # the next thread or stream
            text = browser.wait_for("(%d/%d)" % (number + 1, len(rows)))
    if not devices or seen != len(devices):
        sys.exit("FAIL: %d of %d devices have the program's work" % (seen, len(devices)))
    print("%d threads and streams, %d devices" % (len(rows), len(devices)))


def main():
    chromium, speedscope, program = sys.argv[1:4]
    if not os.path.exists(chromium) or not os.path.exists(speedscope):
        print("no viewer: Debian's chromium and npm's speedscope (npm install -g speedscope) are "
              "needed when the build tree is configured")
        sys.exit(77)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        trace = os.path.join(folder, "trace.json")
        events = make_trace(program, trace)
        browser = Browser(chromium, os.path.join(folder, "profile"))
        try:
            browser.open(page_of(speedscope, trace, folder))
            check(browser, events)
            if len(sys.argv) > 4:
                browser.key("1")
                browser.wait_for("Time Order")
                browser.picture(sys.argv[4])
        finally:
            browser.process.kill()
            browser.process.wait()


main()
