/* ---- counters: numbers that have a value until the next event --------------------- */

/*
 * Events that tell the new value of something.  key: the fields that say of what, with words in
 * front of each; the event is of a process if own is the field that says so.  What left says is
 * gone, and has no value until its next one.  show/perfetto/counter.c has the same events.
 */
const COUNTED = [
	{event: 'power:cpu_frequency', value: 'state', key: ['cpu_id'], words: 'frequency of CPU', unit: 'kHz',
		left: {event: 'cpuhp:cpuhp_enter', key: 'cpu', field: 'target', value: 0}},
	{event: 'power:clock_set_rate', value: 'state', key: ['name'], words: 'clock', unit: 'Hz'},
	{event: 'thermal:thermal_temperature', value: 'temp', key: ['thermal_zone'], words: 'temperature', unit: 'm\u00b0C'},
	{event: 'kmem:rss_stat', value: 'size', key: ['mm_id', 'member'], own: 'curr', words: 'memory', unit: 'B'},
];
const COUNTERS_MAX = 64; /* of one event: those that change most */
const COUNTERS_SHOWN = 12; /* more are folded at first */

const UNITS = {
	B: [[1 << 30, 'GiB'], [1 << 20, 'MiB'], [1 << 10, 'KiB'], [1, 'B']],
	kHz: [[1e6, 'GHz'], [1e3, 'MHz'], [1, 'kHz']],
	Hz: [[1e9, 'GHz'], [1e6, 'MHz'], [1e3, 'kHz'], [1, 'Hz']],
	'm\u00b0C': [[1e3, '\u00b0C'], [1, 'm\u00b0C']],
};

/* Those of up to 64 bits that columns have as text (show/html/column.c). */
const LONG_NUMBER = /^-?\d{19,20}$/;

/* "1.25 GHz (1 250 000 kHz)": for people, and exactly, unless numbers of JavaScript are not. */
function valueText(value, unit, exact = false) {
	const [size, name] = (UNITS[unit] ?? []).find(([least]) => Math.abs(value) >= least) ?? [1, unit];
	if (value === undefined || Number.isNaN(value))
		return '';
	const digits = (Math.abs(value) > Number.MAX_SAFE_INTEGER ? 'about ' : '') + value.toLocaleString('en', {maximumFractionDigits: 3}).replaceAll(',', '\u2009');

	if (size === 1)
		return (digits + ' ' + name).trim();
	return (value / size).toFixed(2) + ' ' + name + (exact ? ' (' + digits + ' ' + unit + ')' : '');
}

class Counter {
	/* times, values: of each event, in order; gaps: a row of times after which it may have changed unseen. */
	constructor(label, unit, times, values, span, gaps) {
		const ends = new Float64Array(times.length);

		ends.set(times.subarray(1));
		if (times.length)
			ends[times.length - 1] = Math.max(span, times[times.length - 1]);
		this.label = label;
		this.unit = unit;
		this.values = values;
		this.row = new Row(times, ends, Uint32Array.from(times, (_, i) => i));
		this.unknown = this.unknownAfter(gaps, span);
		this.low = this.tree(Math.min);
		this.high = this.tree(Math.max);
		/* As it is drawn, from 0 on; and as it is told. */
		this.highest = this.most(this.high, Math.max, 0, times.length);
		this.least = Math.min(0, this.most(this.low, Math.min, 0, times.length));
		this.greatest = Math.max(0, this.highest);
	}

	/* Before its first event, and from each gap on until the next one. */
	unknownAfter(gaps, span) {
		const {begin} = this.row, from = [], until = [];
		const add = (a, b) => {
			if (from.length && a <= until[until.length - 1])
				until[until.length - 1] = Math.max(until[until.length - 1], b);
			else if (b > a) {
				from.push(a);
				until.push(b);
			}
		};

		if (gaps)
			add(0, begin[0] ?? span);
		for (let i = 0; i < (gaps?.nr ?? 0); i++)
			add(gaps.begin[i], begin[lowerBound(begin, gaps.end[i])] ?? span);
		return new Row(Float64Array.from(from), Float64Array.from(until), new Uint32Array(from.length));
	}

