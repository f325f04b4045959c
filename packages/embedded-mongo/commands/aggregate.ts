import { compileStages, refuseLeftOut } from '../aggregation/pipeline.ts';
import { readsOfPipeline } from '../aggregation/reads.ts';
import { drain, feed, isFull, stageOf } from '../aggregation/run.ts';
import type { Reads, StageContext } from '../aggregation/stage.ts';
import { stageCount } from '../aggregation/stages/stream.ts';
import type { Variables } from '../aggregation/variables.ts';
import { encodeDocument } from '../bson/encode.ts';
import { type Document, isDocument, toDocument, type Value } from '../bson/values.ts';
import { fail } from '../errors.ts';
import { stageSortOf } from '../query/sort.ts';
import { type DocumentSource, listed } from '../sessions/cursors.ts';
import { planQuery } from '../storage/planner.ts';
import { rowsOf } from '../storage/query.ts';
import { countExactly, PORTION_MS } from '../storage/scan.ts';
import { batchSizeOf } from './cursors.ts';
import { shown, variablesIn } from './find.ts';
import { FIRST_STAGES, type Input } from './first-stages.ts';
import { LAST_STAGES, writeOutput } from './output.ts';
import type { Commands, Reply, Request } from './request.ts';

const MAX_BYTES = 104_857_600;
/** Bytes that one result may have, as in MongoDB. Drivers refuse a larger document. */
const MAX_RESULT_BYTES = 16_793_600;
const PORTION = 64;

/** The first stages of a pipeline, as a query that can use indexes, and the stages after them. */
interface Leading {
  filter: Document;
  sort: Document | undefined;
  skip: number;
  limit: number;
  rest: Value[];
}

export function leadingStages(pipeline: readonly Value[]): Leading {
  const rest = [...pipeline];
  const filters: Document[] = [];
  const next = (name: string): Value | undefined => {
    const [stage] = rest;
    if (!isDocument(stage) || stage.size !== 1 || !stage.has(name)) return undefined;
    rest.shift();
    return stage.get(name);
  };
  for (let filter = next('$match'); filter !== undefined; filter = next('$match')) {
    filters.push(
      isDocument(filter)
        ? filter
        : fail(15959, 'the match filter must be an expression in an object'),
    );
  }
  const sort = next('$sort');
  const skip = next('$skip');
  const limit = next('$limit');
  return {
    filter: filters.length > 1 ? new Map([['$and', filters]]) : (filters[0] ?? new Map()),
    sort: sort === undefined ? undefined : stageSortOf(sort),
    skip: skip === undefined ? 0 : stageCount('$skip', skip),
    limit: limit === undefined ? Number.POSITIVE_INFINITY : stageCount('$limit', limit),
    rest,
  };
}

async function aggregate(request: Request): Promise<Reply> {
  const pipeline = request.get('pipeline');
  if (!Array.isArray(pipeline))
    return fail('TypeMismatch', "'pipeline' option must be specified as an array");
  if (!request.get('cursor')) {
    fail(
      'FailedToParse',
      "The 'cursor' option is required, except for aggregate with the explain argument",
    );
  }
  const database = typeof request.get('aggregate') !== 'string';
  const namespace = database ? `${request.database}.$cmd.aggregate` : request.namespace;
  const variables = variablesIn(request);
  const source = await sourceOf(request, pipeline, variables, database);
  return request.engine.cursors.first(request, source, batchSizeOf(request), namespace);
}

async function sourceOf(
  request: Request,
  pipeline: readonly Value[],
  variables: Variables,
  database: boolean,
): Promise<DocumentSource> {
  const context = stageContext(request, variables);
  const [name, argument] = pipeline[0] === undefined ? ['', null] : stageOf(pipeline[0]);
  refuseLeftOut(name);
  if (name === '$documents' && !database)
    fail('InvalidNamespace', "'$documents' can only be run with {aggregate: 1}");
  const first = FIRST_STAGES.get(name);
  if (first) return run(request, first(request, argument, variables), pipeline.slice(1), context);
  if (database)
    fail(
      'InvalidNamespace',
      `{aggregate: 1} is not valid for '${name}'; a collection is required.`,
    );
  const leading = leadingStages(pipeline);
  const { filter, sort, skip, limit, rest } = leading;
  const counted = countOnly(request, leading);
  if (counted) return listed(counted.map(encodeDocument));
  const reads = readsOfPipeline(rest);
  const query = { filter, variables, sort, skip, limit, hint: request.get('hint'), reads };
  const rows = rowsOf(request.context, request.collection, query);
  if (rest.length === 0) return shown(rows, undefined);
  return run(
    request,
    {
      get done() {
        return rows.done;
      },
      pull: (n) => rows.pull(n).map((row) => row.document),
    },
    rest,
    context,
  );
}

