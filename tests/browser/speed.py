# SPDX-License-Identifier: GPL-2.0-only OR MIT
#
# speed.py PAGE... - how fast pages of ktrace export --to html are in Chromium: their size, the time until the first
# picture and until all is there, frames per second while they are zoomed into and out of, and memory.
# What the page's own thread needs of a CPU for that is told, too: it depends less on what else the machine does.
# No test: it depends on the machine.
import os
import sys
import tempfile

from chromium import Browser

WATCH = """
window.seen = {};
new MutationObserver(() => {
    const {state} = document.documentElement.dataset;

    if (state && !(state in window.seen)) {
        window.seen[state] = NaN;
        requestAnimationFrame(() => requestAnimationFrame(() => { window.seen[state] = performance.now(); }));
    }
}).observe(document, {attributes: true, subtree: true, attributeFilter: ['data-state']});
"""

# Each frame asks for the next one, so that there are as many as can be drawn.
ZOOM = """
new Promise(done => {
    const scroll = document.getElementById('scroll'), area = scroll.getBoundingClientRect(), times = [];
    const step = now => {
        times.push(now);
        if (times.length > FRAMES) {
            times.shift();
            const each = times.slice(1).map((time, i) => time - times[i]).sort((a, b) => a - b);

            done({rate: 1000 * each.length / (times[times.length - 1] - times[0]), worst: each[Math.floor(each.length * 0.95)]});
            return;
        }
        scroll.dispatchEvent(new WheelEvent('wheel', {ctrlKey: true, deltaY: times.length <= FRAMES / 2 ? -40 : 40,
            clientX: area.left + 700, clientY: area.top + 100, bubbles: true, cancelable: true}));
        requestAnimationFrame(step);
    };

    requestAnimationFrame(step);
})
"""
FRAMES = 160


def main():
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(profile, 1600, 900)
        browser.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        browser.call("Performance.enable", timeDomain="threadTicks")

        def used():
            return {m["name"]: m["value"] for m in browser.call("Performance.getMetrics")["metrics"]}["TaskDuration"]
        for page in sys.argv[1:]:
            browser.open("file://" + os.path.realpath(page))
            # A new page counts from 0.
            browser.wait("document.documentElement?.dataset.state === 'ready' && window.seen?.ready > 0")
            seen = browser.value("window.seen")
            loaded = used()
            zooms = [browser.value(ZOOM.replace('FRAMES', str(FRAMES))) for _ in range(3)]
            frame = (used() - loaded) / (3 * FRAMES)
            heap = browser.call("Runtime.getHeapUsage")
            print(f"{page}: {os.path.getsize(page) / 1e6:.2f} MB, first picture {seen['drawn'] / 1e3:.2f} s, all {seen['ready'] / 1e3:.2f} s "
                  f"(CPU {loaded:.2f} s), frames/s {', '.join(f'''{zoom['rate']:.0f}''' for zoom in zooms)} "
                  f"(95 %: {zooms[-1]['worst']:.0f} ms, CPU {frame * 1e3:.1f} ms each), "
                  f"heap {(heap['usedSize'] + heap.get('backingStorageSize', 0)) / 1e6:.0f} MB", flush=True)
        browser.close()


main()
