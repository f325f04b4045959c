import { Readable } from 'node:stream';
import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { AnyJson, Id } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { AgentNotConfigured } from '../assistant.problems.ts';

/** Bytes of a prompt in UTF-8; a longer prompt is refused. */
const MAX_PROMPT_BYTES = 128 * 1024;
/** Operations that one prompt may name. */
const MAX_TOOLS = 50;

const Prompt = z
  .string()
  .refine(
    (text) => Buffer.byteLength(text) <= MAX_PROMPT_BYTES,
    `must have at most ${MAX_PROMPT_BYTES} bytes`,
  );

/** The action by which flows ask the agent. */
export const promptActions = {
  answerPrompt: action({
    summary: 'Answer the prompt of a flow',
    description:
      'The answer is a stream: spaces while the agent works, and then the `PromptAnswer` as JSON. The agent stops working when nobody reads the stream.',
    access: { who: 'run', in: { parameter: 'workspaceId' } },
    path: { workspaceId: Id },
    body: {
      prompt: Prompt,
      /** JSON Schema 2020-12 of the answer; null for an answer in text. */
      schema: AnyJson,
      /** The names of operations that the agent may read with. */
      tools: z.array(z.string()).max(MAX_TOOLS, `must have at most ${MAX_TOOLS} names`),
    },
    result: z.custom<Readable>((value) => value instanceof Readable),
    errors: [NotFound, AgentNotConfigured],
  }),
};
