/* ---- the model: threads, CPUs and tracks, each with its rows ----------------- */

/* As in <ktrace/timeline.h>. */
const STATE = {unknown: 0, running: 1, runnable: 2, preempted: 3, sleeping: 4, blocked: 5, stopped: 6, dead: 7};
const STATE_NAMES = ['not known', 'running', 'runnable', 'preempted', 'sleeping', 'blocked', 'stopped', 'dead'];
const TRACK = {cpu: 0, calls: 1, raw: 2, functions: 3, markers: 4, requests: 5};
const TRACK_NAMES = ['interrupts', 'system calls', 'raw system calls', 'functions', 'markers', 'block requests'];

/* Which of them have each key, in their order: lists in one array. */
function groupBy(keys, nr) {
	const from = new Uint32Array(nr + 1), list = new Uint32Array(keys.length);

	for (const key of keys)
		from[key + 1]++;
	for (let i = 0; i < nr; i++)
		from[i + 1] += from[i];
	const at = from.slice();

	for (let i = 0; i < keys.length; i++)
		list[at[keys[i]]++] = i;
	return key => list.subarray(from[key], from[key + 1]);
}

/* A row of what does not overlap; should it do so after all, the later one begins later. */
function rowOf(list, begins, ends) {
	const begin = new Float64Array(list.length), end = new Float64Array(list.length);
	let last = -Infinity;

	for (let i = 0; i < list.length; i++) {
		begin[i] = Math.max(begins[list[i]], last);
		end[i] = last = Math.max(ends[list[i]], begin[i]);
	}
	return new Row(begin, end, list);
}

/* Levels of a track, as KTRACE_TIMELINE_DEPTH: whole slices alone may be deeper. */
const DEPTH_MAX = 255;

/*
 * Slices of a track come in the order of their ends, so what is inside of another one comes before
 * it.  From the last to the first, each is inside of those that are open.  What is too deep shares the
 * last row.
 */
function rowsOfTrack(list, slices) {
	const open = [], sizes = [];

	for (let i = list.length; i--;) {
		while (open.length && slices.begin[list[i]] < open[open.length - 1])
			open.pop();
		const depth = Math.min(open.length, DEPTH_MAX - 1);

		slices.depth[list[i]] = depth;
		sizes[depth] = (sizes[depth] ?? 0) + 1;
		open.push(slices.begin[list[i]]);
	}
	const rows = sizes.map(size => new Uint32Array(size)), at = sizes.map(() => 0);

	for (const slice of list)
		rows[slices.depth[slice]][at[slices.depth[slice]]++] = slice;
	return rows.map(row => rowOf(row, slices.begin, slices.end));
}

/* Points are counted from 0, and wakes -1, -2 ... */
function ticksOfTrack(pointList, wakeList, {points, wakes}) {
	const nr = pointList.length + wakeList.length;
	const times = new Float64Array(nr), ids = new Int32Array(nr);

	for (let i = 0, p = 0, w = 0; i < nr; i++) {
		const point = p < pointList.length ? points.time[pointList[p]] : Infinity;
		const wake = w < wakeList.length ? wakes.time[wakeList[w]] : Infinity;

		times[i] = Math.min(point, wake);
		ids[i] = point <= wake ? pointList[p++] : -1 - wakeList[w++];
	}
	return {times, ids};
}

function makeTracks(model, names) {
	const nr = names.tracks.length;
	const slicesOf = groupBy(model.slices.track, nr), pointsOf = groupBy(model.points.track, nr);
	const wakesOf = groupBy(model.wakes.track, nr);

	model.tracks = names.tracks.map(([kind, number, thread], i) => ({
		index: i, kind, number, thread: thread ? model.threads[thread - 1] : null,
		rows: rowsOfTrack(slicesOf(i), model.slices),
		ticks: ticksOfTrack(pointsOf(i), wakesOf(i), model),
	}));
	for (const track of model.tracks)
		track.thread?.tracks.push(track);
	for (const thread of model.threads)
		thread.tracks.sort((a, b) => a.kind - b.kind || a.number - b.number);
}

