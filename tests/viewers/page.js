// SPDX-License-Identifier: GPL-2.0-only OR MIT
//
// page.js PAGE CHROME FOLDED OFF-CPU - runs the scripts of a page of ktrace export --to html, all but what draws: what they
// read must be what CHROME has (ktrace export --to chrome of the same trace), each field of each event.
// CPUs have somebody, or it is said that this is not known, at any time; a search for a number finds it.  Merged stacks
// are those of FOLDED (ktrace export --to folded), the times that threads were off the CPU are those of CHROME, and the stacks
// of these are those of OFF-CPU (ktrace report --folded --weight time).
'use strict';

const assert = require('assert');
const fs = require('fs');
const {load} = require('./load.js');

// What the page has defined, when it is loaded.
let markFailed, rowsOfTrack, ranOn, Search, Lanes, clean, clockTime, mergePixels, Callers, Counter, Numbers, STATE_NAMES, partAround, ticksIn, slicesIn, layOut, markMatches, firstRow;

// Long numbers stay as they are written.
const readChrome = text => JSON.parse(text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}/g, token => token[0] === '"' ? token : `"${token}"`));

function chromeEvents() {
	const opened = new Map(), found = [];
	const ns = us => Math.round(us * 1000);
	const texts = args => Object.entries(args ?? {}).map(([name, value]) => name + '=' + clean(String(value)));

	for (const event of readChrome(fs.readFileSync(process.argv[3], 'utf8')).traceEvents) {
		const row = event.pid + ' ' + event.tid;

		if (event.ph === 'B') {
			opened.set(row, [...opened.get(row) ?? [], [event.name, ns(event.ts), texts(event.args)]]);
		} else if (event.ph === 'E') {
			const [name, begin, args] = opened.get(row).pop();

			found.push([clean(name), begin, ns(event.ts), ...args, ...texts(event.args)].join(' '));
		} else if (event.ph === 'i') {
			found.push([clean(event.name), ns(event.ts), ns(event.ts), ...texts(event.args)].join(' '));
		} else if (event.ph === 'X' && !['cpu', 'state', 'lost'].includes(event.cat)) {
			found.push([clean(event.name), ns(event.ts), ns(event.ts) + ns(event.dur), ...texts(event.args)].join(' '));
		}
	}
	return found.sort();
}

function pageEvents(model, fields) {
	const found = [];
	const add = (shape, row, begin, end) => found.push([shape.name, Math.max(0, begin), end,
		...fields.row(shape, row).map(([name, text]) => name + '=' + text)].join(' '));
	const {slices, points, wakes} = model;

	slices.begin.forEach((begin, i) => add(model.shapes[slices.shape[i]], slices.row[i], begin, slices.end[i]));
	points.time.forEach((time, i) => add(model.shapes[points.shape[i]], points.row[i], time, time));
	wakes.time.forEach((time, i) => add(model.shapes[wakes.shape[i]], wakes.row[i], time, time));
	return found.sort();
}

function checkEvents(model, fields) {
	const got = pageEvents(model, fields), expected = chromeEvents();

	for (let i = 0; i < Math.max(got.length, expected.length); i++)
		assert.strictEqual(got[i], expected[i], 'an event that the page has, and one that it should have');
	return got;
}

// Who had it, and when nobody knows, are together all of the time, and do not overlap.
function checkCpu(model, cpu) {
	const spans = [];

	for (const row of [cpu.run, cpu.unknown])
		for (let i = 0; i < row.nr; i++)
			spans.push([Math.max(0, row.begin[i]), Math.min(model.span, row.end[i])]);
	let at = 0;

	for (const [begin, end] of spans.filter(([begin, end]) => end > begin).sort((a, b) => a[0] - b[0])) {
		assert.strictEqual(begin, at, `CPU ${cpu.number} is idle, or has two threads`);
		at = end;
	}
	assert.strictEqual(at, model.span, `the end of CPU ${cpu.number}`);
	return cpu.unknown.nr;
}

// A few numbers: at least those that have it as a field, at most those that have it anywhere.
function checkSearch(model, fields, events) {
	const numbers = new Set();
	let nr = 0;

	for (let i = 0; i < events.length; i += Math.ceil(events.length / 40))
		numbers.add(/=(0x[89a-f][0-9a-f]{15}|-\d+|\d+)( |$)/.exec(events[i])?.[1]);
	numbers.delete(undefined);
	for (const number of numbers) {
		const search = new Search({model, fields});

		search.run(number);
		const found = search.hits.length;
		const exact = events.filter(event => event.includes(`=${number} `) || event.endsWith('=' + number)).length;

		assert(exact <= found, `${number} is in ${exact} events, and found ${found} times`);
		assert(found <= events.filter(event => event.includes(number)).length + model.threads.length, number);
		nr++;
	}
	return nr;
}

