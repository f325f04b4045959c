import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ModelAnswer } from './model-answer.ts';
import { completionOf, type Piece, piecesOf } from './wire.ts';

/** Waits until the test has opened a gate. */
export type PassGate = (name: string) => Promise<void>;

/** Sends an answer, as a stream where the request asks for one. */
export async function sendAnswer(
  response: ServerResponse,
  answer: ModelAnswer,
  isStream: boolean,
  passGate: PassGate,
): Promise<void> {
  const { status, headers, body = '' } = answer;
  if (status !== undefined) {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    return;
  }
  if (!isStream) {
    if (answer.gate) await passGate(answer.gate);
    response.writeHead(200, { 'content-type': 'application/json' }).end(completionOf(answer));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  if (answer.raw !== undefined) {
    response.end(answer.raw);
    return;
  }
  await sendPieces(response, answer, passGate);
}

/** Stands for the time in a text that is not sent yet. */
const TIME = '<time>';
/** The time by a clock that all processes of the machine share. */
const timeNow = (): number => performance.timeOrigin + performance.now();

async function sendPieces(
  response: ServerResponse,
  answer: ModelAnswer,
  passGate: PassGate,
): Promise<void> {
  const { pauseMs = 0, broken, gate } = answer;
  const pieces = [...piecesOf(answer.isTime ? { ...answer, text: TIME } : answer)];
  const breakAt = broken ? middleOf(pieces, broken.in) : -1;
  let hasPassed = gate === undefined;
  for (const [at, { kind, data }] of pieces.entries()) {
    if (!hasPassed && kind !== 'text') {
      await passGate(gate ?? '');
      hasPassed = true;
    }
    if (at === breakAt) {
      if (broken?.by === 'cut')
        response.socket?.end(); // in the middle of the chunked body
      else response.end();
      return;
    }
    const sent = answer.isTime ? data.replace(TIME, () => String(timeNow())) : data;
    if (!response.write(`data: ${sent}\n\n`)) await drained(response);
    if (response.destroyed) return;
    if (pauseMs) await sleep(pauseMs);
  }
  response.end();
}

/** The place of the piece in the middle of those of a kind. */
function middleOf(pieces: readonly Piece[], kind: Piece['kind']): number {
  const places = pieces.flatMap((piece, at) => (piece.kind === kind ? [at] : []));
  return places[Math.ceil(places.length / 2)] ?? -1;
}

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const end = () => {
      response.off('drain', end).off('close', end);
      resolve();
    };
    response.on('drain', end).on('close', end);
  });
