// SPDX-License-Identifier: GPL-2.0-only OR MIT
// System calls from deep in the interpreter and what it compiles: deep.js TIMES
const fs = require('fs');

const fd = fs.openSync('/dev/null', 'w');
const ask = () => fs.writeSync(fd, 'x');

function nested(depth)
{
	return depth ? [depth].map(n => nested(n - 1))[0] : ask();
}

for (let i = 0; i < Number(process.argv[2]); i++) {
	nested(i % 10);
	[3, 1, 2].sort((a, b) => { ask(); return a - b; });
	JSON.parse('[1, {"a": 2}]', (key, value) => { ask(); return value; });
	'abc'.replace(/b/g, () => ask());
}
Promise.resolve().then(ask);
setTimeout(ask, 1);
