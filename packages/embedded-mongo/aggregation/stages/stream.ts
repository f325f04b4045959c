import { integerOf, isNumeric, toDouble } from '../../bson/numbers.ts';
import { fieldAt, pathOf, refuseLongPath, withField } from '../../bson/path.ts';
import {
  type Document,
  isDocument,
  toDocument,
  typeName,
  UNDEFINED,
  type Value,
} from '../../bson/values.ts';
import { fail } from '../../errors.ts';
import { compileFilter } from '../../query/match.ts';
import { byKey, compileSortKey, stageSortOf } from '../../query/sort.ts';
import { SortedRuns } from '../../query/sorted-runs.ts';
import { allowOnly } from '../options.ts';
import type { Stage, StageMaker } from '../stage.ts';

const match: StageMaker = (argument, { variables }) => {
  if (!isDocument(argument))
    return fail(15959, 'the match filter must be an expression in an object');
  const matches = compileFilter(argument, variables);
  return { push: (documents) => documents.filter(matches), finish: () => [] };
};

/** Documents that a $sort or a $sample returns at a time. Others have their turns in between. */
const PORTION = 64;

const sort: StageMaker = (argument) => {
  const key = compileSortKey(stageSortOf(argument));
  const sorted = new SortedRuns<{ document: Document; key: string }>(byKey);
  return {
    push(documents) {
      for (const document of documents) sorted.add({ document, key: key(document) });
      return [];
    },
    *finish() {
      while (sorted.size > 0) yield sorted.takeSome(PORTION).map(({ document }) => document);
    },
  };
};

/** Checks the number of a $limit or $skip. */
export function stageCount(name: string, argument: Value): number {
  const n = isNumeric(argument) ? toDouble(argument) : Number.NaN;
  const whole = integerOf(argument);
  if (whole === undefined || n < 0) {
    return fail(
      5107201,
      `invalid argument to ${name} stage: Expected a non-negative number in: ${name}`,
    );
  }
  if (name === '$limit' && whole === 0) fail(15958, 'the limit must be positive');
  return whole;
}

const limit: StageMaker = (argument) => {
  let left = stageCount('$limit', argument);
  return {
    push(documents) {
      const given = documents.slice(0, left);
      left -= given.length;
      return given;
    },
    finish: () => [],
    get full() {
      return left === 0;
    },
  };
};

const skip: StageMaker = (argument) => {
  let left = stageCount('$skip', argument);
  return {
    push(documents) {
      const skipped = Math.min(left, documents.length);
      left -= skipped;
      return skipped === 0 ? documents : documents.slice(skipped);
    },
    finish: () => [],
  };
};

const count: StageMaker = (argument): Stage => {
  if (
    typeof argument !== 'string' ||
    argument === '' ||
    argument.startsWith('$') ||
    argument.includes('.')
  ) {
    return fail(40156, 'the count field must be a non-empty string without $ and .');
  }
  let n = 0;
  return {
    push(documents) {
      n += documents.length;
      return [];
    },
    finish: () => (n > 0 ? [[toDocument({ [argument]: n })]] : []),
  };
};

interface Unwind {
  path: string;
  index: string | undefined;
  keepEmpty: boolean;
}

function unwindOf(argument: Value): Unwind {
  const spec = isDocument(argument) ? argument : toDocument({ path: argument });
  const path = spec.get('path');
  const index = spec.get('includeArrayIndex');
  const keepEmpty = spec.get('preserveNullAndEmptyArrays') ?? false;
  allowOnly(spec, ['path', 'includeArrayIndex', 'preserveNullAndEmptyArrays'], 28811, '$unwind');
  if (typeof keepEmpty !== 'boolean') {
    fail(28809, 'expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage');
  }
  if (typeof path !== 'string')
    return fail(28808, `expected a string as the path for $unwind stage, got ${typeName(path)}`);
  if (!path.startsWith('$'))
    fail(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  if (index !== undefined && (typeof index !== 'string' || index === '' || index.startsWith('$'))) {
    fail(28810, 'expected a non-empty string for the includeArrayIndex option to $unwind stage');
  }
  return {
    path: path.slice(1),
    index: index as string | undefined,
    keepEmpty: keepEmpty === true,
  };
}

/** Elements of an array that are unwound at a time. Others have their turns in between. */
const UNWOUND = 256;

const unwind: StageMaker = (argument, { rest }) => {
  const { path, index, keepEmpty } = unwindOf(argument);
  const parts = pathOf(path);
  for (const one of [parts, pathOf(index ?? '')]) refuseLongPath(one);
  const withIndex = (document: Document, i: Value): Document =>
    index === undefined ? document : withField(document, pathOf(index), i);
  const one = (document: Document, element: Value, i: number): Document =>
    withIndex(withField(document, parts, element), BigInt(i));
  const without = (document: Document, value: Value | undefined): Document[] => {
    if (value !== undefined && value !== null && value !== UNDEFINED && !Array.isArray(value)) {
      return [withIndex(document, null)];
    }
    if (!keepEmpty) return [];
    return [
      withIndex(Array.isArray(value) ? withField(document, parts, undefined) : document, null),
    ];
  };
  return {
    async push(documents) {
      const out: Document[] = [];
      for (const document of documents) {
        const value = fieldAt(document, parts);
        if (!Array.isArray(value) || value.length === 0) {
          for (const kept of without(document, value)) out.push(kept);
          continue;
        }
        for (const [i, element] of value.entries()) {
          out.push(one(document, element, i));
          if (i % UNWOUND === UNWOUND - 1) await rest();
        }
      }
      return out;
    },
    finish: () => [],
  };
};

const sample: StageMaker = (argument) => {
  if (!isDocument(argument))
    return fail(28745, 'the $sample stage specification must be an object');
  allowOnly(argument, ['size'], 28748, '$sample');
  const size = integerOf(argument.get('size'));
  if (size === undefined || size < 1)
    return fail(28747, 'size argument to $sample must be a positive integer');
  const kept: Document[] = [];
  return {
    push(documents) {
      for (const document of documents) kept.push(document);
      return [];
    },
    *finish() {
      const chosen = Math.min(size, kept.length);
      for (let at = 0; at < chosen; at += PORTION) {
        const end = Math.min(at + PORTION, chosen);
        for (let i = at; i < end; i++) {
          const j = i + Math.floor(Math.random() * (kept.length - i));
          [kept[i], kept[j]] = [kept[j] as Document, kept[i] as Document];
        }
        yield kept.slice(at, end);
      }
    },
  };
};

export const STREAM_STAGES: [string, StageMaker][] = [
  ['$match', match],
  ['$sort', sort],
  ['$limit', limit],
  ['$skip', skip],
  ['$count', count],
  ['$unwind', unwind],
  ['$sample', sample],
];
