import type { RecordedPlan } from './plan-recorder.ts';
import { RARE_QUERIES, SCATTERING_QUERIES } from './scattering-queries.ts';
import type { Fields } from './shapes.ts';
import { shardKeyOf } from './shard-keys.ts';

/** What the router of a sharded database sees of a statement. */
export interface Route {
  command: string;
  collection: string;
  /** The paths that the filter pins to one value or to a list of values. */
  pinned: string[];
  /** The other paths of the filter. */
  others: string[];
}

export function routeOf(command: string, statement: Fields): Route {
  const filter = filterOf(statement);
  const pinned = pathsOf(filter).filter((path) => pins(filter, path));
  const others = pathsOf(filter).filter((path) => !pinned.includes(path));
  return { command, collection: String(statement[command]), pinned, others };
}

/** The filter of a statement; that of a pipeline is its first stage. */
function filterOf(statement: Fields): Fields {
  const [write = statement] = (statement.updates ?? statement.deletes ?? []) as Fields[];
  const [first] = (write.pipeline as Fields[] | undefined) ?? [];
  return (write.q ?? write.filter ?? write.query ?? first?.$match ?? {}) as Fields;
}

const clausesOf = (filter: Fields, operator: string): Fields[] =>
  (filter[operator] as Fields[] | undefined) ?? [];

function pathsOf(filter: Fields): string[] {
  const paths = Object.keys(filter).filter((path) => !path.startsWith('$'));
  const inner = ['$and', '$or'].flatMap((operator) => clausesOf(filter, operator).flatMap(pathsOf));
  return [...new Set([...paths, ...inner])].sort();
}

function pins(filter: Fields, path: string): boolean {
  const either = clausesOf(filter, '$or');
  return (
    (path in filter && isValue(filter[path])) ||
    clausesOf(filter, '$and').some((clause) => pins(clause, path)) ||
    (either.length > 0 && either.every((clause) => pins(clause, path)))
  );
}

/** Whether a condition is a value and no pattern, or has the operator $eq or $in. */
function isValue(condition: unknown): boolean {
  if (typeof condition !== 'object' || condition === null) return true;
  if (condition instanceof RegExp) return false;
  const operators = Object.keys(condition).filter((key) => key.startsWith('$'));
  return operators.length === 0 || operators.some((key) => key === '$eq' || key === '$in');
}

/**
 * The query of a route that names no shard, as `scattering-queries.ts` lists it: command, collection, and the paths of the
 * filter. Of a filter that pins `_id` this path alone counts. Returns undefined for a query that names its shards.
 */
export function scatteringQueryOf({ command, collection, pinned, others }: Route) {
  const key = shardKeyOf(collection);
  if (key === undefined || pinned.includes(key)) return undefined;
  const paths = pinned.includes('_id') ? ['_id'] : [...pinned, ...others].sort();
  return `${command} ${collection} ${paths.join(',')}`;
}

/** Compares the queries of a run that name no shard with the list, and returns the faults, each as text. */
export function judgeRoutes(plans: readonly RecordedPlan[], isWhole: boolean): string[] {
  const met = new Set(plans.map(({ route }) => scatteringQueryOf(route)));
  met.delete(undefined);
  const listed = new Set(Object.values(SCATTERING_QUERIES).flat());
  const unmet = [...listed].filter((query) => !met.has(query) && !RARE_QUERIES.includes(query));
  const gone = isWhole ? unmet : [];
  process.stdout.write(`${met.size} queries that name no shard, ${listed.size} are listed\n`);
  return [
    ...[...met].filter((query) => !listed.has(query ?? '')).map((query) => `no shard: ${query}`),
    ...gone.map((query) => `scattering-queries.ts lists a query that no command had: ${query}`),
  ];
}
