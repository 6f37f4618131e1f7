/* ---- the page ------------------------------------------------------------------------------- */

const SHORTEST = 50; /* ns: no part that is shown is shorter */
const LABELS_KEPT = 20000; /* texts of slices */

class App {
	constructor(model) {
		this.model = model;
		this.fields = this.callers = null;
		this.selection = this.range = this.pointer = null;
		this.sliceLabels = new Map();
		this.view = {from: 0, until: model.span};
		this.scroll = element('scroll');
		this.box = element('search');
		this.theme = new Theme();
		this.lanes = new Lanes(model);
		this.search = new Search(this);
		this.top = new Top(this);
		this.panel = new Panel(this);
		this.canvas = element('lanes');
		this.showAll();
		this.readAddress();
		/* Only what people do changes the address. */
		clearTimeout(this.writes);
		this.draw();
		this.listen();
	}

	listen() {
		new LanesPointer(this);
		new TopPointer(this);
		listenKeys(this);
		new ResizeObserver(() => this.redraw()).observe(this.scroll);
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.retheme(false));
		window.addEventListener('beforeprint', () => this.retheme(true));
		window.addEventListener('afterprint', () => this.retheme(false));
		window.addEventListener('hashchange', () => this.readAddress());
		this.box.addEventListener('input', () => {
			clearTimeout(this.searches);
			this.searches = setTimeout(() => this.find(), 150);
		});
		element('previous').addEventListener('click', () => this.goHit(-1));
		element('next').addEventListener('click', () => this.goHit(1));
		element('whole').addEventListener('click', () => this.showAll());
		element('keys').addEventListener('click', () => this.help(true));
		element('help').addEventListener('click', () => this.help(false));
	}

	/* ---- drawing ---- */

	redraw() {
		this.frame ??= requestAnimationFrame(() => this.draw());
	}

	draw() {
		if (this.frame !== undefined)
			cancelAnimationFrame(this.frame);
		this.frame = undefined;
		const width = this.scroll.clientWidth, height = Math.max(80, this.scroll.clientHeight);

		element('pad').style.height = this.lanes.height + 'px';
		this.width = Math.max(50, width - LABELS);
		const context = prepareCanvas(this.canvas, width, height);
		const painter = new Painter(this, context, width, this.view), top = this.scroll.scrollTop;

		painter.all(top, height);
		const marks = new Marks(painter, top);

		if (this.range)
			marks.measured(this.range, height);
		if (this.moment !== undefined)
			painter.box(this.moment, this.moment, 0, height, this.theme.accent);
		if (this.panel.path) {
			context.save();
			context.beginPath();
			context.rect(LABELS, 0, painter.width, height);
			context.clip();
			this.panel.path.draw(painter, marks);
			context.restore();
		}
		if (this.selection) {
			marks.arrows(this.selection);
			marks.frame(this.selection);
		}
		if (this.pointer > LABELS)
			painter.rectangle(this.pointer, 0, 1, height, this.theme.line);
		this.top.draw(width, this.view);
	}

	retheme(print) {
		document.documentElement.classList.toggle('print', print);
		this.theme = new Theme();
		this.draw();
		this.panel.flame?.draw();
	}

	sliceLabel(id, width) {
		if (width < 60 || !this.fields)
			return this.model.shapes[this.model.slices.shape[id]].name;
		if (this.sliceLabels.size > LABELS_KEPT)
			this.sliceLabels.clear();
		if (!this.sliceLabels.has(id))
			this.sliceLabels.set(id, sliceText(this.model, this.fields, id));
		return this.sliceLabels.get(id);
	}

	/* ---- what is shown ---- */

	get pixel() {
		return (this.view.until - this.view.from) / this.width;
	}

	timeAt(x) {
		return this.view.from + (x - LABELS) * this.pixel;
	}

	setView(from, until) {
		if (!Number.isFinite(from) || !Number.isFinite(until))
			return;
		const {whole} = this.model, margin = whole * 0.02;
		const length = Math.min(whole + 2 * margin, Math.max(SHORTEST, until - from));
		const begin = Math.max(-margin, Math.min(whole + margin - length, from));

		this.view = {from: begin, until: begin + length};
		this.redraw();
		clearTimeout(this.writes);
		this.writes = setTimeout(() => this.writeAddress(), 300);
	}

	showAll() {
		this.setView(-this.model.whole * 0.005, this.model.whole * 1.005);
	}

	/* x stays where it is. */
	zoom(factor, x = this.pointer ?? LABELS + this.width / 2) {
		const time = this.timeAt(Math.max(LABELS, x)), length = this.view.until - this.view.from;
		const most = this.model.whole * 1.04, by = Math.max(SHORTEST / length, Math.min(most / length, factor));

		this.setView(time - (time - this.view.from) * by, time + (this.view.until - time) * by);
	}

	/* By a part of what is shown. */
	move(by) {
		const length = this.view.until - this.view.from;

		this.setView(this.view.from + by * length, this.view.until + by * length);
	}

	center(time) {
		const half = (this.view.until - this.view.from) / 2;

		this.setView(time - half, time + half);
	}

	/* A click on the map. */
	goTo(time) {
		this.center(time);
		if (this.model.head.leftOut && time > this.model.span) {
			this.clear();
			showLeftOut(this.panel, time);
		}
	}

	scrollBy(part) {
		this.scroll.scrollTop += part * this.scroll.clientHeight;
	}

	fold(key) {
		this.lanes.fold(key);
		this.redraw();
	}

	foldSelected() {
		const key = this.selection && this.lanes.keyOf(this.selection);

		if (this.lanes.list.some(lane => lane.kind === 'head' && lane.key === key))
			this.fold(key);
	}

	/* "#t=1.5,2" or "#t=1.5", in seconds: around a moment there is a hundredth of the trace. */
	readAddress() {
		const found = /[#&]t=(-?\d+(?:\.\d+)?)(?:,(\d+(?:\.\d+)?))?(?:&|$)/.exec(location.hash);

		if (!found || location.hash === this.written)
			return;
		const nanoseconds = text => {
			const [whole, fraction = ''] = text.split('.');

			/* Infinite, if there are too many digits. */
		return (whole.startsWith('-') ? -1 : 1) * (Math.abs(Number(whole)) * 1e9 + Number(fraction.slice(0, 9).padEnd(9, '0')));
		};
		const from = nanoseconds(found[1]);

		if (!Number.isFinite(from))
			return;
		this.moment = found[2] === undefined ? from : undefined;
		if (found[2] === undefined)
			this.setView(from - this.model.whole / 200, from + this.model.whole / 200);
		else if (nanoseconds(found[2]) > from)
			this.setView(from, nanoseconds(found[2]));
	}

	/* A page in a frame may not be allowed to. */
	writeAddress() {
		const seconds = ns => (Math.round(ns) / 1e9).toFixed(9);

		this.written = '#t=' + seconds(this.view.from) + ',' + seconds(this.view.until);
		try {
			history.replaceState(null, '', this.written);
		} catch (error) {
			this.written = undefined;
		}
	}

	/* ---- what is selected ---- */

	select(selection) {
		this.selection = selection;
		this.range = null;
		if (selection)
			this.panel.selection(selection);
		else
			this.panel.hide();
		this.redraw();
	}

	clear() {
		this.moment = this.anchor = undefined;
		this.select(null);
	}

	/* Where it is drawn, or null. */
	place(selection) {
		const lane = this.laneOf(selection);
		const part = lane?.parts.find(p => selection.kind === 'slice' ? p.row === selection.row :
			selection.kind === 'tick' ? p.kind === 'ticks' && p.track === selection.track :
			selection.kind === 'counter' ? p.counter === selection.counter : p.kind === (selection.cpu ? 'run' : 'states'));

		return part ? {y: lane.y + part.y, height: part.height - 1} : null;
	}

	laneOf(selection) {
		if (selection.kind === 'counter' && !selection.cpu)
			return this.lanes.list.find(lane => lane.counter === selection.counter);
		if (selection.cpu)
			return this.lanes.list.find(lane => lane.cpu === selection.cpu);
		return selection.track ? this.lanes.ofTrack.get(selection.track) : this.lanes.ofThread.get(selection.thread);
	}

	/* Shows it; @tight: as large as possible. */
	reveal(selection, tight) {
		const length = selection.end - selection.begin, {from, until} = this.view;

		this.lanes.reach(selection);
		if (tight) {
			const margin = Math.max(length * 0.2, 200);

			this.setView(selection.begin - margin, selection.end + margin);
		} else if (selection.begin < from || selection.end > until) {
			const half = Math.max(until - from, length * 1.3) / 2, middle = (selection.begin + selection.end) / 2;

			this.setView(middle - half, middle + half);
		}
		this.draw();
		const place = this.place(selection), {scrollTop, clientHeight} = this.scroll;

		if (place && (place.y < scrollTop || place.y + place.height > scrollTop + clientHeight))
			this.scroll.scrollTop = place.y - clientHeight / 3;
	}

	go(selection) {
		if (!selection)
			return;
		this.select(selection);
		this.reveal(selection, false);
	}

	goBeside(by) {
		this.go(Select.beside(this.model, this.selection, by));
	}

	goNested(by) {
		const to = this.selection && Select.nested(this.model, this.selection, by);

		if (to)
			this.go(to);
		else if (!this.selection)
			this.scroll.scrollTop += by * 60;
	}

	/* To what the waker did. */
	goWake(wake) {
		this.go(Select.tickOf(this.model, -1 - wake));
	}

	/* To the thread that was woken, when it runs; else when it is ready to. */
	goWoken(wake) {
		const {wakes, threads} = this.model, thread = threads[wakes.thread[wake]], row = thread.states;
		const time = wakes.runs[wake] >= 0 ? wakes.runs[wake] : wakes.time[wake];

		if (row.nr)
			this.go(Select.state(thread, Math.min(row.nr - 1, lowerBound(row.begin, time))));
	}

	goWaker() {
		const list = this.selection ? wakersOf(this, this.selection) : [];

		if (list.length && !(this.selection.kind === 'tick'))
			this.goWake(list[0]);
	}

	goFirstWoken() {
		const {selection} = this;
		const wake = !selection ? undefined : selection.kind === 'tick' && selection.id < 0 ? -1 - selection.id : wokenBy(this, selection)[0];

		if (wake !== undefined)
			this.goWoken(wake);
	}

	/* ---- measuring ---- */

	/* @lane: on which; null: on none. */
	measure(from, until, done, lane = null) {
		this.range = {from: Math.min(from, until), until: Math.max(from, until), done, lane};
		if (done) {
			this.selection = null;
			showRange(this.panel, this.range);
		}
		this.redraw();
	}

	measureSelection() {
		const {selection, anchor} = this;

		if (!selection)
			return;
		this.anchor = anchor === undefined || anchor === selection.begin ? selection.begin : undefined;
		if (this.anchor === undefined)
			this.measure(anchor, selection.begin, true, this.laneOf(selection));
		else
			this.measure(selection.begin, selection.end, true, this.laneOf(selection));
	}

	/* What was begun to be measured is not. */
	cancelMeasure() {
		if (this.range && !this.range.done)
			this.range = null;
		this.redraw();
	}

	/* To a begin or an end that is near, in the row at y. */
	snap(time, y) {
		const lane = this.lanes.at(y), reach = 6 * this.pixel;
		const part = lane?.parts.find(p => y >= lane.y + p.y && y < lane.y + p.y + p.height);
		const row = part?.row ?? part?.counter?.row ?? part?.thread?.states ?? part?.cpu?.run;
		let best = time;

		for (const array of row ? [row.begin, row.end] : part?.track ? [part.track.ticks.times] : []) {
			const i = lowerBound(array, time);

			for (const k of [i - 1, i])
				if (k >= 0 && k < array.length && Math.abs(array[k] - time) < Math.min(reach, best === time ? Infinity : Math.abs(best - time)))
					best = array[k];
		}
		return best;
	}

	/* ---- the mouse ---- */

	point(x) {
		this.pointer = x;
		this.redraw();
	}

	hover(at) {
		const found = at && pick(this, this.timeAt(at.x), at.y, this.pixel);

		this.point(at ? at.x : null);
		this.showTip(found ? tipOf(this, found) : '', at);
	}

	/* Beside the mouse, but inside of the window.  at: where that is; '': none. */
	showTip(text, at) {
		const tip = element('tip');

		tip.hidden = !text;
		if (!text)
			return;
		tip.textContent = text;
		tip.style.left = tip.style.top = '0';
		const area = tip.getBoundingClientRect(), below = at.clientY + 18 + area.height < innerHeight;

		tip.style.left = Math.max(0, Math.min(at.clientX + 14, innerWidth - area.width - 8)) + 'px';
		tip.style.top = (below ? at.clientY + 18 : Math.max(0, at.clientY - area.height - 10)) + 'px';
	}

	/* ---- search ---- */

	find() {
		this.search.run(this.box.value);
		this.showHits();
		this.redraw();
	}

	showHits() {
		element('hits').textContent = this.search.text;
	}

	goHit(by) {
		clearTimeout(this.searches);
		if (this.box.value !== this.searched) {
			this.searched = this.box.value;
			this.find();
		}
		const hit = this.search.go(by), {model} = this;

		this.showHits();
		if (hit?.slice !== undefined)
			this.go(Select.slice(model, hit.slice));
		else if (hit?.tick !== undefined)
			this.go(Select.tickOf(model, hit.tick));
		else if (hit)
			this.go(this.firstOf(hit.thread));
	}

	/* What there is of a thread; null: nothing. */
	firstOf(thread) {
		if (thread.states.nr)
			return Select.state(thread, 0);
		for (const track of thread.tracks) {
			if (track.rows.length)
				return Select.sliceIn(track, track.rows[0], 0);
			if (track.ticks.times.length)
				return Select.tick(track, 0);
		}
		return null;
	}

	help(shown) {
		element('help').hidden = !shown;
	}

	/* Takes back the last thing that is there. */
	escape() {
		if (!element('help').hidden) {
			this.help(false);
		} else if (this.panel.flame?.escape()) {
			/* It had been zoomed, or searched. */
		} else if (this.selection || this.range || this.moment !== undefined) {
			this.clear();
		} else if (this.box.value) {
			this.box.value = this.searched = '';
			this.find();
		}
	}

	/* null: there was no number. */
	addCounter(counter) {
		const {list} = this.model.counters, known = counter && list.find(({key}) => key === counter.key);

		if (!counter)
			return;
		if (!known)
			addCounterTo(list, counter);
		this.lanes.folded.delete('counters');
		this.lanes.layOut();
		this.reveal(Select.counter(known ?? counter, 0), false);
	}

	/* Arguments and stacks are there now. */
	addFields(fields, callers) {
		this.fields = fields;
		this.callers = callers;
		markFailed(this.model, fields);
		this.model.counters = new Numbers(this).all();
		this.lanes.showCounters();
		/* Somebody was faster: arguments were not searched. */
		if (this.box.value)
			this.find();
		if (this.selection)
			this.panel.selection(this.selection);
		else if (this.range?.done)
			showRange(this.panel, this.range);
		this.redraw();
	}
}

