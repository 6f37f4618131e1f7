// SPDX-License-Identifier: GPL-2.0-only OR MIT
//
// known.js PAGE EXPRESSION - what an expression in JavaScript is, as JSON.  In it, `app' is the page (load.js), of which
// nothing is drawn, and these are there, too:
//	point(NAME, N)	the number of the Nth event (0) that is a point and has this name
//	lane(NAME, N, FIELD)	the lane that "as a lane" makes of a field of it
'use strict';

const {load} = require('./load.js');

async function main() {
	const app = await load(process.argv[2]), {model} = app, numbers = new app.Numbers(app);
	const point = (name, n) => [...model.points.shape.keys()].filter(i => model.shapes[model.points.shape[i]].name === name)[n];
	const lane = (name, n, field) => numbers.field(point(name, n), field);

	app.lanes = {folded: new Set(), layOut() {}};
	app.reveal = selection => { app.revealed = selection.counter; };
	app.addCounter = app.App.prototype.addCounter;
	model.counters = numbers.all();
	console.log(JSON.stringify(new Function('app', 'model', 'point', 'lane', `return ${process.argv[3]};`)(app, model, point, lane)));
}

main().catch(error => {
	console.log(error.message);
	process.exit(1);
});
