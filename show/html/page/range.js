/* ---- a part that is measured --------------------------------------------------------- */

const PART_MAX = 3000000; /* events: fewer than a page has at most; this one may have been full with less */

/* The part around a time that a page has room for: buckets of the density, and how many events they have. */
function partAround({density, events, leftOut}, at) {
	const most = Math.min(PART_MAX, events - leftOut);
	let from = at, until = at + 1, nr = density[at] ?? 0;

	for (let grows = true; grows;) {
		grows = false;
		if (until < density.length && nr + density[until] <= most) {
			nr += density[until++];
			grows = true;
		}
		if (from > 0 && nr + density[from - 1] <= most) {
			nr += density[--from];
			grows = true;
		}
	}
	return {from, until, nr};
}

/* What is at a time that is not in the page, and how it becomes one. */
function showLeftOut(panel, time) {
	const {head, span} = panel.app.model, part = partAround(head, Math.floor(time / head.bucket));

	panel.show('Not in this file: ' + plural(head.leftOut, 'event', 'events') + ' after ' + exactTime(span), [
		panel.table([['around', exactTime(time)], ['there are', plural(part.nr, 'event', 'events') + ' from ' +
			exactTime(part.from * head.bucket) + ' to ' + exactTime(part.until * head.bucket)],
		['a page of these', make('span', 'value', 'ktrace export --to html --from ' + monotonic(head, part.from * head.bucket) +
			' --until ' + monotonic(head, part.until * head.bucket) + ' -o part.html DIR')],
		['', 'DIR is the trace. If this file is of a part (-e, -f, -p, -c), the command needs these options, too.']]),
	]);
}

/* [label, ran, waited], those that ran longest first. */
function threadsIn(model, from, until) {
	return model.threads.filter(thread => thread.tid && thread.states.nr).map(thread => [thread.label,
		thread.states.covered(thread.running, from, until), thread.states.covered(thread.waiting, from, until)])
		.filter(([, ran, waited]) => ran > 0 || waited > 0).sort((a, b) => b[1] - a[1]);
}

/* [name, count, failed, time, longest] of slices that end in it, or at its end; their time is what is in it. */
function slicesIn(model, from, until) {
	const byName = new Map();

	for (const track of model.tracks)
		for (const row of track.rows)
			for (let i = from > 0 ? row.after(from) : 0; i < row.nr && row.end[i] <= until; i++) {
				const id = row.id[i], {name} = model.shapes[model.slices.shape[id]];
				const time = row.end[i] - Math.max(from, row.begin[i]);
				const sum = byName.get(name);

				if (sum) {
					sum[1]++;
					sum[2] += model.failed?.[id] ?? 0;
					sum[3] += time;
					sum[4] = Math.max(sum[4], time);
				} else {
					byName.set(name, [name, 1, model.failed?.[id] ?? 0, time, time]);
				}
			}
	return [...byName.values()].sort((a, b) => b[3] - a[3]);
}

/* An event at the end of a part is in the one that begins there; the last one is in the last part. */
const endOf = ({span}, until) => until < span ? until : Infinity;

function ticksIn(model, from, until) {
	return model.tracks.reduce((sum, {ticks}) =>
		sum + lowerBound(ticks.times, endOf(model, until)) - lowerBound(ticks.times, from), 0);
}

function tableOf(heads, rows) {
	const line = (tag, cells) => make('tr', '', ...cells.map((cell, i) => make(tag, i ? 'number' : '', cell)));
	const shown = rows.slice(0, LINES_MAX), more = rows.length - shown.length;

	return rows.length ? make('table', '', line('th', heads), ...shown.map(row => line('td', row)),
		more ? line('th', ['and ' + count(more) + ' more']) : null) : null;
}

const notKnown = (time, length) => time > 0 ? percent(time, length) : '';

/* Of what it was measured on, and of all that there is: those of the fewest come first. */
function areasIn({span}, range) {
	const from = Math.max(0, range.from), until = Math.min(span, range.until), {lane} = range, thread = lane?.thread, areas = [];

	if (until <= from)
		return [];
	if (thread?.tid)
		areas.push([thread.label, {from, until, thread}], ['process ' + thread.tgid, {from, until, tgid: thread.tgid}]);
	if (lane?.cpu)
		areas.push([lane.label, {from, until, cpu: lane.cpu.number}]);
	return [...areas, ['everything', {from, until}]];
}

function showRange(panel, range) {
	const {model} = panel.app, {from, until} = range, length = until - from;
	const busy = model.cpus.filter(cpu => cpu.run.nr).map(cpu =>
		['CPU ' + cpu.number, percent(cpu.run.covered(cpu.busy, from, until), length),
			notKnown(cpu.unknown.covered(cpu.unknown.sum, from, until), length)]);

	const counted = [...model.counters.list, ...model.cpus.map(cpu => cpu.waiting).filter(counter => counter)]
		.map(counter => [counter, counter.between(from, until)]).filter(([, found]) => found);

	panel.show(duration(length), [
		panel.table([['from', exactTime(from)], ['to', exactTime(until)],
			['a second has', length > 0 ? count(1e9 / length) + ' of these' : ''],
			['ends in it', plural(slicesIn(model, from, until).reduce((sum, row) => sum + row[1], 0), 'slice', 'slices')],
			['other events', count(ticksIn(model, from, until))]]),
		tableOf(['CPU', 'busy', 'not known'], busy),
		tableOf(['thread', 'ran', '', 'waited for a CPU'], threadsIn(model, from, until).map(([label, ran, waited]) =>
			[label, shortTime(ran), percent(ran, length), shortTime(waited)])),
		tableOf(['slice', 'count', 'failed', 'time', 'longest'], slicesIn(model, from, until).map(([name, nr, failed, time, longest]) =>
			[name, count(nr), failed ? count(failed) : '', shortTime(time), shortTime(longest)])),
		tableOf(['counter', 'least', 'greatest', 'average', 'not known'], counted.map(([{label, unit}, {least, greatest, average, unknown}]) =>
			[label, valueText(least, unit), valueText(greatest, unit), valueText(average, unit), notKnown(unknown, length)])),
	], areasIn(model, range));
}

