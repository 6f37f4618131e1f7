/* ---- mouse, touch and keys ---------------------------------------------------------------- */

const MOVED = 4; /* pixels: less is a click */

/* Fingers and the mouse on the lanes: drag moves, with Shift it measures, two fingers zoom. */
class LanesPointer {
	constructor(app) {
		this.app = app;
		this.fingers = new Map();
		this.drag = null;
		const {scroll} = app;

		scroll.addEventListener('pointerdown', event => this.down(event));
		scroll.addEventListener('pointermove', event => this.move(event));
		scroll.addEventListener('pointerup', event => this.up(event));
		scroll.addEventListener('pointercancel', event => this.up(event));
		scroll.addEventListener('pointerleave', () => app.hover(null));
		scroll.addEventListener('dblclick', () => app.selection && app.reveal(app.selection, true));
		scroll.addEventListener('wheel', event => this.wheel(event), {passive: false});
		scroll.addEventListener('scroll', () => app.redraw());
	}

	at(event) {
		const area = this.app.scroll.getBoundingClientRect();

		return {x: event.clientX - area.left, y: event.clientY - area.top + this.app.scroll.scrollTop};
	}

	down(event) {
		const {app} = this, {x, y} = this.at(event);

		if (event.button || x > app.scroll.clientWidth)
			return;
		app.scroll.focus({preventScroll: true});
		const lane = app.lanes.at(y);

		if (x < LABELS && lane?.kind !== 'head')
			return;
		app.scroll.setPointerCapture(event.pointerId);
		this.fingers.set(event.pointerId, event);
		this.begin(event, event.shiftKey ? app.snap(app.timeAt(x), y) : null, lane);
	}

	begin(event, measures, lane) {
		const {app} = this;

		this.drag = {x: this.at(event).x, y: event.clientY, view: app.view, top: app.scroll.scrollTop, moved: false, measures, lane};
	}

	move(event) {
		const {app, drag} = this, {x, y} = this.at(event);

		if (!drag) {
			app.hover(x > LABELS ? {x, y, clientX: event.clientX, clientY: event.clientY} : null);
			return;
		}
		if (this.fingers.size > 1) {
			this.pinch(event);
			return;
		}
		drag.moved ||= Math.abs(x - drag.x) + Math.abs(event.clientY - drag.y) > MOVED;
		if (!drag.moved)
			return;
		app.hover(null);
		if (drag.measures !== null) {
			app.measure(drag.measures, app.snap(app.timeAt(x), y), false);
			return;
		}
		const by = (drag.x - x) / app.width * (drag.view.until - drag.view.from);

		app.scroll.scrollTop = drag.top + drag.y - event.clientY;
		app.setView(drag.view.from + by, drag.view.until + by);
	}

	pinch(event) {
		const {app} = this, before = [...this.fingers.values()];

		this.fingers.set(event.pointerId, event);
		const after = [...this.fingers.values()], size = ([a, b]) => Math.max(8, Math.abs(a.clientX - b.clientX));
		const middle = (after[0].clientX + after[1].clientX) / 2 - app.scroll.getBoundingClientRect().left;

		this.drag.moved = true;
		this.drag.measures = null;
		app.zoom(size(before) / size(after), middle);
	}

	up(event) {
		const {app, drag} = this;

		if (!this.fingers.delete(event.pointerId) || !drag)
			return;
		if (this.fingers.size) {
			/* The one that stays moves what is shown from where it is now. */
			this.begin([...this.fingers.values()][0], null, null);
			this.drag.moved = true;
			return;
		}
		this.drag = null;
		if (event.type === 'pointercancel') {
			app.cancelMeasure();
			return;
		}
		const {x, y} = this.at(event), lane = app.lanes.at(y);

		if (drag.measures !== null && drag.moved)
			app.measure(app.range.from, app.range.until, true, drag.lane);
		else if (!drag.moved && lane?.kind === 'head')
			app.fold(lane.key);
		else if (!drag.moved && x >= LABELS)
			app.select(pick(app, app.timeAt(drag.x), y, app.pixel));
	}

	/* A touchpad's pinch is a wheel with Ctrl. */
	wheel(event) {
		const {app} = this, lines = event.deltaMode ? 16 : 1;

		if (event.ctrlKey || event.metaKey) {
			event.preventDefault();
			app.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY * lines)) * 0.004), this.at(event).x);
		} else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
			event.preventDefault();
			app.move((event.deltaX || event.deltaY) * lines / app.width);
		}
	}
}

