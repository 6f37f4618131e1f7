/* ---- drawing ------------------------------------------------------------------ */

const COLOR_NAMES = ['page', 'side', 'line', 'grid', 'text', 'dim', 'accent', 'select', 'band', 'cover', 'running', 'runnable',
	'blocked', 'sleeping', 'stopped', 'unknown', 'lost', 'tick', 'failed', 'density', 'ink', 'hit', 'path', 'counter'];
/* Of slices and of threads on CPUs; text on them has the colour "ink". */
const PALETTES = {
	light: ['#a5c1ea', '#93cfc3', '#b9d59a', '#e0cf84', '#ecbf93', '#ecb0b8', '#cbb8ea', '#b3c8d6', '#d4c3ae', '#a9d3df'],
	dark: ['#37598a', '#2a6a61', '#4c6d34', '#6f6122', '#815230', '#80434f', '#5c4b88', '#46596a', '#655540', '#2f6374'],
};
const FONT = '"DejaVu Sans", system-ui, sans-serif';

class Theme {
	constructor() {
		const style = getComputedStyle(document.documentElement);
		const dark = matchMedia('(prefers-color-scheme: dark)').matches &&
			!document.documentElement.classList.contains('print');

		for (const name of COLOR_NAMES)
			this[name] = style.getPropertyValue('--' + name).trim();
		this.palette = PALETTES[dark ? 'dark' : 'light'];
		this.states = [this.unknown, this.running, this.runnable, this.runnable, this.sleeping, this.blocked, this.stopped, this.unknown];
		this.hatches = new Map();
	}

	/* A pattern of slanted lines, which no state has. */
	hatch(context, color) {
		if (!this.hatches.has(color)) {
			const tile = document.createElement('canvas'), size = 6;

			tile.width = tile.height = size;
			const pen = tile.getContext('2d');

			pen.strokeStyle = color;
			pen.lineWidth = 1.3;
			for (const at of [-size, 0, size]) {
				pen.moveTo(at, size);
				pen.lineTo(at + size, 0);
			}
			pen.stroke();
			this.hatches.set(color, context.createPattern(tile, 'repeat'));
		}
		return this.hatches.get(color);
	}
}

/* The same name has the same colour, everywhere and always. */
const hues = new Map();
function hueOf(name, nr) {
	if (!hues.has(name)) {
		let hash = 0x811c9dc5;

		for (let i = 0; i < name.length; i++)
			hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193) >>> 0;
		hash = Math.imul(hash ^ hash >>> 15, 0x85ebca6b);
		hues.set(name, (hash ^ hash >>> 13) >>> 0);
	}
	return hues.get(name) % nr;
}

/* A canvas with as many pixels as the screen has. */
function prepareCanvas(canvas, width, height) {
	const ratio = window.devicePixelRatio || 1;
	const pixels = [Math.round(width * ratio), Math.round(height * ratio)];

	if (canvas.width !== pixels[0] || canvas.height !== pixels[1]) {
		[canvas.width, canvas.height] = pixels;
		canvas.style.width = width + 'px';
		canvas.style.height = height + 'px';
	}
	const context = canvas.getContext('2d');

	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.textBaseline = 'middle';
	return context;
}

class Painter {
	/* view: {from, until}: times */
	constructor(app, context, width, view) {
		this.app = app;
		this.model = app.model;
		this.theme = app.theme;
		this.context = context;
		this.width = width - LABELS;
		this.view = view;
		this.scale = this.width / (view.until - view.from);
		this.step = 1 / this.scale;
		this.fill = this.pending = null;
	}

	x(time) {
		return LABELS + (time - this.view.from) * this.scale;
	}

	/* A pixel of many: those that touch and look the same are filled at once, at the latest by flush(). */
	column(x, y, height, color, alpha = 1) {
		const last = this.pending, strength = Math.ceil(alpha * 8) / 8;

		if (last && last.color === color && last.alpha === strength && last.y === y && last.height === height &&
			Math.abs(last.x + last.width - x) < 0.1) {
			last.width = x + 1 - last.x;
			return;
		}
		this.flush();
		this.pending = {x, y, width: 1, height, color, alpha: strength};
	}

	flush() {
		const last = this.pending;

		if (!last)
			return;
		this.pending = null;
		this.context.globalAlpha = last.alpha;
		this.rectangle(last.x, last.y, last.width, last.height, last.color);
		this.context.globalAlpha = 1;
	}

	/* From one time to another, at least as wide as width; cut at the edges. */
	box(from, until, y, height, color, width = 1) {
		const left = Math.max(LABELS, this.x(from)), right = Math.min(LABELS + this.width, this.x(until));

		if (right < LABELS || left > LABELS + this.width)
			return;
		this.rectangle(left, y, Math.max(width, right - left), height, color);
	}

