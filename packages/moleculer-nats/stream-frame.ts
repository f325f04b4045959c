/** What the two ends of a stream tell each other. The first credit opens the stream. */
export type StreamFrame =
  /** The receiver takes so many bytes more. A credit of 0 bytes says that its reader reads. */
  | { type: 'credit'; id: string; node: string; bytes: number }
  /** The receiver wants no more data. */
  | { type: 'cancel'; id: string; reason: string }
  | { type: 'data'; id: string; sequence: number; payload: Uint8Array }
  | { type: 'end'; id: string; sequence: number }
  /** The source has failed, with the error as Moleculer sends errors. */
  | { type: 'error'; id: string; error: Record<string, unknown> };

const LINE_END = 0x0a;
/** Characters of an id, a node's name or a reason. A frame with a longer text is not valid. */
const MAX_TEXT_LENGTH = 1_000;

/** One line of JSON, then the bytes of the payload as they are. */
export function encodeFrame(frame: StreamFrame): Uint8Array {
  const { payload, ...head } = { payload: new Uint8Array(0), ...frame };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), payload]);
}

/** Throws when the bytes are no frame. */
export function decodeFrame(bytes: Uint8Array): StreamFrame {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.indexOf(LINE_END);
  const head: unknown = JSON.parse(buffer.toString('utf8', 0, end));
  const frame = isRecord(head) ? frameOf(head, buffer.subarray(end + 1)) : undefined;
  if (!frame) throw new TypeError('it is no frame of a stream');
  return frame;
}

function frameOf(head: Record<string, unknown>, payload: Buffer): StreamFrame | undefined {
  const { type, id, node, bytes, reason, sequence, error } = head;
  if (!isText(id)) return undefined;
  if (type === 'credit' && isText(node) && isCount(bytes)) return { type, id, node, bytes };
  if (type === 'cancel' && isText(reason)) return { type, id, reason };
  if (type === 'data' && isCount(sequence)) return { type, id, sequence, payload };
  if (type === 'end' && isCount(sequence)) return { type, id, sequence };
  if (type === 'error' && isRecord(error)) return { type, id, error };
  return undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT_LENGTH;

const isCount = (value: unknown): value is number =>
  Number.isSafeInteger(value) && (value as number) >= 0;
