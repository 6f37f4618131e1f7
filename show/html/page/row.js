/* ---- rows: intervals that do not overlap, at any level of detail ------------ */

/* The first one in array that is not less than value. */
function lowerBound(array, value, from = 0, until = array.length) {
	while (from < until) {
		const middle = (from + until) >>> 1;

		if (array[middle] < value)
			from = middle + 1;
		else
			until = middle;
	}
	return from;
}

/*
 * What a pixel shows of the many intervals in it is found without a look at each: how much they
 * are together is a difference of two sums, and which is the longest is in a tree, in which each
 * node is the longest of sixteen below it.
 */
class Row {
	/* id: what each interval is; the caller's. */
	constructor(begin, end, id) {
		const nr = begin.length;

		this.begin = begin;
		this.end = end;
		this.id = id;
		this.nr = nr;
		this.sum = this.sums(() => true);
		this.tree = [];
		for (let below = null, size = nr; size > 16;) {
			const level = new Uint32Array((size + 15) >>> 4);

			for (let i = 0; i < level.length; i++) {
				let best = below ? below[i * 16] : i * 16;

				for (let k = i * 16 + 1; k < Math.min(size, i * 16 + 16); k++)
					best = this.longer(best, below ? below[k] : k);
				level[i] = best;
			}
			this.tree.push(level);
			below = level;
			size = level.length;
		}
	}

	longer(a, b) {
		return this.end[b] - this.begin[b] > this.end[a] - this.begin[a] ? b : a;
	}

	/* How long those that want() takes are, from the first one up to each. */
	sums(want) {
		const sum = new Float64Array(this.nr + 1);

		for (let i = 0; i < this.nr; i++)
			sum[i + 1] = sum[i] + (want(i) ? this.end[i] - this.begin[i] : 0);
		return sum;
	}

	/* The longest one of from to until - 1; there is one. */
	longest(from, until) {
		let best = from;

		for (let level = -1; from < until; level++) {
			const nodes = level < 0 ? null : this.tree[level];
			const take = i => { best = this.longer(best, nodes ? nodes[i] : i); };

			if (until - from < 32 || level + 1 >= this.tree.length) {
				while (from < until)
					take(from++);
				break;
			}
			while (from & 15)
				take(from++);
			while (until & 15)
				take(--until);
			from >>>= 4;
			until >>>= 4;
		}
		return best;
	}

	/* The first one that ends after time. */
	after(time) {
		let i = lowerBound(this.end, time);

		while (i < this.nr && this.end[i] <= time)
			i++;
		return i;
	}

	/* The one at time, or -1. */
	at(time) {
		const i = this.after(time);

		return i < this.nr && this.begin[i] <= time ? i : -1;
	}

	/* The one at time, else the longest that is not farther from it. */
	near(time, distance) {
		const at = this.at(time);

		if (at >= 0)
			return at;
		const from = lowerBound(this.end, time - distance);
		let until = from;

		until = lowerBound(this.begin, time + distance, from);
		return from < until ? this.longest(from, until) : -1;
	}

	/* How much of from to until is covered, by one of sums(). */
	covered(sum, from, until) {
		return this.upTo(sum, until) - this.upTo(sum, from);
	}

	upTo(sum, time) {
		const i = lowerBound(this.begin, time);

		if (!i)
			return 0;
		/* Only the last one can reach beyond. */
		const last = sum[i] - sum[i - 1];

		return last && this.end[i - 1] > time ? sum[i] - (this.end[i - 1] - time) : sum[i];
	}
}

const EMPTY = new Row(new Float64Array(0), new Float64Array(0), new Uint32Array(0));

