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

/** The problems of errors of Node's HTTP parser, by their code; any other error is 400. */
const PARSER_PROBLEMS: Record<string, ProblemType> = {
  HPE_HEADER_OVERFLOW: HeadersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: RequestTimeout,
};

/** Answers input that Node hands over as no request: with a problem, a request id and a line in the log. */
export function answerBrokenRequests(
  server: Server,
  logger: Logger,
  headers: Readonly<Record<string, string>>,
): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const pending = new PendingResponses(server);
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
    if (broken.has(socket)) return; // the connection was answered at its first error
    broken.add(socket);
    if (error.code === 'ECONNRESET' || socket.bytesRead === 0) {
      socket.destroy(); // no byte came, or the client is gone
      return;
    }
    await pending.untilComplete(socket);
    const type = PARSER_PROBLEMS[error.code ?? ''] ?? BadRequest;
    const unfinished = pending.findUnfinished(socket);
    if (!socket.writable || unfinished?.headersSent) socket.destroy();
    else if (unfinished && type === RequestTimeout) sendProblem(unfinished, type);
    else {
      const requestId = randomUUID();
      log(requestId, null, type, socket);
      const lingerMs = type === RequestTimeout ? LATE_LINGER_MS : LINGER_MS;
      endConnection(socket, rawAnswer(type, requestId, `${type.title}.`, lines), lingerMs);
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
    endConnection(socket, answer, LINGER_MS);
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

/** Milliseconds for which an answered client may end the connection itself. Beyond them the connection is cut. */
const LINGER_MS = 1_000;
/** The same milliseconds for a late request, so that its connection ends within a second of its timeout. */
const LATE_LINGER_MS = 200;

/** Sends a problem as the response to a request whose body did not come in time. */
function sendProblem(res: ServerResponse, type: ProblemType): void {
  const requestId = String(res.getHeader('X-Request-Id'));
  void send(res.req, res, problemReply(requestId, { type, detail: `${type.title}.` }));
}

/** Sends the last answer of a connection. An immediate close would reset the connection of a client that still sends, before it reads the answer. */
function endConnection(socket: Duplex, answer: string, lingerMs: number): void {
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
