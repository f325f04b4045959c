import { z } from 'zod';
import { AnyJson } from '../../../contract/fields.ts';

/** One tool call of an answer, with at most the beginning of its result. */
export const PromptToolCall = z.strictObject({
  operation: z.string(),
  arguments: AnyJson,
  status: z.enum(['DONE', 'FAILED']),
  result: AnyJson,
});
export type PromptToolCall = z.output<typeof PromptToolCall>;

const transcript = z.array(PromptToolCall);

/** The agent's answer to the prompt of a flow, or the reason why there is none. */
export const PromptAnswer = z.discriminatedUnion('ok', [
  z.strictObject({ ok: z.literal(true), value: AnyJson, transcript }),
  z.strictObject({
    ok: z.literal(false),
    code: z.enum(['AGENT_LIMIT', 'AGENT_OUTPUT_INVALID', 'MODEL_FAILED']),
    detail: z.string(),
    transcript,
  }),
]);
export type PromptAnswer = z.output<typeof PromptAnswer>;
