/* ---- the panel: all that is known of what is selected ------------------------------ */

const LINES_MAX = 8;

function nameOf(app, selection) {
	const {model} = app;

	switch (selection.kind) {
	case 'slice': return model.shapes[model.slices.shape[selection.id]].name;
	case 'tick': return shapeOf(model, selection.id).name;
	case 'loss': return plural(model.losses.count[selection.id], 'event', 'events') + ' lost';
	case 'counter': return selection.counter.label + ': ' + valueText(selection.counter.values[selection.i], selection.counter.unit, true);
	case 'unknown': return 'Who had CPU ' + selection.cpu.number + ' is not known';
	default: return selection.thread.label + ': ' + STATE_NAMES[model.states.what[selection.id]];
	}
}

/* In one line, with the arguments. */
function titleOf(app, selection) {
	const {model, fields} = app;

	if (selection.kind === 'slice')
		return sliceText(model, fields, selection.id);
	if (selection.kind === 'tick')
		return shapeOf(model, selection.id).category + ':' + nameOf(app, selection);
	return nameOf(app, selection);
}

function whereOf(app, selection) {
	const {model} = app;

	if (selection.kind === 'loss' || selection.kind === 'unknown')
		return 'CPU ' + selection.cpu.number;
	if (selection.kind === 'counter')
		return selection.counter.unknown.covered(selection.counter.unknown.sum, selection.begin, selection.end) > 0 ?
			'a counter; it may have changed unseen' : 'a counter';
	if (selection.kind === 'state') {
		const what = model.states.what[selection.id];

		return selection.thread.label + (what === STATE.running || what === STATE.preempted ? ', CPU ' + model.states.cpu[selection.id] : '');
	}
	const {track} = selection, of = selection.kind === 'slice' ? model.slices.cpu[selection.id] :
		selection.id < 0 ? model.wakes.cpu[-1 - selection.id] : model.points.cpu[selection.id];
	const cpu = ', CPU ' + of;

	if (track.kind === TRACK.requests)
		return 'block requests' + cpu;
	return (track.thread ? track.thread.label + ', ' : '') + TRACK_NAMES[track.kind] + cpu;
}

/* A few lines for the mouse. */
function tipOf(app, selection) {
	const lines = [titleOf(app, selection), whereOf(app, selection)];

	if (selection.kind === 'tick')
		lines.push(...fieldsOf(app, selection).filter(([name]) => !/stack$/.test(name)).map(([name, text]) => name + ' = ' + text));
	lines.push(selection.kind === 'tick' ? 'at ' + exactTime(selection.begin) :
		duration(selection.end - selection.begin) + ' from ' + exactTime(selection.begin));
	return lines.map(line => line.length > 400 ? line.slice(0, 400) + '\u2026' : line).join('\n');
}

function fieldsOf(app, selection) {
	const {model, fields} = app;

	if (!fields)
		return [];
	if (selection.kind === 'slice')
		return fields.row(model.shapes[model.slices.shape[selection.id]], model.slices.row[selection.id]);
	if (selection.kind !== 'tick')
		return [];
	return fields.row(shapeOf(model, selection.id),
		selection.id < 0 ? model.wakes.row[-1 - selection.id] : model.points.row[selection.id]);
}

/* How long the thread was in which state, from one time to another; some of it may not be known. */
function statesBetween(model, thread, from, until) {
	const row = thread.states, times = new Array(STATE_NAMES.length).fill(0);

	for (let i = row.after(from); i < row.nr && row.begin[i] < until; i++)
		times[model.states.what[row.id[i]]] += Math.min(until, row.end[i]) - Math.max(from, row.begin[i]);
	times[STATE.unknown] += Math.max(0, until - from - times.reduce((a, b) => a + b, 0));
	return times;
}

/* [label, time] of those that had the CPU meanwhile, and how long this is not known. */
function ranOn(model, cpu, from, until) {
	const ran = new Map(), {run} = cpu, known = run.covered(run.sum, from, until);

	for (let i = run.after(from); i < run.nr && run.begin[i] < until; i++) {
		const {label} = model.threads[model.states.thread[run.id[i]]];

		ran.set(label, (ran.get(label) ?? 0) + Math.min(until, run.end[i]) - Math.max(from, run.begin[i]));
	}
	if (until - from > known)
		ran.set(STATE_NAMES[STATE.unknown], until - from - known);
	return [...ran];
}

/* [CPU, from, until] of each time that the thread waited for a CPU: in a slice, in a state or in front of it. */
function waitsOf(model, selection) {
	const {states, wakes} = model, {thread, begin, end} = selection;
	const isWait = id => states.what[id] === STATE.runnable || states.what[id] === STATE.preempted;

	if (selection.kind === 'slice' && thread) {
		const row = thread.states, found = [];

		for (let i = row.after(begin); i < row.nr && row.begin[i] < end; i++)
			if (isWait(row.id[i]))
				found.push([states.cpu[row.id[i]], Math.max(begin, row.begin[i]), Math.min(end, row.end[i])]);
		return found;
	}
	if (selection.kind !== 'state')
		return [];
	if (isWait(selection.id))
		return [[states.cpu[selection.id], begin, end]];
	const wake = states.what[selection.id] === STATE.running ? states.wake[selection.id] : -1;

	return wake >= 0 ? [[states.cpu[selection.id], wakes.time[wake], begin]] : [];
}

