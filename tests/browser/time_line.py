# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# time_line.py DIRECTORY chromium|firefox - uses pages of ktrace export --to html as people do: DIRECTORY has some
# NAME.html, and NAME.chrome of the same traces (ktrace export --to chrome), which say what must be seen.
#
# Prints "ok WHAT" and "not ok WHAT".  The pictures stay in DIRECTORY.
import base64
import collections
import decimal
import importlib
import json
import os
import re
import sys
import zlib

from chromium import CTRL, SHIFT

LABELS = 210  # pixels (show/html/page/lanes.js)
ROW = 10000000  # what other rows of a thread have more than its number (show/chrome.c)
directory = os.path.realpath(sys.argv[1])
driver = sys.argv[2]
Browser = importlib.import_module(driver).Browser
pictures = "" if driver == "chromium" else f"{driver}-"
Span = collections.namedtuple("Span", "pid tid name begin end arguments")


def check(what, *failures):
    """Each failure is a condition, or words on what is wrong."""
    failures = [failure for failure in failures if failure]
    print("not ok" if failures else "ok", what, flush=True)
    for failure in failures[:5]:
        print("#  ", str(failure)[:600])


def exact(ns):
    whole, rest = divmod(ns, 10**9)
    rest = f"{rest:09}"
    return f"{whole}.{rest[:3]}\u2009{rest[3:6]}\u2009{rest[6:]} s"


class Recorded:
    """What is in the trace, as the other output tells it."""

    def __init__(self, name):
        with open(f"{directory}/{name}.chrome", encoding="utf-8") as file:
            events = json.load(file, parse_float=decimal.Decimal)["traceEvents"]
        self.names, self.slices, self.states, self.runs = {}, [], [], collections.defaultdict(list)
        self.losses, self.wakes, self.arrows = [], {}, []
        opened = collections.defaultdict(list)
        for event in events:
            self.take(event, opened)

    def take(self, event, opened):
        pid, tid, phase = event["pid"], event["tid"], event["ph"]
        begin = int(event.get("ts", 0) * 1000)
        if phase == "M" and event["name"] == "thread_name":
            self.names[pid, tid] = event["args"]["name"]
        elif phase == "B":
            opened[pid, tid].append((event["name"], begin, event["args"]))
        elif phase == "E":
            name, start, arguments = opened[pid, tid].pop()
            self.slices.append(Span(pid, tid, name, start, begin, arguments | event.get("args", {})))
        elif phase == "s":
            self.wakes[event["id"]] = pid, tid, begin
        elif phase == "f":
            self.arrows.append((self.wakes[event["id"]], tid - 90000000, begin))
        elif phase == "X":
            span = Span(pid, tid, event["name"], begin, begin + int(event["dur"] * 1000), event.get("args"))
            if event["cat"] == "cpu":
                self.runs[tid - 100000000].append(span)
            elif event["cat"] == "state":
                self.states.append(span._replace(tid=tid - 90000000))
            elif event["cat"] == "lost":
                self.losses.append(span._replace(tid=tid - 110000000))


class Page:
    def __init__(self, browser, name, moment=""):
        self.browser = browser
        self.url = f"file://{directory}/{name}.html"
        browser.open(self.url + moment)
        browser.wait("['ready', 'failed'].includes(document.documentElement?.dataset.state)")
        browser.settle()
        self.width = browser.value("document.getElementById('scroll').clientWidth") - LABELS
        self.top = browser.value("document.getElementById('scroll').getBoundingClientRect().top")

    def text(self, node):
        return self.browser.value(f"document.getElementById('{node}').innerText")

    def hidden(self, node):
        return self.browser.value(f"document.getElementById('{node}').hidden")

    def rows(self):
        """Of the panel: [[header, value] ...]"""
        return self.browser.value(
            "[...document.querySelectorAll('#panel tr')].map(row => [...row.cells].map(cell => cell.innerText))")

    def view(self):
        """What the address says is shown, in ns."""
        # It is written when nothing has moved for a while; a later timer comes later, however busy the machine is.
        self.browser.value("new Promise(done => setTimeout(done, 400))")
        found = re.search(r"#t=(-?[\d.]+),([\d.]+)", self.browser.value("location.hash"))
        return [int(decimal.Decimal(t) * 10**9) for t in found.groups()] if found else None

    def x(self, moment, view):
        return LABELS + (moment - view[0]) / (view[1] - view[0]) * self.width

    def pixels(self, canvas="lanes"):
        """How often there is each colour."""
        return dict(self.browser.value(f"""(() => {{
            const canvas = document.getElementById('{canvas}'), colors = new Map();
            const data = new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer);
            for (const color of data)
                colors.set(color, (colors.get(color) ?? 0) + 1);
            return [...colors].sort((a, b) => b[1] - a[1]).slice(0, 5000);
        }})()"""))

    def find(self, x, *texts):
        """Where the mouse tells these texts, from top to bottom; None: nowhere."""
        high = self.browser.value("document.getElementById('scroll').clientHeight")
        whole = self.browser.value("document.getElementById('pad').clientHeight")
        for top in range(0, max(1, whole), high):
            self.browser.value(f"void (document.getElementById('scroll').scrollTop = {top})")
            self.browser.settle()
            for y in range(4, high, 5):
                self.browser.mouse("mouseMoved", x, self.top + y)
                tip = "" if self.hidden("tip") else self.text("tip")
                if all(text in tip for text in texts):
                    return self.top + y
        return None


