import type { Json, Plan, Verdict } from '@workspace-automation/flow-language';
import { formatPointer } from '../../../contract/format-pointer.ts';
import { type FieldFault, Problem } from '../../../contract/problem.ts';
import type { Share } from '../../../support/fair-shares/share.ts';
import { hashOf } from '../../../support/hash.ts';
import { lruCache } from '../../../support/lru-cache.ts';
import { nameOf, type SourceKey } from '../engine/execution/plan-cache.ts';
import { InputRefused } from '../runs.problems.ts';

export type ValidateInput = (schema: Json, value: Json, share: Share) => Promise<Verdict>;

/** Faults that a refusal lists; further faults are left out. */
const MAX_FAULTS = 100;
/** Milliseconds for which a costly input is refused without a check. Then the input is checked again. */
const COSTLY_TTL_MS = 60_000;
/** Remembered costly inputs. Beyond this number the least recently used input is forgotten, and checked again. */
const MAX_COSTLY_INPUTS = 10_000;

/** Inputs that took too much to check, as a hash of their JSON, with the source of the schema. */
const costlyInputs = lruCache<string, true>(MAX_COSTLY_INPUTS, { ttl: COSTLY_TTL_MS });

/** Refuses an input that the schema of the source does not allow, or that takes too much to check. */
export async function assertInputFits(
  plan: Plan,
  input: string,
  { source, share }: { source: SourceKey; share: Share },
  validate: ValidateInput,
): Promise<void> {
  if (plan.inputSchema === undefined) return;
  const pair = `${nameOf(source)} ${hashOf(input)}`;
  if (costlyInputs.has(pair)) throw tooCostly();
  const verdict = await validate(plan.inputSchema, JSON.parse(input) as Json, share);
  if (verdict.valid) return;
  if (verdict.gaveUp) {
    costlyInputs.set(pair, true);
    throw tooCostly();
  }
  throw inputRefused(
    verdict.errors.map(({ path, message }) => ({
      in: 'body',
      path: `input${formatPointer(path)}`,
      code: 'schema',
      message,
    })),
  );
}

function inputRefused(faults: readonly FieldFault[]): Problem {
  const errors = faults.slice(0, MAX_FAULTS);
  return new Problem(InputRefused, `The input is refused: ${errors[0]?.message ?? ''}`, { errors });
}

const tooCostly = (): Problem =>
  inputRefused([
    {
      in: 'body',
      path: 'input',
      code: 'too_costly',
      message: "it takes too much to check it against the flow's input schema",
    },
  ]);
