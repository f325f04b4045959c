import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { type ModelAnswer, type ModelRequest, scriptOf, unscriptedAnswer } from './model-answer.ts';
import { sendAnswer } from './send-answer.ts';

/*
 * A model for tests that speaks OpenAI's chat completions. A test writes the script of a conversation, and the mark in
 * the person's message names the script: so tests that run at the same time do not meet.
 */

interface Script {
  answers: ModelAnswer[];
  requests: ModelRequest[];
}

const scripts = new Map<string, Script>();
const gates = new Map<string, PromiseWithResolvers<void>>();

function gateOf(name: string): PromiseWithResolvers<void> {
  const gate = gates.get(name) ?? Promise.withResolvers<void>();
  gates.set(name, gate);
  return gate;
}

async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = (await json(request)) as ModelRequest['body'];
  const headers = request.headers as Record<string, string>;
  const received: ModelRequest = { path: request.url ?? '', headers, body };
  const script = scripts.get(scriptOf(received) ?? '');
  const answer = script?.answers[script.requests.length] ?? unscriptedAnswer(received);
  script?.requests.push(received);
  const passGate = (name: string) => gateOf(name).promise;
  await sendAnswer(response, answer, body.stream === true, passGate);
}

/** The requests by which a test writes scripts, opens gates and reads what the model was sent. */
async function control(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, , kind, name = ''] = (request.url ?? '').split('/');
  if (kind === 'scripts' && request.method === 'PUT') {
    scripts.set(name, { answers: (await json(request)) as ModelAnswer[], requests: [] });
  } else if (kind === 'gates') gateOf(name).resolve();
  const known = kind === 'scripts' ? (scripts.get(name)?.requests ?? []) : [];
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(known));
}

const server = createServer((request, response) => {
  const answer = request.url?.startsWith('/control/') ? control : complete;
  answer(request, response).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    response.destroy();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
