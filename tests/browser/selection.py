# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# selection.py DIRECTORY chromium|firefox - what pages of ktrace export --to html tell of what is selected: merged stacks, the critical
# path and counters.  DIRECTORY has pages as for time_line.py, and what other commands tell of the same traces:
#
#	off-cpu.folded, alloc.folded	ktrace report --folded, of `stacks'
#	known.chain			ktrace why --chain --json, of `known'
#	known.json			ktrace export --to json
#
# Prints "ok WHAT" and "not ok WHAT".  The pictures stay in DIRECTORY.
import collections
import json
import re

from chromium import SHIFT
from time_line import LABELS, Browser, Page, Recorded, around, check, directory, driver, exact

THIN = "\u2009"


def number(text):
    return int(text.replace(THIN, "").replace(",", ""))


def folded(name):
    """[[frames], weight] of each stack."""
    with open(f"{directory}/{name}.folded", encoding="latin1") as file:
        return [(line.rsplit(" ", 1)[0].split(";"), int(line.rsplit(" ", 1)[1])) for line in file.read().splitlines()]


def widths(stacks):
    """What each frame weighs, by its depth and the frames below it; programs are at 1."""
    found = collections.Counter()
    for frames, weight in stacks:
        for i in range(1, len(frames) + 1):
            found[tuple(frames[1:i]), i] += weight
    return found


def press(browser, text):
    """A button of the panel."""
    at = browser.value(f"""(() => {{
        const button = [...document.querySelectorAll('#panel button')].find(b => b.innerText === {json.dumps(text)});
        button?.scrollIntoView({{block: 'nearest'}});
        const area = button?.getBoundingClientRect();
        return area ? [area.left + area.width / 2, area.top + area.height / 2] : null;
    }})()""")
    if at:
        browser.click(*at)
    return bool(at)


def measure_all(browser, page):
    """On the ruler, from before the begin to behind the end."""
    browser.key("0")
    top = browser.value("document.getElementById('top').getBoundingClientRect().top")
    browser.drag((LABELS + 1, top + 60), (LABELS + page.width - 2, top + 60))


def state(browser):
    return browser.value("document.querySelector('#panel .state')?.innerText ?? ''")


def canvas(browser):
    return browser.value("""(() => {
        const area = document.querySelector('#panel canvas').getBoundingClientRect();
        return [area.left, area.top, area.width, Math.min(area.height, innerHeight - area.top)];
    })()""")