function makeThreads(model, names, words) {
	const {states, wakes} = model;
	const statesOf = groupBy(states.thread, names.threads.length);
	const wakesOf = groupBy(wakes.thread, names.threads.length);

	model.threads = names.threads.map(([tid, tgid, cpu, ...comms], i) => {
		const row = rowOf(statesOf(i), states.begin, states.end);
		const is = (...some) => row.sums(k => some.includes(states.what[row.id[k]]));
		const thread = {
			index: i, tid, tgid: tgid || tid, cpu, tracks: [], states: row, woken: wakesOf(i),
			names: comms.map(word => words[word]),
			running: is(STATE.running), waiting: is(STATE.runnable, STATE.preempted),
			blocked: is(STATE.blocked), unknown: is(STATE.unknown, STATE.dead),
		};

		thread.name = tid ? thread.names[thread.names.length - 1] ?? '?' : 'idle';
		thread.label = tid ? thread.name + ' ' + tid : 'idle CPU ' + cpu;
		thread.ran = thread.running[row.nr];
		return thread;
	});
}

/*
 * Where nobody knows who had the CPU: between those that are known to have run on it.  Idle threads
 * run, too.
 */
function unknownOf({run}, span) {
	const begin = [], end = [];
	let last = 0;

	for (let i = 0; i <= run.nr; i++) {
		const next = i < run.nr ? Math.min(run.begin[i], span) : span;

		if (next > last) {
			begin.push(last);
			end.push(next);
		}
		last = Math.max(last, i < run.nr ? run.end[i] : span);
	}
	return new Row(Float64Array.from(begin), Float64Array.from(end), new Uint32Array(begin.length));
}

/* Numbers of what has each key. */
function listsOf(keys, take = () => true) {
	const lists = new Map();

	keys.forEach((key, i) => {
		if (!take(i))
			return;
		if (!lists.has(key))
			lists.set(key, []);
		lists.get(key).push(i);
	});
	return number => Uint32Array.from(lists.get(number) ?? []);
}

function makeCpus(model, head) {
	const {states, losses} = model, cpus = new Map(), isRun = i => states.what[i] === STATE.running;
	const waitsOn = listsOf(states.cpu, i => (states.what[i] === STATE.runnable || states.what[i] === STATE.preempted) &&
		model.threads[states.thread[i]].tid !== 0);
	const runsOf = listsOf(states.cpu, isRun), lossesOf = listsOf(losses.cpu);
	const add = number => {
		if (!cpus.has(number))
			cpus.set(number, {number, track: null});
	};

	head.cpus.forEach(add);
	states.cpu.forEach((number, i) => isRun(i) && add(number));
	losses.cpu.forEach(add);
	for (const track of model.tracks.filter(t => t.kind === TRACK.cpu)) {
		add(track.number);
		cpus.get(track.number).track = track;
	}
	model.cpus = [...cpus.values()].sort((a, b) => a.number - b.number);
	model.cpuOf = cpus;
	for (const cpu of model.cpus) {
		cpu.run = rowOf(runsOf(cpu.number), states.begin, states.end);
		cpu.busy = cpu.run.sums(i => model.threads[states.thread[cpu.run.id[i]]].tid !== 0);
		cpu.losses = rowOf(lossesOf(cpu.number), losses.begin, losses.end);
		cpu.unknown = states.what.length ? unknownOf(cpu, model.span) : EMPTY;
		cpu.waiting = waitingOn(model, cpu, waitsOn(cpu.number));
	}
}

function makeModel(head, names, bytes) {
	const words = names.words.map(clean);
	const model = playTape(readTape(head, bytes), names);

	model.head = head;
	model.span = Math.max(head.span, 1);
	model.whole = Math.max(head.bucket * head.density.length, model.span);
	if (!head.leftOut)
		model.whole = model.span;
	model.words = words;
	/* [of, name, category, rows, field, size, ...] */
	model.shapes = names.shapes.map(([of, name, category, rows, ...fields]) => ({
		of, name: words[name], category: words[category], rows,
		fields: fields.filter((_, i) => i % 2 === 0).map(word => words[word]),
		sizes: fields.filter((_, i) => i % 2 === 1),
	}));
	makeThreads(model, names, words);
	makeTracks(model, names);
	makeCpus(model, head);
	model.counters = {list: [], more: 0};
	return model;
}

const shapeOf = (model, id) => model.shapes[id < 0 ? model.wakes.shape[-1 - id] : model.points.shape[id]];