// Who ran meanwhile, and how long that is not known, are together all of the time.
function checkRan(model) {
	for (const cpu of model.states.what.length ? model.cpus : []) {
		const sum = ranOn(model, cpu, 1000, model.span - 1000).reduce((all, [, time]) => all + time, 0);

		assert(model.span < 2000 || Math.abs(sum - (model.span - 2000)) < 1, `${sum} on CPU ${cpu.number}`);
	}
}

// What no trace of these tests has.
function checkParts() {
	const nr = 1000, order = [...Array(nr).keys()];
	const slices = {begin: order.map(i => nr - i), end: order.map(i => nr + i), depth: new Uint16Array(nr)};
	const rows = rowsOfTrack(Uint32Array.from(order), slices);

	assert.strictEqual(rows.length, 255, 'levels');
	assert.strictEqual(rows.reduce((sum, row) => sum + row.nr, 0), nr);
	assert.deepStrictEqual([...slices.depth.slice(nr - 3)], [2, 1, 0]);
	assert.strictEqual(slices.depth[0], 254);

	// So many slices that not all of them are kept: the thread is.
	const many = 200001, none = {shape: [], row: [], time: []};
	const model = {shapes: [{name: 'x', category: 'c', fields: []}], points: none, wakes: none,
		slices: {begin: new Float64Array(many), shape: new Uint32Array(many), row: new Uint32Array(many)},
		threads: [{names: ['x'], label: 'x 1', states: {nr: 0}}]};
	const search = new Search({model, fields: null});

	search.run('x');
	assert.strictEqual(search.hits.length, many);
	assert(search.more && search.hits.some(hit => hit.thread), 'a thread is not among the hits');

	// It slept for a second, 500 ns after the begin.
	const clocks = [['0', '1500000000000000000'], ['500', '1500000001000000500']];

	assert.strictEqual(clockTime(clocks, 499), '2017-07-14 02:40:00.000000499 UTC');
	assert.strictEqual(clockTime(clocks, 501), '2017-07-14 02:40:01.000000501 UTC');
	assert.strictEqual(clockTime(clocks, -1), '2017-07-14 02:39:59.999999999 UTC');

	// What is around a time that is not in the page: as much as a page has, and that time.
	const density = [...Array(100).keys()].map(i => 50000 + i * 1000);

	for (const at of [0, 37, 99]) {
		const {from, until, nr} = partAround({density, events: 9000000, leftOut: 5000000}, at);

		assert(from <= at && until > at && nr <= 3000000, `a part around ${at}`);
		assert.strictEqual(nr, density.slice(from, until).reduce((a, b) => a + b));
		assert((from === 0 || nr + density[from - 1] > 3000000) && (until === 100 || nr + density[until] > 3000000), 'it could be larger');
	}
	assert.strictEqual(JSON.stringify(partAround({density: [9000000], events: 9000000, leftOut: 5000000}, 0)), '{"from":0,"until":1,"nr":9000000}');
	assert.strictEqual(JSON.stringify(partAround({density: [300, 300, 300], events: 900, leftOut: 200}, 2)), '{"from":1,"until":3,"nr":600}',
		'no more than was room for in this page');

	// A stack that is deeper than recursion goes.
	const deep = 16000;
	const callers = Object.assign(Object.create(Callers.prototype), {model: {span: 9, threads: [], words: ['x:y']}, nr: 1, time: [5], what: [0], thread: [0],
		frame: [deep - 1], parent: Array.from({length: deep}, (_, i) => i ? i - 1 : 0xffffffff), name: new Uint32Array(deep), texts: ['f'], partial: [], unnamed: []});
	const {root} = callers.merge({from: 0, until: 9}, 'x:y');

	// Two events whose names look alike.
	Object.assign(callers, {nr: 2, time: [5, 6], what: [0, 1], thread: [0, 0], frame: [0, 1]});
	callers.model.words = ['x:y', 'x:y'];
	assert.strictEqual(callers.kinds({from: 0, until: 9}).map(([key]) => callers.merge({from: 0, until: 9}, key).root.weights[0]).join(), '1,1');

	assert.strictEqual(layOut(root, 100, 0).length, deep + 1, 'each of its frames is drawn');
	assert.strictEqual(markMatches(root, /f/, false, [0])[0], 1, 'what is within a match counts once');
	assert(firstRow(0, 9, 10) === 0 && firstRow(9, 9, 10) === 0 && firstRow(50, 99, 10) === 41 && firstRow(99, 99, 10) === 90, 'rows that are drawn');

	// Of nobody there is a stack: this is found once.
	let built = 0;
	const nobody = Object.assign(Object.create(Callers.prototype), {left: null, switches: () => { built++; return new Map(); }});

	nobody.frameLeft({index: 0}, 1);
	nobody.frameLeft({index: 1}, 2);
	assert.strictEqual(built, 1, 'switches are gone through once');

	const spans = mergePixels({begin: [0, 1, 8, 9.5, 20], end: [0, 1, 9, 12, 20]}, Math.floor, 2);

	assert.strictEqual(JSON.stringify(spans), '[[0,3],[8,12],[20,22]]');
	assert.strictEqual(clean('a\u3164\u115f\u2800\u202eb'), 'a\\u{3164}\\u{115f}\\u{2800}\\u{202e}b');
}

