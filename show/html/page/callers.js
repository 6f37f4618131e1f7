/* ---- who called: stacks of events, merged -------------------------------------- */

/* As in show/html/callers.h; the low bytes of times are as they are. */
const CALLERS = {parent: Uint32Array, name: Uint32Array, steps: Uint32Array, time: Float64Array, timeLow: Uint8Array,
	thread: Uint32Array, cpu: Uint32Array, what: Uint32Array, frame: Uint32Array};
const NONE = 0xffffffff, NOT_RECORDED = '[not_recorded]';
const SAMPLES = 'profile:sample', SWITCHES = 'sched:sched_switch', OFF_CPU = 'off-cpu';

class Callers {
	constructor(model, bytes, texts) {
		const columns = readColumns(CALLERS, model.head.stacks, bytes);

		Object.assign(this, columns);
		this.model = model;
		this.texts = texts;
		this.nr = this.frame.length;
		for (let i = 0, step = 0; i < this.nr; i++) {
			step += this.steps[i];
			this.time[i] = (step ? model.steps[step - 1] : 0) + unzigzag(this.time[i] * 256 + this.timeLow[i]);
		}
		/* Nobody else needs these. */
		model.steps = this.steps = this.timeLow = null;
		this.parent.forEach((distance, i) => { this.parent[i] = distance ? i - distance : NONE; });
		this.sort();
		this.markParts();
		/* Of each thread, its switches: [times, frames]; when somebody asks. */
		this.left = null;
	}

	/* What comes late is where it belongs. */
	sort() {
		if (this.time.every((time, i) => !i || this.time[i - 1] <= time))
			return;
		const order = Uint32Array.from(this.time, (_, i) => i).sort((a, b) => this.time[a] - this.time[b] || a - b);

		for (const name of ['time', 'thread', 'cpu', 'what', 'frame'])
			this[name] = this[name].map((_, i) => this[name][order[i]]);
	}

	/* Stacks of which some is not known: a frame says so, or has no name but its address. */
	markParts() {
		this.partial = new Uint8Array(this.name.length);
		this.unnamed = new Uint8Array(this.name.length);
		this.parent.forEach((parent, i) => {
			const text = this.texts[this.name[i]];

			if (parent === NONE)
				return;
			this.partial[i] = this.partial[parent] || (text.startsWith('[') && text !== NOT_RECORDED) ? 1 : 0;
			this.unnamed[i] = this.unnamed[parent] || /^0x[0-9a-f]+/.test(text) ? 1 : 0;
		});
	}

	/*
	 * An area: from and until; and thread (a thread of the model), tgid or cpu (numbers), if it is only of
	 * that.  Calls each event in it: its number.
	 */
	each({from, until, thread, tgid, cpu}, what, call) {
		const {threads} = this.model, end = endOf(this.model, until);

		for (let i = lowerBound(this.time, from); i < this.nr && this.time[i] < end; i++) {
			if ((what !== null && this.what[i] !== what) || (cpu !== undefined && this.cpu[i] !== cpu))
				continue;
			const of = this.thread[i] ? threads[this.thread[i] - 1] : null;

			if ((!thread || of === thread) && (tgid === undefined || of?.tgid === tgid))
				call(i);
		}
	}

	wordOf(text) {
		return this.model.words.indexOf(text);
	}

	/* What stacks there are in an area: [key, name] of each.  Strange names may look alike, so words are keys. */
	kinds(area) {
		const {words} = this.model, found = new Map(), list = [];

		if (!this.nr)
			return list;
		this.each(area, null, i => found.set(this.what[i], words[this.what[i]]));
		if ([...found.values()].includes(SAMPLES))
			list.push([SAMPLES, 'on CPU']);
		/* Somebody may be off all of the time. */
		if (area.cpu === undefined && this.what.includes(this.wordOf(SWITCHES)))
			list.push([OFF_CPU, 'off CPU']);
		return list.concat([...found].filter(([, name]) => name !== SAMPLES && name !== SWITCHES).sort((a, b) => a[1] < b[1] ? -1 : 1));
	}

	switches() {
		const word = this.wordOf(SWITCHES), left = new Map();

		for (let i = 0; i < this.nr; i++)
			if (this.what[i] === word && this.thread[i]) {
				const of = left.get(this.thread[i] - 1) ?? [[], []];

				of[0].push(this.time[i]);
				of[1].push(this.frame[i]);
				left.set(this.thread[i] - 1, of);
			}
		return left;
	}

	/* The frame in which the thread has left a CPU at this time, or NONE. */
	frameLeft(thread, time) {
		this.left ??= this.switches();
		const [times, frames] = this.left.get(thread.index) ?? [[], []], i = lowerBound(times, time);

		return i < times.length && times[i] === time ? frames[i] : NONE;
	}

