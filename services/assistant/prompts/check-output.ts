import { type Json, parseAnswer } from '@workspace-automation/flow-language';
import { Problem, Unavailable } from '../../../contract/problem.ts';
import { scanJson } from '../../../mixins/gateway/body/scan-json.ts';
import { jobContextOf } from '../../../support/fair-shares/cpu-shares.ts';
import { limitsOfRequests, queueFileCheck } from '../../../support/fair-shares/file-check-queue.ts';
import type { Share } from '../../../support/fair-shares/share.ts';

/** The value of an answer, or the reason why the answer has none. */
export type CheckedOutput = { ok: true; value: Json } | { ok: false; fault: string };

/** Levels and values of JSON in an answer. */
const BOUNDS = { depth: 32, values: 10_000 };
/** Faults of a value that the model is told. */
const MAX_FAULTS = 10;
/** Characters of these faults. */
const MAX_FAULT_CHARS = 2_000;

const LIMITS = limitsOfRequests(
  () => new Problem(Unavailable, 'Too many answers of the agent wait for their check.'),
);

/** Reads the value of an answer and checks it by the JSON Schema of its task, in a child process. Without a schema the text is the value. */
export async function checkOutput(
  text: string,
  schema: Json,
  share: Share,
): Promise<CheckedOutput> {
  if (schema === null) return { ok: true, value: text };
  const parsed = parse(text);
  if (!parsed.ok) return parsed;
  const { value } = parsed;
  const verdict = await queueFileCheck(share, LIMITS, (files) =>
    files.validateInput(schema, value, jobContextOf(share)),
  );
  if (verdict.valid) return { ok: true, value };
  const faults = verdict.errors.map(({ path, message }) => `"${path}": ${message}`);
  const fault = `The value does not match the schema: ${faults.slice(0, MAX_FAULTS).join('; ')}`;
  return { ok: false, fault: fault.slice(0, MAX_FAULT_CHARS).toWellFormed() };
}

/** A block of code in Markdown, which models put around JSON. */
const FENCE = /^```(?:json)?\s*\n([\s\S]*)\n```$/;

function parse(text: string): CheckedOutput {
  const trimmed = text.trim();
  const json = FENCE.exec(trimmed)?.[1] ?? trimmed;
  try {
    scanJson(json, BOUNDS, 0);
    return { ok: true, value: parseAnswer(json) };
  } catch {
    const { depth, values } = BOUNDS;
    const fault = `The answer is no JSON, or has more than ${depth} levels or ${values} values.`;
    return { ok: false, fault };
  }
}