async function run(
  request: Request,
  input: Input,
  pipeline: readonly Value[],
  context: StageContext,
): Promise<DocumentSource> {
  const last = pipeline.at(-1);
  const [name = ''] = isDocument(last) ? last.keys() : [];
  const writes = LAST_STAGES.includes(name);
  const stages = compileStages(writes ? pipeline.slice(0, -1) : pipeline, context);
  const out: Buffer[] = [];
  let bytes = 0;
  const keep = async (documents: Document[]): Promise<void> => {
    for (const document of documents) {
      const encoded = encodeDocument(document);
      if (encoded.length > MAX_RESULT_BYTES)
        fail(
          'BSONObjectTooLarge',
          `BSONObj size: ${encoded.length} is invalid. Size must be between 0 and ${MAX_RESULT_BYTES}`,
        );
      bytes += encoded.length;
      if (bytes > MAX_BYTES) {
        fail(
          'QueryExceededMemoryLimitNoDiskUseAllowed',
          'The results of the pipeline exceed the memory limit of the embedded database engine',
        );
      }
      out.push(encoded);
      await context.rest();
    }
  };
  while (!input.done && !isFull(stages)) {
    await keep(await feed(stages, input.pull(PORTION), context));
    await context.rest();
  }
  for await (const documents of drain(stages, context)) await keep(documents);
  if (!writes) return listed(out);
  await writeOutput(request, name, (last as Document).get(name) as Value, out);
  return listed([]);
}

function stageContext(request: Request, variables: Variables): StageContext {
  const { context, database, engine } = request;
  let end = performance.now() + PORTION_MS;
  const rest = async (): Promise<void> => {
    if (performance.now() < end) return;
    context.heap.check();
    await request.rest();
    end = performance.now() + PORTION_MS;
  };
  async function* read(name: string, filter: Document, seen: Variables, reads?: Reads) {
    const collection = engine.store.collection(context, `${database}.${name}`);
    const rows = rowsOf(context, collection, { filter, variables: seen, reads });
    while (!rows.done) {
      yield rows.pull(PORTION).map((row) => row.document);
      await rest();
    }
  }
  return { variables, compile: compileStages, read, rest };
}

/** Runs countDocuments, a $match and {$group: {_id: 1, n: {$sum: 1}}}, from an index alone if that is possible. */
function countOnly(
  request: Request,
  { filter, skip, limit, rest }: Leading,
): Document[] | undefined {
  const [group] = rest;
  if (rest.length !== 1 || !isDocument(group) || !COUNTING.equals(encodeDocument(group)))
    return undefined;
  const { collection, context } = request;
  if (!collection) return [];
  const { connection } = context;
  const hint = request.get('hint');
  const plan = planQuery(connection, collection, { filter, sort: undefined, hint });
  const matching = countExactly(connection, collection, plan, skip + limit);
  if (matching === undefined) return undefined;
  const n = Math.max(0, matching - skip);
  return n === 0 ? [] : [toDocument({ _id: 1, n })];
}

const COUNTING = encodeDocument(toDocument({ $group: { _id: 1, n: { $sum: 1 } } }));

const writesOutput = (body: Document): boolean => {
  const pipeline = body.get('pipeline');
  const last = Array.isArray(pipeline) ? pipeline.at(-1) : undefined;
  return isDocument(last) && (last.has('$out') || last.has('$merge'));
};

export const AGGREGATE: Commands = {
  aggregate: {
    writes: writesOutput,
    inTransaction: true,
    run: aggregate,
  },
};
