import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import {
  BadRequest,
  ExpectationFailed,
  HeadersTooLarge,
  MethodNotAllowed,
  type ProblemType,
  RequestTimeout,
} from '../../../contract/problem.ts';
import { canonicalAddress } from '../../../environment/values/ip-address.ts';
import { requestIdOf } from '../headers/request-id.ts';
import { problemBody, problemReply } from '../problem-response.ts';
import { send } from '../steps/send.ts';
import { PendingResponses } from './pending-responses.ts';

const OF_PARSER: Record<string, ProblemType> = {
  HPE_HEADER_OVERFLOW: HeadersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: RequestTimeout,
};

/** Answers what never becomes a request like everything else: as a problem, with an id and a line in the log. */
export function answerBrokenRequests(
  server: Server,
  logger: Logger,
  headers: Readonly<Record<string, string>>,
): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const owed = new PendingResponses(server);
  const broken = new WeakSet<Duplex>();
  const log = (
    requestId: string,
    method: string | null,
    { status }: ProblemType,
    { remoteAddress }: Socket,
  ) => {
    const address = canonicalAddress(remoteAddress ?? '');
    logger.info({ requestId, method, route: null, status, ms: 0, address });
  };

  server.on('clientError', async (error: NodeJS.ErrnoException, socket: Socket) => {
    if (broken.has(socket)) return; // what comes behind is broken as well
    broken.add(socket);
    if (error.code === 'ECONNRESET' || socket.bytesRead === 0) {
      socket.destroy(); // no request was begun, or nobody is there to be answered
      return;
    }
    await owed.given(socket);
    const type = OF_PARSER[error.code ?? ''] ?? BadRequest;
    const begun = owed.toBroken(socket);
    if (!socket.writable || begun?.headersSent) socket.destroy();
    else if (begun && type === RequestTimeout) answerBegun(begun, type);
    else {
      const requestId = randomUUID();
      log(requestId, null, type, socket);
      const lingerMs = type === RequestTimeout ? LATE_LINGER_MS : LINGER_MS;
      endWith(socket, rawAnswer(type, requestId, `${type.title}.`, lines), lingerMs);
    }
  });
  server.on('connect', (req: IncomingMessage, socket: Socket) => {
    const requestId = requestIdOf(req);
    log(requestId, 'CONNECT', MethodNotAllowed, socket);
    socket.on('error', () => socket.destroy());
    const answer = rawAnswer(MethodNotAllowed, requestId, 'Nothing here is a proxy.', [
      'Allow: ',
      ...lines,
    ]);
    endWith(socket, answer, LINGER_MS);
  });
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
    const requestId = requestIdOf(req);
    log(requestId, req.method ?? null, ExpectationFailed, req.socket);
    res.setHeaders(new Map(Object.entries(headers)));
    res.setHeader('X-Request-Id', requestId).setHeader('Connection', 'close');
    const detail = 'Only 100-continue can be expected.';
    void send(req, res, problemReply(requestId, { type: ExpectationFailed, detail }));
  });
}

/** Milliseconds in which a client that has its answer may end the connection itself. */
const LINGER_MS = 1_000;
/** The same for a client whose request was late: it is gone within a second of its time. */
const LATE_LINGER_MS = 200;

/** Answers a request whose body has not come, and ends its connection. */
function answerBegun(res: ServerResponse, type: ProblemType): void {
  const requestId = String(res.getHeader('X-Request-Id'));
  void send(res.req, res, problemReply(requestId, { type, detail: `${type.title}.` }));
}

/** Closing at once would reset the connection under a client that still sends, and lose it the answer. */
function endWith(socket: Duplex, answer: string, lingerMs: number): void {
  socket.end(answer);
  socket.resume();
  const cut = setTimeout(() => socket.destroy(), lingerMs);
  socket.once('close', () => clearTimeout(cut));
}

function rawAnswer(
  type: ProblemType,
  requestId: string,
  detail: string,
  headers: readonly string[],
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
