// SPDX-License-Identifier: GPL-2.0-only OR MIT
//
// path.js PAGE CHAIN... - critical paths that a page of ktrace export --to html finds are those that
// ktrace why --chain --json tells of the same trace: piece by piece, with the waits around them.
'use strict';

const assert = require('assert');
const fs = require('fs');
const {load} = require('./load.js');

// Piece after piece of a thread that has done the same are one: where one is cut depends on when it was looked at.
function joined(pieces) {
	const list = [];

	for (const piece of pieces) {
		const last = list[list.length - 1];

		if (last && !piece.around && !last.around && last.end === piece.begin && last.tid === piece.tid && last.state === piece.state &&
			last.depth === piece.depth && piece.state === 'running')
			last.end = piece.end;
		else
			list.push({...piece});
	}
	return list;
}

function check(app, path, begin) {
	const {model} = app, at = time => Number(BigInt(time) - begin);
	const wanted = joined(path.path.map(p => ({tid: p.tid, state: p.followed ? 'around' : p.state, begin: at(p.begin), end: at(p.end),
		depth: p.depth, around: p.followed})));
	const thread = model.threads.filter(t => t.tid === path.tid).find(t => t.states.nr && t.states.end[t.states.nr - 1] >= at(path.begin));

	assert(thread, `there is a thread ${path.tid}`);
	const found = new app.PathFinder(app).find(thread, at(path.begin), at(path.end));
	const got = joined(found.map(p => ({tid: p.thread.tid, state: p.around ? 'around' : app.STATE_NAMES[p.what].replace('not known', 'unknown'),
		begin: p.begin, end: p.end, depth: p.depth, around: p.around})));

	for (let i = 0; i < Math.max(got.length, wanted.length); i++)
		assert.strictEqual(JSON.stringify(got[i]), JSON.stringify(wanted[i]), `piece ${i} of ${path.name} of ${path.tid}`);
	assert.strictEqual(found.filter(p => !p.around).reduce((sum, p) => sum + p.end - p.begin, 0), path.wall, 'all pieces');
	return got.length;
}

async function main() {
	const app = await load(process.argv[2]), {model} = app;
	let paths = 0, pieces = 0;

	for (const name of process.argv.slice(3))
		for (const path of JSON.parse(fs.readFileSync(name, 'utf8').replace(/"(begin|end)":\s*(\d+)/g, '"$1":"$2"')).paths) {
			// Some of its pieces are not told.
			if (path.shorter.count)
				continue;
			pieces += check(app, path, BigInt(model.head.begin));
			paths++;
		}
	assert(paths, 'there are paths');
	console.log(`${paths} paths, ${pieces} pieces and waits`);
}

main().catch(error => {
	console.log(error.message);
	process.exit(1);
});
