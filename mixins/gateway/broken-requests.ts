import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import {
  BadRequest,
  ExpectationFailed,
  HeadersTooLarge,
  MethodNotAllowed,
  type ProblemType,
  RequestTimeout,
} from '../problem.ts';
import { saneRequestId } from './exchange.ts';
import { OwedAnswers } from './owed-answers.ts';
import { problemBody, sendProblem } from './problem-response.ts';

const OF_PARSER: Record<string, ProblemType> = {
  HPE_HEADER_OVERFLOW: HeadersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: RequestTimeout,
};

/** Answers what never becomes a request like everything else: as a problem, with an id and a line in the log. */
export function answerBrokenRequests(server: Server, logger: Logger): void {
  Object.assign(server, { requireHostHeader: false }); // Node's own answer says nothing
  const owed = new OwedAnswers(server);
  const broken = new WeakSet<Duplex>();
  const log = (requestId: string, method: string | null, { status }: ProblemType) =>
    logger.info({ requestId, method, route: null, status, ms: 0 });

  server.on('clientError', async (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (broken.has(socket)) return; // what comes behind is broken as well
    broken.add(socket);
    if (error.code !== 'ECONNRESET' && (await owed.given(socket)) && socket.writable) {
      const type = OF_PARSER[error.code ?? ''] ?? BadRequest;
      const requestId = randomUUID();
      log(requestId, null, type);
      endWith(socket, rawAnswer(type, requestId, `${type.title}.`));
    } else socket.destroy();
  });
  server.on('connect', (req: IncomingMessage, socket: Duplex) => {
    const requestId = saneRequestId(req);
    log(requestId, 'CONNECT', MethodNotAllowed);
    socket.on('error', () => socket.destroy());
    endWith(
      socket,
      rawAnswer(MethodNotAllowed, requestId, 'Nothing here is a proxy.', ['Allow: ']),
    );
  });
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
    const requestId = saneRequestId(req);
    log(requestId, req.method ?? null, ExpectationFailed);
    res.setHeader('X-Request-Id', requestId).setHeader('Connection', 'close');
    sendProblem(req, res, requestId, {
      type: ExpectationFailed,
      detail: 'Only 100-continue can be expected.',
    });
  });
}

/** Milliseconds in which a client that has its answer may end the connection itself. */
const LINGER_MS = 1_000;

/** Closing at once would reset the connection under a client that still sends, and lose it the answer. */
function endWith(socket: Duplex, answer: string): void {
  socket.end(answer);
  socket.resume();
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
}

function rawAnswer(
  type: ProblemType,
  requestId: string,
  detail: string,
  headers: readonly string[] = [],
): string {
  const body = problemBody(requestId, { type, detail });
  return [
    `HTTP/1.1 ${type.status} ${STATUS_CODES[type.status]}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    ...headers,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
