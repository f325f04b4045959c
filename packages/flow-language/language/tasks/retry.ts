import type { RetryPolicy } from '../../plan.ts';
import type { Context, Scope } from '../context.ts';
import { readDuration } from '../duration.ts';
import { joinNames } from '../faults.ts';
import { LIMITS } from '../limits.ts';
import { omitUndefined } from '../plan-parts.ts';
import { readInteger } from '../scalars.ts';
import { type Advice, type Fields, keys, readFields } from '../shape.ts';
import { readWholeExpression } from '../template.ts';
import { type Entry, type Node, stringOf } from '../tree.ts';

const RETRY_KEYS = keys({ optional: 'when exceptWhen delay backoff jitter limit' });

const BACKOFFS = ['constant', 'linear', 'exponential'] as const;
const BACKOFF_KEYS = keys({ optional: BACKOFFS.join(' ') });

const JITTER_KEYS = keys({ required: 'from to' });
const LIMIT_KEYS = keys({ optional: 'attempt duration' });
const ATTEMPT_KEYS = keys({ optional: 'count duration' });
const LIMIT_ADVICE: Advice = {
  form: '{ attempt: { count: 3 } }',
  members: { attempt: { keys: keys({ optional: 'count' }) } },
};

/** Words of other tools for the number of retries. */
const COUNTS: ReadonlySet<string> = new Set(
  'count max times attempts retries maxAttempts maxRetries maxTries max_attempts limits'.split(' '),
);

const RETRY_ADVICE: Advice = {
  form: '{ delay: PT1S, limit: { attempt: { count: 3 } } }',
  instead: adviseCount,
};

/** Returns the advice for a number of retries at the wrong place. */
function adviseCount({ key, value }: Entry): string | undefined {
  if (!COUNTS.has(key)) return undefined;
  const count = value.kind === 'scalar' && typeof value.value === 'number' ? value.value : 3;
  return `write limit: { attempt: { count: ${count} } }`;
}

/** Retries of a policy without a count and without a duration. After them the error goes on. */
const DEFAULT_RETRIES = 5;

/** Reads `retry` of a catch (DSL 1.0.0, retry policy). The name of a shared policy is a fault, because `use` is refused. */
export function readRetry(node: Node, scope: Scope, context: Context): RetryPolicy | undefined {
  const fields = readFields(node, '"retry"', RETRY_KEYS, context, RETRY_ADVICE);
  if (!fields) return undefined;
  const condition = (key: string) =>
    fields.read(key, (value) => readWholeExpression(value, `"retry.${key}"`, scope, context));
  return omitUndefined({
    delayMs: fields.read('delay', (value) => readDuration(value, '"retry.delay"', context)) ?? 0,
    backoff: fields.read('backoff', (value) => readBackoff(value, context)) ?? 'constant',
    jitter: fields.read('jitter', (value) => readJitter(value, context)),
    ...readLimit(fields, context),
    when: condition('when'),
    exceptWhen: condition('exceptWhen'),
  });
}

function readBackoff(node: Node, context: Context): RetryPolicy['backoff'] | undefined {
  const given = BACKOFFS.find((one) => one === stringOf(node)) ?? 'exponential';
  const advice = { form: `{ ${given}: {} }` };
  const fields = readFields(node, '"retry.backoff"', BACKOFF_KEYS, context, advice);
  if (!fields) return undefined;
  const [chosen, second] = BACKOFFS.filter((backoff) => fields.get(backoff));
  const isUnknown = chosen === undefined && fields.node.entries.size > 0; // it has its fault already
  if (isUnknown) return undefined;
  if (chosen === undefined || second !== undefined) {
    const message = `"retry.backoff" must have exactly one of ${joinNames(BACKOFFS)}.`;
    context.fault(node, 'INVALID_VALUE', message);
    return undefined;
  }
  fields.read(chosen, (value) => readFields(value, `"retry.backoff.${chosen}"`, keys({}), context));
  return chosen;
}

function readJitter(node: Node, context: Context): RetryPolicy['jitter'] | undefined {
  const fields = readFields(node, '"retry.jitter"', JITTER_KEYS, context);
  if (!fields) return undefined;
  const read = (key: string) =>
    fields.read(key, (value) => readDuration(value, `"retry.jitter.${key}"`, context)) ?? 0;
  const jitter = { fromMs: read('from'), toMs: read('to') };
  if (jitter.fromMs > jitter.toMs && fields.get('to')) {
    context.fault(node, 'INVALID_VALUE', '"retry.jitter.from" is longer than "to".');
  }
  return jitter;
}

/** Reads the limits of retries. Without a count there are 5 retries, or `LIMITS.loopRounds` if there is a total duration. */
function readLimit(
  retry: Fields,
  context: Context,
): Pick<RetryPolicy, 'maxRetries' | 'attemptDurationMs' | 'totalDurationMs'> {
  const limit = retry.read('limit', (node) =>
    readFields(node, '"retry.limit"', LIMIT_KEYS, context, LIMIT_ADVICE),
  );
  const attempt = limit?.read('attempt', (node) =>
    readFields(node, '"retry.limit.attempt"', ATTEMPT_KEYS, context),
  );
  const count = attempt?.read('count', (node) =>
    readInteger(node, '"retry.limit.attempt.count"', 0, Number.MAX_SAFE_INTEGER, context),
  );
  const totalDurationMs = limit?.read('duration', (node) =>
    readDuration(node, '"retry.limit.duration"', context),
  );
  const withoutCount = totalDurationMs === undefined ? DEFAULT_RETRIES : LIMITS.loopRounds;
  return {
    maxRetries: count ?? withoutCount,
    attemptDurationMs: attempt?.read('duration', (node) =>
      readDuration(node, '"retry.limit.attempt.duration"', context),
    ),
    totalDurationMs,
  };
}
