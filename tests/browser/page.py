# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# page.py PAGE FOLDED UNIT compares|alone BROWSER... - opens the page of report --flame in the browser, a
# command that prints the document, and uses it (use.js).  What is then to be seen must be what
# FOLDED, the text of report --folded, says.  If that has two weights, two traces are compared.
#
# Prints "ok WHAT" and "not ok WHAT".
import json
import os
import re
import subprocess
import sys

ROW = 18
AFTER, BEFORE = 0, 1
page, folded, unit = sys.argv[1:4]
compares = sys.argv[4] == "compares"
browser = sys.argv[5:]


def check(what, *failures):
    """Each failure is a condition, or words on what is wrong."""
    failures = [failure for failure in failures if failure]
    print("not ok" if failures else "ok", what)
    for failure in failures[:5]:
        print("#  ", failure)


def read_stacks():
    with open(folded, encoding="ascii") as file:
        for line in file:
            # Names may end with what looks like a number, but all lines have as many weights.
            path, *weights = line.rstrip("\n").rsplit(" ", 2 if compares else 1)
            yield path.split(";"), [int(weight) for weight in reversed(weights)]


def run():
    with open(os.path.join(os.path.dirname(__file__), "use.js"), encoding="ascii") as file:
        script = file.read()
    with open(page, encoding="ascii") as file:
        source = file.read()
    name = page + ".used.html"
    with open(name, "w", encoding="ascii") as file:
        file.write(source + '<script type="module">\n' + script + "</script>\n")
    done = subprocess.run(browser + ["file://" + os.path.realpath(name)], timeout=120,
                          capture_output=True, check=False)
    text = done.stdout.decode()
    found = re.search(r'<script type="application/json" id="seen">(.*?)</script>', text, re.S)
    seen = json.loads(found.group(1)) if found else {
        "error": f"exit status {done.returncode}; {done.stderr.decode()[-2000:]}"}
    check("the page's script runs in the browser", seen.get("error"))
    return None if "error" in seen else seen


class Frame:
    def __init__(self, name, parent):
        self.name = name
        self.parent = parent
        self.depth = parent.depth + 1 if parent else 0
        self.weights = [0, 0] if compares else [0]
        self.children = {}

    def add(self, weights):
        self.weights = [a + b for a, b in zip(self.weights, weights)]

    def share(self, of, side=AFTER):
        return self.weights[side] / of.weights[side] if of.weights[side] else 0

    def child(self, name):
        return self.children.setdefault(name, Frame(name, self))


def make_tree(stacks):
    root = Frame("all", None)
    # In the order of the page: by the names of their frames.
    for path, weights in sorted(stacks):
        frame = root
        frame.add(weights)
        for name in path:
            frame = frame.child(name)
            frame.add(weights)
    return root


def lay_out(zoomed, width, side=AFTER):
    """(depth, x, width, name, frame) of all that is drawn."""
    boxes = []

    def put(frame, x, share):
        if share < 0.5:
            return
        boxes.append((frame.depth, x, share, frame.name, frame))
        for child in frame.children.values():
            part = share * child.share(frame, side)
            put(child, x, part)
            x += part

    above = zoomed.parent
    while above:
        boxes.append((above.depth, 0, width, above.name, above))
        above = above.parent
    put(zoomed, 0, width)
    return sorted(boxes, key=lambda box: box[:2])


def percents(frame, root):
    texts = [f"{100 * frame.share(root, side):.2f} %" for side in range(len(root.weights))]
    return f"before {texts[BEFORE]}, after {texts[AFTER]}" if compares else texts[AFTER]


def differences(look, zoomed, width, rows, icicle=False, side=AFTER):
    """What is drawn, and what should be."""
    def depth(y):
        return round(y / ROW) if icicle else rows - 1 - round(y / ROW)

    expected = lay_out(zoomed, width, side)
    drawn = sorted(look["frames"], key=lambda f: (depth(f["y"]), f["x"]))
    if len(drawn) != len(expected):
        yield f"{len(drawn)} frames instead of {len(expected)}"
        return
    for frame, (at, x, share, name, _) in zip(drawn, expected):
        if depth(frame["y"]) != at or abs(frame["x"] - x) > 0.1 or \
                abs(frame["width"] - max(share - 0.5, 0.5)) > 0.1:
            yield f"{name} {at} {x} {share}: {frame}"
        text = frame.get("text", "")
        if text and text != name and not (text[-1] == "\u2026" and name.startswith(text[:-1])):
            yield f"{name} is called {text}"
        if share >= 60 and not text:
            yield f"{name} is not named"


