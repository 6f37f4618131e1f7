/* ---- lanes: what is where, from top to bottom -------------------------------- */

const LABELS = 210; /* width of the column of names */
/* More requests at once are folded at first. */
const FOLDED_MIN = 8;
const HEAD = 20, SLICE = 15, INTERRUPT = 12, RUN = 19, COUNTER = 26, WAITING = 12, STATES = 9, TICKS = 6, GAP = 4;

/*
 * A lane has parts, each with its y in the lane:
 *	run	who had a CPU		states	of a thread
 *	slices	one level of a track	ticks	of a track
 *	counter	a number
 */
class Lanes {
	constructor(model) {
		this.model = model;
		this.folded = new Set();
		if (model.tracks.filter(track => track.kind === TRACK.requests).length > FOLDED_MIN)
			this.folded.add('requests');
		this.layOut();
	}

	layOut() {
		this.list = [];
		this.ofThread = new Map();
		this.ofTrack = new Map();
		this.height = 0;
		this.addCpus();
		this.addCounters();
		this.addRequests();
		for (const process of this.processes ??= this.makeProcesses())
			this.addProcess(process);
		this.begins = Float64Array.from(this.list, lane => lane.y);
	}

	add(lane, gap = GAP) {
		lane.y = this.height;
		lane.height = lane.parts.reduce((sum, part) => {
			part.y = sum;
			return sum + part.height;
		}, 2) + gap;
		for (const part of lane.parts)
			part.y += 1;
		this.height += lane.height;
		this.list.push(lane);
		return lane;
	}

	/* The parts of a track: deeper levels are below those around them, but those of interrupts above. */
	trackParts(track) {
		const parts = track.rows.map((row, depth) => ({kind: 'slices', track, row, depth,
			height: track.kind === TRACK.cpu ? INTERRUPT : SLICE}));

		if (track.kind === TRACK.cpu)
			parts.reverse();
		if (track.ticks.times.length)
			parts.unshift({kind: 'ticks', track, height: TICKS});
		return parts;
	}

	/* True: what belongs to it is shown. */
	addHead(text, key) {
		const folded = this.folded.has(key);

		this.add({kind: 'head', text: (folded ? '\u25b8 ' : '\u25be ') + text, key, parts: [{kind: 'head', height: HEAD - 6}]}, 2);
		return !folded;
	}

	addCpus() {
		if (!this.model.cpus.length || !this.addHead(plural(this.model.cpus.length, 'CPU', 'CPUs'), 'cpus'))
			return;
		for (const cpu of this.model.cpus) {
			const lane = {kind: 'cpu', cpu, label: 'CPU ' + cpu.number, parts: []};

			if (cpu.track)
				lane.parts.push(...this.trackParts(cpu.track));
			lane.parts.push({kind: 'run', cpu, height: RUN});
			if (cpu.waiting)
				lane.parts.push({kind: 'counter', counter: cpu.waiting, height: WAITING});
			this.add(lane);
			if (cpu.track)
				this.ofTrack.set(cpu.track, lane);
		}
	}

	addCounters() {
		const {list, more} = this.model.counters;

		if (!list.length || !this.addHead(plural(list.length, 'counter', 'counters') +
			(more ? '; left out: ' + count(more) + ', which change less' : ''), 'counters'))
			return;
		for (const counter of list)
			this.add({kind: 'counter', counter, label: counter.label, parts: [{kind: 'counter', counter, height: COUNTER}]});
	}

	/* More of them have come: the first time, many are folded. */
	showCounters() {
		if (this.model.counters.list.length > COUNTERS_SHOWN)
			this.folded.add('counters');
		this.layOut();
	}

	addTrack(track, label) {
		this.ofTrack.set(track, this.add({kind: 'track', track, label, parts: this.trackParts(track)}));
	}

	addRequests() {
		const requests = this.model.tracks.filter(track => track.kind === TRACK.requests);

		if (!requests.length || !this.addHead('Block requests, ' + count(requests.length) + ' at once', 'requests'))
			return;
		for (const track of requests.sort((a, b) => a.number - b.number))
			this.addTrack(track, 'request ' + track.number);
	}

	/* Those that ran most, or else did most, come first. */
	makeProcesses() {
		const processes = new Map();
		const did = thread => thread.tracks.reduce((sum, track) => sum + track.ticks.times.length +
			track.rows.reduce((all, row) => all + row.nr, 0), 0);

		for (const thread of this.model.threads) {
			/* Idle threads are in the lanes of the CPUs. */
			if (!thread.tid && !thread.tracks.length)
				continue;
			if (!processes.has(thread.tgid))
				processes.set(thread.tgid, {tgid: thread.tgid, threads: [], ran: 0, did: 0});
			const process = processes.get(thread.tgid);

			thread.did = did(thread);
			process.threads.push(thread);
			process.ran += thread.tid ? thread.ran : 0;
			process.did += thread.did;
		}
		const most = (a, b) => b.ran - a.ran || b.did - a.did;
		const list = [...processes.values()].sort((a, b) => !a.tgid - !b.tgid || most(a, b));

		for (const process of list) {
			process.threads.sort((a, b) => (b.tid === b.tgid) - (a.tid === a.tgid) || most(a, b));
			process.name = process.tgid ? process.threads[0].name + ' ' + process.tgid : 'Idle threads';
		}
		return list;
	}

	addProcess(process) {
		const many = process.threads.length > 1 || !process.tgid;
		const shown = !many || this.addHead(process.name + ', ' +
			plural(process.threads.length, 'thread', 'threads'), process.tgid);

		for (const thread of shown ? process.threads : [])
			this.addThread(thread, many);
	}

	addThread(thread, indented) {
		const lane = {kind: 'thread', thread, indented, label: thread.label, parts: []};

		if (thread.states.nr && thread.tid)
			lane.parts.push({kind: 'states', thread, height: STATES});
		for (const track of thread.tracks)
			lane.parts.push(...this.trackParts(track));
		if (lane.parts.reduce((sum, part) => sum + part.height, 0) < 14)
			lane.parts.push({kind: 'space', height: 14});
		this.add(lane);
		this.ofThread.set(thread, lane);
		for (const track of thread.tracks)
			this.ofTrack.set(track, lane);
	}

	fold(key) {
		if (!this.folded.delete(key))
			this.folded.add(key);
		this.layOut();
	}

	/* The head that it is below. */
	keyOf(selection) {
		return selection.kind === 'counter' ? selection.cpu ? 'cpus' : 'counters' : selection.cpu || selection.track?.kind === TRACK.cpu ? 'cpus' :
			selection.track?.kind === TRACK.requests ? 'requests' : selection.thread?.tgid;
	}

	/* Unfolds what hides it. */
	reach(selection) {
		const key = this.keyOf(selection);

		if (this.folded.has(key))
			this.fold(key);
	}

	/* Those from y to y + height. */
	*visible(y, height) {
		let i = Math.max(0, lowerBound(this.begins, y + 1) - 1);

		for (; i < this.list.length && this.list[i].y < y + height; i++)
			yield this.list[i];
	}

	at(y) {
		for (const lane of this.visible(y, 1))
			if (y < lane.y + lane.height)
				return lane;
		return null;
	}
}

