// SPDX-License-Identifier: GPL-2.0-only OR MIT
//
// What a user does with the page of report --flame.  page.py puts this behind the page's own
// script.  What is then to be seen goes into the document, as JSON.
//
// The frames are drawn on a canvas.  So what is drawn is noted by the functions that draw,
// which draw nevertheless, and some points are looked at.
const prototype = CanvasRenderingContext2D.prototype;
const {fillRect, fillText, scale} = prototype;
const element = id => document.getElementById(id);
const graph = element('graph'), search = element('search'), tip = element('tip');
let frames = [];

prototype.scale = function (...ratios) {
	frames = [];
	scale.apply(this, ratios);
};
prototype.fillRect = function (x, y, width, height) {
	frames.push({x, y, width, height, color: this.fillStyle});
	fillRect.call(this, x, y, width, height);
};
prototype.fillText = function (text, x, y) {
	const {width} = this.measureText(text);

	Object.assign(frames[frames.length - 1], {text, from: x, to: x + width, ink: this.fillStyle});
	fillText.call(this, text, x, y);
};

const rectangle = of => {
	const {left, top, right, bottom} = of.getBoundingClientRect();

	return {left, top, right, bottom};
};
const middle = frame => {
	const {left, top} = graph.getBoundingClientRect();

	return {x: left + frame.x + frame.width / 2, y: top + frame.y + frame.height / 2};
};

function mouse(type, frame) {
	const {x, y} = middle(frame);

	document.elementFromPoint(x, y)?.dispatchEvent(
		new MouseEvent(type, {clientX: x, clientY: y, bubbles: true, cancelable: true}));
}

function key(name) {
	document.activeElement.dispatchEvent(
		new KeyboardEvent('keydown', {key: name, bubbles: true, cancelable: true}));
}

function type(text) {
	document.activeElement.value = text;
	document.activeElement.dispatchEvent(new InputEvent('input', {bubbles: true}));
}

// The color of the canvas where a frame has no text, as CSS.
function pixel(frame) {
	const ratio = graph.width / graph.clientWidth;
	const at = graph.getContext('2d').getImageData(Math.round((frame.x + 1.5) * ratio),
		Math.round((frame.y + 8.5) * ratio), 1, 1).data;

	return '#' + [...at].slice(0, 3).map(n => n.toString(16).padStart(2, '0')).join('');
}

function look() {
	return {
		frames: frames.map(frame => ({...frame,
			pixel: frame.width > 4 ? pixel(frame) : null})),
		state: element('state').textContent,
		wrong: search.matches('.wrong'),
	};
}

// What the mouse says on each frame that is wide enough to be met.
function hover() {
	const tips = [];

	for (const frame of frames.filter(f => f.text)) {
		window.scrollTo(0, middle(frame).y + window.scrollY - window.innerHeight / 2);
		mouse('mousemove', frame);
		tips.push({frame: frames.indexOf(frame), shown: getComputedStyle(tip).display !== 'none',
			text: tip.textContent, at: rectangle(tip)});
	}
	window.scrollTo(0, 0);
	graph.dispatchEvent(new MouseEvent('mouseleave'));
	return tips;
}

function styles(of) {
	const {color, backgroundColor} = getComputedStyle(of);

	return {color, background: backgroundColor};
}

function use() {
	const seen = {};
	const rows = () => [...new Set(frames.map(frame => frame.y))].sort((a, b) => b - a);
	// Programs are above the root.
	const heaviest = () => frames.filter(frame => frame.y === rows()[1])
		.reduce((most, frame) => frame.width > most.width ? frame : most);

	window.dispatchEvent(new Event('resize'));
	seen.first = look();
	seen.title = [document.title, element('title').textContent];
	seen.window = [window.innerWidth, window.innerHeight, window.devicePixelRatio];
	seen.scroll = document.documentElement.scrollWidth;
	seen.graph = rectangle(graph);
	seen.controls = ['title', 'search', 'turn', 'reset', 'state'].map(id => rectangle(element(id)));
	seen.styles = [styles(document.body), styles(tip)];
	seen.elements = document.body.querySelectorAll('i, b').length;
	if (!frames.length || rows().length < 2)
		return seen;
	seen.tips = hover();
	mouse('click', heaviest());
	seen.zoomed = look();
	key('/');
	seen.searches = document.activeElement === search;
	type('^(work|pages)$');
	seen.found = look();
	key('Escape');
	seen.back = look();
	key('Escape');
	seen.out = look();
	type('(');
	seen.wrong = look();
	type('');
	element('turn').click();
	seen.turned = look();
	element('turn').click();
	seen.compares = getComputedStyle(element('side')).display !== 'none';
	if (seen.compares) {
		element('side').click();
		seen.before = look();
		seen.tipsBefore = hover();
		element('side').click();
	}
	seen.last = look();
	return seen;
}

const result = document.createElement('script');

result.type = 'application/json';
result.id = 'seen';
try {
	result.textContent = JSON.stringify(use()).replaceAll('<', '\\u003c');
} catch (error) {
	result.textContent = JSON.stringify({error: String(error.stack)}).replaceAll('<', '\\u003c');
}
document.body.append(result);