// [path, weight] of each stack of a tree that has some itself.
function leaves(node, path = []) {
	const names = node.parent ? [...path, node.name] : path, rest = node.weights[0] - node.children.reduce((sum, child) => sum + child.weights[0], 0);
	const own = rest ? [[names, rest]] : [];

	assert(rest >= 0, `${names} is wider than what is below it`);
	return own.concat(...node.children.map(child => leaves(child, names)));
}

const plain = text => text.replace(/\\u\{[0-9a-f]+\}|[^!-:<-~]/g, '_').replace(/_+/g, '_');

// Leaves must be the lines of a file of folded stacks.  How many there are.
function checkFolded(path, all, what) {
	const found = new Map(), wanted = new Map();

	for (const [[program, ...frames], weight] of all) {
		const key = plain(program) + ';' + frames.join(';');

		if (frames.join() !== '[not_recorded]')
			found.set(key, (found.get(key) ?? 0) + weight);
	}
	for (const line of fs.readFileSync(path, 'latin1').split('\n').filter(text => text)) {
		const [, program, frames, weight] = /^([^;]*)((?:;.*)?) (\d+)$/.exec(line), key = plain(program) + frames;

		if (frames !== ';[not_recorded]')
			wanted.set(key, (wanted.get(key) ?? 0) + Number(weight));
	}
	assert.strictEqual(JSON.stringify([...found].sort()), JSON.stringify([...wanted].sort()), what);
	return wanted.size;
}

function checkStacks(app) {
	const {model, callers} = app, area = {from: 0, until: model.span};

	// The reason is in front of the program.
	checkFolded(process.argv[5], leaves(callers.merge(area, 'off-cpu').root).map(([[, ...names], weight]) => [names, weight]),
		'stacks of times off the CPU');
	return checkFolded(process.argv[4], [...new Set(callers.what)].flatMap(what => leaves(callers.merge(area, model.words[what]).root)),
		'merged stacks');
}

// How long all threads were off the CPU in the middle half of the trace, and why.
function checkOff(app) {
	const {model, callers} = app, from = Math.floor(model.span / 4), until = Math.floor(model.span * 3 / 4);
	const reasons = {runnable: 'waits for a CPU', preempted: 'preempted', sleeping: 'sleeping', blocked: 'blocked', stopped: 'stopped'};
	const wanted = new Map(), got = new Map(), last = new Map();
	const ns = us => Math.round(us * 1000);
	let absences = 0;

	for (const {ph, cat, name, ts, dur, tid} of readChrome(fs.readFileSync(process.argv[3], 'utf8')).traceEvents) {
		const time = ph === 'X' && cat === 'state' && reasons[name] ? Math.min(until, ns(ts) + ns(dur)) - Math.max(from, ns(ts)) : 0;

		if (time > 0) {
			wanted.set(reasons[name], (wanted.get(reasons[name]) ?? 0) + time);
			absences += last.get(tid) === ns(ts) ? 0 : 1;
			last.set(tid, ns(ts) + ns(dur));
		}
	}
	const {root} = callers.merge({from, until}, 'off-cpu');

	for (const {name, weights} of root.children)
		got.set(name, weights[0]);
	assert.strictEqual(JSON.stringify([...got].sort()), JSON.stringify([...wanted].sort()), 'times off the CPU');
	assert.strictEqual(root.events[0], absences, 'so many times were threads off the CPU');
	return [...wanted.values()].reduce((a, b) => a + b, 0);
}

// Parts beside each other have together what the whole has.
function checkBorders(app) {
	const {model, callers} = app, times = [...model.points.time, ...callers.time].filter(time => time > 0 && time < model.span);
	const area = (from, until) => [ticksIn(model, from, until), slicesIn(model, from, until).reduce((sum, row) => sum + row[1], 0),
		...[...new Set(callers.what)].map(what => callers.merge({from, until}, model.words[what]).root.weights[0])];
	const whole = area(0, model.span);

	for (let i = 0; i < times.length; i += Math.ceil(times.length / 5)) {
		const [before, after] = [area(0, times[i]), area(times[i], model.span)];

		assert.strictEqual(JSON.stringify(before.map((nr, k) => nr + after[k])), JSON.stringify(whole), `two parts, the second from ${times[i]}`);
	}
	assert.strictEqual(whole[0], model.tracks.reduce((sum, {ticks}) => sum + ticks.times.length, 0), 'all events');
}

