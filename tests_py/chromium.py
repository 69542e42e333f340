"""A headless Chromium, driven over its debugging pipe with the standard library alone."""

import base64
import itertools
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


def find():
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One page of a browser. Use as a context manager."""

    def __init__(self, width=1200, height=700):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        commands_read, self.commands = os.pipe()
        self.answers, answers_write = os.pipe()

        def place_pipes():  # the browser reads descriptor 3 and writes descriptor 4
            spare_read, spare_write = os.dup(commands_read), os.dup(answers_write)
            os.dup2(spare_read, 3)
            os.dup2(spare_write, 4)

        self.process = subprocess.Popen(
            [find(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}",
             f"--window-size={width},{height}"],
            preexec_fn=place_pipes, close_fds=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(commands_read)
        os.close(answers_write)
        self.numbers = itertools.count(1)
        self.buffer = b""
        self.errors = []
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.commands)
        os.close(self.answers)
        self.profile.cleanup()

    def _receive(self, deadline):
        while b"\0" not in self.buffer:
            if not select.select([self.answers], [], [], max(deadline - time.monotonic(), 0))[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.answers, 1 << 20)
            if not data:
                raise RuntimeError("the browser has gone")
            self.buffer += data
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def _next(self, wanted, deadline):
        """The next message for which `wanted` is true; exceptions of the page are kept."""
        while True:
            message = self._receive(deadline)
            if message.get("method") == "Runtime.exceptionThrown":
                self.errors.append(message["params"]["exceptionDetails"])
            if wanted(message):
                return message

    def call(self, method, timeout=60, **params):
        number = next(self.numbers)
        command = {"id": number, "method": method, "params": params}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.commands, json.dumps(command).encode() + b"\0")
        answer = self._next(lambda m: m.get("id") == number, time.monotonic() + timeout)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, path):
        self.call("Page.navigate", url=f"file://{os.path.abspath(path)}")
        deadline = time.monotonic() + 60
        while not self.run("document.readyState === 'complete' && !!window.metalmomTrace"):
            if time.monotonic() > deadline or self.errors:
                raise RuntimeError(f"the page did not open: {self.errors}")
            time.sleep(0.02)

    def run(self, expression):
        """The value of a JavaScript expression; of a promise, what it resolves to."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def frame(self):
        """Wait until what was asked for has been drawn."""
        self.run("new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))")

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        for kind, buttons in (("mousePressed", 1), ("mouseReleased", 0)):
            self.mouse(kind, x, y, button="left", buttons=buttons, clickCount=1)
        self.frame()

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))