/* Of what it is about: [words, an area of Callers] of each that may be chosen. */
function areasOf(app, selection) {
	const {begin: from, end: until, thread, track, kind} = selection;

	if (kind === 'tick' || kind === 'loss' || kind === 'unknown' || kind === 'counter' || until <= from)
		return [];
	if (thread?.tid)
		return [[thread.label, {from, until, thread}]];
	const cpu = selection.cpu?.number ?? (track?.kind === TRACK.cpu ? track.number : undefined);

	return cpu === undefined ? [] : [['CPU ' + cpu, {from, until, cpu}]];
}

class Panel {
	constructor(app) {
		this.app = app;
		this.node = element('panel');
		this.flame = this.path = null;
		/* What people chose last: which stacks, and of whom. */
		this.chosen = this.whose = null;
	}

	/* areas: of which stacks may be shown instead of the parts. */
	show(title, parts, areas = []) {
		const close = make('button', 'close', '\u00d7');

		close.type = 'button';
		close.ariaLabel = 'close';
		close.addEventListener('click', () => this.app.clear());
		this.again = () => this.show(title, parts, areas);
		/* A path is that of a thread. */
		const traced = areas.find(([, {thread}]) => thread?.states.nr);
		const area = this.chosen === PATH && traced ? traced : areas.find(([words]) => words === this.whose) ?? areas[0];
		const kinds = area && this.app.callers ? [...this.app.callers.kinds(area[1]), ...traced ? [[PATH, 'critical path']] : []] : [];
		const kind = kinds.find(([key]) => key === this.chosen);

		this.path = kind?.[0] === PATH ? new CriticalPath(this.app, area[1]) : null;
		this.flame = kind && !this.path ? new Flame(this.app, area[1], kind[0]) : null;
		this.kinds = kinds;
		this.node.replaceChildren(close, make('h2', '', title), ...this.tabs(kinds, kind, areas, area),
			this.flame ? this.flame.node : this.path ? this.path.node : make('div', 'parts', ...parts));
		this.node.classList.toggle('high', !!this.flame);
		this.node.hidden = false;
		const kindsNode = this.node.querySelector('.kinds'), chosen = kindsNode?.querySelector('.on');

		if (chosen)
			kindsNode.scrollTop = chosen.offsetTop - kindsNode.offsetTop;
		this.flame?.draw();
		this.app.redraw();
	}

	/* Buttons: numbers or stacks, and of whom. */
	tabs(kinds, kind, areas, area) {
		const tab = (text, on, go) => {
			const button = make('button', on ? 'tab on' : 'tab', text);

			button.type = 'button';
			button.ariaPressed = String(on);
			button.addEventListener('click', go);
			return button;
		};
		const choose = key => tab(key ? key[1] : 'numbers', key === kind, () => this.choose(key?.[0] ?? null));

		if (!kinds.length)
			return [];
		/* There may be many kinds, as -g has stacks of all events: they have two lines, and scroll. */
		const rows = [make('nav', 'kinds', choose(undefined), ...kinds.map(choose))];

		if (areas.length > 1 && kind && !this.path)
			rows.push(make('nav', '', make('span', 'dim', 'of'), ...areas.map(of => tab(of[0], of === area, () => {
				this.whose = of[0];
				this.again();
			}))));
		return rows;
	}

	choose(key) {
		this.chosen = key;
		this.again();
	}

	/* The critical path, or numbers again. */
	choosePath() {
		if (!this.node.hidden && this.kinds.some(([key]) => key === PATH))
			this.choose(this.chosen === PATH ? null : PATH);
	}

	/* Numbers, then each kind of stacks, then numbers again. */
	chooseNext() {
		if (!this.node.hidden && this.kinds.length)
			this.choose([...this.kinds.map(([key]) => key), null][this.kinds.findIndex(([key]) => key === this.chosen) + 1]);
	}

	hide() {
		this.node.hidden = true;
		this.flame = this.path = null;
		this.node.replaceChildren();
	}

	/* rows: [header, text or node, class] */
	table(rows) {
		return rows.length ? make('table', '', ...rows.map(([head, value, className]) =>
			make('tr', '', make('th', '', head), make('td', className ?? '', value)))) : null;
	}

	link(text, go) {
		const button = make('button', 'link', text);

		button.type = 'button';
		button.addEventListener('click', go);
		return button;
	}

