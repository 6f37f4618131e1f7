/* ---- above the lanes: the whole trace, and the ruler ---------------------------- */

const MAP = 42, TOP = 70;

/* Steps of 1, 2 or 5 times a power of ten, so that labels do not touch. */
function gridOf(view, width) {
	const least = (view.until - view.from) / Math.max(1, width) * 120;
	const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
	const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= least) ?? 10 * power;

	return {step, decimals: Math.max(0, 9 - Math.floor(Math.log10(step) + 1e-9))};
}

/* [from, until] of pixels that have something, each at least so wide: thousands may be in one. */
function mergePixels({begin, end}, pixelOf, least) {
	const changes = new Map(), found = [];
	const change = (x, by) => changes.set(x, (changes.get(x) ?? 0) + by);

	for (let i = 0; i < begin.length; i++) {
		const x = pixelOf(begin[i]);

		change(x, 1);
		change(Math.max(x + least, pixelOf(end[i])), -1);
	}
	let open = 0;

	for (const [x, by] of [...changes].sort((a, b) => a[0] - b[0])) {
		if (!open && by)
			found.push([x, x]);
		open += by;
		if (!open && by)
			found[found.length - 1][1] = x;
	}
	return found;
}

class Top {
	constructor(app) {
		this.app = app;
		this.canvas = element('top');
	}

	/* The map has the whole width. */
	mapX(time) {
		return LABELS + time / this.app.model.whole * this.mapWidth;
	}

	mapTime(x) {
		return Math.max(0, Math.min(1, (x - LABELS) / this.mapWidth)) * this.app.model.whole;
	}

	draw(width, view) {
		const {app} = this, context = prepareCanvas(this.canvas, width, TOP);

		/* The window may be narrower than the labels. */
		this.mapWidth = Math.max(1, width - LABELS - 12);
		this.painter = new Painter(app, context, width, view);
		this.painter.rectangle(0, 0, width, TOP, app.theme.page);
		this.map();
		this.shown(view);
		this.ruler(view, width);
		this.painter.rectangle(0, TOP - 1, width, 1, app.theme.line);
		this.names();
	}

	names() {
		const {context, theme} = this.painter;

		this.painter.rectangle(0, 0, LABELS - 1, TOP - 1, theme.side);
		this.painter.rectangle(LABELS - 1, 0, 1, TOP, theme.line);
		context.font = '10.5px ' + FONT;
		this.painter.text('events, whole trace', 14, 14, LABELS - 20, theme.dim);
		this.painter.text(shortTime(this.app.model.whole), 14, 30, LABELS - 20, theme.dim);
		this.painter.text('shown: ' + shortTime(this.app.view.until - this.app.view.from), 14, MAP + 14, LABELS - 20, theme.dim);
	}

	map() {
		const {theme, model} = this.app, {density, bucket} = model.head;
		const bars = new Float64Array(Math.ceil(this.mapWidth) + 1);

		density.forEach((n, i) => {
			bars[Math.min(bars.length - 1, Math.floor(i * bucket / model.whole * this.mapWidth))] += n;
		});
		const most = Math.sqrt(bars.reduce((a, b) => Math.max(a, b), 1));
		const wide = Math.max(1, Math.ceil(bucket / model.whole * this.mapWidth));

		bars.forEach((n, x) => {
			const height = n ? Math.max(1, Math.sqrt(n) / most * (MAP - 10)) : 0;

			if (height)
				this.painter.rectangle(LABELS + x, MAP - 4 - height, wide, height, theme.density);
		});
		const {losses} = model, hatch = theme.hatch(this.painter.context, theme.lost);

		for (const [from, until] of mergePixels(losses, time => Math.floor(this.mapX(Math.max(0, time))), 2))
			this.painter.rectangle(from, 4, until - from, MAP - 8, hatch);
		if (model.head.leftOut)
			this.painter.rectangle(this.mapX(model.span), 4, LABELS + this.mapWidth - this.mapX(model.span), MAP - 8,
				theme.hatch(this.painter.context, theme.unknown));
		for (const time of this.app.search.mapTimes(bars.length))
			this.painter.rectangle(this.mapX(time), 1, 1.5, 5, theme.hit);
	}

	shown(view) {
		const {theme} = this.app, left = this.mapX(Math.max(0, view.from));
		const right = Math.max(left + 2, this.mapX(Math.min(this.app.model.whole, view.until)));

		this.painter.rectangle(LABELS, 0, left - LABELS, MAP, theme.cover);
		this.painter.rectangle(right, 0, LABELS + this.mapWidth + 12 - right, MAP, theme.cover);
		this.painter.context.strokeStyle = theme.accent;
		this.painter.context.strokeRect(left - 0.5, 1, right - left + 1, MAP - 2);
	}

	/* Below 100 us labels say how much later they are than a time that is in front of them. */
	ruler(view, width) {
		const {theme} = this.app, {step, decimals} = gridOf(view, width - LABELS), {context} = this.painter;
		const fine = step < 1e5, base = fine ? Math.max(0, Math.floor(view.from / (step * 100))) * step * 100 : 0;

		context.font = '10.5px ' + FONT;
		this.painter.rectangle(LABELS, MAP, width, TOP - MAP, theme.page);
		for (let i = Math.max(0, Math.ceil(view.from / step)); i * step <= view.until; i++) {
			const x = Math.round(this.painter.x(i * step));
			const label = fine ? '+' + (i * step - base >= 1e3 ? +((i * step - base) / 1e3).toFixed(3) + ' \u00b5s' : Math.round(i * step - base) + ' ns')
				: (i * step / 1e9).toFixed(decimals) + ' s';

			this.painter.rectangle(x, TOP - 9, 1, 9, theme.dim);
			this.painter.text(label, x + 4, TOP - 9, 110, theme.text);
		}
		this.at(fine ? exactTime(base) + ' +' : '', LABELS + 4, 300);
		if (this.app.pointer !== null && this.app.pointer > LABELS) {
			this.painter.rectangle(this.app.pointer, MAP, 1, TOP - MAP, theme.accent);
			this.at(exactTime(this.app.timeAt(this.app.pointer)), Math.min(this.app.pointer + 4, width - 150), 160);
		}
	}

	at(text, x, room) {
		const {context, theme} = this.painter, wide = Math.min(room, context.measureText(text).width);

		if (!text)
			return;
		this.painter.rectangle(x - 2, MAP + 1, wide + 4, 13, theme.page);
		this.painter.text(text, x, MAP + 8, room, theme.dim);
	}
}