// A number at any time, at any level of detail, as a plain walk finds it.
function checkCounters() {
	const times = [], values = [], gaps = {nr: 1, begin: [500], end: [520]};

	for (let i = 0; i < 5000; i++) {
		times.push(10 + i * 3);
		values.push((i * 7919) % 1000 - 200);
	}
	const counter = new Counter('x', '', Float64Array.from(times), Float64Array.from(values), 20000, gaps);
	const isKnown = time => time >= 10 && (time < 500 || time >= 520);

	// What is known at each of them, and values that were seen in what is not.
	for (const from of [...Array(21).keys()].map(i => i * 777).concat(498, 500, 505, 519, 520))
		for (const length of [1, 3, 50, 1000, 9000]) {
			const at = [...Array(length).keys()].map(i => from + i).filter(time => time < 20000), known = at.filter(isKnown).map(time => values[Math.floor((time - 10) / 3)] ?? values[4999]);
			const inside = known.concat(at.map(time => values[times.indexOf(time)]).filter(value => value !== undefined));
			const found = counter.between(from, from + length);

			assert.strictEqual(found?.least, inside.length ? Math.min(...inside) : undefined, `least from ${from}`);
			assert.strictEqual(found?.greatest, inside.length ? Math.max(...inside) : undefined, `greatest from ${from}`);
			assert(!found || found.unknown === at.length - known.length, `not known from ${from}: ${found?.unknown}`);
			assert(!known.length || Math.abs(found.average - known.reduce((a, b) => a + b) / known.length) < 1e-6, `average from ${from}`);
		}
	assert.strictEqual(counter.between(10, 16).average, (values[0] + values[1]) / 2);
	assert.strictEqual(counter.between(0, 5), null, 'it is not known before the first event');
	const lost = new Counter('x', 'kHz', Float64Array.of(10, 900), Float64Array.of(100, 5), 1000, {nr: 1, begin: [20], end: [880]});

	assert.strictEqual(JSON.stringify(lost.between(100, 800)), '{"unknown":700}', 'nothing is known in a loss');
	assert.strictEqual(JSON.stringify(lost.between(0, 20)), '{"unknown":10,"least":100,"greatest":100,"average":100}');
	assert.deepStrictEqual([...counter.unknown.begin], [0, 500]);
	assert.deepStrictEqual([...counter.unknown.end], [10, 520], 'from a gap on until the next event');
}

// How many threads wait for each CPU, at some times.
function checkWaiting(model) {
	const chosen = [...Array(50).keys()].map(i => Math.floor(model.span * (i + 0.5) / 50) + 0.25), {states} = model, moment = 0.5;
	const all = [...states.what.keys()].filter(i => ['runnable', 'preempted'].includes(STATE_NAMES[states.what[i]]) &&
		model.threads[states.thread[i]].tid);

	for (const cpu of model.cpus) {
		const list = all.filter(i => states.cpu[i] === cpu.number);

		for (const time of chosen) {
			const waits = list.filter(i => states.begin[i] <= time && states.end[i] > time).length;

			const found = cpu.waiting?.between(time, time + moment);

			if (cpu.waiting?.row.nr && cpu.unknown.at(time) >= 0)
				assert(found?.unknown === moment && found.greatest === undefined, `who waits for CPU ${cpu.number} at ${time} is not known`);
			else
				assert.strictEqual(found?.greatest ?? 0, waits, `threads that wait for CPU ${cpu.number} at ${time}`);
		}
	}
}

async function main() {
	const app = await load(process.argv[2]), {model, fields} = app;

	({markFailed, rowsOfTrack, ranOn, Search, Lanes, clean, clockTime, mergePixels, Callers, Counter, Numbers, STATE_NAMES, partAround, ticksIn, slicesIn, layOut, markMatches, firstRow} = app);
	checkParts();
	checkCounters();
	const events = checkEvents(model, fields);

	markFailed(model, fields);
	new Lanes(model);
	checkRan(model);
	const gaps = model.states.what.length ? model.cpus.reduce((sum, cpu) => sum + checkCpu(model, cpu), 0) : 0;
	const numbers = checkSearch(model, fields, events);

	checkBorders(app);
	const stacks = checkStacks(app), off = app.callers.nr ? checkOff(app) : 0;

	if (events.length < 30000)
		checkWaiting(model);
	console.log(`${events.length} events, ${stacks} stacks, ${off} ns off the CPU, ${gaps} times of CPUs not known, ${numbers} numbers found`);
}

main().catch(error => {
	console.log(error.message);
	process.exit(1);
});