	rectangle(x, y, width, height, color) {
		if (this.fill !== color)
			this.context.fillStyle = this.fill = color;
		this.context.fillRect(x, y, width, height);
	}

	/*
	 * The intervals of a row that can be seen: wide() gets those that are wider than a pixel, one
	 * by one, and narrow() those of a pixel together: from and until of them, and the pixel's time.
	 */
	eachInterval(row, wide, narrow) {
		const {from, until} = this.view;

		for (let i = row.after(from); i < row.nr && row.begin[i] < until;) {
			if (row.end[i] - row.begin[i] >= this.step * 1.5) {
				wide(i++);
				continue;
			}
			const pixel = Math.floor((Math.max(row.begin[i], from) - from) * this.scale);
			const begin = from + pixel * this.step, end = begin + this.step;
			const next = Math.max(i + 1, lowerBound(row.begin, end, i));
			/* The last one may be a wide one that begins in this pixel. */
			const last = next > i + 1 && row.end[next - 1] - row.begin[next - 1] >= this.step * 1.5 ? next - 1 : next;

			narrow(i, last, begin, end);
			i = last;
		}
	}

	text(text, x, y, room, color) {
		const {context} = this, per = this.charWidth ??= context.measureText('mmmmnnnnaaiieeoo').width / 16;

		if (room < 3 * per)
			return;
		/* An estimate first: to measure takes long. */
		let cut = text.length > room / (per * 0.4) ? text.slice(0, Math.ceil(room / (per * 0.4))) : text;
		let wide = cut.length * per * 1.4 > room ? context.measureText(cut).width : 0;

		if (wide > room || cut.length < text.length) {
			for (let length = Math.min(cut.length, Math.floor(cut.length * room / Math.max(wide, 1))); ; length--) {
				if (length < 2)
					return;
				cut = text.slice(0, length) + '\u2026';
				wide = context.measureText(cut).width;
				if (wide <= room)
					break;
			}
		}
		this.context.fillStyle = this.fill = color;
		context.fillText(cut, x, y);
	}

	/* ---- parts ---- */

	run(part, y) {
		const {model, theme} = this, {cpu} = part, {states} = model;
		const threadOf = i => model.threads[states.thread[cpu.run.id[i]]];

		this.context.font = '11px ' + FONT;
		this.unknown(cpu.unknown, y, RUN - 1);
		this.eachInterval(cpu.run, i => {
			const thread = threadOf(i);

			if (!thread.tid)
				return;
			const left = Math.max(LABELS, this.x(cpu.run.begin[i])), right = Math.min(LABELS + this.width, this.x(cpu.run.end[i]));

			this.rectangle(left, y, Math.max(1, right - left - (right - left > 4 ? 0.5 : 0)), RUN - 1, this.threadColor(thread));
			if (right - left > 22)
				this.text(thread.label, left + 3, y + RUN / 2, right - left - 6, theme.ink);
		}, (from, until, begin, end) => {
			const busy = (cpu.busy[until] - cpu.busy[from]) / this.step;
			const thread = threadOf(cpu.run.longest(from, until));
			const height = Math.max(2, Math.round(Math.min(1, busy) * (RUN - 1)));

			if (busy > 0)
				this.column(this.x(begin), y + RUN - 1 - height, height, thread.tid ? this.threadColor(thread) : theme.tick);
		});
		this.losses(cpu.losses, y, RUN - 1);
	}

	threadColor(thread) {
		const {palette} = this.theme;

		return palette[hueOf(thread.label, palette.length)];
	}

	unknown(row, y, height) {
		const hatch = this.theme.hatch(this.context, this.theme.unknown);

		const boxes = [];
		/* To fill with a pattern takes long: what touches is filled at once. */
		const add = (begin, end) => {
			const last = boxes[boxes.length - 1];

			if (last && begin <= last[1] + this.step / 8)
				last[1] = end;
			else
				boxes.push([begin, end]);
		};

		this.eachInterval(row, i => add(row.begin[i], row.end[i]), (from, until, begin, end) => add(begin, end));
		for (const [begin, end] of boxes)
			this.box(begin, end, y, height, hatch);
	}

	/* However short: they must be seen. */
	losses(row, y, height) {
		const {theme} = this, hatch = theme.hatch(this.context, theme.lost);
		const draw = (begin, end) => {
			this.box(begin, end, y, height, hatch, 3);
			this.box(begin, end, y, 2, theme.lost, 3);
		};

		this.eachInterval(row, i => draw(row.begin[i], row.end[i]), (from, until, begin, end) => draw(begin, end));
	}