/* For --from, which has seconds of this clock: the first event of the page may not be that of the trace. */
function monotonic(head, ns) {
	const time = BigInt(head.begin) + BigInt(ns), second = 1000000000n;

	return time / second + '.' + String(time % second).padStart(9, '0');
}

function describe(model) {
	const {head} = model, lost = model.losses.count.reduce((a, b) => a + b, 0) + head.leftOutLost;
	const title = clean(head.command) || 'whole machine', warnings = [];

	document.title = title + ' \u2013 ktrace';
	element('title').textContent = element('title').title = title;
	element('about').textContent = [clean(head.host), head.kernel ? 'Linux ' + clean(head.kernel) : '',
		head.events ? plural(head.events, 'event', 'events') + ' in ' + shortTime(model.whole) : 'no events',
		plural(model.cpus.length, 'CPU', 'CPUs'), head.events ? clockTime(head.clocks, 0) : ''].filter(text => text).join(' \u00b7 ');
	element('about').title = element('about').textContent;
	if (lost)
		warnings.push(plural(lost, 'event', 'events') + ' lost');
	if (head.leftOut)
		warnings.push(plural(head.leftOut, 'event is', 'events are') + ' left out: those after ' + exactTime(model.span) +
			'. Export them with --from ' + monotonic(head, model.span));
	element('warning').textContent = warnings.join(' \u00b7 ');
	element('warning').hidden = !warnings.length;
}

async function start() {
	const [head, names, tape] = await Promise.all([readJson('head'), readJson('names'), readPart('tape')]);
	const model = makeModel(head, names, tape);

	describe(model);
	const app = new App(model);

	document.documentElement.dataset.state = 'drawn';
	/* So that it is seen before the rest is read. */
	await new Promise(resolve => setTimeout(resolve));
	const [bytes, stacks, list] = await Promise.all([readPart('fields'), readPart('stacks'), readJson('texts')]), texts = list.map(clean);

	app.addFields(new Fields(model.shapes, bytes, texts), new Callers(model, stacks, texts));
	document.documentElement.dataset.state = 'ready';
}

start().catch(error => {
	element('about').textContent = 'This trace cannot be shown: ' + error.message;
	document.documentElement.dataset.state = 'failed';
	console.error(error);
});
