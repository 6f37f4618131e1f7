/* ---- fields: what is read only when somebody looks -------------------------- */

const VALUE = {decimal: 0, text: 1, hex: 2};

/* The values of a column, or null: one is beyond what numbers have exactly. */
function readValues(bytes, at, nr) {
	const kinds = new Uint8Array(nr), values = new Float64Array(nr);
	let last = 0, most = 0;

	for (let i = 0; i < nr; i++) {
		let byte = bytes[at++], value = byte & 127;

		for (let scale = 128; byte > 127; scale *= 128) {
			byte = bytes[at++];
			value += (byte & 127) * scale;
		}
		if (value > Number.MAX_SAFE_INTEGER)
			return null;
		const code = Math.floor(value / 4);

		kinds[i] = value % 4;
		if (kinds[i] === VALUE.text) {
			if (code % 2)
				most += (code - 1) / 2;
			values[i] = (code % 2 ? most : code / 2) - 1;
		} else {
			values[i] = last += unzigzag(code);
			/* Differences are modulo 2^64: this one is 2^64 - 1, say. */
			if (!Number.isSafeInteger(last) || (last < 0 && kinds[i] === VALUE.hex))
				return null;
		}
	}
	return {kinds, values};
}

/* The same with all of their 64 bits, of which negative numbers have the two's complement. */
function readBigValues(bytes, at, nr) {
	const kinds = new Uint8Array(nr), values = new BigUint64Array(nr);
	let last = 0n, most = 0;

	for (let i = 0; i < nr; i++) {
		const begin = at;
		let byte = bytes[at++], value = byte & 127;

		for (let scale = 128; byte > 127; scale *= 128) {
			byte = bytes[at++];
			value += (byte & 127) * scale;
		}
		kinds[i] = bytes[begin] & 3;
		const code = Math.floor(value / 4);

		if (kinds[i] === VALUE.text) {
			if (code % 2)
				most += (code - 1) / 2;
			values[i] = BigInt((code % 2 ? most : code / 2) - 1);
		} else {
			last += value <= Number.MAX_SAFE_INTEGER ? BigInt(unzigzag(code)) : bigDifference(bytes, begin);
			values[i] = last = BigInt.asUintN(64, last);
		}
	}
	return {kinds, values};
}

function bigDifference(bytes, at) {
	let value = 0n, shift = 0n, byte;

	do {
		byte = bytes[at++];
		value |= BigInt(byte & 127) << shift;
		shift += 7n;
	} while (byte > 127);
	const code = value >> 2n;

	return code & 1n ? -((code + 1n) >> 1n) : code >> 1n;
}

class Fields {
	constructor(shapes, bytes, texts) {
		let at = 0;

		this.bytes = bytes;
		this.texts = texts;
		this.columns = new Map();
		this.at = new Map();
		for (const shape of shapes)
			this.at.set(shape, shape.sizes.map(size => (at += size) - size));
	}

	column(shape, field) {
		if (!this.columns.has(shape))
			this.columns.set(shape, []);
		const columns = this.columns.get(shape), at = this.at.get(shape)[field];

		columns[field] ??= readValues(this.bytes, at, shape.rows) ?? readBigValues(this.bytes, at, shape.rows);
		return columns[field];
	}

	text(shape, field, row) {
		const {kinds, values} = this.column(shape, field), value = values[row];

		switch (kinds[row]) {
		case VALUE.text: return this.texts[Number(value)];
		case VALUE.hex: return '0x' + value.toString(16);
		default: return String(typeof value === 'bigint' ? BigInt.asIntN(64, value) : value);
		}
	}

	/* Which rows of the column have this number. */
	rowsWith({kinds, values}, {kind, value}) {
		const wanted = values instanceof BigUint64Array ? BigInt.asUintN(64, value) : Number(value), rows = [];

		for (let i = values.indexOf(wanted); i >= 0; i = values.indexOf(wanted, i + 1))
			if (kinds[i] === kind)
				rows.push(i);
		return rows;
	}

	/* [name, text] of each */
	row(shape, row) {
		return shape.fields.map((name, i) => [name, this.text(shape, i, row)]);
	}
}

const RESULT = 'result';
const FAILED = /^-1 E/;

/* Which calls have failed, so that it can be seen. */
function markFailed(model, fields) {
	const failed = new Map();

	model.failed = new Uint8Array(model.slices.begin.length);
	for (const shape of model.shapes) {
		const at = shape.fields.indexOf(RESULT);

		if (at < 0)
			continue;
		const {kinds, values} = fields.column(shape, at);

		failed.set(shape, Uint8Array.from(kinds, (kind, i) =>
			kind === VALUE.text && FAILED.test(fields.texts[Number(values[i])]) ? 1 : 0));
	}
	for (let i = 0; i < model.failed.length; i++)
		model.failed[i] = failed.get(model.shapes[model.slices.shape[i]])?.[model.slices.row[i]] ?? 0;
}

/* A call as strace shows it; others with the names of their fields. */
function sliceText(model, fields, id) {
	const shape = model.shapes[model.slices.shape[id]];

	if (!fields || !shape.fields.length)
		return shape.name;
	const row = fields.row(shape, model.slices.row[id]).filter(([name]) => !/stack$/.test(name));
	const result = row.find(([name]) => name === RESULT);

	/* Nothing is known of how it ended. */
	if (shape.category === 'syscall' && !result)
		return shape.name + '(' + row.filter(([name]) => name !== 'end').map(([, text]) => text).join(', ') + ') = ?';
	if (!result)
		return shape.name + (row.length ? '  ' + row.map(([name, text]) => name + '=' + text).join(' ') : '');
	return shape.name + '(' + row.filter(([name]) => name !== RESULT && name !== 'end').map(([, text]) => text).join(', ') +
		') = ' + result[1];
}

