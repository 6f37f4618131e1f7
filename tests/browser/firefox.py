# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""A Firefox without a window that is driven through a socket, by Marionette, its protocol for tools
(https://firefox-source-docs.mozilla.org/testing/marionette/): it does what chromium.py does, for the same tests.

What a page asks for and complains about is noted by a script of the browser, not of the page.
"""
import base64
import glob
import json
import os
import socket
import subprocess
import time

SHIFT, CTRL = 8, 2
DEADLINE = 120  # seconds: a machine can be very busy
MODIFIERS = {SHIFT: "\ue008", CTRL: "\ue009"}
KEYS = {"Escape": "\ue00c", "Enter": "\ue007", "Tab": "\ue004", "Backspace": "\ue003", "Delete": "\ue017",
        "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015",
        "End": "\ue010", "Home": "\ue011", "PageUp": "\ue00e", "PageDown": "\ue00f"}

PREFERENCES = {
    # Whatever leaves all the same goes nowhere: nobody listens there.
    "network.proxy.type": 1, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9,
    "network.proxy.ssl": "127.0.0.1", "network.proxy.ssl_port": 9, "network.proxy.no_proxies_on": "",
    "marionette.port": 0,
    # What belongs to the browser and not to pages.
    "browser.shell.checkDefaultBrowser": False, "datareporting.policy.dataSubmissionEnabled": False,
    "app.update.disabledForTesting": True, "browser.aboutwelcome.enabled": False, "browser.newtabpage.enabled": False,
    "browser.startup.page": 0, "browser.sessionstore.resume_from_crash": False, "toolkit.telemetry.enabled": False,
    "security.sandbox.content.level": 0,
}

# Requests that come from pages, whether they are let through or not.
WATCH = """
const seen = globalThis.pageRequests = [];
const watcher = {observe(channel) {
    channel.QueryInterface(Ci.nsIChannel);
    if (channel.loadInfo.browsingContext)
        seen.push(channel.URI.spec.slice(0, 200));
}};
for (const topic of ['http-on-opening-request', 'http-on-modify-request', 'http-on-stop-request'])
    Services.obs.addObserver(watcher, topic);
globalThis.pageWatcher = watcher;
"""

# Of the page that is there now.  The process of the browser and that of the page each keep messages, also those
# of pages before.
MESSAGES = """
const page = arguments[0], found = [];
for (const message of Services.console.getMessageArray()) {
    if (message instanceof Ci.nsIScriptError && message.innerWindowID === page)
        found.push(message.errorMessage);
}
for (const event of Cc['@mozilla.org/consoleAPI-storage;1'].getService(Ci.nsIConsoleAPIStorage).getEvents()) {
    if (event.innerID === page)
        found.push(event.level + ': ' + Array.from(event.arguments).join(' '));
}
return found;
"""


class Browser:
    """One page in it."""

    def __init__(self, profile, width=1400, height=900, scale=1):
        os.makedirs(profile, exist_ok=True)
        with open(f"{profile}/user.js", "w", encoding="ascii") as file:
            for name, value in PREFERENCES.items():
                file.write(f"user_pref({json.dumps(name)}, {json.dumps(value)});\n")
        port = f"{profile}/MarionetteActivePort"
        if os.path.exists(port):
            os.unlink(port)
        # The script that notes what pages do needs the right to.
        self.process = subprocess.Popen(
            ["firefox-esr", "--headless", "--no-remote", "--marionette", "--remote-allow-system-access", "--profile", profile, "about:blank"],
            env=os.environ | {"MOZ_CRASHREPORTER_DISABLE": "1", "HOME": profile},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until = time.monotonic() + DEADLINE
        while not glob.glob(port) or not os.path.getsize(port):
            if time.monotonic() > until or self.process.poll() is not None:
                raise EOFError("the browser does not begin")
            time.sleep(0.05)
        with open(port, encoding="ascii") as file:
            self.socket = socket.create_connection(("127.0.0.1", int(file.read())), DEADLINE)
        self.rest, self.number, self.url, self.x, self.y = b"", 0, None, 0, 0
        self.receive()
        # It does not wait for pages: their tests do.
        self.call("WebDriver:NewSession", pageLoadStrategy="none")
        self.call("WebDriver:SetTimeouts", script=DEADLINE * 1000)
        self.browser(WATCH)
        self.size(width, height, scale)

    # ---- the protocol -------------------------------------------------------

    def receive(self):
        while b":" not in self.rest:
            self.more()
        size, self.rest = self.rest.split(b":", 1)
        while len(self.rest) < int(size):
            self.more()
        message, self.rest = self.rest[:int(size)], self.rest[int(size):]
        return json.loads(message)

    def more(self):
        data = self.socket.recv(1 << 20)
        if not data:
            raise EOFError("the browser has ended")
        self.rest += data

    def call(self, name, **parameters):
        self.number += 1
        data = json.dumps([0, self.number, name, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(data), data))
        while True:
            _, number, error, result = self.receive()
            if number != self.number:
                continue
            if error:
                raise RuntimeError(f"{name}: {error['error']}: {error['message'][:2000]}")
            return result

    def browser(self, script, *arguments):
        """Runs it with the rights of the browser, in its process."""
        self.call("Marionette:SetContext", value="chrome")
        try:
            return self.beside_page(script, *arguments)
        finally:
            self.call("Marionette:SetContext", value="content")

    def beside_page(self, script, *arguments):
        """The same in the process of the page."""
        return self.call("WebDriver:ExecuteScript", script=script, args=arguments, sandbox="system", newSandbox=False)["value"]

    # ---- the window ---------------------------------------------------------

    def size(self, width, height, scale=1):
        # A window cannot be so small as pages can.
        self.browser(f"""
            const browser = gBrowser.selectedBrowser, {{style}} = browser;
            for (const [name, value] of [['width', '{width}px'], ['height', '{height}px'], ['min-width', '0'], ['flex', 'none']])
                style.setProperty(name, value, 'important');
            browser.browsingContext.overrideDPPX = {scale};""")
        self.wait(f"innerWidth === {width} && innerHeight === {height} && devicePixelRatio === {scale}")

    def dark(self, dark):
        self.browser(f"Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', {0 if dark else 1})")
        self.wait(f"matchMedia('(prefers-color-scheme: dark)').matches === {'true' if dark else 'false'}")

    def close(self):
        try:
            self.call("Marionette:Quit", flags=["eForceQuit"])
        except (EOFError, OSError):
            pass
        self.process.wait(DEADLINE)
        self.socket.close()

    # ---- the page -----------------------------------------------------------

    @property
    def messages(self):
        # Errors may be in both.
        page = self.beside_page("return window.windowGlobalChild.innerWindowId")
        return [*dict.fromkeys(self.browser(MESSAGES, page) + self.beside_page(MESSAGES, page))]

    @property
    def requests(self):
        """The page itself, whatever it has asked for, and what it has got otherwise."""
        return [self.url, *self.browser("return [...globalThis.pageRequests]"),
                *self.value("performance.getEntriesByType('resource').map(entry => entry.name.slice(0, 200))")]

    def open(self, url):
        # Else an address that differs only behind its # would not be opened again.
        self.call("WebDriver:Navigate", url="about:blank")
        self.wait("location.href === 'about:blank'")
        self.browser("globalThis.pageRequests.length = 0")
        self.url = url
        self.call("WebDriver:Navigate", url=url)
        self.wait("location.href !== 'about:blank'")

    def value(self, expression):
        # With the page's own objects, as its scripts see them; a promise is waited for.
        return self.call("WebDriver:ExecuteScript", script=f"return ({expression});", args=[], sandbox=None, newSandbox=True)["value"]

    def wait(self, expression):
        """Until it is true."""
        until = time.monotonic() + DEADLINE
        while True:
            try:
                if self.value(expression):
                    return
            except RuntimeError:
                # There is no page at the moment.
                pass
            if time.monotonic() > until:
                raise EOFError(f"never: {expression}")
            time.sleep(0.02)

    def settle(self):
        """Until what was asked for is drawn."""
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    # ---- a mouse and keys ---------------------------------------------------

    def act(self, modifiers, source):
        """Actions of one source while keys are held."""
        held = [key for bit, key in MODIFIERS.items() if modifiers & bit]
        for kind in ("keyDown", None, "keyUp"):
            if kind and held:
                self.call("WebDriver:PerformActions", actions=[
                    {"type": "key", "id": "held", "actions": [{"type": kind, "value": key} for key in held]}])
            elif not kind:
                self.call("WebDriver:PerformActions", actions=[source])

    @staticmethod
    def pointer(*actions):
        return {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": list(actions)}

    @staticmethod
    def move(x, y):
        return {"type": "pointerMove", "origin": "viewport", "x": x, "y": y, "duration": 0}

    def mouse(self, kind, x, y, modifiers=0):
        assert kind == "mouseMoved", kind
        self.act(modifiers, self.pointer(self.move(x, y)))

    def click(self, x, y, modifiers=0):
        self.drag((x, y), None, modifiers)

    def drag(self, start, end, modifiers=0):
        way = [tuple(a + (b - a) * part for a, b in zip(start, end)) for part in (0.3, 0.7, 1)] if end else []
        self.act(modifiers, self.pointer(self.move(*start), {"type": "pointerDown", "button": 0},
                                         *(self.move(*at) for at in way), {"type": "pointerUp", "button": 0}))
        self.settle()

    def wheel(self, x, y, by, modifiers=0, across=0):
        self.act(modifiers, {"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "origin": "viewport", "x": int(x), "y": int(y), "deltaX": across, "deltaY": by, "duration": 0}]})
        self.settle()

    def key(self, key, modifiers=0):
        self.act(modifiers, {"type": "key", "id": "keys", "actions": [
            {"type": kind, "value": KEYS.get(key, key)} for kind in ("keyDown", "keyUp")]})
        self.settle()

    def type(self, text):
        self.act(0, {"type": "key", "id": "keys", "actions": [
            {"type": kind, "value": letter} for letter in text for kind in ("keyDown", "keyUp")]})
        self.settle()

    # ---- what is seen -------------------------------------------------------

    def picture(self, path=None):
        data = base64.b64decode(self.call("WebDriver:TakeScreenshot", full=False, hash=False)["value"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return data

    def printed(self):
        """A PDF."""
        return base64.b64decode(self.call("WebDriver:Print", orientation="landscape", background=True)["value"])
