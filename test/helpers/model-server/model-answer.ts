/** A tool call of the model. Arguments that are a text are sent as they are, whether they are JSON or not. */
export interface ModelCall {
  /** The name of the tool as the model was offered it. */
  tool: string;
  arguments: unknown;
}

/** What the model server answers one request with. */
export interface ModelAnswer {
  text?: string;
  /** How many times the text is sent. */
  repeat?: number;
  calls?: ModelCall[];
  /** The token counts of the answer; null for an answer without any. */
  usage?: { inputTokens: number; outputTokens: number } | null;
  /** The reason of the end; that which fits the answer unless given. */
  finish?: string;
  /** An error in place of an answer. */
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** The bytes of a stream in place of those that the answer has. */
  raw?: string;
  /** Whether the text is the time at which it is sent, in milliseconds since the epoch with a fraction. */
  isTime?: boolean;
  /** Milliseconds between two pieces. */
  pauseMs?: number;
  /** A gate at which the answer waits after its text, until the test opens the gate. */
  gate?: string;
  /** Where the stream ends too early. `end` ends the response in order, `cut` destroys the connection. */
  broken?: { in: 'text' | 'arguments'; by: 'end' | 'cut' };
}

/** A request to the model server, as it came. */
export interface ModelRequest {
  path: string;
  headers: Record<string, string>;
  body: {
    model: string;
    stream?: boolean;
    messages: { role: string; content: unknown; tool_calls?: unknown; tool_call_id?: string }[];
    tools?: { function: { name: string; description: string; parameters: object } }[];
  };
}

/** The mark in a message of the person by which the server finds the script of a conversation. */
export const markOf = (name: string): string => `[script ${name}]`;

/** The name of the script of a request: that of the newest mark in a message of the person. */
export function scriptOf({ body }: ModelRequest): string | undefined {
  const texts = body.messages
    .filter(({ role }) => role === 'user')
    .map(({ content }) => JSON.stringify(content));
  const marks = [...texts.join('\n').matchAll(/\[script ([\w-]+)\]/g)];
  return marks.at(-1)?.[1];
}

/** The answer without a script: the call that the newest message of the person asks for (`call issues_get {…}`), then words. */
export function unscriptedAnswer({ body }: ModelRequest): ModelAnswer {
  const last = body.messages.at(-1);
  const asked = /call ([\w-]+) (\{.*\})/.exec(String(last?.content));
  if (last?.role !== 'user' || !asked) return { text: 'There is nothing more to say.' };
  const [, tool = '', given = ''] = asked;
  return { calls: [{ tool, arguments: given }] };
}
