/* ---- what is where: selections --------------------------------------------------- */

/*
 * A selection: its kind, begin and end, and what else it has: the id of a slice, state, tick or loss; the
 * track, thread and CPU that it belongs to; the row that it is in, and where in it.
 */
const Select = {
	inRow: (row, i) => ({row, i, id: row.id[i], begin: row.begin[i], end: row.end[i]}),

	sliceIn: (track, row, i) => ({kind: 'slice', track, thread: track.thread, ...Select.inRow(row, i)}),

	slice(model, id) {
		const track = model.tracks[model.slices.track[id]], row = track.rows[model.slices.depth[id]];
		const i = row.id.indexOf(id);

		return Select.sliceIn(track, row, i);
	},

	state: (thread, i) => ({kind: 'state', thread, cpu: null, ...Select.inRow(thread.states, i)}),

	run(model, cpu, i) {
		const id = cpu.run.id[i];

		return {kind: 'state', thread: model.threads[model.states.thread[id]], cpu, ...Select.inRow(cpu.run, i)};
	},

	tick(track, i) {
		const {times, ids} = track.ticks;

		return {kind: 'tick', track, thread: track.thread, row: null, i, id: ids[i], begin: times[i], end: times[i]};
	},

	tickOf(model, id) {
		const of = id < 0 ? model.wakes : model.points, n = id < 0 ? -1 - id : id;
		const track = model.tracks[of.track[n]];

		return Select.tick(track, track.ticks.ids.indexOf(id));
	},

	loss: (cpu, i) => ({kind: 'loss', cpu, ...Select.inRow(cpu.losses, i)}),
	unknown: (cpu, i) => ({kind: 'unknown', cpu, ...Select.inRow(cpu.unknown, i)}),

	/* cpu: that it is of, or undefined. */
	counter: (counter, i, cpu) => ({kind: 'counter', counter, cpu, ...Select.inRow(counter.row, i)}),

	/* The one before or after; null: there is none. */
	beside(model, selection, by) {
		const i = selection.i + by, nr = selection.row ? selection.row.nr : selection.track.ticks.times.length;

		if (i < 0 || i >= nr)
			return null;
		switch (selection.kind) {
		case 'slice': return Select.sliceIn(selection.track, selection.row, i);
		case 'state': return selection.cpu ? Select.run(model, selection.cpu, i) : Select.state(selection.thread, i);
		case 'tick': return Select.tick(selection.track, i);
		case 'loss': return Select.loss(selection.cpu, i);
		case 'counter': return Select.counter(selection.counter, i, selection.cpu);
		default: return Select.unknown(selection.cpu, i);
		}
	},

	/* The slice around (by -1) or the longest one inside (by 1). */
	nested(model, selection, by) {
		const {track, begin, end} = selection;

		if (selection.kind !== 'slice')
			return null;
		const row = track.rows[model.slices.depth[selection.id] + by];

		if (!row)
			return null;
		if (by < 0) {
			const i = lowerBound(row.begin, begin + 0.5) - 1;

			return i < 0 ? null : Select.sliceIn(track, row, i);
		}
		const from = lowerBound(row.begin, begin), until = lowerBound(row.begin, end, from);

		return from < until ? Select.sliceIn(track, row, row.longest(from, until)) : null;
	},
};

/* What is at a point of the lanes, or null.  @distance: a pixel's time. */
function pick(app, time, y, distance) {
	const lane = app.lanes.at(y);
	const part = lane?.parts.find(p => y >= lane.y + p.y && y < lane.y + p.y + p.height);

	if (!part || time > app.model.whole)
		return null;
	switch (part.kind) {
	case 'run': {
		const {cpu} = part, loss = cpu.losses.near(time, 3 * distance), run = cpu.run.near(time, 1.5 * distance);
		const unknown = cpu.unknown.at(time);

		if (loss >= 0)
			return Select.loss(cpu, loss);
		if (run >= 0)
			return Select.run(app.model, cpu, run);
		return unknown >= 0 ? Select.unknown(cpu, unknown) : null;
	}
	case 'states': {
		const i = part.thread.states.near(time, 1.5 * distance);

		return i >= 0 ? Select.state(part.thread, i) : null;
	}
	case 'slices': {
		const i = part.row.near(time, 2 * distance);

		return i >= 0 ? Select.sliceIn(part.track, part.row, i) : null;
	}
	case 'counter': {
		const i = part.counter.row.near(time, 1.5 * distance);

		return i >= 0 ? Select.counter(part.counter, i, lane.cpu) : null;
	}
	case 'ticks': {
		const {times} = part.track.ticks, i = lowerBound(times, time);
		const best = [i - 1, i].filter(k => k >= 0 && k < times.length && Math.abs(times[k] - time) <= 4 * distance)
			.sort((a, b) => Math.abs(times[a] - time) - Math.abs(times[b] - time))[0];

		return best === undefined ? null : Select.tick(part.track, best);
	}
	default:
		return null;
	}
}