def look(browser, step=6):
    """What the mouse tells in the graph: {(depth, text): pixels}."""
    left, top, width, height = canvas(browser)
    found = collections.Counter()
    for depth in range(int(height // 17)):
        for x in range(2, int(width), step):
            browser.mouse("mouseMoved", left + x, top + depth * 17 + 8)
            tip = browser.value("document.getElementById('tip').hidden ? '' : document.getElementById('tip').textContent")
            if tip:
                found[depth, tip] += step
    return found, width


def check_graph(browser, name, stacks, unit):
    """Each frame is as wide as it weighs, and says so."""
    found, width = look(browser)
    total = sum(weight for _, weight in stacks)
    wanted = collections.Counter()
    for (frames, depth), weight in widths(stacks).items():
        if frames:
            wanted[depth, frames[-1], weight] += 1
    got = collections.Counter()
    for (depth, tip), pixels in found.items():
        title, weight = tip.split("\n")[:2]
        told = re.match(rf"([\d{THIN},]+) {unit}", weight)
        if depth > 1 and told:
            got[depth, title, number(told[1])] = pixels
        elif depth > 1:
            got[depth, title, weight] = pixels
    seen = [key for key in wanted if key[2] / total * width >= 12]
    check(f"{name}: frames weigh what other outputs tell", *(f"{key} is not there: {got}" for key in seen if key not in got),
          *(f"{key} is not known" for key in got if key not in wanted))
    check(f"{name}: and are as wide", *(f"{key}: {got[key]} of {width}" for key in seen
                                        if wanted[key] == 1 and abs(got[key] - key[2] / total * width) > 14))
    return total


def check_events(browser):
    stacks = folded("alloc")
    page = Page(browser, "stacks")
    measure_all(browser, page)
    check("stacks can be chosen for what is measured", not press(browser, "mm:alloc") and page.text("panel"))
    total = check_graph(browser, "events", stacks, "events?")
    check("the graph says how many there are", not state(browser).startswith(f"{total} event") and state(browser))
    partial = sum(weight for frames, weight in stacks if any(re.match(r"\[", frame) for frame in frames[1:]))
    check("and of how many not all is known", partial and f"stacks not known to their ends: {partial} event" not in state(browser) and state(browser))
    check("names are no HTML", browser.value("document.querySelectorAll('#panel b').length"))
    browser.picture(f"{directory}/flame.png")
    browser.dark(True)
    browser.settle()
    browser.picture(f"{directory}/flame-dark.png")
    browser.dark(False)
    left, top, width, _ = canvas(browser)
    browser.click(left + 10, top + 17 + 8)
    zoomed = re.search(r"zoomed: (.*), (\d+) event", state(browser))
    heaviest = max(widths(stacks).items(), key=lambda item: (item[0][1] == 1, item[1]))
    programs = collections.Counter()
    for frames, weight in stacks:
        programs[frames[0]] += weight
    check("a click zooms", not zoomed and state(browser), zoomed and int(zoomed[2]) != max(programs.values()) and (zoomed[0], heaviest))
    browser.key("Escape")
    check("Escape zooms out", "zoomed" in state(browser) and state(browser))
    area = browser.value("(() => { const a = document.querySelector('#panel input').getBoundingClientRect(); return [a.left + 9, a.top + 9]; })()")
    browser.click(*area)
    browser.type("^work$")
    matched = sum(weight for frames, weight in stacks if "work" in frames[1:])
    check("a search adds up what it finds", f"found: {matched} event" not in state(browser) and state(browser))
    # rgb(179, 49, 156)
    check("and marks it", not browser.value("""(() => {
        const c = document.querySelector('#panel canvas'), d = new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer);
        return d.filter(p => p === 0xff9c31b3).length;
    })()"""))
    browser.picture(f"{directory}/flame-search.png")
    browser.key("Escape")
    browser.key("Escape")
    check("Escape takes the search back", "found" in state(browser) and state(browser))
    browser.value("void document.querySelector('#panel canvas').focus()")
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        browser.key(key)
    # From the program that was clicked on.
    check("keys go through it, and zoom", f"zoomed: work, {matched} event" not in state(browser) and state(browser))
    check("the console is silent, and no request leaves", *browser.messages, browser.requests != [page.url] and browser.requests)


def check_off(browser):
    stacks = folded("off-cpu")
    page = Page(browser, "stacks")
    measure_all(browser, page)
    browser.key("t")
    total = sum(weight for _, weight in stacks)
    check("T shows stacks: off the CPU", not state(browser).startswith(f"{total // 1000} \u00b5s ({total:,} ns)".replace(",", THIN)) and
          (total, state(browser)))
    found, _ = look(browser)
    sums = collections.Counter()
    for (depth, tip), _ in found.items():
        if depth == 1:
            sums[tip.split("\n")[0]] = number(re.search(r"\(([\d\u2009]+) ns\)", tip)[1])
    recorded = collections.Counter()
    reasons = {"runnable": "waits for a CPU", "preempted": "preempted", "sleeping": "sleeping", "blocked": "blocked"}
    for span in Recorded("stacks").states:
        if span.name in reasons:
            recorded[reasons[span.name]] += span.end - span.begin
    check("by reason", sums != +recorded and (sums, recorded))
    browser.picture(f"{directory}/flame-off-cpu.png")
    browser.key("t")
    browser.key("t")
    check("T shows numbers again", state(browser))
    browser.key("Escape")


def nanoseconds(text):
    """Of a time as the page tells it: "0.000 123 456 s"."""
    return round(float(text.rstrip(" s").replace(THIN, "").replace("\u2212", "-")) * 1e9)


def check_whose(browser):
    """A part of a thread's time off the CPU, measured on its lane."""
    page = Page(browser, "stacks")
    browser.key("0")
    run = max((s for s in Recorded("stacks").states if s.tid == 8 and s.name == "preempted"), key=lambda s: s.end - s.begin)
    span = max(s.end for s in Recorded("stacks").states)
    view = [-span * 0.005, span * 1.005]
    middle = (run.begin + run.end) / 2
    y = page.find(page.x(middle, view), "worker 8: preempted")
    check("the mouse finds a thread that has no CPU", y is None and run)
    if y is None:
        return
    # Edges snap only to what is near.
    browser.drag((page.x(middle, view), y), (page.x(middle, view) + 150, y), SHIFT)
    press(browser, "numbers")
    rows = {row[0]: row[1] for row in page.rows() if len(row) == 2}
    length = nanoseconds(rows["to"]) - nanoseconds(rows["from"])
    press(browser, "off CPU")
    check("stacks may be those of the process, or of the thread", not press(browser, "process 8"), not press(browser, "worker 8"))
    told = re.search(r"\(([\d\u2009]+) ns\)", state(browser))
    check("a time that is only partly in it counts with this part", not told or abs(number(told[1]) - length) > 1 and (told, rows))
    check("and only of this thread", "a <b>;c" in str(look(browser, 20)[0]))
    # What was chosen last stays; in a new page nothing was.
    page = Page(browser, "stacks")
    browser.key("0")
    browser.click(page.x(middle, view), y)
    browser.key("m")
    press(browser, "off CPU")
    whose = "document.querySelectorAll('#panel button.on')[1]?.innerText"
    check("stacks after M are those of the thread", browser.value(whose) != "worker 8" and browser.value(whose))
    press(browser, "everything")
    browser.key("c")
    check("C shows the path of the thread, also after stacks of everything", "critical path" not in [row[0] for row in page.rows()] and page.rows())
    browser.key("Escape")


def check_samples(browser):
    stacks = folded("alloc")
    page = Page(browser, "sampled")
    measure_all(browser, page)
    browser.key("t")
    total = sum(weight for _, weight in stacks)
    check("T shows samples first", not state(browser).startswith(f"{total} sample") and (total, state(browser)))
    check_graph(browser, "samples", stacks, "samples?")


def check_path(browser):
    with open(f"{directory}/known.chain", encoding="utf-8") as file:
        path = json.load(file)["paths"][0]
    first = min(r.begin for r in Recorded("known").slices)
    want = next(s for s in Recorded("known").slices if s.tid % 10000000 == 10 and s.name == "read")
    moment, view = around(want.begin, want.end)
    page = Page(browser, "known", moment)
    x = page.x((want.begin + want.end) // 2, view)
    y = page.find(x, "read", exact(want.begin))
    check("the mouse finds the call", y is None and (want, first))
    if y is None:
        return
    browser.click(x, y)
    before = page.pixels()
    browser.key("c")
    rows = page.rows()
    pieces = [p for p in path["path"] if not p["followed"]]
    check("C tells the critical path", ["critical path", f"{len(pieces)} pieces, {path['wall'] / 1e6:.0f}.0 ms ({path['wall']:,} ns)".replace(",", THIN, 0)][0]
          not in [row[0] for row in rows], f"{len(pieces)} pieces" not in str(rows) and rows)
    told = {(row[0], row[1]): (row[2], int(row[4])) for row in rows if len(row) == 5 and row[4].isdigit()}
    wanted = collections.defaultdict(lambda: [0, 0])
    for p in pieces:
        wanted[f"{p['comm']} {p['tid']}", p["state"]][0] += p["ns"]
        wanted[f"{p['comm']} {p['tid']}", p["state"]][1] += 1
    check("its sums are those of ktrace why", *(f"{key}: {told.get(key)} instead of {value}" for key, value in wanted.items()
          if told.get(key) != (short(value[0]), value[1])), len(told) != len(wanted) and told)
    # rgb(217, 72, 15)
    check("it is marked on the lanes", before.get(0xff0f48d9, 0), page.pixels().get(0xff0f48d9, 0) < 1000)
    browser.picture(f"{directory}/path.png")
    press(browser, f"{pieces[3]['comm']} {pieces[3]['tid']}")
    check("a piece can be shown", page.view() == view)
    browser.key("c")
    check("C again: numbers", "critical path\t" in page.text("panel") and page.text("panel"), page.pixels().get(0xff0f48d9, 0))
    browser.key("m")
    browser.key("c")
    check("C after M: the path of the same thread", page.rows() != rows and (rows, page.rows()))
    browser.key("c")
    check("the console is silent then, too", *browser.messages)


def short(ns):
    for size, name in ((1e9, "s"), (1e6, "ms"), (1e3, "\u00b5s")):
        if ns >= size:
            value = ns / size
            return f"{value:.{0 if value >= 100 else 1 if value >= 10 else 2}f} {name}"
    return f"{ns} ns"


def values_of(event, field, **such):
    with open(f"{directory}/known.json", encoding="utf-8") as file:
        events = [json.loads(line) for line in file]
    begin = events[0]["time"]
    return [(e["time"] - begin, int(e["fields"][field])) for e in events if e.get("event") == event and
            all(int(e["fields"][name]) == value for name, value in such.items())]


def check_counters(browser):
    page = Page(browser, "known")
    frequency = values_of("power:cpu_frequency", "state", cpu_id=0)
    end = max(s.end for s in Recorded("known").states)
    view = page.view() or [0, end]
    browser.key("0")
    measure_all(browser, page)
    rows = {row[0]: row[1:4] for row in page.rows() if len(row) == 5}
    parts = [(value, (frequency[i + 1][0] if i + 1 < len(frequency) else end) - time) for i, (time, value) in enumerate(frequency)]
    average = sum(value * length for value, length in parts) / sum(length for _, length in parts)
    check("what is measured has counters", rows.get("frequency of CPU 0") != ["800.00 MHz", "2.40 GHz", f"{average / 1e6:.2f} GHz"] and (rows, average))
    check("memory of a process", rows.get("A 10 1", [])[:2] != ["1.00 MiB", "4.00 MiB"] and rows)
    waiting = rows.get("threads that wait for CPU 1")
    check("threads that wait for a CPU", not waiting or waiting[:2] != ["0", "1"] and waiting)
    browser.key("Escape")
    margin = end * 0.005
    view = [-margin, end + margin]
    for i, (time, value) in enumerate(frequency):
        until = frequency[i + 1][0] if i + 1 < len(frequency) else end
        x = page.x((time + until) / 2, view)
        y = page.find(x, "frequency of CPU 0", exact(time))
        check(f"the mouse tells the {i + 1}. value", y is None and (time, value), y is not None and f"({value:,} kHz)".replace(",", THIN) not in page.text("tip") and
              page.text("tip"))
    browser.click(x, y)
    check("a click selects it", "frequency of CPU 0" not in page.text("panel") and page.text("panel"))
    browser.key("ArrowLeft")
    check("and the arrow keys go to the one before", f"({frequency[-2][1]:,} kHz)".replace(",", THIN) not in page.text("panel") and page.text("panel"))
    browser.picture(f"{directory}/counters.png")
    queue = values_of("app:queue", "length")
    browser.key("Escape")
    browser.key("/")
    browser.type("app:queue")
    browser.key("Enter")
    browser.key("Escape")
    check("a number of a marker can be a lane", not press(browser, "as a lane") and page.text("panel"))
    x = page.x(queue[1][0] + 1000, view)
    y = page.find(x, "app:queue length: 9", exact(queue[1][0]))
    check("which tells its values", y is None and queue)
    browser.key("Escape")
    measure_all(browser, page)
    rows = {row[0]: row[1:4] for row in page.rows() if len(row) == 5}
    check("and is measured", next((row for name, row in rows.items() if "app:queue" in name), [])[:2] != ["3", "9"] and rows)
    browser.picture(f"{directory}/counter-lane.png")
    check("the console is silent, and no request leaves, with counters", *browser.messages, browser.requests != [page.url] and browser.requests)


def main():
    browser = Browser(f"{directory}/profile-{driver}")
    try:
        check_events(browser)
        check_off(browser)
        check_whose(browser)
        check_samples(browser)
        check_path(browser)
        check_counters(browser)
    finally:
        browser.close()


if __name__ == "__main__":
    main()
