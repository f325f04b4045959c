import { type Document, isDocument, type Literal, toDocument, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { compileFilter, filterOf } from '../query/match.ts';
import { sortOf } from '../query/sort.ts';
import { type Plan, planQuery } from '../storage/planner.ts';
import { Scan } from '../storage/scan.ts';
import { leadingStages } from './aggregate.ts';
import { variablesIn } from './find.ts';
import { type Commands, type Reply, Request } from './request.ts';

interface Explained {
  filter: Document;
  sort: Document | undefined;
  hint: Value | undefined;
}

function questionOf(inner: Request): Explained {
  const first = (field: string): Document => {
    const [statement] = inner.documents(field);
    return statement ?? new Map();
  };
  switch (inner.name) {
    case 'find':
      return {
        filter: filterOf(inner.get('filter')),
        sort: sortOf(inner.get('sort')),
        hint: inner.get('hint'),
      };
    case 'aggregate': {
      const pipeline = inner.get('pipeline');
      const { filter, sort } = leadingStages(Array.isArray(pipeline) ? pipeline : []);
      return { filter, sort, hint: inner.get('hint') };
    }
    case 'count':
    case 'distinct':
    case 'findAndModify':
      return {
        filter: filterOf(inner.get('query')),
        sort: sortOf(inner.get('sort')),
        hint: inner.get('hint'),
      };
    case 'update':
      return {
        filter: filterOf(first('updates').get('q')),
        sort: undefined,
        hint: first('updates').get('hint'),
      };
    case 'delete':
      return {
        filter: filterOf(first('deletes').get('q')),
        sort: undefined,
        hint: first('deletes').get('hint'),
      };
  }
  return fail('CommandNotFound', `Explain failed due to unknown command: ${inner.name}`);
}

/** IDHACK, FETCH over IXSCAN, COLLSCAN, and SORT over them where no index gives the order. */
function stagesOf(plan: Plan, { filter, sort }: Explained): { [name: string]: Literal } {
  const { index } = plan;
  const direction = plan.backward ? 'backward' : 'forward';
  const keys = index && {
    stage: 'IXSCAN',
    keyPattern: index.key,
    indexName: index.name,
    isMultiKey: index.multikey.size > 0,
    isUnique: index.unique,
    isSparse: index.sparse,
    isPartial: index.partialFilter !== undefined,
    direction,
  };
  const byId = index?.isId() && plan.single && filter.size === 1;
  const input = byId
    ? { stage: 'IDHACK' }
    : keys
      ? { stage: 'FETCH', filter, inputStage: keys }
      : { stage: 'COLLSCAN', filter, direction };
  return plan.sorted || !sort
    ? input
    : {
        stage: 'SORT',
        sortPattern: sort,
        memLimit: 104_857_600,
        type: 'simple',
        inputStage: input,
      };
}

function explain(request: Request): Reply {
  request.allow('verbosity');
  const command = request.get('explain');
  if (!isDocument(command)) return fail('TypeMismatch', 'explain needs a command');
  const inner = new Request(
    request.engine,
    new Map([...command, ['$db', request.database]]),
    new Map(),
    request.context,
  );
  const question = questionOf(inner);
  const matches = compileFilter(question.filter, variablesIn(inner));
  const { collection, namespace } = inner;
  const plan = collection && planQuery(collection, question);
  const winningPlan = plan ? stagesOf(plan, question) : { stage: 'EOF' };
  const reply = toDocument({
    explainVersion: '1',
    queryPlanner: { namespace, parsedQuery: question.filter, winningPlan, rejectedPlans: [] },
  });
  if (request.get('verbosity') !== 'queryPlanner' && collection && plan) {
    const scan = new Scan(request.context.connection, collection, plan, matches);
    let nReturned = 0;
    while (!scan.done) nReturned += scan.pull(1000).length;
    reply.set(
      'executionStats',
      toDocument({
        executionSuccess: true,
        nReturned,
        totalKeysExamined: plan.index ? scan.examined : 0,
        totalDocsExamined: scan.examined,
        executionStages: winningPlan,
      }),
    );
  }
  return reply;
}

export const EXPLAIN: Commands = { explain: { run: explain } };
