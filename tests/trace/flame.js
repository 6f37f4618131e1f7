// SPDX-License-Identifier: GPL-2.0-only OR MIT
//
// flame.js PAGE FOLDED UNIT [diff] - runs the script of the page, with the little of a browser that it
// uses, and does what a user does.  Sums are compared with those of FOLDED.  diff: both are of
// two traces that are compared.
'use strict';

const assert = require('assert');
const fs = require('fs');
const vm = require('vm');

const WIDTH = 1000, ROW = 18;
const page = fs.readFileSync(process.argv[2], 'ascii');
const diff = process.argv[5] === 'diff';
const folded = fs.readFileSync(process.argv[3], 'ascii').split('\n').filter(line => line)
	.map(line => {
		const words = line.split(' ');
		const weight = +words.pop(), before = diff ? +words.pop() : 0;

		return {frames: words.join(' ').split(';'), weight, before};
	});
const all = folded.reduce((sum, fold) => sum + fold.weight, 0);
const allBefore = folded.reduce((sum, fold) => sum + fold.before, 0);

function element() {
	const listeners = {};

	return {
		listeners, style: {}, textContent: '', value: '', hidden: false,
		classes: new Set(),
		get classList() {
			return {add: name => this.classes.add(name),
				remove: name => this.classes.delete(name)};
		},
		addEventListener(type, call) { listeners[type] = call; },
		focus() { document.activeElement = this; },
		getBoundingClientRect: () => ({left: 0, top: 0, width: 100, height: 40}),
		clientWidth: WIDTH,
	};
}

const elements = {};
const document = element();
const window = element();
const scripts = [...page.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)];
let drawn = [];

window.devicePixelRatio = 2;
window.innerWidth = WIDTH;
window.innerHeight = 700;
document.getElementById = id => {
	assert(page.includes(`id="${id}"`), id);
	return elements[id] = elements[id] || element();
};
document.getElementById('data').textContent = scripts[0][2];
document.getElementById('graph').getContext = () => ({
	scale() { drawn = []; },
	measureText: text => ({width: 7 * text.length}),
	fillRect(x, y, width, height) { drawn.push({x, y, width, color: this.fillStyle}); },
	fillText(text) { drawn[drawn.length - 1].text = text; },
});
vm.runInNewContext("'use strict';" + scripts[1][2], {document, window});

const {graph, search, reset, turn, side, state, tip, title} = elements;
const percent = (part, of = all) => (of ? 100 * part / of : 0).toFixed(2) + ' %';
const sum = (wanted, key = 'weight') => folded.filter(fold => wanted(fold.frames))
	.reduce((total, fold) => total + fold[key], 0);
const shares = wanted => diff ?
	`before ${percent(sum(wanted, 'before'), allBefore)}, after ${percent(sum(wanted))}` :
	percent(sum(wanted));
const at = box => ({clientX: box.x + box.width / 2, clientY: box.y + ROW / 2});
const key = name => document.listeners.keydown({key: name, preventDefault() {}});
// The box of a frame, by the beginning of its name, and where it is.
const boxOf = (name, row) => drawn.find(box => box.text && box.text.startsWith(name) &&
	(row === undefined || box.y === row * ROW));

assert.strictEqual(document.title, process.argv[4] === undefined ? '' : title.textContent);
if (!folded.length) {
	assert(state.textContent.startsWith('No event has a stack.'));
	process.exit();
}
assert.strictEqual(title.textContent, '<i>Ta&b</i></title></script>');

// All of it: the root is at the bottom and has all of the width.
const rows = 1 + Math.max(...folded.map(fold => fold.frames.length));
const root = boxOf('all');

assert.strictEqual(root.y, (rows - 1) * ROW);
assert(Math.abs(root.width - WIDTH) < 1);
assert.strictEqual(graph.height, rows * ROW * 2);
// Each program is as wide as its share.
for (const name of new Set(folded.map(fold => fold.frames[0]))) {
	const share = sum(frames => frames[0] === name) / all;
	const box = drawn.find(b => b.y === (rows - 2) * ROW && b.text &&
		b.text.slice(0, 3) === name.slice(0, 3));

	if (share > 0.1)
		assert(Math.abs(box.width - share * WIDTH) < 1, name);
}

// The tip tells the weight.
const heaviest = folded[0].frames[0];
const program = boxOf(heaviest, rows - 2);
const inProgram = frames => frames[0] === heaviest;
const ofProgram = sum(inProgram);
const line = diff ? '\nafter: ' : '\n';

graph.listeners.mousemove(at(program));
assert.strictEqual(tip.hidden, false);
assert(tip.textContent.startsWith(heaviest + '\n'), tip.textContent);
assert(tip.textContent.includes(percent(ofProgram)), tip.textContent);
if (process.argv[4] === '')
	assert(tip.textContent.includes(`${line}${ofProgram} events`), tip.textContent);
