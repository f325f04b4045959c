import { compareValues } from '../../bson/compare.ts';
import { keyOf } from '../../bson/keys.ts';
import {
  type Document,
  isDocument,
  isOperators,
  toDocument,
  type Value,
} from '../../bson/values.ts';
import { fail } from '../../errors.ts';
import { SortedRuns } from '../../query/sorted-runs.ts';
import type { Accumulator } from '../accumulators.ts';
import { compileExpression } from '../expression.ts';
import { type CompiledAccumulator, compileAccumulator } from '../group-accumulators.ts';
import type { Stage, StageMaker } from '../stage.ts';
import type { Expression, Variables } from '../variables.ts';

/** Groups whose results are returned at a time. */
const PORTION = 64;

interface Group {
  id: Value;
  accumulators: Accumulator[];
}

type Fields = [string, CompiledAccumulator][];

type Order = (a: Group, b: Group) => number;

/** Returns groups in the order of their first documents, a portion at a time. */
function* unsorted(groups: Iterable<Group>): Generator<Group[]> {
  let portion: Group[] = [];
  for (const group of groups) {
    if (portion.push(group) < PORTION) continue;
    yield portion;
    portion = [];
  }
  yield portion;
}

/** Returns sorted groups, a portion at a time. Portions without groups come while the groups are sorted. */
function* sorted(groups: Iterable<Group>, order: Order): Generator<Group[]> {
  const runs = new SortedRuns(order);
  for (const group of groups) {
    runs.add(group);
    if (runs.size % PORTION === 0) yield [];
  }
  while (runs.size > 0) yield runs.takeSome(PORTION);
}

/** Makes a stage that groups documents by a value. `order` compares groups for the order of the results. */
export function grouping(
  id: Expression,
  fields: Fields,
  variables: Variables,
  order?: Order,
): Stage {
  const groups = new Map<string, Group>();
  const groupOf = (value: Value): Group => {
    const key = keyOf([value]).toString('latin1');
    let group = groups.get(key);
    if (!group) {
      group = { id: value, accumulators: fields.map(([, { make }]) => make()) };
      groups.set(key, group);
    }
    return group;
  };
  return {
    push(documents) {
      for (const document of documents) {
        const seen = variables.withRoot(document);
        const { accumulators } = groupOf(id(seen) ?? null);
        for (const [i, [, { input }]] of fields.entries()) accumulators[i]?.add(input(seen));
      }
      return [];
    },
    *finish() {
      const all = groups.values();
      for (const portion of order ? sorted(all, order) : unsorted(all))
        yield portion.map((group) => resultOf(group, fields));
    },
  };
}

function resultOf({ id, accumulators }: Group, fields: Fields): Document {
  const result: Document = new Map([['_id', id]]);
  for (const [i, [name]] of fields.entries()) result.set(name, accumulators[i]?.result() ?? null);
  return result;
}

export function accumulatorsOf(spec: Document, variables: Variables): Fields {
  return [...spec].map(([name, value]) => {
    if (name.includes('.')) fail(40235, `The field name '${name}' cannot contain '.'`);
    if (name.startsWith('$')) fail(40236, `The field name '${name}' cannot be an operator name`);
    return [name, compileAccumulator(name, value, variables)];
  });
}

const group: StageMaker = (argument, { variables }) => {
  if (!isDocument(argument)) return fail(15947, "a group's fields must be specified in an object");
  const id = argument.get('_id');
  if (id === undefined) return fail(15955, 'a group specification must include an _id');
  const rest = new Map(argument);
  rest.delete('_id');
  return grouping(compileExpression(id), accumulatorsOf(rest, variables), variables);
};

export const ONE_EACH: Document = toDocument({ count: { $sum: 1 } });

const sortByCount: StageMaker = (argument, { variables }) => {
  if (typeof argument === 'string' ? !argument.startsWith('$') : !isOperators(argument)) {
    fail(
      40148,
      'the sortByCount field must be defined as a $-prefixed path or an expression inside an object',
    );
  }
  const byCount = (a: Group, b: Group): number => compareValues(countOf(b), countOf(a));
  return grouping(
    compileExpression(argument),
    accumulatorsOf(ONE_EACH, variables),
    variables,
    byCount,
  );
};

const countOf = ({ accumulators }: Group): Value => accumulators[0]?.result() ?? 0;

export const GROUP_STAGES: [string, StageMaker][] = [
  ['$group', group],
  ['$sortByCount', sortByCount],
];
