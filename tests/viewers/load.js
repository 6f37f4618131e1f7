// SPDX-License-Identifier: GPL-2.0-only OR MIT
//
// The scripts of a page of ktrace export --to html, without what draws: what they call by these names, and what
// they read of the page.
'use strict';

const fs = require('fs');
const vm = require('vm');

const NAMES = ['readJson', 'readPart', 'makeModel', 'markFailed', 'rowsOfTrack', 'ranOn', 'Fields', 'Search', 'Lanes', 'clean',
	'clockTime', 'mergePixels', 'Callers', 'Panel', 'PathFinder', 'Numbers', 'Counter', 'STATE_NAMES', 'Select', 'partAround', 'App', 'valueText', 'ticksIn', 'slicesIn', 'markMatches', 'layOut', 'firstRow'];

// An object with these, and model and fields, as the page's App has them.
async function load(path) {
	const page = fs.readFileSync(path, 'ascii');
	const parts = new Map([...page.matchAll(/<script type="text\/plain" id="(\w+)">([^<]*)</g)].map(([, id, text]) => [id, text]));
	const script = /<script type="module">([^]*?)<\/script>/.exec(page)[1];
	const document = {getElementById: id => ({textContent: parts.get(id), remove() {}})};
	const context = vm.createContext({document, atob, Blob, Response, DecompressionStream, TextDecoder, console});

	// Its last statement makes the page.
	vm.runInContext(script.slice(0, script.lastIndexOf('\nstart()')), context);
	const app = vm.runInContext(`({${NAMES.join(', ')}})`, context);

	app.model = app.makeModel(await app.readJson('head'), await app.readJson('names'), await app.readPart('tape'));
	const [fields, stacks] = [await app.readPart('fields'), await app.readPart('stacks')];
	const texts = (await app.readJson('texts')).map(app.clean);

	app.fields = new app.Fields(app.model.shapes, fields, texts);
	app.callers = new app.Callers(app.model, stacks, texts);
	app.panel = Object.assign(Object.create(app.Panel.prototype), {app});
	return app;
}

module.exports = {load};
