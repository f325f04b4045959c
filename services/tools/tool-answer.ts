import type { ActionContract } from '../../contract/contract.ts';
import type { Page } from '../../contract/pages.ts';
import { structuredResult, TRUNCATION_FIELD } from '../../contract/tool-schemas.ts';
import { fitValue } from './fit-value.ts';

/** The answer of an operation for a model. */
export interface ToolAnswer {
  /** The object of the tool's output schema; null for an empty answer. */
  structured: Record<string, unknown> | null;
  /** The same as JSON, or a sentence for an empty answer. */
  text: string;
}

/** Bytes of an answer as JSON, of which a model's context takes many. The rest of a longer answer is left out. */
export const MAX_ANSWER_BYTES = 64 * 1024;
/** Bytes of a long answer for the words that say what was left out. */
const TRUNCATION_BYTES = 2 * 1024;
const ROOM = MAX_ANSWER_BYTES - TRUNCATION_BYTES;

type Call = (more?: { limit: number }) => Promise<unknown>;

/** Calls an operation and makes its answer for a model. A long page is read again with as many rows as there is room for. */
export async function toolAnswer(contract: ActionContract, call: Call): Promise<ToolAnswer> {
  const result = await call();
  const structured = structuredResult(contract, result);
  if (structured === null) return { structured, text: 'Done.' };
  const text = JSON.stringify(structured);
  if (Buffer.byteLength(text) <= MAX_ANSWER_BYTES) return { structured, text };
  if (contract.format !== 'page') return truncated(contract, structured, []);
  const limit = rowsWithin(result as Page<unknown>, ROOM);
  const page = structuredResult(contract, await call({ limit })) ?? {};
  return truncated(contract, page, [
    `Only ${limit} rows fit into an answer: go on with \`after\`, as long as there is one`,
  ]);
}

/** The rows of a page that have room together: one at least. */
function rowsWithin({ items }: Page<unknown>, bytes: number): number {
  let left = bytes;
  const tooLong = items.findIndex((item) => {
    left -= Buffer.byteLength(JSON.stringify(item)) + 1;
    return left < 0;
  });
  return Math.max(1, tooLong);
}

function truncated(
  contract: ActionContract,
  answer: Record<string, unknown>,
  notes: readonly string[],
): ToolAnswer {
  const { value, cuts } = fitValue(answer, ROOM);
  const words = [...notes, ...cuts, ...filtersOf(contract)];
  const structured = {
    ...(value as Record<string, unknown>),
    [TRUNCATION_FIELD]: words.map((sentence) => `${sentence}.`).join(' '),
  };
  return { structured, text: JSON.stringify(structured) };
}

/** The parameters by which a caller gets less; those of the place in a list apart. */
function filtersOf({ query = {} }: ActionContract): string[] {
  const names = Object.keys(query).filter((name) => name !== 'after');
  return names.length ? [`A narrower call has ${names.join(' or ')}`] : [];
}
