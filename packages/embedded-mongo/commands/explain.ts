import { truthy } from '../aggregation/variables.ts';
import { integerOf } from '../bson/numbers.ts';
import { type Document, isDocument, toDocument } from '../bson/values.ts';
import { fail, unsupported } from '../errors.ts';
import { compileFilter, filterOf } from '../query/match.ts';
import { compileProjection } from '../query/projection.ts';
import { sortOf } from '../query/sort.ts';
import { planQuery } from '../storage/planner.ts';
import { searchOf } from '../storage/query.ts';
import { countExactly } from '../storage/scan.ts';
import { leadingStages } from './aggregate.ts';
import { type Explained, stagesOf } from './explain-plan.ts';
import { COMMAND_FIELDS } from './fields/command-fields.ts';
import { checkFields, type FieldTable } from './fields/fields.ts';
import { DELETE_STATEMENT, UPDATE_STATEMENT } from './fields/statement-fields.ts';
import { countLimit, queryOf, variablesIn } from './find.ts';
import { type Commands, type Reply, Request } from './request.ts';

type Question = (inner: Request) => Explained;

const VERBOSITIES = ['queryPlanner', 'executionStats', 'allPlansExecution'];

/** The query of each command that can be explained. */
const QUESTIONS: ReadonlyMap<string, Question> = new Map<string, Question>([
  ['find', findQuestion],
  ['aggregate', aggregateQuestion],
  [
    'count',
    (inner) => ({
      ...queryIn(inner),
      skip: inner.count('skip') ?? 0,
      limit: countLimit(inner),
      top: 'COUNT',
    }),
  ],
  ['distinct', queryIn],
  ['findAndModify', modifyQuestion],
  ['findandmodify', modifyQuestion],
  ['update', (inner) => statementQuestion(inner, 'updates', UPDATE_STATEMENT, 'UPDATE')],
  ['delete', (inner) => statementQuestion(inner, 'deletes', DELETE_STATEMENT, 'DELETE')],
]);

function findQuestion(inner: Request): Explained {
  const { projection, ...query } = queryOf(inner);
  const { filter, variables = variablesIn(inner) } = query;
  const shown = compileProjection(projection, { variables, filter }) !== undefined;
  return { ...query, projection: shown && isDocument(projection) ? projection : undefined };
}

function queryIn(inner: Request): Explained {
  return {
    filter: filterOf(inner.get('query')),
    variables: variablesIn(inner),
    hint: inner.get('hint'),
  };
}

function aggregateQuestion(inner: Request): Explained {
  const pipeline = inner.get('pipeline');
  if (!Array.isArray(pipeline))
    return fail('TypeMismatch', "'pipeline' option must be specified as an array");
  const { filter, sort, skip, limit, rest } = leadingStages(pipeline);
  if (rest.length > 0) unsupported('Explaining what a pipeline does after its first query');
  return { filter, variables: variablesIn(inner), sort, skip, limit, hint: inner.get('hint') };
}

function modifyQuestion(inner: Request): Explained {
  const top = inner.flag('remove') ? 'DELETE' : 'UPDATE';
  return { ...queryIn(inner), sort: sortOf(inner.get('sort')), top, maxChanges: 1 };
}

function statementQuestion(
  inner: Request,
  field: string,
  fields: FieldTable,
  top: string,
): Explained {
  const [statement, ...others] = inner.documents(field);
  if (!statement || others.length > 0)
    return fail('InvalidLength', 'explained write batches must be of size 1');
  checkFields(fields, statement);
  const filter = filterOf(statement.get('q'));
  const isMany = truthy(statement.get('multi')) || integerOf(statement.get('limit')) === 0;
  const maxChanges = isMany ? Number.POSITIVE_INFINITY : 1;
  return { filter, variables: variablesIn(inner), hint: statement.get('hint'), top, maxChanges };
}

async function explain(request: Request): Promise<Reply> {
  const verbosity = request.get('verbosity') ?? 'allPlansExecution';
  if (typeof verbosity !== 'string' || !VERBOSITIES.includes(verbosity)) {
    fail(
      'BadValue',
      `Enumeration value '${String(verbosity)}' for field 'explain.verbosity' is not a valid value.`,
    );
  }
  const command = request.get('explain');
  if (!isDocument(command)) return fail('TypeMismatch', 'explain needs a command');
  const inner = new Request(
    request.engine,
    new Map([...command, ['$db', request.database]]),
    new Map(),
    request.context,
  );
  const fields = COMMAND_FIELDS.get(inner.name);
  if (fields) checkFields(fields, inner.body);
  const question = QUESTIONS.get(inner.name)?.(inner);
  if (!question)
    return fail('CommandNotFound', `Explain failed due to unknown command: ${inner.name}`);
  compileFilter(question.filter, question.variables);
  const { collection, namespace } = inner;
  const { filter, sort, hint } = question;
  const { connection } = request.context;
  const plan = collection && planQuery(connection, collection, { filter, sort, hint });
  const winningPlan = plan ? stagesOf(plan, question) : { stage: 'EOF' };
  const reply = toDocument({
    explainVersion: '1',
    queryPlanner: { namespace, parsedQuery: filter, winningPlan, rejectedPlans: [] },
    command,
  });
  if (verbosity === 'queryPlanner') return reply;
  const executionStats = await statisticsOf(request, inner, question);
  if (verbosity === 'allPlansExecution') executionStats.set('allPlansExecution', []);
  return reply.set(
    'executionStats',
    executionStats.set('executionStages', toDocument(winningPlan)),
  );
}

/** Runs the query, yields to other commands in between, and counts. The found documents are not changed. */
async function statisticsOf(
  request: Request,
  inner: Request,
  question: Explained,
): Promise<Document> {
  const begun = performance.now();
  const counted = question.top === 'COUNT' ? countedKeys(request, inner, question) : undefined;
  const work = counted ?? (await searchWork(request, inner, question));
  return toDocument({
    executionSuccess: true,
    nReturned: question.top && !inner.name.startsWith('find') ? 0 : work.found,
    executionTimeMillis: Math.round(performance.now() - begun),
    totalKeysExamined: work.keys,
    totalDocsExamined: work.documents,
  });
}

/** The numbers of found documents, of examined keys and of examined documents. */
interface Work {
  found: number;
  keys: number;
  documents: number;
}

/** Returns the work of a count that an index answers alone; undefined for any other query. */
function countedKeys(
  { context: { connection } }: Request,
  { collection }: Request,
  { filter, hint, skip = 0, limit = Number.POSITIVE_INFINITY }: Explained,
): Work | undefined {
  if (!collection) return undefined;
  const plan = planQuery(connection, collection, { filter, sort: undefined, hint });
  const found = plan.index && countExactly(connection, collection, plan, skip + limit);
  return found === undefined ? undefined : { found, keys: found, documents: 0 };
}

async function searchWork(
  request: Request,
  { collection }: Request,
  { maxChanges, ...question }: Explained,
): Promise<Work> {
  const limit = maxChanges ?? question.limit ?? Number.POSITIVE_INFINITY;
  const search = collection && searchOf(request.context, collection, { ...question, limit });
  let found = 0;
  while (search && !search.rows.done) {
    found += search.rows.pull(1000).length;
    if (!search.rows.done) await request.rest();
  }
  const examined = search?.scan.examined ?? 0;
  const documents = search?.isCovered ? 0 : examined;
  return { found, keys: search?.plan.index ? examined : 0, documents };
}

export const EXPLAIN: Commands = { explain: { run: explain } };
