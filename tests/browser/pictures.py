# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# pictures.py DIRECTORY chromium - makes the pictures of doc/viewing.md: DIRECTORY has work.html and work.chrome, of a
# recording in which threads of python3 wait for each other (tests/browser/pictures makes it).  The pictures go there.
import struct
import zlib

from time_line import Browser, Page, Recorded, around, directory, driver, exact

WIDTH, HEIGHT = 1100, 560
COLORS = 256


def unfiltered(data, width, height):
    """The pixels of a PNG, three bytes each: it is one of Chromium, without an alpha channel or with."""
    at, packed, size = 8, b"", 0
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            assert body[8] == 8 and body[9] in (2, 6) and struct.unpack(">II", body[:8]) == (width, height)
            size = 3 if body[9] == 2 else 4
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    raw, rows, before = zlib.decompress(packed), [], bytes(width * size)
    for y in range(height):
        begin = y * (width * size + 1)
        row, filtered = bytearray(raw[begin + 1:begin + 1 + width * size]), raw[begin]
        for i in range(len(row)):
            left = row[i - size] if i >= size else 0
            up, corner = before[i], before[i - size] if i >= size else 0
            if filtered == 4:
                near = min((abs(up - corner), 0, left), (abs(left - corner), 1, up), (abs(left + up - 2 * corner), 2, corner))[2]
            else:
                near = (0, left, up, (left + up) // 2)[filtered]
            row[i] = (row[i] + near) & 255
        rows.append(bytes(row))
        before = row
    return [[row[i:i + 3] for i in range(0, len(row), size)] for row in rows]


def small(data):
    """The same picture with at most 256 colours: others become the most like them of those that are there most."""
    rows, count = unfiltered(data, WIDTH, HEIGHT), {}
    for row in rows:
        for color in row:
            count[color] = count.get(color, 0) + 1
    palette = sorted(count, key=lambda color: -count[color])[:COLORS]
    index = {color: i for i, color in enumerate(palette)}
    for color in count:
        if color not in index:
            index[color] = min(range(len(palette)), key=lambda i: sum((a - b) ** 2 for a, b in zip(color, palette[i])))

    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    lines = b"".join(b"\0" + bytes(index[color] for color in row) for row in rows)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0)) + \
        chunk(b"PLTE", b"".join(palette)) + chunk(b"IDAT", zlib.compress(lines, 9)) + chunk(b"IEND", b"")


def take(browser, name):
    browser.settle()
    data = small(browser.picture())
    with open(f"{directory}/{name}.png", "wb") as file:
        file.write(data)
    print(f"{name}.png: {len(data)} bytes")


def select_wait(browser):
    """The longest futex() of python3, and who ended it."""
    recorded = Recorded("work")
    waits = [s for s in recorded.slices if s.name == "futex" and recorded.names.get((s.pid, s.tid), "").startswith("python3")]
    want = max(waits, key=lambda s: s.end - s.begin)
    moment, view = around(want.begin, want.end)
    page = Page(browser, "work", moment)
    x = page.x(want.begin + (want.end - want.begin) // 4, view)
    y = page.find(x, "futex", exact(want.begin))
    browser.click(x, y)
    # The lanes that matter, not those of CPUs alone.
    browser.value(f"void document.getElementById('scroll').scrollBy(0, {int(y - page.top - 150)})")
    browser.mouse("mouseMoved", 5, HEIGHT - 5)


def main():
    browser = Browser(f"{directory}/profile-{driver}", WIDTH, HEIGHT)
    try:
        browser.dark(False)
        page = Page(browser, "work")
        take(browser, "time-line")
        select_wait(browser)
        take(browser, "time-line-wait")
        browser.dark(True)
        take(browser, "time-line-dark")
        browser.dark(False)
        page = Page(browser, "work")
        browser.key("0")
        top = browser.value("document.getElementById('top').getBoundingClientRect().top")
        browser.drag((211, top + 60), (210 + page.width - 2, top + 60))
        browser.key("t")
        take(browser, "time-line-stacks")
    finally:
        browser.close()


main()
