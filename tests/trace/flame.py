# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# flame.py PAGE FOLDED - the page is one HTML file that needs no other, names of strangers are
# no HTML in it, and its stacks are those of FOLDED
import collections
import html.parser
import json
import sys


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = collections.Counter()
        self.scripts = []
        self.data = []
        self.open = []

    def handle_starttag(self, tag, attributes):
        self.tags[tag] += 1
        for name, value in attributes:
            assert name not in ("src", "href", "action"), f"{tag} {name}"
            assert not name.startswith("on"), f"{tag} {name}"
        if tag not in ("meta", "input"):
            self.open.append(tag)
        if tag == "script":
            # Names of a script that is no module can be names of the browser, too.
            assert ("type", "application/json") in attributes or ("type", "module") in attributes
            (self.data if ("type", "application/json") in attributes
             else self.scripts).append("")
            self.into = self.data if ("type", "application/json") in attributes else self.scripts

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, f"</{tag}>"

    def handle_data(self, text):
        if self.open and self.open[-1] == "script":
            self.into[-1] += text


with open(sys.argv[1], "rb") as file:
    source = file.read()
for byte in source:
    assert byte == 10 or byte == 9 or 32 <= byte < 127, f"byte {byte:#x}"
page = Page()
page.feed(source.decode("ascii"))
page.close()
assert not page.open, page.open
assert len(page.data) == 1 and len(page.scripts) == 1
expected = {"html", "head", "meta", "title", "style", "body", "header", "h1", "input", "button",
            "div", "canvas", "noscript", "script"}
assert set(page.tags) == expected, set(page.tags) ^ expected
assert b"http:" not in source and b"https:" not in source and b"@import" not in source
assert "default-src 'none'" in source.decode("ascii")

data = json.loads(page.data[0])
path, ours = [], []
for shared, weight, events, *frames in data["stacks"]:
    weights = [weight]
    if "before" in data:
        before, events_before, *frames = frames
        weights = [before, weight]
        events += events_before
    assert shared <= len(path)
    assert events > 0
    path = path[:shared] + [data["names"][frame] for frame in frames]
    ours.append(" ".join([";".join(path), *map(str, weights)]))
with open(sys.argv[2], encoding="ascii") as file:
    theirs = file.read().splitlines()
assert sorted(ours) == sorted(theirs), (ours, theirs)
