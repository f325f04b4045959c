import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import {
  BadRequest,
  ExpectationFailed,
  HeadersTooLarge,
  type ProblemType,
  RequestTimeout,
} from '../problem.ts';
import { problemBody, sendProblem } from './problem-response.ts';

const OF_PARSER: Record<string, ProblemType> = {
  HPE_HEADER_OVERFLOW: HeadersTooLarge,
  ERR_HTTP_REQUEST_TIMEOUT: RequestTimeout,
};

/** Answers what never becomes a request like everything else: as a problem, with an id and a line in the log. */
export function answerBrokenRequests(server: Server, logger: Logger): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const type = OF_PARSER[error.code ?? ''] ?? BadRequest;
    const requestId = randomUUID();
    logger.info({ requestId, method: null, route: null, status: type.status, ms: 0 });
    socket.end(rawAnswer(type, requestId));
  });
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
    const requestId = randomUUID();
    logger.info({ requestId, method: req.method, route: null, status: 417, ms: 0 });
    res.setHeader('X-Request-Id', requestId).setHeader('Connection', 'close');
    sendProblem(req, res, requestId, {
      type: ExpectationFailed,
      detail: 'Only 100-continue can be expected.',
    });
  });
}

function rawAnswer(type: ProblemType, requestId: string): string {
  const body = problemBody(requestId, { type, detail: `${type.title}.` });
  return [
    `HTTP/1.1 ${type.status} ${STATUS_CODES[type.status]}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