if (process.argv[4] === 'time')
	assert(tip.textContent.includes(`${line}${(ofProgram / 1e3).toFixed(3)} us`), tip.textContent);
graph.listeners.mouseleave();
assert.strictEqual(tip.hidden, true);

// A search: what is matched twice in a stack counts once.
search.value = '^(work|pages)$';
search.listeners.input();
const matching = shares(frames => frames.some(frame => /^(work|pages)$/.test(frame)));

assert(state.textContent.endsWith('matched: ' + matching), state.textContent);
assert(drawn.some(box => box.color === '#d6f'));
search.value = '(';
search.listeners.input();
assert(search.classes.has('wrong'));
assert(!state.textContent.includes('matched'));
search.value = 'nothing has this name';
search.listeners.input();
assert(!search.classes.has('wrong'));
assert(state.textContent.endsWith('matched: ' + shares(() => false)));
key('Escape');
assert.strictEqual(search.value, '');
assert(!state.textContent.includes('matched'));

// A click zooms; Escape and Reset go back.
for (const back of [() => key('Escape'), () => reset.listeners.click()]) {
	graph.listeners.click(at(program));
	assert(Math.abs(boxOf(heaviest, rows - 2).width - WIDTH) < 1);
	assert(state.textContent.includes(`zoomed: ${heaviest}, ${shares(inProgram)}`));
	assert.strictEqual(new Set(drawn.filter(b => b.y === (rows - 2) * ROW)).size, 1);
	back();
	assert(!state.textContent.includes('zoomed'));
	assert(Math.abs(boxOf(heaviest, rows - 2).width - ofProgram / all * WIDTH) < 1);
}

// The other way up.
turn.listeners.click();
assert.strictEqual(boxOf('all').y, 0);
assert(boxOf(heaviest, 1));
turn.listeners.click();
assert.strictEqual(boxOf('all').y, (rows - 1) * ROW);
key('/');
assert.strictEqual(document.activeElement, search);

// Two traces: red and blue say how shares have changed, and widths can be those of the other.
assert.strictEqual(side.hidden, !diff);
if (!diff)
	process.exit();
const colors = {1: 'hsl(4,', '-1': 'hsl(215,', 0: '#eee'};
const programs = [...new Set(folded.map(fold => fold.frames[0]))];
const byName = name => boxOf(name.slice(0, 3), rows - 2);
const change = name => sum(frames => frames[0] === name) / all -
	sum(frames => frames[0] === name, 'before') / allBefore;
const tell = box => {
	graph.listeners.mousemove(at(box));
	return tip.textContent;
};

assert(boxOf('all').color === '#eee');
assert(tell(boxOf('all')).endsWith('change: 0.00 points'));
for (const name of programs.filter(byName)) {
	const by = change(name);

	assert(byName(name).color.startsWith(colors[Math.sign(Math.abs(by) < 5e-5 ? 0 : by)]),
		`${name} ${by} ${byName(name).color}`);
	assert(tell(byName(name)).includes(`change: ${by > 0 ? '+' : ''}${(100 * by).toFixed(2)} points`));
}
side.listeners.click();
assert(state.textContent.includes('widths are those before'));
const beforeProgram = sum(inProgram, 'before') / allBefore;

if (beforeProgram > 0.1)
	assert(Math.abs(byName(heaviest).width - beforeProgram * WIDTH) < 1);
// What is only there can be seen now, and is told.
const gone = folded.find(fold => !fold.weight && fold.before / allBefore > 0.1);

if (process.argv[4] !== 'time') {
	const depth = gone.frames.length;
	const box = boxOf(gone.frames[depth - 1].slice(0, 3), rows - 1 - depth);

	assert(tell(box).endsWith('points, only before'), tell(box));
	assert(box.color.startsWith(colors[-1]));
	// It has no width in the other trace: the zoom goes to what has.
	graph.listeners.click(at(box));
	assert(state.textContent.includes(`zoomed: ${gone.frames[depth - 1]}`));
	side.listeners.click();
	assert(!state.textContent.includes(`zoomed: ${gone.frames[depth - 1]}`));
	assert(drawn.length > 1);
	key('Escape');
	side.listeners.click();
}
const only = (frames, key, total) => percent(folded.filter(fold => fold[frames] === 0)
	.reduce((part, fold) => part + fold[key], 0), total);

assert(state.textContent.includes('only before: ' + only('weight', 'before', allBefore)));
assert(state.textContent.includes('only after: ' + only('before', 'weight', all)));
side.listeners.click();
assert(state.textContent.includes('widths are those after'));
