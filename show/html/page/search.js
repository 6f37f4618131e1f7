/* ---- search: names, arguments, threads -------------------------------------------------- */

const HITS_MAX = 200000; /* of each kind */

class Search {
	constructor(app) {
		this.app = app;
		this.clear();
	}

	clear() {
		this.hits = [];
		this.at = -1;
		this.marks = null; /* of slices: 1: found */
		this.ticks = null; /* the ids of those that were found */
		this.more = false;
	}

	/* Which rows of a shape have it in a value; null: none. */
	rowsWith(shape, wanted, texts) {
		const {fields} = this.app, nr = fields ? shape.fields.length : 0;
		let rows = null;

		for (let f = 0; f < nr; f++) {
			const column = fields.column(shape, f), {kinds, values} = column;

			for (const i of wanted ? fields.rowsWith(column, wanted) : [])
				(rows ??= new Uint8Array(kinds.length))[i] = 1;
			for (let i = 0; i < kinds.length; i++)
				if (kinds[i] === VALUE.text && texts[Number(values[i])])
					(rows ??= new Uint8Array(kinds.length))[i] = 1;
		}
		return rows;
	}

	/* Numbers are found if they are the same, texts if they contain it. */
	static numberOf(query) {
		if (/^-?\d{1,18}$/.test(query))
			return {kind: VALUE.decimal, value: BigInt(query)};
		return /^0x[0-9a-f]{1,16}$/.test(query) ? {kind: VALUE.hex, value: BigInt(query)} : null;
	}

	run(query) {
		const {model, fields} = this.app, wanted = query.trim().toLowerCase();

		this.clear();
		if (!wanted)
			return;
		const has = text => text.toLowerCase().includes(wanted);
		const texts = Uint8Array.from(fields?.texts ?? [], has), number = Search.numberOf(wanted);
		const rows = model.shapes.map(shape => has(shape.name) || has(shape.category + ':' + shape.name) ? true :
			this.rowsWith(shape, number, texts));
		const found = (shapes, of, i) => {
			const hit = rows[shapes[i]];

			return hit === true || (hit && hit[of[i]]);
		};
		const {slices, points, wakes} = model;

		this.marks = new Uint8Array(slices.begin.length);
		this.ticks = new Set();
		let add = this.adder();

		for (const thread of model.threads)
			if (thread.names.some(has) || has(thread.label))
				add({time: thread.states.nr ? thread.states.begin[0] : 0, thread});
		add = this.adder();
		for (let i = 0; i < slices.begin.length; i++)
			if (found(slices.shape, slices.row, i)) {
				this.marks[i] = 1;
				add({time: slices.begin[i], slice: i});
			}
		add = this.adder();
		for (let i = 0; i < points.time.length; i++)
			if (found(points.shape, points.row, i)) {
				this.ticks.add(i);
				add({time: points.time[i], tick: i});
			}
		add = this.adder();
		for (let i = 0; i < wakes.time.length; i++)
			if (found(wakes.shape, wakes.row, i)) {
				this.ticks.add(-1 - i);
				add({time: wakes.time[i], tick: -1 - i});
			}
		this.hits.sort((a, b) => a.time - b.time);
	}

	/* Adds hits of one kind, so that none is missing because there are so many of another. */
	adder() {
		let nr = 0;

		return hit => {
			if (nr++ < HITS_MAX)
				this.hits.push(hit);
			else
				this.more = true;
		};
	}

	/* The next one, or at first the first that is shown; null: none was found. */
	go(by) {
		const {hits} = this;

		if (!hits.length)
			return null;
		if (this.at < 0) {
			this.at = hits.findIndex(hit => hit.time >= this.app.view.from);
			this.at = Math.max(0, this.at);
		} else {
			this.at = (this.at + by + hits.length) % hits.length;
		}
		return hits[this.at];
	}

	/* Times to be marked where there is room for so many. */
	mapTimes(room) {
		const step = Math.max(1, Math.floor(this.hits.length / room));

		return this.hits.filter((_, i) => i % step === 0).map(hit => hit.time);
	}

	get text() {
		if (!this.marks)
			return '';
		if (!this.hits.length)
			return 'nothing found';
		const nr = (this.more ? 'more than ' : '') + count(this.hits.length);

		return this.at < 0 ? nr + ' found' : count(this.at + 1) + ' of ' + nr;
	}
}

