import type { ErrorFilter, TryTask } from '../../plan.ts';
import { withVariables } from '../context.ts';
import { omitUndefined } from '../plan-parts.ts';
import { readInteger, readPlainString } from '../scalars.ts';
import { type Advice, keys, readFields } from '../shape.ts';
import { readWholeExpression } from '../template.ts';
import type { Node } from '../tree.ts';
import { readVariableName } from '../variable-name.ts';
import { readTasks } from './list.ts';
import type { Place } from './place.ts';
import { readRetry } from './retry.ts';
import type { Kind } from './task.ts';

const CATCH_KEYS = keys({ optional: 'errors as when exceptWhen retry do' });

const FILTER_KEYS = keys({ optional: 'type status title instance' });

const CATCH_ADVICE: Advice = {
  form: '{ errors: { with: { status: 503 } }, do: [...] }',
  members: { errors: { keys: keys({ optional: 'with' }) } },
};

export const TRY: Kind = {
  keys: keys({ required: 'try catch' }),
  hasForm: (node) => node.kind === 'list',
  members: { catch: { keys: CATCH_KEYS } },
  read: (fields, place) => ({
    kind: 'try',
    tasks: fields.read('try', (node) => readInner(node, 'try', place)) ?? [],
    catch: fields.read('catch', (node) => readCatch(node, place)) ?? { as: 'error' },
  }),
};

function readInner(node: Node, keyword: 'try' | 'catch/do', place: Place) {
  const { path, level, scope, context } = place;
  const what = keyword === 'try' ? '"try"' : '"catch.do"';
  return readTasks(node, { what, path: `${path}/${keyword}`, level: level + 1, scope, context });
}

/** Reads `catch`. Its `when`, `exceptWhen`, `retry` and `do` may read the caught error as a variable. */
function readCatch(node: Node, place: Place): TryTask['catch'] | undefined {
  const { context } = place;
  const fields = readFields(node, '"catch"', CATCH_KEYS, context, CATCH_ADVICE);
  if (!fields) return undefined;
  const as = fields.read('as', (value) => readVariableName(value, '"catch.as"', context, 'error'));
  const scope = withVariables(place.scope, as ?? 'error');
  const condition = (key: string) =>
    fields.read(key, (value) => readWholeExpression(value, `"catch.${key}"`, scope, context));
  return omitUndefined({
    errors: fields.read('errors', (value) => readErrors(value, place)),
    as: as ?? 'error',
    when: condition('when'),
    exceptWhen: condition('exceptWhen'),
    retry: fields.read('retry', (value) => readRetry(value, scope, context)),
    tasks: fields.read('do', (value) => readInner(value, 'catch/do', { ...place, scope })),
  });
}

function readErrors(node: Node, { context }: Place): ErrorFilter | undefined {
  const advice = {
    form: '{ with: { status: 503 } }',
    members: { with: { keys: FILTER_KEYS } },
  };
  const errors = readFields(node, '"catch.errors"', keys({ optional: 'with' }), context, advice);
  const filter = errors?.read('with', (value) =>
    readFields(value, '"catch.errors.with"', FILTER_KEYS, context),
  );
  if (!filter) return undefined;
  if (filter.node.entries.size === 0) {
    context.fault(filter.node, 'INVALID_VALUE', '"catch.errors.with" is empty; leave it out.');
  }
  const text = (key: string) =>
    filter.read(key, (value) => readPlainString(value, `"${key}"`, context));
  return omitUndefined({
    type: text('type'),
    status: filter.read('status', (value) => readInteger(value, '"status"', 100, 599, context)),
    title: text('title'),
    instance: text('instance'),
  });
}
