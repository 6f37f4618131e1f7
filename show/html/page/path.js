/* ---- the critical path: where the time of a thread really went ---------------------- */

/*
 * As ktrace why --chain finds it (cmd/analyse/path.h): backwards from the end.  While the thread
 * ran, or waited for a CPU, that is the path.  If it waited until another one woke it, the path is
 * what that one did meanwhile, back to the begin of the wait, and so on.  So there is exactly one piece for
 * each moment.
 */
const PATH_DEPTH = 64, PATH = 'path';
const isWait = what => what === STATE.sleeping || what === STATE.blocked || what === STATE.stopped;
const isCall = track => track.kind === TRACK.calls || track.kind === TRACK.raw;

class PathFinder {
	constructor(app) {
		this.app = app;
		this.model = app.model;
		this.pieces = [];
	}

	/* ---- who wakes ---- */

	nameOfWake(wake) {
		return this.model.shapes[this.model.wakes.shape[wake]].name;
	}

	/* Had no interrupt come upon what this CPU did at that time?  Since the begin or a loss, there was a switch or a call. */
	isCertain(number, time) {
		const {states, losses} = this.model, cpu = this.model.cpuOf.get(number);

		if (!cpu)
			return false;
		let loss = lowerBound(cpu.losses.end, time + 0.5) - 1;

		/* Markers say nothing of interrupts. */
		while (loss >= 0 && losses.programs[cpu.losses.id[loss]])
			loss--;
		const since = loss < 0 ? -Infinity : cpu.losses.end[loss];

		for (let i = lowerBound(cpu.run.end, since); i < cpu.run.nr && cpu.run.end[i] <= time; i++)
			if (!states.cut[cpu.run.id[i]] && !states.open[cpu.run.id[i]])
				return true;
		const i = cpu.run.at(time), from = i < 0 ? since : Math.max(since, cpu.run.begin[i]);

		return i >= 0 && this.model.threads[states.thread[cpu.run.id[i]]].tracks.filter(isCall).some(track => track.rows.some(row =>
			[row.begin, row.end].some(times => times[lowerBound(times, from)] <= time)));
	}

	/* Who does what happens on this track: a thread, or null and why. */
	doer(track, cpu, time) {
		if (!track.thread?.tid)
			return {thread: null, note: ''};
		return this.isCertain(cpu, time) && this.model.head.follows ? {thread: track.thread, note: ''} :
			{thread: null, note: track.thread.label + ', or an interrupt that came upon it'};
	}

	/* The wake that has ended a wait of the thread at this time, or -1. */
	wakeAt(thread, time) {
		return wakesBetween(this.model, thread, time, time)[0] ?? -1;
	}

	/* It was woken while it still ran, and slept for a moment until the second half of that wake. */
	isEarly(thread, time) {
		const {model} = this, times = this.early(thread.tid), i = lowerBound(times.time, time) - 1;

		if (i < 0 || times.name[i] !== 'sched_waking')
			return false;
		const row = thread.states, at = row.at(times.time[i]), since = thread.woken.findLast(wake => model.wakes.time[wake] < time);

		return at >= 0 && model.states.what[row.id[at]] === STATE.running && !(since !== undefined && model.wakes.time[since] > times.time[i]);
	}

	/* Wakes of threads that were awake are points. */
	early(tid) {
		this.points ??= this.earlyAll();
		return this.points.get(tid) ?? {time: [], name: []};
	}

	earlyAll() {
		const {app} = this, found = new Map(), numbers = new Numbers(app);

		for (const name of ['sched_waking', 'sched_wakeup'])
			numbers.each('sched:' + name, (i, shape, row) => {
				const tid = numbers.number(shape, 'pid', row);

				if (!found.has(tid))
					found.set(tid, []);
				found.get(tid).push([this.model.points.time[i], name]);
			});
		for (const [tid, list] of found) {
			list.sort((a, b) => a[0] - b[0]);
			found.set(tid, {time: list.map(([time]) => time), name: list.map(([, name]) => name)});
		}
		return found;
	}

	/* How a wait that ends at this time has ended. */
	endOf(thread, id, time) {
		const {states, wakes, tracks} = this.model, wake = this.wakeAt(thread, time);

		if (states.end[id] > time || states.open[id])
			return {thread: null, note: 'at least: it was still waiting at the end'};
		if (states.cut[id])
			return {thread: null, note: 'at least: then events are missing'};
		if (wake >= 0 && this.nameOfWake(wake) === 'sched_waking') {
			const track = tracks[wakes.track[wake]], who = this.doer(track, wakes.cpu[wake], time);

			return who.thread ? {...who, wake} : {...who, wake, note: who.note || this.app.panel.who(wake)};
		}
		if (wake >= 0 && this.nameOfWake(wake) === 'sched_wakeup' && this.isEarly(thread, time))
			return {thread: null, note: 'woken just before it slept'};
		return {thread: null, unseen: true, note: 'it slept, and who has woken it is not in ' + (this.model.head.part ? 'this page, which has a part of the trace' : 'the trace')};
	}

	/* Who has made a thread that was new then, or null. */
	creatorOf(thread, time) {
		const {wakes, tracks} = this.model;
		const wake = [...wakesBetween(this.model, thread, time, time)].find(w => this.nameOfWake(w) === 'sched_wakeup_new');

		return wake === undefined ? null : this.doer(tracks[wakes.track[wake]], wakes.cpu[wake], time).thread;
	}

	/* ---- the way back ---- */

	put(thread, what, begin, note, more = {}) {
		this.pieces.push({thread, what, begin, end: this.time, depth: this.steps.length - 1, note, around: false, ...more});
	}

