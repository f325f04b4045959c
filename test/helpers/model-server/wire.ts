import type { ModelAnswer, ModelCall } from './model-answer.ts';

/** The pieces of an answer in the wire format of OpenAI's chat completions. */
export type Piece = { kind: 'text' | 'arguments' | 'end'; data: string };

/** Characters of a delta of a text or of arguments. */
const DELTA_CHARS = 12;
/** Characters of a delta of a text that is sent many times. */
const LARGE_DELTA_CHARS = 1_000;

const USAGE = { inputTokens: 100, outputTokens: 10 };

function* cut(text: string, chars: number): Generator<string> {
  for (let at = 0; at < text.length; at += chars) yield text.slice(at, at + chars);
}

const chunk = (delta: object, finish: string | null = null): string =>
  JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_770_000_000,
    model: 'test-model',
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

const argumentsOf = ({ arguments: given }: ModelCall): string =>
  typeof given === 'string' ? given : JSON.stringify(given);

const finishOf = ({ finish, calls = [] }: ModelAnswer): string =>
  finish ?? (calls.length ? 'tool_calls' : 'stop');

const usageOf = ({ usage = USAGE }: ModelAnswer) =>
  usage && {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
  };

/** The data of the events of a streamed answer: the deltas of several calls take turns. */
export function* piecesOf(answer: ModelAnswer): Generator<Piece> {
  const { text = '', repeat = 1, calls = [] } = answer;
  yield { kind: 'text', data: chunk({ role: 'assistant', content: '' }) };
  const chars = repeat > 1 ? LARGE_DELTA_CHARS : DELTA_CHARS;
  for (let i = 0; i < repeat; i++) {
    for (const content of cut(text, chars)) yield { kind: 'text', data: chunk({ content }) };
  }
  const rests = calls.map((call) => [...cut(argumentsOf(call), DELTA_CHARS)]);
  for (const [index, { tool: name }] of calls.entries()) {
    const call = {
      index,
      id: `call_${index}`,
      type: 'function',
      function: { name, arguments: '' },
    };
    yield { kind: 'arguments', data: chunk({ tool_calls: [call] }) };
  }
  for (let turn = 0; turn < Math.max(0, ...rests.map(({ length }) => length)); turn++) {
    for (const [index, rest] of rests.entries()) {
      const piece = rest[turn];
      if (piece === undefined) continue;
      const call = { index, function: { arguments: piece } };
      yield { kind: 'arguments', data: chunk({ tool_calls: [call] }) };
    }
  }
  yield { kind: 'end', data: chunk({}, finishOf(answer)) };
  const usage = usageOf(answer);
  if (usage) yield { kind: 'end', data: JSON.stringify({ choices: [], usage }) };
  yield { kind: 'end', data: '[DONE]' };
}

/** The answer to a request that does not ask for a stream. */
export function completionOf(answer: ModelAnswer): string {
  const { text = '', repeat = 1, calls = [] } = answer;
  const toolCalls = calls.map((call, index) => ({
    id: `call_${index}`,
    type: 'function',
    function: { name: call.tool, arguments: argumentsOf(call) },
  }));
  const message = {
    role: 'assistant',
    content: text.repeat(repeat),
    ...(toolCalls.length ? { tool_calls: toolCalls } : {}),
  };
  return JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_770_000_000,
    model: 'test-model',
    choices: [{ index: 0, message, finish_reason: finishOf(answer) }],
    usage: usageOf(answer),
  });
}