	states(part, y) {
		const {thread} = part, row = thread.states, {what} = this.model.states, {theme} = this;
		const hatch = theme.hatch(this.context, theme.unknown);
		const height = STATES - 1;

		this.eachInterval(row, () => this.flush(), (from, until, begin) => this.column(this.x(begin), y + 3, 3, theme.sleeping));
		this.flush();
		this.eachInterval(row, i => {
			const state = what[row.id[i]];
			const thin = state === STATE.sleeping || state === STATE.stopped;

			if (state !== STATE.dead)
				this.box(row.begin[i], row.end[i], thin ? y + 3 : y, thin ? 3 : height,
					state === STATE.unknown ? hatch : theme.states[state]);
		}, (from, until, begin, end) => {
			let top = y + height;

			for (const [sum, color] of [[thread.running, theme.running], [thread.waiting, theme.runnable],
				[thread.blocked, theme.blocked], [thread.unknown, theme.unknown]]) {
				const part = Math.min(1, (sum[until] - sum[from]) / this.step) * height;

				if (part <= 0)
					continue;
				const size = Math.max(1, Math.round(part));

				this.column(this.x(begin), Math.max(y, top - size), size, color);
				top -= size;
			}
		});
	}

	slices(part, y) {
		const {model, theme} = this, {row, track} = part, {slices} = model;
		const height = part.height - 1, hits = this.app.search.marks;
		const nameOf = i => model.shapes[slices.shape[row.id[i]]].name;

		this.context.font = (track.kind === TRACK.cpu ? '9px ' : '10.5px ') + FONT;
		this.charWidth = undefined;
		this.eachInterval(row, i => {
			const left = Math.max(LABELS, this.x(row.begin[i])), right = Math.min(LABELS + this.width, this.x(row.end[i]));
			const width = Math.max(1, right - left - (right - left > 4 ? 0.5 : 0)), id = row.id[i];

			this.context.globalAlpha = hits && !hits[id] ? 0.25 : this.waits(track, row, i) ? 0.5 : 1;
			this.rectangle(left, y, width, height, theme.palette[hueOf(nameOf(i), theme.palette.length)]);
			this.context.globalAlpha = 1;
			if (model.failed?.[id])
				this.rectangle(left, y + height - 1.5, width, 1.5, theme.failed);
			if (slices.how[id] && width > 8)
				this.box(row.end[i] - 5 * this.step, row.end[i], y, height, theme.hatch(this.context, theme.unknown), 5);
			if (width > 20)
				this.text(this.app.sliceLabel(id, width), left + 2, y + height / 2 + 0.5, width - 4, hits && !hits[id] ? theme.dim : theme.ink);
		}, (from, until, begin, end) => {
			const longest = row.longest(from, until), share = Math.min(1, (row.sum[until] - row.sum[from]) / this.step);

			this.column(this.x(begin), y, height, theme.palette[hueOf(nameOf(longest), theme.palette.length)],
				hits ? this.anyHit(row, from, until, hits) ? 1 : 0.15 : 0.35 + 0.65 * share);
		});
	}

	/* Of many in a pixel, a few are looked at. */
	anyHit(row, from, until, hits) {
		const step = Math.max(1, Math.floor((until - from) / 64));

		for (let i = from; i < until; i += step)
			if (hits[row.id[i]])
				return true;
		return false;
	}

	/* A call in which its thread hardly ran is paler: else those that wait would hide the others. */
	waits(track, row, i) {
		const {thread} = track, length = row.end[i] - row.begin[i];

		if (!thread || !thread.states.nr || length * this.scale < 3)
			return false;
		return thread.states.covered(thread.running, row.begin[i], row.end[i]) < 0.1 * length;
	}

	ticks(part, y) {
		const {times, ids} = part.track.ticks, {from, until} = this.view, {theme} = this;
		const marks = this.app.search.ticks;

		for (let i = lowerBound(times, from); i < times.length && times[i] <= until;) {
			const pixel = Math.floor((times[i] - from) * this.scale), end = from + (pixel + 1) * this.step;
			const next = Math.max(i + 1, lowerBound(times, end, i));
			const hit = marks && ids.subarray(i, Math.min(next, i + 64)).some(id => marks.has(id));

			this.column(LABELS + pixel, y, TICKS - 2, hit ? theme.hit : theme.tick,
				hit ? 1 : marks ? 0.2 : Math.min(1, 0.55 + Math.log2(next - i) / 12));
			i = next;
		}
	}