	/* Nothing is known of the thread; i: of its first state that is. */
	goUnknown(step, i) {
		const {thread} = step, row = thread.states, before = i > 0 ? row.end[i - 1] : -Infinity, begin = Math.max(before, step.from);
		const creator = this.steps.length < PATH_DEPTH ? this.creatorOf(thread, this.time) : null;

		if (creator) {
			this.put(thread, STATE.unknown, begin, 'new; made by ' + creator.label, {around: true});
			this.steps.push({thread: creator, from: step.from});
			return;
		}
		this.put(thread, STATE.unknown, begin, before >= 0 ? 'events are missing' : 'nothing is known of the thread before');
		this.time = begin;
	}

	go(step) {
		const {thread} = step, {states} = this.model, row = thread.states, i = lowerBound(row.end, this.time);

		if (i >= row.nr || row.begin[i] >= this.time) {
			this.goUnknown(step, i);
			return;
		}
		const id = row.id[i], what = states.what[id], begin = Math.max(row.begin[i], step.from);
		const end = isWait(what) ? this.endOf(thread, id, this.time) : {thread: null, note: what === STATE.unknown ? 'events are missing' : ''};

		if (end.thread && this.steps.length < PATH_DEPTH) {
			this.put(thread, what, begin, 'until ' + end.thread.label + ' woke it', {around: true, id, wake: end.wake});
			this.steps.push({thread: end.thread, from: begin});
			return;
		}
		this.put(thread, end.unseen ? STATE.unknown : what, begin, end.thread ? 'not followed: too many in each other' : end.note,
			{id, wake: end.wake ?? -1});
		this.time = begin;
	}

	/* By time; each wait that was followed is around what it consists of. */
	find(thread, from, until) {
		this.steps = [{thread, from}];
		this.time = until;
		while (this.steps.length) {
			const step = this.steps[this.steps.length - 1];

			if (this.time > step.from)
				this.go(step);
			else
				this.steps.pop();
		}
		return this.pieces.reverse().sort((a, b) => a.begin - b.begin || a.depth - b.depth);
	}
}

/* The path of an area, as it is told and drawn. */
class CriticalPath {
	constructor(app, {from, until, thread}) {
		this.app = app;
		this.area = {from, until};
		this.all = new PathFinder(app).find(thread, from, until);
		this.pieces = this.all.filter(piece => !piece.around);
		this.ends = Float64Array.from(this.pieces, piece => piece.end);
		this.node = make('div', 'parts', ...this.parts());
	}

	sums() {
		const sums = new Map();

		for (const {thread, what, begin, end} of this.pieces) {
			const key = thread.index + ' ' + what, sum = sums.get(key) ?? sums.set(key, [thread.label, STATE_NAMES[what], 0, 0]).get(key);

			sum[2] += end - begin;
			sum[3]++;
		}
		return [...sums.values()].sort((a, b) => b[2] - a[2]);
	}

	/* In which call, if in one; and who or what has ended it. */
	why({thread, what, id, end, note}) {
		const track = thread.tracks.find(isCall), time = end - 0.5;
		const row = isWait(what) ? track?.rows.findLast(r => r.at(time) >= 0) : null;

		return [row ? sliceText(this.app.model, this.app.fields, row.id[row.at(time)]) : '', note].filter(text => text).join(' \u00b7 ');
	}

	parts() {
		const {app, pieces} = this, {from, until} = this.area, all = pieces.reduce((sum, piece) => sum + piece.end - piece.begin, 0);
		const longest = [...pieces].sort((a, b) => b.end - b.begin - (a.end - a.begin)).slice(0, LINES_MAX);

		return [
			app.panel.table([['critical path', plural(pieces.length, 'piece', 'pieces') + ', ' + duration(all)], ['of', duration(until - from)],
				['waits that were followed', count(this.all.length - pieces.length)]]),
			tableOf(['thread', 'state', 'time', '', 'pieces'], this.sums().map(([label, state, time, nr]) =>
				[label, state, shortTime(time), percent(time, until - from), count(nr)])),
			tableOf(['longest pieces', 'state', 'time', 'from', 'in'], longest.sort((a, b) => a.begin - b.begin).map(piece =>
				[app.panel.link(piece.thread.label, () => this.go(piece)), STATE_NAMES[piece.what], shortTime(piece.end - piece.begin),
					exactTime(piece.begin), make('span', 'value', this.why(piece))])),
		];
	}

	/* Shows a piece; what was selected, and its path, stays. */
	go(piece) {
		const {app} = this;

		if (app.lanes.ofThread.has(piece.thread) || piece.thread.states.nr)
			app.reveal({kind: 'state', thread: piece.thread, cpu: null, begin: piece.begin, end: piece.end}, true);
	}

	/* Each piece on the lane of its thread, and lines from one lane to the next. */
	draw(painter, marks) {
		const {theme} = painter, {lanes} = this.app, {from, until} = painter.view, {pieces} = this;
		let last = null, i = Math.max(0, lowerBound(this.ends, from));

		for (; i < pieces.length && pieces[i].begin < until; i++) {
			const {thread, begin, end} = pieces[i], lane = lanes.ofThread.get(thread);

			if (!lane) {
				last = null;
				continue;
			}
			const y = marks.laneY(lane, 'states'), x = Math.max(LABELS, painter.x(begin));

			painter.box(begin, end, y - 2, 4, theme.path, 2);
			if (last !== null && last !== y && begin >= from)
				painter.rectangle(x - 1, Math.min(last, y) - 2, 2, Math.abs(last - y) + 4, theme.path);
			last = y;
		}
	}
}

