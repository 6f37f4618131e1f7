// SPDX-License-Identifier: GPL-2.0-only OR MIT
//
// page.js PAGE CHROME - runs the scripts of a page of ktrace export --to html, all but what draws: what they
// read must be what CHROME has (ktrace export --to chrome of the same trace), each field of each event.
// CPUs have somebody, or it is said that this is not known, at any time; a search for a number finds it.
'use strict';

const assert = require('assert');
const fs = require('fs');
const vm = require('vm');

const page = fs.readFileSync(process.argv[2], 'ascii');
const parts = new Map([...page.matchAll(/<script type="text\/plain" id="(\w+)">([^<]*)</g)].map(([, id, text]) => [id, text]));
const script = /<script type="module">([^]*?)<\/script>/.exec(page)[1];
const document = {getElementById: id => ({textContent: parts.get(id), remove() {}})};
const context = vm.createContext({document, atob, Blob, Response, DecompressionStream, TextDecoder, console});

// Its last statement makes the page.
vm.runInContext(script.slice(0, script.lastIndexOf('\nstart()')), context);
const {readJson, readPart, makeModel, markFailed, rowsOfTrack, ranOn, Fields, Search, Lanes, clean, clockTime, mergePixels} =
	vm.runInContext('({readJson, readPart, makeModel, markFailed, rowsOfTrack, ranOn, Fields, Search, Lanes, clean, clockTime, mergePixels})',
		context);

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

	const spans = mergePixels({begin: [0, 1, 8, 9.5, 20], end: [0, 1, 9, 12, 20]}, Math.floor, 2);

	assert.strictEqual(JSON.stringify(spans), '[[0,3],[8,12],[20,22]]');
	assert.strictEqual(clean('a\u3164\u115f\u2800\u202eb'), 'a\\u{3164}\\u{115f}\\u{2800}\\u{202e}b');
}

async function main() {
	checkParts();

	const model = makeModel(await readJson('head'), await readJson('names'), await readPart('tape'));
	const fields = new Fields(model.shapes, await readPart('fields'), (await readJson('texts')).map(clean));
	const events = checkEvents(model, fields);

	markFailed(model, fields);
	new Lanes(model);
	checkRan(model);
	const gaps = model.states.what.length ? model.cpus.reduce((sum, cpu) => sum + checkCpu(model, cpu), 0) : 0;
	const numbers = checkSearch(model, fields, events);

	console.log(`${events.length} events, ${gaps} times of CPUs not known, ${numbers} numbers found`);
}

main().catch(error => {
	console.log(error.message);
	process.exit(1);
});
