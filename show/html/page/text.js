/* ---- words: what people read ---------------------------------------------- */

const element = id => document.getElementById(id);

/* Characters that cannot be seen, or change how those beside them look, are shown as numbers. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const clean = text => text.replace(HIDDEN, c => '\\u{' + c.codePointAt(0).toString(16) + '}');

const group = digits => digits.replace(/\B(?=(\d{3})+$)/g, '\u2009');
const count = n => group(String(Math.round(n)));
const plural = (n, one, many) => count(n) + ' ' + (n === 1 ? one : many);

/* "1.234 567 890 s", with thin spaces */
function exactTime(ns) {
	const rounded = Math.round(ns), size = Math.abs(rounded);
	const fraction = String(size % 1e9).padStart(9, '0').replace(/(\d{3})(?=\d)/g, '$1\u2009');

	return (rounded < 0 ? '\u2212' : '') + group(String(Math.floor(size / 1e9))) + '.' + fraction + ' s';
}

function shortTime(ns) {
	const size = Math.abs(ns);

	for (const [unit, name] of [[1e9, 's'], [1e6, 'ms'], [1e3, '\u00b5s']])
		if (size >= unit) {
			const value = ns / unit, of = size / unit;

			return value.toFixed(of >= 100 ? 0 : of >= 10 ? 1 : 2) + ' ' + name;
		}
	return Math.round(ns) + ' ns';
}

const duration = ns => shortTime(ns) + (ns >= 1e3 ? ' (' + count(ns) + ' ns)' : '');
const percent = (part, whole) => whole > 0 ? (100 * part / whole).toFixed(1) + ' %' : '';

/*
 * The wall clock, with all digits.  clocks: [time, wall clock then], in ns, as text: the last one that is
 * not later counts, because machines sleep and clocks are set.
 */
function clockTime(clocks, ns) {
	const [from, clock] = clocks.findLast(([from], i) => !i || Number(from) <= ns);
	const time = BigInt(clock) + BigInt(Math.round(ns)) - BigInt(from);
	const date = new Date(Number(time / 1000000n));

	if (Number.isNaN(date.getTime()))
		return '';
	return date.toISOString().slice(0, 19).replace('T', ' ') + '.' +
		String(((time % 1000000000n) + 1000000000n) % 1000000000n).padStart(9, '0') + ' UTC';
}

/* An element with text and elements in it: nothing of a trace is ever read as HTML. */
function make(tag, className, ...children) {
	const node = document.createElement(tag);

	if (className)
		node.className = className;
	node.append(...children.filter(child => child !== null));
	return node;
}

