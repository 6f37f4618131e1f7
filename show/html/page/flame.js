/* ---- a flame graph of what is selected, from the top down ------------------------- */

const FRAME = 17, FRAME_NARROW = 24;

class Flame {
	/* What it has: an area of Callers, and which stacks. */
	constructor(app, area, key) {
		this.app = app;
		this.key = key;
		this.merged = app.callers.merge(area, key);
		this.root = this.zoomed = this.at = this.merged.root;
		this.matched = null;
		this.boxes = [];
		/* Rows: the first one that is drawn, and how many are not. */
		this.first = this.leftOut = 0;
		this.canvas = make('canvas', 'flame');
		this.canvas.tabIndex = 0;
		this.canvas.setAttribute('role', 'img');
		this.canvas.ariaLabel = 'merged stacks: the arrow keys go through them, and Enter zooms';
		this.state = make('div', 'state');
		this.state.setAttribute('role', 'status');
		this.search = make('input', '');
		this.search.type = 'search';
		this.search.placeholder = 'search stacks';
		this.search.ariaLabel = 'search functions of stacks: a regular expression';
		this.search.spellcheck = false;
		this.node = make('div', 'stacks', make('div', 'bar', this.search, this.state), this.canvas);
		this.listen();
		this.tell();
	}

	listen() {
		this.search.addEventListener('input', () => this.find());
		this.canvas.addEventListener('click', event => {
			const node = this.nodeAt(event);

			this.at = node ?? this.at;
			this.zoom(node ?? this.root);
		});
		this.canvas.addEventListener('mousemove', event => {
			const node = this.nodeAt(event);

			this.app.showTip(node ? this.textOf(node) : '', event);
		});
		this.canvas.addEventListener('mouseleave', event => this.app.showTip('', event));
		this.canvas.addEventListener('keydown', event => this.press(event));
		/* Its width is known when it is in the page, and may change. */
		new ResizeObserver(() => requestAnimationFrame(() => this.draw())).observe(this.node);
	}

	/* ---- words ---- */

	weight(weight) {
		return this.key === OFF_CPU ? duration(weight) : plural(weight, ...(this.key === SAMPLES ? ['sample', 'samples'] : ['event', 'events']));
	}

	textOf(node) {
		const lines = [node.name, this.weight(node.weights[0]) + ', ' + percent(node.weights[0], this.root.weights[0])];

		if (this.zoomed !== this.root && node.depth >= this.zoomed.depth)
			lines[1] += ' (' + percent(node.weights[0], this.zoomed.weights[0]) + ' of ' + this.zoomed.name + ')';
		if (this.key === OFF_CPU)
			lines.push(plural(node.events[0], 'time', 'times'));
		return lines.join('\n');
	}

	/* How much there is, and what is not known of it. */
	tell() {
		const {root, unknown, late, partial, unnamed, missing} = this.merged, all = root.weights[0];
		const of = part => this.weight(part) + ', ' + percent(part, all);
		const words = [all ? this.weight(all) + (this.key === OFF_CPU ? ' in ' + plural(root.events[0], 'time', 'times') : '') : 'none'];

		if (missing)
			words.push('without a stack: ' + of(missing));
		if (partial)
			words.push('stacks not known to their ends: ' + of(partial));
		if (unnamed)
			words.push('functions without names: ' + of(unnamed));
		if (unknown)
			words.push('what threads did is not known: ' + duration(unknown));
		if (late)
			words.push('of ' + plural(late, 'thread', 'threads') + ' nothing is known before the first event');
		if (this.zoomed !== root)
			words.push('zoomed: ' + this.zoomed.name + ', ' + of(this.zoomed.weights[0]));
		if (this.leftOut)
			words.push(plural(this.leftOut, 'row is', 'rows are') + ' not drawn: zoom to see others');
		if (this.matched)
			words.push('found: ' + of(this.matched[0]));
		this.state.textContent = words.join(' \u00b7 ');
	}

	/* ---- drawing ---- */

