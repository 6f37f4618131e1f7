/* ---- merged stacks: a tree of functions ------------------------------------ */

/*
 * A node has a name, its parent (null: it is the root), its depth, its children, and weights and
 * events: arrays, with a number for each trace that is shown.
 */
const addSums = (sums, more) => sums.forEach((sum, side) => { sums[side] = sum + more[side]; });

/* Calls each node from this one on with what the call of its parent has returned.  Stacks are deeper than recursion goes. */
function eachNode(node, first, call) {
	const left = [[node, first]];

	while (left.length) {
		const [at, above] = left.pop(), own = call(at, above);

		for (let i = at.children.length; i--;)
			left.push([at.children[i], own]);
	}
}

/* Marks what matches, and adds up what it weighs.  What is within a match counts once. */
function markMatches(node, regex, within, sums) {
	eachNode(node, within, (at, inside) => {
		at.matched = regex !== null && regex.test(at.name);
		if (at.matched && !inside)
			addSums(sums, at.weights);
		return inside || at.matched;
	});
	return sums;
}

/* How many rows of so many pixels a canvas has room for: browsers draw none that is higher. */
const rowsOfCanvas = (height, ratio) => Math.floor(32767 / (height * ratio));
/* The first of so many rows that are drawn: some above what is zoomed, at this depth. */
const firstRow = (depth, deepest, rows) => Math.max(0, Math.min(depth - 9, deepest + 1 - rows));

const share = (node, root, side) =>
	root.weights[side] ? node.weights[side] / root.weights[side] : 0;

/*
 * The rectangles of all that is wide enough, while node has all of the width.  They are as wide
 * as their shares in the trace of this side.
 */
function layOut(node, width, side) {
	const boxes = [];
	const put = (at, x, w) => {
		boxes.push({node: at, x, width: w});
	};
	const left = [[node, 0, width]];

	for (let up = node.parent; up; up = up.parent)
		put(up, 0, width);
	while (left.length) {
		const [at, x, w] = left.pop(), below = [];
		let from = x;

		if (w < 0.5)
			continue;
		put(at, x, w);
		for (const child of at.children) {
			const part = w * share(child, at, side);

			below.push([child, from, part]);
			from += part;
		}
		while (below.length)
			left.push(below.pop());
	}
	return boxes;
}