/* The map moves and chooses what is shown; the ruler measures. */
class TopPointer {
	constructor(app) {
		const {canvas} = app.top;

		this.app = app;
		this.drag = null;
		canvas.addEventListener('pointerdown', event => this.down(event));
		canvas.addEventListener('pointermove', event => this.move(event));
		canvas.addEventListener('pointerup', event => this.up(event));
		canvas.addEventListener('pointercancel', () => {
			this.drag = null;
			app.cancelMeasure();
		});
		canvas.addEventListener('pointerleave', () => app.point(null));
		canvas.addEventListener('wheel', event => {
			event.preventDefault();
			app.zoom(Math.exp(event.deltaY * 0.004), event.offsetX);
		}, {passive: false});
	}

	down(event) {
		const {app} = this, {view} = app, x = event.offsetX;

		if (event.button || x < LABELS)
			return;
		app.top.canvas.setPointerCapture(event.pointerId);
		if (event.offsetY > MAP) {
			this.drag = {measures: app.timeAt(x)};
			return;
		}
		const time = app.top.mapTime(x), inside = time >= view.from && time <= view.until;

		/* Inside of what is shown, unless that is nearly all: move it.  Else: choose a part. */
		this.drag = {x, time, by: inside && view.until - view.from < 0.9 * app.model.whole ? time - view.from : null};
	}

	move(event) {
		const {app, drag} = this, x = event.offsetX;

		app.point(event.offsetY > MAP || drag ? x : null);
		if (!drag)
			return;
		if (drag.measures !== undefined) {
			app.measure(drag.measures, app.timeAt(Math.max(LABELS, x)), false);
			return;
		}
		const time = app.top.mapTime(x), length = app.view.until - app.view.from;

		if (drag.by !== null)
			app.setView(time - drag.by, time - drag.by + length);
		else if (Math.abs(x - drag.x) > MOVED)
			app.setView(Math.min(time, drag.time), Math.max(time, drag.time));
	}

	up(event) {
		const {app, drag} = this;

		this.drag = null;
		if (drag?.measures !== undefined && app.range && !app.range.done)
			app.measure(app.range.from, app.range.until, true);
		else if (drag && drag.measures === undefined && drag.by === null && Math.abs(event.offsetX - drag.x) <= MOVED)
			app.goTo(drag.time);
	}
}

const KEYS = {
	w: app => app.zoom(0.7), '+': app => app.zoom(0.7), '=': app => app.zoom(0.7),
	s: app => app.zoom(1 / 0.7), '-': app => app.zoom(1 / 0.7),
	a: app => app.move(-0.15), d: app => app.move(0.15),
	0: app => app.showAll(), Home: app => app.showAll(),
	f: app => app.selection && app.reveal(app.selection, true),
	g: app => app.foldSelected(),
	m: app => app.measureSelection(),
	c: app => app.panel.choosePath(),
	t: app => app.panel.chooseNext(),
	n: app => app.goHit(1), p: app => app.goHit(-1),
	'[': app => app.goWaker(), ']': app => app.goFirstWoken(),
	ArrowLeft: app => app.selection ? app.goBeside(-1) : app.move(-0.15),
	ArrowRight: app => app.selection ? app.goBeside(1) : app.move(0.15),
	ArrowUp: app => app.goNested(-1), ArrowDown: app => app.goNested(1),
	PageUp: app => app.scrollBy(-0.8), PageDown: app => app.scrollBy(0.8),
	'?': app => app.help(true),
	'/': app => app.box.select(),
	Escape: app => app.escape(),
};

/* The browser would empty it. */
function leaveBox(app, event) {
	event.preventDefault();
	app.scroll.focus();
}

function listenKeys(app) {
	document.addEventListener('keydown', event => {
		const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;

		if (event.ctrlKey || event.metaKey || event.altKey)
			return;
		/* What it is about cannot be seen. */
		if (!element('help').hidden && key !== 'Escape')
			return;
		if (document.activeElement === app.box) {
			if (key === 'Enter')
				app.goHit(event.shiftKey ? -1 : 1);
			else if (key === 'Escape')
				leaveBox(app, event);
			return;
		}
		/* The one that searches stacks. */
		if (event.target instanceof HTMLInputElement) {
			if (key === 'Escape' || key === 'Enter') {
				event.preventDefault();
				app.panel.flame?.canvas.focus();
			}
			return;
		}
		/* Buttons have keys of their own. */
		if (!KEYS[key] || (event.target instanceof HTMLButtonElement && key === 'Enter'))
			return;
		event.preventDefault();
		KEYS[key](app);
	});
}