	color(node) {
		const {theme} = this.app;

		if (node.matched)
			return theme.hit;
		if (node.depth < this.zoomed.depth || node === this.root)
			return theme.line;
		return node.name.startsWith('[') ? theme.sleeping : theme.palette[hueOf(node.name, theme.palette.length)];
	}

	draw() {
		const width = this.node.clientWidth, {theme} = this.app;

		if (!width)
			return;
		this.boxes = layOut(this.zoomed, width, 0);
		const deepest = this.boxes.reduce((most, box) => Math.max(most, box.node.depth), 0);
		const rows = Math.min(deepest + 1, rowsOfCanvas(FRAME, window.devicePixelRatio || 1)), leftOut = deepest + 1 - rows;

		this.first = firstRow(this.zoomed.depth, deepest, rows);
		if (leftOut !== this.leftOut) {
			this.leftOut = leftOut;
			this.tell();
		}
		const context = prepareCanvas(this.canvas, width, rows * FRAME), painter = new Painter(this.app, context, width, {from: 0, until: 1});

		painter.rectangle(0, 0, width, rows * FRAME, theme.side);
		context.font = '11px ' + FONT;
		for (const box of this.boxes) {
			const y = (box.node.depth - this.first) * FRAME;

			painter.rectangle(box.x, y, Math.max(0.5, box.width - 0.5), FRAME - 1, this.color(box.node));
			if (box.width > FRAME_NARROW)
				painter.text(box.node.name, box.x + 3, y + FRAME / 2, box.width - 6, box.node.depth < this.zoomed.depth || box.node === this.root ? theme.text : theme.ink);
		}
		this.frame(context);
	}

	/* What the keys are at. */
	frame(context) {
		const box = document.activeElement === this.canvas && this.boxes.find(b => b.node === this.at);

		if (!box)
			return;
		context.strokeStyle = this.app.theme.select;
		context.lineWidth = 2;
		context.strokeRect(box.x + 1, (box.node.depth - this.first) * FRAME + 1, Math.max(1, box.width - 2), FRAME - 3);
	}

	nodeAt(event) {
		const area = this.canvas.getBoundingClientRect(), x = event.clientX - area.left, depth = this.first + Math.floor((event.clientY - area.top) / FRAME);

		return this.boxes.find(b => b.node.depth === depth && x >= b.x && x < b.x + b.width)?.node ?? null;
	}

	/* ---- what people do ---- */

	zoom(node) {
		this.zoomed = node;
		this.tell();
		this.draw();
	}

	/* True: there was something to take back. */
	escape() {
		const was = this.zoomed !== this.root || this.search.value;

		if (this.zoomed !== this.root) {
			this.zoom(this.root);
		} else if (this.search.value) {
			this.search.value = '';
			this.find();
		}
		return was;
	}

	find() {
		let regex = null;

		this.search.classList.remove('wrong');
		try {
			regex = this.search.value ? new RegExp(this.search.value) : null;
		} catch (error) {
			this.search.classList.add('wrong');
		}
		this.matched = markMatches(this.root, regex, false, [0]);
		if (!regex)
			this.matched = null;
		this.tell();
		this.draw();
	}

	/* Keys in the graph. */
	press(event) {
		const {at} = this, among = at.parent?.children ?? [at], i = among.indexOf(at);
		const to = {ArrowDown: at.children[0], ArrowUp: at.parent, ArrowLeft: among[i - 1], ArrowRight: among[i + 1]};

		if (event.key === 'Enter')
			this.zoom(at);
		else if (event.key in to)
			this.at = to[event.key] ?? at;
		else
			return;
		event.preventDefault();
		event.stopPropagation();
		/* What is not drawn cannot be seen. */
		if (this.at.depth < this.zoomed.depth || !this.boxes.some(box => box.node === this.at))
			this.zoomed = this.at.parent ?? this.root;
		this.tell();
		this.state.textContent = this.textOf(this.at).replaceAll('\n', ', ') + ' \u00b7 ' + this.state.textContent;
		this.draw();
	}
}

