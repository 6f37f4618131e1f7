/* ---- what is selected, and who woke whom --------------------------------------- */

const ARROWS_MAX = 60;

class Marks {
	constructor(painter, top) {
		this.painter = painter;
		this.app = painter.app;
		this.model = painter.model;
		this.top = top;
	}

	frame(selection) {
		const {context, theme} = this.painter, place = this.app.place(selection);

		if (!place)
			return;
		const left = Math.max(LABELS - 2, this.painter.x(selection.begin)), right = this.painter.x(selection.end);

		context.save();
		context.beginPath();
		context.rect(LABELS, 0, this.painter.width, 1e6);
		context.clip();
		context.strokeStyle = theme.select;
		context.lineWidth = 1.6;
		context.strokeRect(left - 0.5, place.y - this.top - 0.5, Math.max(3, Math.min(right, 1e5) - left + 1), place.height);
		context.restore();
	}

	/* The middle of the states or the CPU of a lane, in the window or just outside of it. */
	laneY(lane, part) {
		const found = lane.parts.find(p => p.kind === part) ?? lane.parts[0];

		return lane.y + found.y + found.height / 2 - this.top;
	}

	wakerY(wake) {
		const track = this.model.tracks[this.model.wakes.track[wake]], lane = this.app.lanes.ofTrack.get(track);

		return lane ? this.laneY(lane, 'ticks') : null;
	}

	arrow(wake) {
		const {context, theme} = this.painter, {wakes} = this.model;
		const lane = this.app.lanes.ofThread.get(this.model.threads[wakes.thread[wake]]);
		const from = this.wakerY(wake), x = this.painter.x(wakes.time[wake]);

		if (from === null || !lane || x < LABELS || x > LABELS + this.painter.width)
			return;
		const until = this.laneY(lane, 'states'), sign = Math.sign(until - from) || 1;
		const right = Math.min(LABELS + this.painter.width, Math.max(x, this.painter.x(wakes.runs[wake]) || x));

		context.strokeStyle = context.fillStyle = theme.accent;
		context.lineWidth = 1.4;
		context.beginPath();
		context.arc(x, from, 2.4, 0, 7);
		context.fill();
		context.beginPath();
		context.moveTo(x, from);
		context.lineTo(x, until);
		context.lineTo(right, until);
		context.stroke();
		context.beginPath();
		context.moveTo(x - 3.5, until - 7 * sign);
		context.lineTo(x + 3.5, until - 7 * sign);
		context.lineTo(x, until - 1.5 * sign);
		context.fill();
		this.painter.fill = null;
	}

	/* Those that woke what is selected, and those that it woke. */
	arrows(selection) {
		const {context} = this.painter;

		context.save();
		context.beginPath();
		context.rect(LABELS, 0, this.painter.width, 1e6);
		context.clip();
		for (const wake of wakesOf(this.app, selection).slice(0, ARROWS_MAX))
			this.arrow(wake);
		context.restore();
	}

	measured(range, height) {
		const {painter} = this, {context, theme} = painter;

		painter.box(range.from, range.until, 0, height, theme.band);
		painter.box(range.from, range.from, 0, height, theme.accent);
		painter.box(range.until, range.until, 0, height, theme.accent);
		const left = Math.max(LABELS, painter.x(range.from)), right = Math.min(LABELS + painter.width, painter.x(range.until));

		context.font = '600 12px ' + FONT;
		painter.charWidth = undefined;
		painter.text(shortTime(range.until - range.from), Math.max(LABELS + 4, Math.min(left + 5, right + 4)), 12, 120, theme.text);
	}
}

/* The numbers of the thread's wakes from one time to another. */
function wakesBetween(model, thread, from, until) {
	const found = [];
	let low = 0, high = thread.woken.length;

	while (low < high) {
		const middle = (low + high) >>> 1;

		if (model.wakes.time[thread.woken[middle]] < from)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < thread.woken.length && model.wakes.time[thread.woken[low]] <= until && found.length <= ARROWS_MAX; low++)
		found.push(thread.woken[low]);
	return found;
}

/* The wakes that happened on a track. */
function wakesOn(track, from, until) {
	const {times, ids} = track.ticks, found = [];

	for (let i = lowerBound(times, from); i < times.length && times[i] <= until && found.length <= ARROWS_MAX; i++)
		if (ids[i] < 0)
			found.push(-1 - ids[i]);
	return found;
}

/* Who woke the thread that is selected: the wake of its state, or those in the slice. */
function wakersOf(app, selection) {
	const {model} = app, {states, wakes} = model;

	if (selection.kind === 'slice')
		return selection.thread ? wakesBetween(model, selection.thread, selection.begin, selection.end) : [];
	if (selection.kind !== 'state')
		return selection.kind === 'tick' && selection.id < 0 ? [-1 - selection.id] : [];
	if (states.wake[selection.id] >= 0)
		return [states.wake[selection.id]];
	/* It waits for a CPU since it was woken; or it slept until it was. */
	const time = states.what[selection.id] === STATE.runnable ? selection.begin : selection.end;

	return wakesBetween(model, selection.thread, time, time).filter(wake => wakes.time[wake] === time);
}

function wokenBy(app, selection) {
	const tracks = selection.kind === 'slice' ? [selection.track, ...(selection.thread?.tracks ?? [])] :
		selection.kind === 'state' ? selection.thread.tracks : [];
	const runs = selection.kind !== 'state' || app.model.states.what[selection.id] === STATE.running;

	return runs ? [...new Set(tracks.flatMap(track => wakesOn(track, selection.begin, selection.end)))] : [];
}

const wakesOf = (app, selection) => selection ? [...new Set([...wakersOf(app, selection), ...wokenBy(app, selection)])] : [];