	/* As in Row: each node is the least or greatest of sixteen below it. */
	tree(best) {
		const levels = [this.values];

		while (levels[0].length > 16)
			levels.unshift(Float64Array.from({length: (levels[0].length + 15) >>> 4},
				(_, i) => levels[0].subarray(i * 16, i * 16 + 16).reduce((a, b) => best(a, b))));
		return levels.reverse();
	}

	/* The best of from to until - 1; there is one. */
	most(levels, best, from, until) {
		let found = NaN;
		const take = value => { found = Number.isNaN(found) ? value : best(found, value); };

		for (let level = 0; from < until; level++) {
			const nodes = levels[level];

			if (until - from < 32 || level + 1 >= levels.length) {
				while (from < until)
					take(nodes[from++]);
				break;
			}
			while (from & 15)
				take(nodes[from++]);
			while (until & 15)
				take(nodes[--until]);
			from >>>= 4;
			until >>>= 4;
		}
		return found;
	}

	/* Is nothing known of it from one time to another? */
	isUnknown(from, until) {
		const i = this.unknown.at(from);

		return i >= 0 && this.unknown.end[i] >= until;
	}

	/*
	 * What it was from one time to another, and how much of it is not known; the average is that of the time that is.
	 * null: there was no value yet.  It has numbers only if something is known.
	 */
	between(from, until) {
		const {row, values, unknown} = this, notKnown = (a, b) => unknown.covered(unknown.sum, a, b);
		let i = row.after(from), sum = 0, time = 0;

		if (i === row.nr || row.begin[i] >= until || until <= from)
			return null;
		/* The value before a loss may not be that at its end. */
		if (row.begin[i] < from && this.isUnknown(from, Math.min(until, row.end[i])))
			i++;
		const first = i;

		for (; i < row.nr && row.begin[i] < until; i++) {
			const begin = Math.max(from, row.begin[i]), end = Math.min(until, row.end[i]), length = end - begin - notKnown(begin, end);

			sum += values[i] * length;
			time += length;
		}
		const found = {unknown: notKnown(from, until)};

		if (i > first) {
			found.least = this.most(this.low, Math.min, first, i);
			found.greatest = this.most(this.high, Math.max, first, i);
			/* All of its values were there only for a moment. */
			found.average = time > 0 ? Math.min(found.greatest, Math.max(found.least, sum / time)) : NaN;
		}
		return found;
	}
}

/* Where events may be missing, of any CPU; @programs: also only markers. */
function gapsOf({losses}, programs) {
	const order = [...losses.begin.keys()].filter(i => losses.count[i] && (programs || !losses.programs[i])).sort((a, b) => losses.begin[a] - losses.begin[b]);

	return rowOf(Uint32Array.from(order), losses.begin, losses.end);
}

/* How many threads wait for a CPU, of those that are known to; null: never any. */
function waitingOn(model, cpu, list) {
	const {states} = model, begins = Float64Array.from(list, i => states.begin[i]).sort(), ends = Float64Array.from(list, i => states.end[i]).sort();
	const times = [], values = [];
	let now = 0;

	if (!list.length)
		return null;
	for (let b = 0, e = 0; e < ends.length;) {
		const time = b < begins.length ? Math.min(begins[b], ends[e]) : ends[e];
		const before = now;

		for (; b < begins.length && begins[b] === time; b++)
			now++;
		for (; e < ends.length && ends[e] === time; e++)
			now--;
		if (now !== before) {
			times.push(time);
			values.push(now);
		}
	}
	if (times[0] > 0) {
		times.unshift(0);
		values.unshift(0);
	}
	const counter = new Counter('threads that wait for CPU ' + cpu.number, '', Float64Array.from(times), Float64Array.from(values), model.span, null);

	counter.unknown = cpu.unknown;
	return counter;
}

/* A program has new memory, or a number is that of another thread: labels are told apart. */
function addCounterTo(list, counter) {
	const {label} = counter;

	for (let nr = 2; list.some(other => other.label === counter.label); nr++)
		counter.label = label + ' (' + nr + ')';
	list.push(counter);
	return list;
}

/* One of the numbers of points: those for which take() is true. */
class Numbers {
	constructor(app) {
		this.model = app.model;
		this.fields = app.fields;
		this.gaps = gapsOf(app.model, false);
	}

	/* Calls each point of the event with what its shape and row are. */
	each(event, call) {
		const {points, shapes} = this.model, wanted = shapes.map(shape => shape.of === 1 && shape.category + ':' + shape.name === event);

		if (!wanted.includes(true))
			return;
		for (let i = 0; i < points.time.length; i++)
			if (wanted[points.shape[i]])
				call(i, shapes[points.shape[i]], points.row[i]);
	}