	/* Calls each state of a thread that had no CPU: which, how much of it is in the area, the frame, and is it the first since it had one? */
	eachOff(area, thread, call) {
		const row = thread.states, {what} = this.model.states, isOff = i => REASONS[what[row.id[i]]] !== undefined;
		let frame = NONE, told = -1;

		for (let i = row.after(area.from); i < row.nr && row.begin[i] < area.until; i++) {
			if (!isOff(i))
				continue;
			let first = i;

			/* It waits, and then for a CPU: it has left once. */
			while (first > 0 && isOff(first - 1) && row.end[first - 1] === row.begin[first])
				first--;
			if (first === i || i === row.after(area.from))
				frame = this.frameLeft(thread, row.begin[first]);
			const time = Math.min(area.until, row.end[i]) - Math.max(area.from, row.begin[i]);

			if (time > 0) {
				call(what[row.id[i]], time, frame, first !== told);
				told = first;
			}
		}
	}

	/* How much is not known of a thread since its first state; before that it may not have been there. */
	addUnknown({from, until}, {states, woken}, tree) {
		const {model} = this, first = states.begin[0], last = states.end[states.nr - 1];

		if (Math.min(until, last) > Math.max(from, first))
			tree.unknown += statesBetween(model, {states}, Math.max(from, first), Math.min(until, last))[STATE.unknown];
		/* It was made then. */
		const isNew = woken.length && model.wakes.time[woken[0]] <= first && model.shapes[model.wakes.shape[woken[0]]].name === 'sched_wakeup_new';

		tree.late += first > from && first < until && !isNew ? 1 : 0;
	}

	/* The stacks of an area, of a key of kinds(): a tree (show/flame/tree.js), and what is known of it. */
	merge(area, key) {
		const tree = new Merge(this);

		if (key === OFF_CPU) {
			for (const thread of this.model.threads)
				if (thread.tid && thread.states.nr && (!area.thread || area.thread === thread) &&
					(area.tgid === undefined || area.tgid === thread.tgid)) {
					this.eachOff(area, thread, (state, time, frame, isFirst) => {
						tree.add(REASONS[state], frame, time, thread);
						tree.absences += isFirst ? 1 : 0;
					});
					this.addUnknown(area, thread, tree);
				}
		} else {
			this.each(area, typeof key === 'number' ? key : this.wordOf(key), i => tree.add(null, this.frame[i], 1, null));
		}
		return tree.finish();
	}
}

/* Why a thread has no CPU. */
const REASONS = {[STATE.runnable]: 'waits for a CPU', [STATE.preempted]: 'preempted', [STATE.sleeping]: 'sleeping',
	[STATE.blocked]: 'blocked', [STATE.stopped]: 'stopped'};

/* Stacks are counted by their innermost frames; then these become a tree. */
class Merge {
	constructor(callers) {
		this.callers = callers;
		this.sums = new Map();
		/* It sleeps, and then waits for a CPU: two reasons, but it was absent once. */
		this.absences = 0;
		this.unknown = this.late = this.partial = this.unnamed = this.missing = 0;
	}

	/* @thread: whose stack is not recorded if the frame is NONE. */
	add(reason, frame, weight, thread) {
		if (!this.sums.has(reason))
			this.sums.set(reason, new Map());
		const sums = this.sums.get(reason), key = frame === NONE ? thread : frame, sum = sums.get(key);

		if (sum) {
			sum.weight += weight;
			sum.events++;
		} else {
			sums.set(key, {weight, events: 1});
		}
	}

	static node(name, parent) {
		const node = {name, parent, depth: parent ? parent.depth + 1 : 0, weights: [0], events: [0], children: [], byName: new Map(), matched: false};

		parent?.children.push(node);
		parent?.byName.set(name, node);
		return node;
	}

	/* The node of a frame below one for the reason. */
	nodeOf(key, root, nodes) {
		if (nodes.has(key))
			return nodes.get(key);
		const {callers} = this, path = [];
		let node = root;

		if (typeof key === 'object') {
			const program = this.named(root, key.name);

			node = this.named(program, NOT_RECORDED);
			nodes.set(key, node);
			return node;
		}
		for (let frame = key; frame !== NONE; frame = callers.parent[frame])
			path.push(frame);
		for (const frame of path.reverse()) {
			if (!nodes.has(frame))
				nodes.set(frame, this.named(node, callers.texts[callers.name[frame]]));
			node = nodes.get(frame);
		}
		return node;
	}

	named(parent, name) {
		return parent.byName.get(name) ?? Merge.node(name, parent);
	}

	count(key, {weight}) {
		const {callers} = this;

		if (typeof key === 'object' || callers.texts[callers.name[key]] === NOT_RECORDED)
			this.missing += weight;
		else if (callers.partial[key])
			this.partial += weight;
		else if (callers.unnamed[key])
			this.unnamed += weight;
	}

	finish() {
		const root = Merge.node('all', null);

		for (const [reason, sums] of this.sums) {
			const top = reason === null ? root : Merge.node(reason, root), nodes = new Map();

			for (const [key, sum] of sums) {
				this.count(key, sum);
				for (let node = this.nodeOf(key, top, nodes); node; node = node.parent) {
					node.weights[0] += sum.weight;
					node.events[0] += sum.events;
				}
			}
		}
		eachNode(root, null, node => {
			node.children.sort((a, b) => b.weights[0] - a.weights[0] || (a.name < b.name ? -1 : 1));
		});
		if (this.absences)
			root.events[0] = this.absences;
		return {root, unknown: this.unknown, late: this.late, partial: this.partial, unnamed: this.unnamed, missing: this.missing};
	}
}