	/* From 0 up; where many values are in a pixel, from the least to the greatest is paler. */
	counter(part, y) {
		const {counter} = part, {row, values, least, greatest} = counter, {theme} = this, room = part.height - 2;
		const heightOf = value => greatest > least ? Math.round((value - least) / (greatest - least) * room) : 0;
		const bar = value => Math.max(value > least ? 1 : 0, heightOf(value));

		this.eachInterval(row, i => {
			this.flush();
			this.box(row.begin[i], row.end[i], y + 1 + room - bar(values[i]), bar(values[i]), theme.counter, 1);
		}, (from, until, begin) => {
			const low = bar(counter.most(counter.low, Math.min, from, until)), high = bar(counter.most(counter.high, Math.max, from, until));

			this.column(this.x(begin), y + 1 + room - high, high - low, theme.counter, 0.5);
			this.column(this.x(begin), y + 1 + room - low, low, theme.counter);
		});
		this.flush();
		this.unknown(counter.unknown, y, part.height - 1);
	}

	/* ---- lanes ---- */

	/* A lane may be higher than the window: what is outside is not drawn. */
	lane(lane, top, height) {
		const {context, theme} = this, y = lane.y - top;

		context.save();
		context.beginPath();
		context.rect(LABELS, y, this.width, lane.height);
		context.clip();
		this.fill = null;
		this.charWidth = undefined;
		for (const part of lane.parts)
			if (this[part.kind] && y + part.y < height && y + part.y + part.height > 0) {
				this[part.kind](part, y + part.y);
				this.flush();
			}
		context.restore();
		this.fill = null;
		if (lane.kind === 'head')
			this.rectangle(0, y, LABELS + this.width, lane.height, theme.side);
		this.rectangle(0, y + lane.height - 1, LABELS + this.width, 1, theme.grid);
	}

	label(lane, top) {
		const {context, theme} = this, y = lane.y - top;
		const share = lane.kind === 'thread' && lane.thread.tid ? lane.thread.ran : lane.kind === 'cpu' ? lane.cpu.busy[lane.cpu.run.nr] : 0;
		const unknown = lane.kind === 'cpu' ? lane.cpu.unknown.sum[lane.cpu.unknown.nr] : 0;
		const right = lane.kind === 'counter' ? 'up to ' + valueText(lane.counter.highest, lane.counter.unit) : [share ? percent(share, this.model.span) : '', unknown ? percent(unknown, this.model.span) + ' not known' : '']
			.filter(text => text).join(', ');
		const left = lane.kind === 'head' ? 8 : lane.indented ? 26 : 14;

		context.font = '10px ' + FONT;
		const room = lane.kind === 'head' ? 500 : LABELS - left - 16 - context.measureText(right).width;
		context.font = lane.kind === 'head' ? '600 11px ' + FONT : '11.5px ' + FONT;
		this.charWidth = undefined;

		this.text(lane.kind === 'head' ? lane.text : lane.label, left, y + Math.min(lane.height, 22) / 2 + 1, room, theme.text);
		if (!right)
			return;
		context.font = '10px ' + FONT;
		context.textAlign = 'right';
		context.fillStyle = this.fill = theme.dim;
		context.fillText(right, LABELS - 8, y + Math.min(lane.height, 22) / 2 + 1);
		context.textAlign = 'left';
	}

	/* Parts of the time that have something over them, from top to bottom. */
	band(from, until, color, height) {
		this.box(from, until, 0, height, color);
	}

	gridLines(height) {
		const {step} = gridOf(this.view, this.width);

		for (let i = Math.ceil(this.view.from / step); i * step <= this.view.until; i++)
			this.rectangle(Math.round(this.x(i * step)), 0, 1, height, this.theme.grid);
	}

	all(top, height) {
		const {theme} = this, lanes = [...this.app.lanes.visible(top, height)];

		this.rectangle(0, 0, LABELS + this.width, height, theme.page);
		this.gridLines(height);
		for (const lane of lanes)
			this.lane(lane, top, height);
		this.rectangle(0, 0, LABELS - 1, height, theme.side);
		for (const lane of lanes)
			this.label(lane, top);
		this.rectangle(LABELS - 1, 0, 1, height, theme.line);
		this.leftOut(height);
	}

	/* What is not in this file, and what is before and after the trace. */
	leftOut(height) {
		const {model, theme} = this;

		this.box(-model.whole, 0, 0, height, theme.cover, 0);
		this.box(model.whole, 3 * model.whole, 0, height, theme.cover, 0);
		if (model.head.leftOut) {
			this.box(model.span, model.whole, 0, height, theme.hatch(this.context, theme.unknown), 0);
			this.context.font = '12px ' + FONT;
			this.text('not in this file: ' + plural(model.head.leftOut, 'event', 'events'),
				Math.max(LABELS, this.x(model.span)) + 8, 40, 400, theme.text);
		}
	}
}