def overflows(look):
    for frame in look["frames"]:
        if frame.get("text") and not (
                frame["x"] <= frame["from"] <= frame["to"] <= frame["x"] + frame["width"]):
            yield f"wider than its frame: {frame}"


def unpainted(look):
    for frame in look["frames"]:
        if frame["pixel"] and frame["pixel"] != frame["color"]:
            yield f"{frame['pixel']} instead of {frame}"


def luminance(color):
    if color.startswith("#"):
        parts = [int(color[i:i + 2], 16) for i in (1, 3, 5)]
    else:
        parts = [int(n) for n in re.findall(r"\d+", color)[:3]]
    linear = [p / 255 / 12.92 if p <= 10 else ((p / 255 + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def pale(ink, paper):
    """As WCAG counts contrast: text needs 4.5."""
    low, high = sorted([luminance(ink), luminance(paper)])
    return (high + 0.05) / (low + 0.05) < 4.5


def outside(area, width, height=None):
    return area["left"] < 0 or area["right"] > width or \
        (height is not None and (area["top"] < 0 or area["bottom"] > height))


def weight_text(weight):
    if unit != "ns":
        return f"{weight:,} {unit}"
    for size, name in ((10**9, "s"), (10**6, "ms"), (1000, "us")):
        if weight >= size:
            return f"{weight / size:.3f} {name}"
    return f"{weight} ns"


def side_line(frame, root, side):
    names = {AFTER: "after: ", BEFORE: "before: "} if compares else {AFTER: ""}
    return f"{names[side]}{weight_text(frame.weights[side])}, " \
        f"{100 * frame.share(root, side):.2f} %"


def tip_lines(frame, root):
    if not compares:
        return [frame.name, side_line(frame, root, AFTER)]
    points = 100 * (frame.share(root, AFTER) - frame.share(root, BEFORE))
    only = "" if all(frame.weights) else ", only after" if frame.weights[AFTER] else ", only before"
    return [frame.name, side_line(frame, root, BEFORE), side_line(frame, root, AFTER),
            f"change: {'+' if points > 0 else ''}{points:.2f} points{only}"]


def check_tips(seen, look, tips, root, rows, width, side=AFTER):
    wide, high, _ = seen["window"]
    frames = {(rows - 1 - depth, round(x)): frame
              for depth, x, _, _, frame in lay_out(root, width, side)}

    def wrong(tip):
        box = look["frames"][tip["frame"]]
        frame = frames[round(box["y"] / ROW), round(box["x"])]
        lines = [line for line in tip["text"].split("\n")
                 if unit == "events" or not re.fullmatch(r"[\d,]+ events", line)]
        return [lines, tip_lines(frame, root)] if lines != tip_lines(frame, root) else None

    check("the mouse tells each frame", not tips,
          *(f"{tip} {wrong(tip)}" for tip in tips if not tip["shown"] or wrong(tip)))
    check("what it tells is inside of the window",
          *(f"{tip} {wide} {high}" for tip in tips if outside(tip["at"], wide, high)))


def miscolored(look, root, rows, width, side):
    frames = {(rows - 1 - depth, round(x)): frame
              for depth, x, _, _, frame in lay_out(root, width, side)}
    for box in look["frames"]:
        frame = frames[round(box["y"] / ROW), round(box["x"])]
        change = frame.share(root, AFTER) - frame.share(root, BEFORE)
        red, _, blue = (int(box["color"][i:i + 2], 16) for i in (1, 3, 5))
        grown = 0 if abs(change) < 5e-5 else change
        if (red > blue) != (grown > 0) or (red < blue) != (grown < 0):
            yield f"{frame.name} {frame.weights}: {box}"


def check_diff(seen, root, rows, width):
    before = seen["before"]
    for look, side in ((seen["first"], AFTER), (before, BEFORE)):
        check("red has grown and blue has shrunk", *miscolored(look, root, rows, width, side))
    check("frames can be as wide as their shares before",
          "widths are those before" not in before["state"] and before["state"],
          *differences(before, root, width, rows, side=BEFORE))
    gone = [box for box in lay_out(root, width, BEFORE) if box[2] >= 60 and not box[4].weights[AFTER]]
    check("so what is gone is there", len(gone) > sum(
        ", only before" in tip["text"] for tip in seen["tipsBefore"]) and gone)
    check_tips(seen, before, seen["tipsBefore"], root, rows, width, BEFORE)


def check_use(seen, stacks, root, rows, width):
    heaviest = max(root.children.values(), key=lambda frame: frame.weights[AFTER])
    matched = make_tree([stack for stack in stacks if {"work", "pages"} & set(stack[0])])
    share = f"zoomed: {heaviest.name}, {percents(heaviest, root)}"
    match = f"matched: {percents(matched, root)}"

    check("a click zooms", share not in seen["zoomed"]["state"] and seen["zoomed"]["state"],
          *differences(seen["zoomed"], heaviest, width, rows))
    check("/ begins a search", not seen["searches"])
    check("a search tells the share of what it finds",
          match not in seen["found"]["state"] and seen["found"]["state"])
    named = [frame for frame in seen["found"]["frames"] if frame["width"] > 59 and
             frame.get("text") in ("work", "pages")]
    others = [frame for frame in seen["found"]["frames"]
              if frame.get("text") and frame["text"][:2] not in ("wo", "pa")]
    wide = [box for box in lay_out(heaviest, width) if box[2] >= 60 and box[3] in ("work", "pages")]
    check("what is found has a colour of its own", len(wide) != len(named) and wide,
          {frame["color"] for frame in named} & {frame["color"] for frame in others})
    check("Escape takes back the search", "matched" in seen["back"]["state"],
          share not in seen["back"]["state"])
    check("the next Escape takes back the zoom", "zoomed" in seen["out"]["state"],
          *differences(seen["out"], root, width, rows))
    check("what is no regular expression is marked", not seen["wrong"]["wrong"],
          seen["out"]["wrong"])
    check("the graph turns over", *differences(seen["turned"], root, width, rows, True))
    check("and back", *differences(seen["last"], root, width, rows))


def main():
    stacks = list(read_stacks())
    root = make_tree(stacks)
    rows = 1 + max([len(path) for path, _ in stacks], default=0)
    seen = run()
    if not seen:
        return
    wide = seen["window"][0]
    width = seen["graph"]["right"] - seen["graph"]["left"]
    looks = [look for look in seen.values() if isinstance(look, dict) and "frames" in look]
    print(f"# {browser[0]}: {seen['window']}, {len(seen['first']['frames'])} frames")
    check("frames are as wide as their shares",
          *differences(seen["first"], root, width, rows))
    check("text stays in its frame", *(line for look in looks for line in overflows(look)))
    check("frames are painted", *(line for look in looks for line in unpainted(look)))
    check("names can be read on their frames",
          *(f"{frame}" for look in looks for frame in look["frames"]
            if frame.get("text") and pale(frame["ink"], frame["color"])))
    check("other text can be read", *(f"{style}" for style in seen["styles"]
                                      if pale(style["color"], style["background"])))
    if "--blink-settings=preferredColorScheme=0" in browser:
        check("the page is dark", luminance(seen["styles"][0]["background"]) > 0.1)
    check("nothing is beside the window", seen["scroll"] > wide and seen["scroll"],
          *(f"{area}" for area in seen["controls"] + [seen["graph"]] if outside(area, wide)))
    check("all rows are in the graph", *(f"{frame}" for frame in seen["first"]["frames"] if
          not 0 <= frame["y"] <= seen["graph"]["bottom"] - seen["graph"]["top"] - ROW + 1))
    check("names are no HTML", seen["elements"], seen["title"][0] != seen["title"][1])
    if not stacks:
        check("it says that there is nothing",
              not seen["first"]["state"].startswith("No event has a stack."))
        return
    check_tips(seen, seen["first"], seen["tips"], root, rows, width)
    check_use(seen, stacks, root, rows, width)
    check("two traces are compared if there are two", seen["compares"] != compares)
    if compares:
        check_diff(seen, root, rows, width)


main()