def around(*moments):
    """An address that shows all of these, and the view that it is."""
    margin = max(500, (max(moments) - min(moments)) // 8)
    view = [min(moments) - margin, max(moments) + margin]
    seconds = [f"{decimal.Decimal(t) / 10**9:.9f}" for t in view]
    return f"#t={seconds[0]},{seconds[1]}", view


def check_watch(browser):
    """What other checks do not want to see is seen if it is there."""
    with open(f"{directory}/loud.html", "w", encoding="ascii") as file:
        file.write("<!doctype html><img src=http://127.0.0.1:40009/x.png><script>console.log('loud'); nobody();</script>")
    browser.open(f"file://{directory}/loud.html")
    browser.wait("document.readyState === 'complete'")
    messages = str(browser.messages)
    check("a console that is not silent is heard", "loud" not in messages and messages, "nobody" not in messages and messages)
    check("a request is seen", "http://127.0.0.1:40009/x.png" not in browser.requests and browser.requests)


def check_first(browser, name):
    page = Page(browser, name)
    browser.picture(f"{directory}/{pictures}{name}.png")
    check(f"{name} is drawn", browser.value("document.documentElement.dataset.state") != "ready",
          len(page.pixels()) < 8 and page.pixels(), len(page.pixels("top")) < 3 and "no map")
    check(f"{name}: the console is silent", *browser.messages)
    check(f"{name}: no request leaves", browser.requests != [page.url] and browser.requests)
    check(f"{name}: nothing is beside the window",
          browser.value("document.documentElement.scrollWidth > innerWidth"),
          browser.value("document.documentElement.scrollHeight > innerHeight"))
    return page


def check_slice(browser, name, recorded):
    """A known slice is where it was, and says what is known of it."""
    ends = [s for s in recorded.slices if s.pid and s.arguments and s.end > s.begin and s.begin > 2000]
    want = max(ends, key=lambda s: (len(str(s.arguments)) > 40, s.end - s.begin))
    moment, view = around(want.begin, want.end)
    page = Page(browser, name, moment)
    y = page.find(page.x((want.begin + want.end) // 2, view), want.name, exact(want.begin))
    check("the mouse finds a known slice", y is None and want)
    if y is None:
        return
    browser.click(page.x((want.begin + want.end) // 2, view), y)
    rows = dict((row[0], row[1]) for row in page.rows() if len(row) == 2)
    check("a click tells its times to the nanosecond", rows.get("from") != exact(want.begin) and rows,
          rows.get("to") != exact(want.end) and rows)
    check("and its arguments", *(f"{key}: {rows.get(key)} instead of {value}" for key, value in
                                 want.arguments.items() if rows.get(key) != str(value)))
    check("and its thread", f" {want.tid % ROW}," not in rows["where"] and rows)
    parts = [v for k, v in rows.items() if k in ("running", "runnable", "preempted", "sleeping", "blocked", "not known")]
    shares = sum(decimal.Decimal(re.search(r"([\d.]+) %", part)[1]) for part in parts)
    check("what its thread did meanwhile is all of it", not 99 <= shares <= 101 and parts)
    browser.picture(f"{directory}/{pictures}{name}-slice.png")
    browser.key("ArrowRight")
    check("the next one is another one", dict(r[:2] for r in page.rows()).get("from") == rows["from"])
    browser.key("Escape")
    check("Escape selects nothing", not page.hidden("panel"))
    check("the console is silent then, too", *browser.messages)


def check_waker(browser, name, recorded):
    runs = {(s.tid, s.begin): s for s in recorded.states if s.name == "running"}
    known = [(wake, runs[tid, at]) for wake, tid, at in recorded.arrows
             if wake[0] and (tid, at) in runs and runs[tid, at].end > at > wake[2] > 1000]
    def instead_of(wake, run):
        return {s.name for list in recorded.runs.values() if any(s.begin == run.begin and s.name.endswith(f" {run.tid}") for s in list)
                for s in list if s.begin < run.begin and s.end > wake[2]}
    # The panel has up to eight of them.
    (pid, waker, woke), run = next(k for k in sorted(known, key=lambda k: k[0][2] - k[1].begin) if 0 < len(instead_of(*k)) < 7)
    moment, view = around(woke, run.end)
    page = Page(browser, name, moment)
    y = page.find(page.x((run.begin + run.end) // 2, view), f" {run.tid}: running", exact(run.begin))
    check("the mouse finds who was woken", y is None and run)
    if y is None:
        return
    browser.click(page.x((run.begin + run.end) // 2, view), y)
    rows = page.rows()
    by = [row[1] for row in rows if row[0] == "woken by"]
    check("a click tells who woke it, and when", len(by) != 1 and rows, not by or f" {waker % ROW} at {exact(woke)}" not in by[0] and by)
    instead = instead_of((pid, waker, woke), run)
    told = {row[1].split(" on CPU ")[0] for row in rows if row[0] == "ran instead" and not row[1].startswith(("idle", "not known"))}
    check("and who ran instead while it waited", told != instead and (told, instead))
    blue = page.pixels().get(0xffd05f1a, 0)  # rgb(26, 95, 208)
    browser.picture(f"{directory}/{pictures}{name}-waker.png")
    browser.key("[")
    check("[ goes to the waker", f"{waker % ROW}" not in page.text("panel") or exact(woke) not in page.text("panel"))
    browser.key("]")
    check("] goes to whom it woke", f" {run.tid}: running" not in page.text("panel") and page.text("panel"))
    browser.key("Escape")
    check("the arrow was drawn", not blue > page.pixels().get(0xffd05f1a, 0))


def check_search(browser, name, recorded):
    page = Page(browser, name)
    names = collections.Counter(s.name for s in recorded.slices)
    rare = min((n for n in names if not any(n != m and n in m for m in names)), key=names.get)
    browser.key("/")
    browser.type(rare)
    browser.key("Enter")
    found = re.search(r"1 of ([\d\u2009]+)", page.text("hits"))
    check("a search finds all of a name", not found and page.text("hits"),
          found and int(found[1].replace("\u2009", "")) < names[rare] and f"{found[0]}, {names[rare]} of {rare}")
    check("and selects the first", rare not in page.text("panel") and page.text("panel"))
    browser.key("Escape")
    browser.key("n")
    check("N goes to the next one", names[rare] > 1 and not page.text("hits").startswith("2 of"))
    browser.key("Escape")
    browser.key("Escape")
    check("Escape takes back the search", page.text("hits"))
    threads = {s.tid: recorded.names.get((s.pid, s.tid)) for s in recorded.states if s.pid}
    tid = max(t for t in threads if threads[t])
    browser.key("/")
    browser.type(f"{threads[tid]} {tid}")
    browser.key("Enter")
    check("a search finds a thread", f" {tid}" not in page.text("panel") and page.text("panel"))
    browser.key("/")
    browser.type("there is no such thing")
    browser.key("Enter")
    check("and says if nothing was found", page.text("hits") != "nothing found" and page.text("hits"))


def check_keys(browser, name):
    page = Page(browser, name, "#t=0.001,0.003")
    check("an address shows a part", page.browser.value("location.hash") != "#t=0.001,0.003")
    browser.key("w")
    view = page.view()
    check("W zooms in, to the same middle", not view or abs(view[1] - view[0] - 1400000) > 2 and view,
          not view or abs(view[0] + view[1] - 4000000) > 4)
    browser.key("s")
    check("S zooms out", abs(page.view()[0] - 1000000) > 4 and page.view())
    browser.key("d")
    check("D moves", abs(page.view()[0] - 1300000) > 4 and page.view())
    browser.key("a")
    check("A moves back", abs(page.view()[0] - 1000000) > 4 and page.view())
    middle = LABELS + page.width / 2, page.top + 60
    browser.wheel(*middle, -100, CTRL)
    zoomed = page.view()
    check("Ctrl and wheel zooms in", not zoomed[1] - zoomed[0] < 2000000 and zoomed)
    browser.drag(middle, (middle[0] + 100, middle[1]))
    moved, by = page.view(), 100 / page.width * (zoomed[1] - zoomed[0])
    check("dragging moves", abs(zoomed[0] - by - moved[0]) > by / 50 and (zoomed, moved))
    browser.drag((middle[0], page.top + 60), (middle[0] + 150, page.top + 60), SHIFT)
    measured = page.text("panel")
    expected = 150 / page.width * (moved[1] - moved[0])
    took = re.search(r"\(([\d\u2009]+) ns\)", measured) or re.search(r"([\d\u2009]+) ns", measured)
    check("Shift and drag measures", not took and measured,
          took and abs(int(took[1].replace("\u2009", "")) - expected) > 0.2 * expected and (took[0], expected))
    browser.key("0")
    check("0 shows all", page.view()[0] > 0 and page.view())
    browser.key("?")
    check("? shows the keys", page.hidden("help"))
    before = page.view()
    browser.key("d")
    check("other keys do nothing meanwhile", page.view() != before and page.view())
    browser.key("Escape")
    check("Escape hides them", not page.hidden("help"))
    high = browser.value("document.getElementById('pad').clientHeight")
    browser.click(LABELS + 300, page.top + 8)
    folded = browser.value("document.getElementById('pad').clientHeight")
    check("a click anywhere in a head folds what is below", folded >= high and (high, folded))
    browser.click(60, page.top + 8)
    check("and unfolds it", browser.value("document.getElementById('pad').clientHeight") != high)
    browser.size(200, 900)
    browser.settle()
    browser.size(1400, 900)
    browser.settle()
    check("a window that was too narrow is drawn again", len(page.pixels("top")) < 3, *browser.messages)
    page = Page(browser, name, "#t=" + "9" * 400)
    browser.key("w")
    view = page.view()
    check("an address that is no time is none", not view or view[1] - view[0] < 1000000 and view, *browser.messages)
    page = Page(browser, name, "#t=0.002")
    browser.key("w")
    view = page.view()
    check("an address shows a moment", abs(sum(view) - 4000000) > 4 and view)
    check("the console is silent after that", *browser.messages)


def check_losses(browser, name, recorded):
    loss = max(recorded.losses, key=lambda s: s.end - s.begin)
    moment, view = around(loss.begin, loss.end)
    page = Page(browser, name, moment)
    lost = sum(s.arguments["count"] for s in recorded.losses if s.name == "events lost")
    check("losses are told", f"{lost:,}".replace(",", "\u2009") + " events lost" not in page.text("warning") and page.text("warning"))
    x = page.x((loss.begin + loss.end) // 2, view)
    y = page.find(x, "lost", exact(loss.begin))
    check("the mouse finds a loss on its CPU", y is None and loss)
    # rgb(198, 47, 39), as a little-endian word
    browser.value("""void (() => {
        const context = CanvasRenderingContext2D.prototype, fillText = context.fillText;
        window.texts = new Set();
        context.fillText = function(text, ...at) {
            window.texts.add(text);
            fillText.call(this, text, ...at);
        };
    })()""")
    browser.size(1400, 901)
    browser.settle()
    texts = browser.value("[...window.texts]")
    browser.size(1400, 900)
    check("a CPU of which not all is known has its name", "CPU 0" not in texts and texts,
          not any("not known" in text for text in texts) and texts)
    check("losses are hatched", page.pixels().get(0xff272fc6, 0) < 200)
    check("on the map, too", page.pixels("top").get(0xff272fc6, 0) < 50)
    if y:
        browser.click(x, y)
        check("a click tells why", f"CPU {loss.tid}" not in page.text("panel"), "why" not in page.text("panel"))
    browser.picture(f"{directory}/{pictures}{name}-loss.png")


def check_dark(browser, name):
    browser.dark(True)
    page = Page(browser, name)
    browser.picture(f"{directory}/{pictures}{name}-dark.png")
    color = max(page.pixels().items(), key=lambda p: p[1])[0]
    check("the page is dark", any((color >> shift & 255) > 60 for shift in (0, 8, 16)) and hex(color))
    browser.dark(False)
    browser.settle()
    color = max(page.pixels().items(), key=lambda p: p[1])[0]
    check("and becomes light when it is day", any((color >> shift & 255) < 200 for shift in (0, 8, 16)) and hex(color))
    paper = browser.printed()
    check("it can be printed", len(paper) < 15000 and len(paper), *browser.messages)


def check_hostile(browser):
    page = check_first(browser, "hostile")
    check("names are no HTML", browser.value("document.querySelectorAll('body b, body i:not(.key), body s, body img').length"))
    with open(f"{directory}/hostile.chrome", encoding="utf-8") as file:
        check("there are such names", "</s>" not in file.read())
    browser.key("/")
    browser.type("</s>")
    browser.key("Enter")
    check("they are found, and shown as they are", "</s>" not in page.text("panel") and page.text("hits"))
    shown = browser.value("document.body.innerText")
    check("what cannot be seen is shown as a number", re.search("[\x00-\x08\x0e-\x1f\u202a-\u202e]", shown))
    check("no script of others runs", not re.search("Content.Security.Policy", str(try_script(browser))) and browser.messages)


def try_script(browser):
    browser.value("""void document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.ran = 1'}),
        Object.assign(document.createElement('img'), {src: 'http://127.0.0.1:40009/x.png'}))""")
    browser.settle()
    return [*browser.messages, browser.value("window.ran") and "it ran"]


def check_left_out(browser):
    """A page that says that events are left out: its head is changed."""
    with open(f"{directory}/small.html", encoding="ascii") as file:
        page = file.read()
    found = re.search(r'id="head">([^<]*)<', page)
    head = json.loads(zlib.decompress(base64.b64decode(found[1])))
    head["leftOut"], head["events"] = 700, head["events"] + 700
    head["density"] += [5] * len(head["density"])
    head["command"] = "a\u202eb\x1b[0m </script><b>"
    text = base64.b64encode(zlib.compress(json.dumps(head).encode())).decode()
    with open(f"{directory}/left-out.html", "w", encoding="ascii") as file:
        file.write(page[:found.start(1)] + text + page[found.end(1):])
    shown = check_first(browser, "left-out")
    check("the page says what is left out", "700 events are left out" not in shown.text("warning"),
          f"--from {(int(head['begin']) + head['span']) / decimal.Decimal(10**9):.9f}" not in shown.text("warning") and
          shown.text("warning"))
    top = browser.value("document.getElementById('top').getBoundingClientRect().top")
    browser.click(LABELS + shown.width * 0.8, top + 20)
    part = re.search(r"--from ([\d.]+) --until ([\d.]+) -o", shown.text("panel"))
    check("a click on the map tells how to export what is there", not part and shown.text("panel"),
          part and (shown.text("panel"), part) if part and not decimal.Decimal(part[1]) < decimal.Decimal(part[2]) else None)
    check("the command is text", shown.text("title") != "a\\u{202e}b\\u{1b}[0m </script><b>" and shown.text("title"))


def main():
    browser = Browser(f"{directory}/profile-{driver}")
    try:
        losses = Recorded("losses")
        check_watch(browser)
        check_first(browser, "losses")
        check_slice(browser, "losses", losses)
        check_waker(browser, "losses", losses)
        check_search(browser, "losses", losses)
        check_keys(browser, "losses")
        check_losses(browser, "losses", losses)
        check_dark(browser, "losses")
        check_hostile(browser)
        for name in ("empty", "small", "cpus", "stacks"):
            check_first(browser, name)
        check_left_out(browser)
        browser.size(700, 500, 2)
        check_first(browser, "small")
    finally:
        browser.close()


if __name__ == "__main__":
    main()
