import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';

/**
 * A model for the README's "Ask the assistant". It speaks OpenAI's chat completions and understands two sentences by
 * fixed rules: "Which issues are open?" and "Create an issue: <title>". It needs no network and knows nothing else.
 */
const PORT = 4011;

interface Message {
  role: string;
  content: unknown;
}
interface Answer {
  text?: string;
  call?: { tool: string; arguments: object };
}

/** What the operation has answered, from the message of its result: `{"data": …}`, `{"error": …}` or `{"refused": …}`. */
function resultIn({ content }: Message): {
  data?: Record<string, unknown>;
  error?: { detail: string };
} {
  return JSON.parse(String(content));
}

/** What the model says of a result. */
function sayOf(result: ReturnType<typeof resultIn>): string {
  const { data, error } = result;
  if (error) return `That did not work: ${error.detail}`;
  if (!data) return 'As you like: nothing was changed.';
  if (!Array.isArray(data.items)) return `The issue "${data.title}" has the number ${data.id}.`;
  const titles = data.items.map(({ title }) => `"${title}"`);
  return titles.length ? `These issues are open: ${titles.join(', ')}.` : 'No issue is open.';
}

/** The rules: the answer depends on the last message alone. */
function answerTo(messages: readonly Message[]): Answer {
  const last = messages.at(-1);
  if (!last) return { text: 'There is no message.' };
  if (last.role === 'tool') return { text: sayOf(resultIn(last)) };
  const said = String(last.content);
  if (/which issues are open/i.test(said)) {
    return { call: { tool: 'issues_list', arguments: { status: 'OPEN' } } };
  }
  const title = /create an issue: *(.+)/i.exec(said)?.[1];
  if (title) return { call: { tool: 'issues_create', arguments: { title, description: '' } } };
  return { text: 'I know two sentences: "Which issues are open?" and "Create an issue: <title>".' };
}

/** The deltas of an answer: a few words at a time, or a call. */
function deltasOf({ text, call }: Answer): object[] {
  if (!call) return (text?.match(/\S+\s*/g) ?? []).map((content) => ({ content }));
  const called = { name: call.tool, arguments: JSON.stringify(call.arguments) };
  return [{ tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: called }] }];
}

async function complete(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { messages } = (await json(request)) as { messages: Message[] };
  const answer = answerTo(messages);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (value: object) => response.write(`data: ${JSON.stringify(value)}\n\n`);
  for (const delta of deltasOf(answer))
    send({ choices: [{ index: 0, delta, finish_reason: null }] });
  const finish_reason = answer.call ? 'tool_calls' : 'stop';
  send({ choices: [{ index: 0, delta: {}, finish_reason }] });
  const tokens = Math.ceil(JSON.stringify(messages).length / 4); // a guess, as good as any here
  send({ choices: [], usage: { prompt_tokens: tokens, completion_tokens: 10 } });
  response.end('data: [DONE]\n\n');
}

createServer((request, response) => {
  complete(request, response).catch(() =>
    response.writeHead(400).end('{"error":{"message":"not JSON"}}'),
  );
}).listen(PORT, '127.0.0.1', () => {
  process.stdout.write(`the model answers on http://127.0.0.1:${PORT}/v1\n`);
});
