# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""A Chromium without a window that is driven through pipes, as its protocol for tools says
(https://chromedevtools.github.io/devtools-protocol/): what it opens is used with a mouse and keys, as people do,
and nothing is added to it.
"""
import base64
import json
import os
import select
import subprocess
import time

# 8 is Shift, 2 is Ctrl.
SHIFT, CTRL = 8, 2
DEADLINE = 120  # seconds: a machine can be very busy


class Browser:
    """One page in it."""

    def __init__(self, profile, width=1400, height=900, scale=1):
        to_read, self.to = os.pipe()
        self.reads, from_write = os.pipe()
        # Only pages that were made here are opened: the sandbox, which root cannot have, is not needed.
        command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                   "--no-first-run", "--disable-background-networking", "--remote-debugging-pipe",
                   f"--user-data-dir={profile}", "about:blank"]

        def place():
            # The browser reads from 3 and writes to 4; the pipes may have these numbers themselves.
            reads, writes = os.dup(to_read), os.dup(from_write)
            high = [os.dup2(reads, 100), os.dup2(writes, 101)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)
        # The files are placed in the child, between fork and exec.
        self.process = subprocess.Popen(command, preexec_fn=place, close_fds=False,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(from_write)
        self.rest, self.number, self.session = b"", 0, None
        self.requests, self.messages = [], []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.size(width, height, scale)

    def size(self, width, height, scale=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=scale, mobile=False)

    def dark(self, dark):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
        except (EOFError, OSError):
            pass
        self.process.wait(DEADLINE)
        os.close(self.to)
        os.close(self.reads)

    # ---- the protocol -------------------------------------------------------

    def receive(self):
        until = time.monotonic() + DEADLINE
        while b"\0" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.reads], [], [], left)[0]:
                raise EOFError("the browser does not answer")
            more = os.read(self.reads, 1 << 20)
            if not more:
                raise EOFError("the browser has ended")
            self.rest += more
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def note(self, message):
        """What the page does without being asked."""
        method, parameters = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"][:200])
        elif method == "Runtime.consoleAPICalled":
            self.messages.append(str([a.get("value", a.get("description")) for a in parameters["args"]]))
        elif method == "Runtime.exceptionThrown":
            self.messages.append(json.dumps(parameters["exceptionDetails"])[:2000])
        elif method == "Log.entryAdded":
            # A test reads what is drawn, and is told that this is slow.
            if not parameters["entry"]["text"].startswith("Canvas2D: Multiple readback"):
                self.messages.append(parameters["entry"]["text"])

    def call(self, method, **parameters):
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            message = self.receive()
            if message.get("id") != self.number:
                self.note(message)
            elif "error" in message:
                raise RuntimeError(f"{method}: {message['error']}")
            else:
                return message["result"]

    # ---- the page -----------------------------------------------------------

    def open(self, url):
        self.requests, self.messages = [], []
        # Else an address that differs only behind its # would not be opened again.
        self.call("Page.navigate", url="about:blank")
        self.call("Page.navigate", url=url)

    def value(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def wait(self, expression):
        """Until it is true."""
        until = time.monotonic() + DEADLINE
        while not self.value(expression):
            if time.monotonic() > until:
                raise EOFError(f"never: {expression}")
            time.sleep(0.02)

    def settle(self):
        """Until what was asked for is drawn."""
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def mouse(self, kind, x, y, modifiers=0, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, modifiers=modifiers, **more)

    def click(self, x, y, modifiers=0):
        self.mouse("mouseMoved", x, y, modifiers)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, modifiers, button="left", clickCount=1)
        self.settle()

    def drag(self, start, end, modifiers=0):
        self.mouse("mouseMoved", *start, modifiers)
        self.mouse("mousePressed", *start, modifiers, button="left", clickCount=1)
        for part in (0.3, 0.7, 1):
            self.mouse("mouseMoved", *(a + (b - a) * part for a, b in zip(start, end)), modifiers, button="left", buttons=1)
        self.mouse("mouseReleased", *end, modifiers, button="left", clickCount=1)
        self.settle()

    def wheel(self, x, y, by, modifiers=0, across=0):
        self.mouse("mouseWheel", x, y, modifiers, deltaX=across, deltaY=by)
        self.settle()

    def key(self, key, modifiers=0):
        text = {"text": key} if len(key) == 1 else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, modifiers=modifiers, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, modifiers=modifiers)
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def picture(self, path=None):
        data = base64.b64decode(self.call("Page.captureScreenshot")["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return data

    def printed(self):
        """A PDF."""
        return base64.b64decode(self.call("Page.printToPDF", landscape=True, printBackground=True)["data"])
