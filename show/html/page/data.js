/* ---- the data: parts of the page, compressed (show/html/html.c) -------------- */

async function readPart(id) {
	const node = element(id), text = node.textContent;
	let bytes;

	node.remove();
	if (Uint8Array.fromBase64) {
		bytes = Uint8Array.fromBase64(text);
	} else {
		const binary = atob(text);

		bytes = new Uint8Array(binary.length);
		for (let i = 0; i < binary.length; i++)
			bytes[i] = binary.charCodeAt(i);
	}
	const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));

	return new Uint8Array(await new Response(stream).arrayBuffer());
}

const readJson = async id => JSON.parse(new TextDecoder().decode(await readPart(id)));

/* Varints into an array, which says how many. */
function readColumn(bytes, at, into) {
	for (let i = 0; i < into.length; i++) {
		let byte = bytes[at++], value = byte & 127;

		for (let scale = 128; byte > 127; scale *= 128) {
			byte = bytes[at++];
			value += (byte & 127) * scale;
		}
		into[i] = value;
	}
	return into;
}

const unzigzag = value => value % 2 ? -(value + 1) / 2 : value / 2;

/* As in show/html/tape.h. */
const STEP = {state: 0, slice: 1, point: 2, wake: 3, loss: 4};
const COLUMNS = {
	step: Uint8Array, time: Float64Array, timeLow: Uint8Array,
	stateThread: Uint32Array, state: Float64Array, stateBegin: Float64Array,
	sliceTrack: Uint32Array, sliceShape: Uint32Array, sliceLength: Float64Array, sliceLengthLow: Uint8Array,
	sliceEnd: Uint8Array, sliceCpu: Uint32Array,
	pointTrack: Uint32Array, pointShape: Uint32Array, pointCpu: Uint32Array,
	wakeTrack: Uint32Array, wakeShape: Uint32Array, wakeCpu: Uint32Array, wakeThread: Uint32Array,
	lossCpu: Uint32Array, lossLength: Float64Array, lossCount: Float64Array, lossCause: Uint32Array, lossPrograms: Uint8Array,
};

/* types: what each column becomes; sizes: its bytes and values. */
function readColumns(types, sizes, bytes) {
	const columns = {};
	let at = 0, i = 0;

	for (const [name, type] of Object.entries(types)) {
		const [size, nr] = sizes[i++];

		/* The low bytes of the column in front of it are as they are. */
		columns[name] = name.endsWith('Low') ? bytes.subarray(at, at + size) : readColumn(bytes, at, new type(nr));
		at += size;
	}
	return columns;
}

const readTape = (head, bytes) => readColumns(COLUMNS, head.columns, bytes);

/*
 * Plays the tape: everything gets its times.  Which row of its shape something is, is how many of
 * this shape came before.
 */
function playTape(tape, names) {
	const floats = nr => new Float64Array(nr), numbers = nr => new Uint32Array(nr);
	const nr = {state: tape.state.length, slice: tape.sliceTrack.length, point: tape.pointTrack.length,
		wake: tape.wakeTrack.length, loss: tape.lossCpu.length};
	const states = {thread: tape.stateThread, what: new Uint8Array(nr.state), cpu: numbers(nr.state), open: new Uint8Array(nr.state), cut: new Uint8Array(nr.state),
		begin: floats(nr.state), end: floats(nr.state), wake: new Int32Array(nr.state).fill(-1)};
	const slices = {track: tape.sliceTrack, shape: tape.sliceShape, how: tape.sliceEnd, cpu: tape.sliceCpu,
		begin: floats(nr.slice), end: floats(nr.slice), row: numbers(nr.slice), depth: new Uint8Array(nr.slice)};
	const points = {track: tape.pointTrack, shape: tape.pointShape, cpu: tape.pointCpu, time: floats(nr.point), row: numbers(nr.point)};
	const wakes = {track: tape.wakeTrack, shape: tape.wakeShape, cpu: tape.wakeCpu, thread: tape.wakeThread,
		time: floats(nr.wake), row: numbers(nr.wake), runs: floats(nr.wake).fill(NaN)};
	const losses = {cpu: tape.lossCpu, count: tape.lossCount, cause: tape.lossCause, programs: tape.lossPrograms, begin: floats(nr.loss), end: floats(nr.loss)};
	const rows = new Uint32Array(names.shapes.length);
	const lastEnd = floats(names.threads.length), lastWake = new Int32Array(names.threads.length).fill(-1);
	let time = 0, s = 0, c = 0, p = 0, w = 0, l = 0;

	for (let i = 0; i < tape.step.length; i++) {
		time += unzigzag(tape.time[i] * 256 + tape.timeLow[i]);
		tape.time[i] = time;
		switch (tape.step[i]) {
		case STEP.state: {
			const bits = tape.state[s], thread = tape.stateThread[s];

			states.what[s] = bits % 8;
			states.cpu[s] = Math.floor(bits / 64);
			states.open[s] = bits & 8 ? 1 : 0;
			states.cut[s] = bits & 32 ? 1 : 0;
			states.begin[s] = tape.stateBegin[s] ? time - (tape.stateBegin[s] - 1) : lastEnd[thread];
			states.end[s] = lastEnd[thread] = time;
			if (bits & 16) {
				states.wake[s] = lastWake[thread];
				wakes.runs[lastWake[thread]] = states.begin[s];
			}
			s++;
			break;
		}
		case STEP.slice:
			slices.begin[c] = time - (tape.sliceLength[c] * 256 + tape.sliceLengthLow[c]);
			slices.end[c] = time;
			slices.row[c] = rows[tape.sliceShape[c]]++;
			c++;
			break;
		case STEP.point:
			points.time[p] = time;
			points.row[p] = rows[tape.pointShape[p]]++;
			p++;
			break;
		case STEP.wake:
			wakes.time[w] = time;
			wakes.row[w] = rows[tape.wakeShape[w]]++;
			lastWake[tape.wakeThread[w]] = w;
			w++;
			break;
		default:
			losses.begin[l] = time - tape.lossLength[l];
			losses.end[l] = time;
			l++;
		}
	}
	return {states, slices, points, wakes, losses, steps: tape.time};
}

