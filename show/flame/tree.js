/* ---- merged stacks: a tree of functions ------------------------------------ */

/*
 * A node has a name, its parent (null: it is the root), its depth, its children, and weights and
 * events: arrays, with a number for each trace that is shown.
 */
const addSums = (sums, more) => sums.forEach((sum, side) => { sums[side] = sum + more[side]; });

/* Marks what matches, and adds up what it weighs.  What is within a match counts once. */
function markMatches(node, regex, within, sums) {
	node.matched = regex !== null && regex.test(node.name);
	if (node.matched && !within)
		addSums(sums, node.weights);
	for (const child of node.children)
		markMatches(child, regex, within || node.matched, sums);
	return sums;
}

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
	const below = (at, x, w) => {
		if (w < 0.5)
			return;
		put(at, x, w);
		for (const child of at.children) {
			const part = w * share(child, at, side);

			below(child, x, part);
			x += part;
		}
	};

	for (let up = node.parent; up; up = up.parent)
		put(up, 0, width);
	below(node, 0, width);
	return boxes;
}