	/* A number, or NaN: the field is none, or is not there. */
	number(shape, name, row) {
		const at = shape.fields.indexOf(name);

		if (at < 0)
			return NaN;
		const {kinds, values} = this.fields.column(shape, at);

		if (kinds[row] === VALUE.text)
			return LONG_NUMBER.test(this.fields.texts[Number(values[row])]) ? Number(this.fields.texts[Number(values[row])]) : NaN;
		if (typeof values[row] !== 'bigint')
			return values[row];
		return Number(kinds[row] === VALUE.hex ? values[row] : BigInt.asIntN(64, values[row]));
	}

	/* @key: no other one has it, whatever its label is. */
	make(label, unit, list, key, gaps = this.gaps) {
		list.sort((a, b) => a[0] - b[0]);
		const counter = new Counter(label, unit, Float64Array.from(list, ([time]) => time), Float64Array.from(list, ([, value]) => value),
			this.model.span, gaps);

		return Object.assign(counter, {key});
	}

	/* Gaps, and where this one has left. */
	gapsAnd(times = []) {
		const begins = [...this.gaps.begin, ...times], ends = [...this.gaps.end, ...times];

		return rowOf(Uint32Array.from([...begins.keys()].sort((a, b) => begins[a] - begins[b])), begins, ends);
	}

	/* When each has left, by key. */
	left({event, key, field, value}) {
		const {model, fields} = this, times = new Map();

		this.each(event, (i, shape, row) => {
			const at = shape.fields.indexOf(key);

			if (at < 0 || this.number(shape, field, row) !== value)
				return;
			const who = fields.text(shape, at, row);

			if (!times.has(who))
				times.set(who, []);
			times.get(who).push(model.points.time[i]);
		});
		return times;
	}

	counters(counted) {
		const {model, fields} = this, lists = new Map(), owners = new Map();
		const left = counted.left ? this.left(counted.left) : new Map();

		this.each(counted.event, (i, shape, row) => {
			const value = this.number(shape, counted.value, row);
			const key = counted.key.map(name => shape.fields.includes(name) ? fields.text(shape, shape.fields.indexOf(name), row) : '').join(' ');

			if (Number.isNaN(value))
				return;
			if (!lists.has(key))
				lists.set(key, []);
			lists.get(key).push([model.points.time[i], value]);
			/* Whose it is, if it is that of the thread itself. */
			if (counted.own && this.number(shape, counted.own, row) === 1)
				owners.set(key, model.tracks[model.points.track[i]].thread);
		});
		const most = [...lists].sort((a, b) => b[1].length - a[1].length), shown = most.slice(0, COUNTERS_MAX);

		this.more = (this.more ?? 0) + most.length - shown.length;
		return shown.map(([key, list]) => {
			const owner = owners.get(key), parts = key.split(' ');

			return this.make(owner?.tid ? owner.name + ' ' + owner.tgid + ' ' + parts.slice(1).join(' ') : counted.words + ' ' + key, counted.unit, list,
				counted.event + ' ' + key, left.has(key) ? this.gapsAnd(left.get(key)) : this.gaps);
		}).sort((a, b) => a.label.localeCompare(b.label, 'en', {numeric: true}));
	}

	/* All that are known; model.counters has them. */
	all() {
		const list = COUNTED.flatMap(counted => this.counters(counted)).reduce(addCounterTo, []);

		return {list, more: this.more ?? 0};
	}

	/* A field of the events that are on the same track as this point. */
	field(point, name) {
		const {model} = this, {track, shape} = model.points, of = model.tracks[track[point]], list = [];
		const event = model.shapes[shape[point]].category + ':' + model.shapes[shape[point]].name;

		this.each(event, (i, which, row) => {
			const value = track[i] === of.index ? this.number(which, name, row) : NaN;

			if (!Number.isNaN(value))
				list.push([model.points.time[i], value]);
		});
		return list.length ? this.make((of.thread?.label ?? TRACK_NAMES[of.kind] + ' ' + of.number) + ' ' + event + ' ' + name, '', list,
			of.index + ' ' + event + ' ' + name, gapsOf(model, true)) : null;
	}
}

