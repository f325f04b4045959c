/** What the two ends of a stream tell each other. The first credit opens the stream. */
export type StreamFrame =
  /** The receiver takes so many bytes more. */
  | { type: 'credit'; id: string; node: string; bytes: number }
  /** The receiver wants no more data. */
  | { type: 'cancel'; id: string }
  | { type: 'data'; id: string; sequence: number; payload: Uint8Array }
  | { type: 'end'; id: string; sequence: number }
  /** The source has failed, with the error as Moleculer sends errors. */
  | { type: 'error'; id: string; error: Record<string, unknown> };

const LINE_END = 0x0a;

/** One line of JSON, then the bytes of the payload as they are. */
export function encodeFrame(frame: StreamFrame): Uint8Array {
  const { payload, ...head } = { payload: new Uint8Array(0), ...frame };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), payload]);
}

/** Throws when the bytes are no frame. */
export function decodeFrame(bytes: Uint8Array): StreamFrame {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = buffer.indexOf(LINE_END);
  const head = JSON.parse(buffer.toString('utf8', 0, end)) as StreamFrame;
  return head.type === 'data' ? { ...head, payload: buffer.subarray(end + 1) } : head;
}
