"""Drives a headless Chromium over its debugging pipe (the DevTools protocol), with nothing but the standard library.

The browser gets two pipes as descriptors 3 and 4; messages are JSON, each ended by a zero byte. It has no network.
"""
import base64
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time

PROGRAM = os.environ.get("GPROFX_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser") or \
    shutil.which("google-chrome")


class BrowserError(Exception):
    pass


class Browser:
    def __init__(self, width=1280, height=800, dark=False):
        self.folder = tempfile.mkdtemp(prefix="gprof-x-browser-")
        to_browser, self.out = os.pipe()
        self.inp, from_browser = os.pipe()
        command = [PROGRAM, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions", "--hide-scrollbars",
                   "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
                   "--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe", "--user-data-dir=" + self.folder,
                   "--window-size=%d,%d" % (width, height), "about:blank"]

        def pipes():
            # 3 and 4 may be ends of these very pipes: move both away first.
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)
            os.setsid()

        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        close_fds=False, preexec_fn=pipes)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer, self.number, self.events, self.session = b"", 0, [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.size(width, height)
        self.scheme(dark)

    def close(self):
        try:
            self.session = None
            self.call("Browser.close", timeout=5)
        except (BrowserError, OSError):
            pass
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.out)
        os.close(self.inp)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *args):
        self.close()

    def call(self, method, timeout=60, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        while True:
            answer = self.read(timeout)
            if answer.get("id") == message["id"]:
                if "error" in answer:
                    raise BrowserError("%s: %s" % (method, answer["error"]["message"]))
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def read(self, timeout):
        end = time.monotonic() + timeout
        while b"\0" not in self.buffer:
            if not select.select([self.inp], [], [], max(0, end - time.monotonic()))[0]:
                raise BrowserError("the browser does not answer")
            piece = os.read(self.inp, 1 << 20)
            if not piece:
                raise BrowserError("the browser has ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def wait_for(self, method, timeout=60):
        """The next event of this name, taken out of those that came."""
        end = time.monotonic() + timeout
        while True:
            for i, event in enumerate(self.events):
                if event["method"] == method:
                    return self.events.pop(i)["params"]
            answer = self.read(end - time.monotonic())
            if "method" in answer:
                self.events.append(answer)

    def size(self, width, height, ratio=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio, mobile=False)

    def scheme(self, dark):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, path):
        """Opens a file and waits until the page is shown."""
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait_for("Page.loadEventFired")
        self.eval("window.gprofx.ready")

    def eval(self, expression):
        """The value of a JavaScript expression; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def key(self, key, text=None):
        params = {"key": key, "code": key}
        if text is None and len(key) == 1:
            text = key
        if key == "Enter":
            text = "\r"
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "Backspace": 8, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39}
        if key in codes:
            params["windowsVirtualKeyCode"] = codes[key]
        if text:
            params["text"] = text
        self.call("Input.dispatchKeyEvent", type="keyDown", **params)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key)

    def mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def drag(self, x0, y0, x1, y1):
        self.mouse("mouseMoved", x0, y0)
        self.mouse("mousePressed", x0, y0, button="left", clickCount=1)
        for i in range(1, 5):
            self.mouse("mouseMoved", x0 + (x1 - x0) * i / 4, y0 + (y1 - y0) * i / 4, button="left", buttons=1)
        self.mouse("mouseReleased", x1, y1, button="left", clickCount=1)

    def troubles(self):
        """Errors and warnings of the console, exceptions, and requests for anything but the page itself."""
        self.eval("new Promise(done => setTimeout(done, 50))")
        found = []
        for event in self.events:
            params = event["params"]
            if event["method"] == "Runtime.exceptionThrown":
                found.append(params["exceptionDetails"].get("exception", {}).get("description", params["exceptionDetails"]["text"]))
            elif event["method"] == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(str([arg.get("value") for arg in params["args"]]))
            elif event["method"] == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
            elif event["method"] == "Network.requestWillBeSent" and not params["request"]["url"].startswith("file://"):
                found.append("asks for " + params["request"]["url"][:200])
        return found

    def frame(self):
        """Waits until what was asked for is on the screen."""
        self.eval("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def screenshot(self, path=None):
        data = base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return data

    def trace(self, categories, act):
        """The events of the browser's own tracing while act() runs."""
        self.call("Tracing.start", transferMode="ReturnAsStream", traceConfig={"includedCategories": categories})
        act()
        self.call("Tracing.end")
        stream, text = self.wait_for("Tracing.tracingComplete")["stream"], []
        while True:
            piece = self.call("IO.read", handle=stream, size=1 << 20)
            data = piece["data"]
            text.append(base64.b64decode(data).decode() if piece.get("base64Encoded") else data)
            if piece["eof"]:
                return json.loads("".join(text))["traceEvents"]
