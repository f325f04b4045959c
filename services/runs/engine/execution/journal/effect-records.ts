import {
  type Json,
  jsonOf,
  type Performed,
  type Problem,
  parseJson,
} from '@workspace-automation/flow-language';
import type { EffectRecord } from '../../../../../models/journal-entry.ts';

export const recordOf = (performed: Performed): EffectRecord => ({
  kind: performed.kind,
  json:
    performed.kind === 'succeeded'
      ? jsonOf(performed.value)
      : performed.kind === 'failed'
        ? JSON.stringify(performed.problem)
        : null,
  completedAt: performed.completedAt,
});

/** Thrown when a replay does not follow its journal: the journal or the interpreter has a defect. */
export class ReplayDivergedError extends Error {
  override readonly name = 'ReplayDivergedError';
}

/** Parses the record of an effect. Throws `ReplayDivergedError` for an unknown kind and for invalid JSON. */
export function performedOf({ kind, json, completedAt }: EffectRecord): Performed {
  if (kind === 'timed-out') return { kind, completedAt };
  if (kind === 'succeeded') return { kind, value: parseRecord(json), completedAt };
  if (kind === 'failed') {
    const problem = parseRecord(json) as unknown as Omit<Problem, 'instance'>;
    return { kind, problem, completedAt };
  }
  throw new ReplayDivergedError(`the journal has an entry of the kind ${kind}`);
}

function parseRecord(json: string | null): Json {
  try {
    return parseJson(json ?? '');
  } catch {
    throw new ReplayDivergedError('the journal has an entry that is no JSON');
  }
}