	selection(selection) {
		const {app} = this, fields = fieldsOf(app, selection);
		const values = fields.filter(([name]) => !/stack$/.test(name));

		this.show(titleOf(app, selection), [
			this.table(this.times(selection)),
			this.table(values.map(([name, text]) => [name, this.value(selection, name, text), name === RESULT && FAILED.test(text) ? 'value failed' : 'value'])),
			this.table([...this.wakers(selection), ...this.waited(selection), ...this.woken(selection)]),
			...fields.filter(([name]) => /stack$/.test(name)).map(stack => this.stack(...stack)),
		], areasOf(app, selection));
	}

	/* Numbers of events may become a lane. */
	value(selection, name, text) {
		const {app} = this;

		if (selection.kind !== 'tick' || selection.id < 0 || !(Search.numberOf(text) || LONG_NUMBER.test(text)))
			return text;
		return make('span', '', text + ' ', this.link('as a lane', () => app.addCounter(new Numbers(app).field(selection.id, name))));
	}

	times(selection) {
		const {begin, end} = selection, {model} = this.app, rows = [['where', whereOf(this.app, selection)]];

		if (selection.kind === 'slice')
			rows.push(['what', model.shapes[model.slices.shape[selection.id]].category]);
		rows.push([selection.kind === 'tick' ? 'at' : 'from', exactTime(begin)]);
		if (selection.kind !== 'tick')
			rows.push(['to', exactTime(end)], ['took', duration(end - begin)]);
		rows.push(['clock', clockTime(model.head.clocks, begin)]);
		if (selection.kind === 'loss')
			rows.push(['why', model.words[model.losses.cause[selection.id]]]);
		return [...rows, ...this.shares(selection)];
	}

	/* What the thread did in the slice: running and the others are together as long as it. */
	shares(selection) {
		const {thread, begin, end} = selection;

		if (selection.kind !== 'slice' || !thread?.states.nr || end <= begin)
			return [];
		return statesBetween(this.app.model, thread, begin, end).map((time, state) => [STATE_NAMES[state], time])
			.filter(([, time]) => time > 0)
			.map(([name, time]) => [name, shortTime(time) + ', ' + percent(time, end - begin)]);
	}

	/* Who did something on a track: its thread; or an interrupt, over a thread. */
	who(wake) {
		const {model} = this.app, track = model.tracks[model.wakes.track[wake]];

		if (track.kind !== TRACK.cpu)
			return track.thread ? track.thread.label : TRACK_NAMES[track.kind];
		const time = model.wakes.time[wake], inside = track.rows.findLast(row => row.at(time) >= 0);
		const name = inside ? model.shapes[model.slices.shape[inside.id[inside.at(time)]]].name : null;

		return (name ? name + ', an interrupt on CPU ' : 'CPU ') + track.number;
	}

	wakers(selection) {
		const {app} = this, {wakes} = app.model, list = wakersOf(app, selection);

		return list.slice(0, LINES_MAX).map(wake => ['woken by', make('span', '',
			this.link(this.who(wake), () => app.goWake(wake)), ' at ' + exactTime(wakes.time[wake]) +
			(wakes.runs[wake] >= 0 ? ', ran ' + duration(wakes.runs[wake] - wakes.time[wake]) + ' later' : ''))])
			.concat(list.length > LINES_MAX ? [['', 'and more']] : []);
	}

	/* While a thread waited for a CPU: who ran there instead. */
	waited(selection) {
		const waits = waitsOf(this.app.model, selection), sums = new Map();

		for (const [number, from, until] of waits) {
			const cpu = this.app.model.cpuOf.get(number);

			for (const [label, time] of cpu ? ranOn(this.app.model, cpu, from, until) : []) {
				const key = label + ' on CPU ' + number;

				sums.set(key, (sums.get(key) ?? 0) + time);
			}
		}
		const ran = [...sums].sort((a, b) => b[1] - a[1]);

		return waits.length ? [
			['waited for a CPU', duration(waits.reduce((sum, [, from, until]) => sum + until - from, 0))],
			...ran.slice(0, LINES_MAX).map(([key, time]) => ['ran instead', key + ', ' + shortTime(time)]),
			...ran.length > LINES_MAX ? [['', 'and more']] : [],
		] : [];
	}

	woken(selection) {
		const {app} = this, {wakes, threads} = app.model, list = wokenBy(app, selection);

		return list.slice(0, LINES_MAX).map(wake => ['woke', make('span', '',
			this.link(threads[wakes.thread[wake]].label, () => app.goWoken(wake)), ' at ' + exactTime(wakes.time[wake]))])
			.concat(list.length > LINES_MAX ? [['', 'and more']] : []);
	}

	/* "a <- b <- c": the innermost is first. */
	stack(name, text) {
		const frames = text.split(' <- ').filter(frame => frame.trim());

		return frames.length ? this.table([[name.replace('_', ' '), frames.map(frame => frame.trim()).join('\n'), 'value']]) : null;
	}
}

