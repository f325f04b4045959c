import type { CredentialSource, Json } from '../../plan.ts';
import type { ApiDescriptionEffect } from '../effect.ts';
import type { Value } from '../host.ts';
import { flowError } from '../problem.ts';
import { requestContent } from './body.ts';
import { entriesOf, textOf } from './uri.ts';

/** The evaluated fields of a `call: apiDescription`. */
export interface DescriptionFields {
  apiDescriptionId: number;
  credential: CredentialSource | null;
  path: Value;
  /** The names that the file writes in `path`. An undefined value is absent in the evaluated `path`. */
  pathNames: readonly string[];
  query: Value;
  headers: Value;
  keyHeader: Record<string, string>;
  body: Value;
}

/** Makes the effect of a call. Whether the path has a value for each placeholder is for the host to say. */
export function descriptionRequest(fields: DescriptionFields): ApiDescriptionEffect {
  const { apiDescriptionId, credential, path, pathNames, query, headers, keyHeader, body } = fields;
  return {
    kind: 'call-api-description',
    apiDescriptionId,
    credential,
    path: pathValuesOf(path, pathNames),
    query: queryValuesOf(query),
    ...requestContent(headers, body, keyHeader),
  };
}

/** Throws `EXPRESSION_FAILED` for a value that is undefined, null or empty: no segment of a path may be empty. */
function pathValuesOf(path: Value, names: readonly string[]): Record<string, string> {
  const values = new Map(entriesOf(path, 'path'));
  for (const name of [...names, ...values.keys()]) {
    const value = values.get(name);
    if (value !== undefined && value !== null && value !== '') continue;
    const given = value === '' ? 'empty' : String(value);
    throw flowError('expression', 'EXPRESSION_FAILED', `the path value ${show(name)} is ${given}`);
  }
  return Object.fromEntries([...values].map(([name, value]) => [name, textOf(value)]));
}

/** Leaves out parameters and elements that are null, and lists without elements. */
function queryValuesOf(query: Value): Record<string, string | string[]> {
  return Object.fromEntries(
    entriesOf(query, 'query').flatMap(([name, value]): [string, string | string[]][] => {
      if (value === null) return [];
      if (!Array.isArray(value)) return [[name, textOf(value)]];
      const elements = value.filter((element: Json) => element !== null).map(textOf);
      return elements.length > 0 ? [[name, elements]] : [];
    }),
  );
}

/** Characters of a name that an error message shows. The rest is cut. */
const LONGEST_NAME = 100;
const show = (name: string): string => JSON.stringify(name.slice(0, LONGEST_NAME).toWellFormed());
