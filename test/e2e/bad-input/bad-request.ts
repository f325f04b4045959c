import fc from 'fast-check';
import { PLACES } from '../../../contract/contract.ts';
import { type Answer, type RequestOptions, request } from '../../helpers/http.ts';
import type { Sample } from '../operation-samples.ts';
import type { Operation } from '../permissions-matrix.ts';
import { HOSTILE_HEADERS, HOSTILE_VALUES, hostileValue, RAW_BODIES } from './hostile-values.ts';

type FieldPlace = 'path' | 'query' | 'body';

/** A change to a valid request. */
export type Mutation =
  | { kind: 'set'; place: FieldPlace; field: string; value: unknown }
  | { kind: 'drop'; place: FieldPlace; field: string }
  | { kind: 'raw'; body: string }
  | { kind: 'headers'; headers: Record<string, string> }
  | { kind: 'no-token' };

const isFieldPlace = (place: string): place is FieldPlace => place !== 'header';

/** The fields of an operation, as its contract names them, and one that no contract names. */
export const fieldsOf = ({ contract }: Operation): [FieldPlace, string][] => [
  ...PLACES.filter(isFieldPlace).flatMap((place) =>
    Object.keys(contract[place] ?? {}).map((field): [FieldPlace, string] => [place, field]),
  ),
  ['query', 'unknownField'],
  ...(contract.body ? ([['body', 'unknownField']] as [FieldPlace, string][]) : []),
];

/** Every field of an operation with every hostile value, and without a value. */
export const everyMutation = (operation: Operation): Mutation[] => [
  ...fieldsOf(operation).flatMap(([place, field]): Mutation[] => [
    { kind: 'drop', place, field },
    ...HOSTILE_VALUES.map((value): Mutation => ({ kind: 'set', place, field, value })),
  ]),
  ...RAW_BODIES.map((body): Mutation => ({ kind: 'raw', body })),
  ...HOSTILE_HEADERS.map((headers): Mutation => ({ kind: 'headers', headers })),
];

export function mutationOf(operation: Operation): fc.Arbitrary<Mutation> {
  const field = fc.constantFrom(...fieldsOf(operation));
  const set = fc
    .tuple(field, hostileValue)
    .map(([[place, name], value]): Mutation => ({ kind: 'set', place, field: name, value }));
  return fc.oneof(
    { weight: 12, arbitrary: set },
    {
      weight: 2,
      arbitrary: field.map(([place, name]): Mutation => ({ kind: 'drop', place, field: name })),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...RAW_BODIES).map((body): Mutation => ({ kind: 'raw', body })),
    },
    {
      weight: 2,
      arbitrary: fc
        .constantFrom(...HOSTILE_HEADERS)
        .map((headers): Mutation => ({ kind: 'headers', headers })),
    },
    { weight: 1, arbitrary: fc.constant<Mutation>({ kind: 'no-token' }) },
  );
}

/** The text of a value in a path or query; a lone surrogate has no UTF-8, and is sent as its three bytes. */
function encode(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}

type Fields = Record<string, unknown>;

function changed(fields: Fields, place: FieldPlace, mutations: readonly Mutation[]): Fields {
  const result: Fields = { ...fields };
  for (const mutation of mutations) {
    if (!('place' in mutation) || mutation.place !== place) continue;
    if (mutation.kind === 'set') result[mutation.field] = mutation.value;
    else delete result[mutation.field];
  }
  return result;
}

/** Sends a sample of an operation with mutations. */
export function sendMutated(
  url: string,
  operation: Operation,
  sample: Sample,
  mutations: readonly Mutation[],
): Promise<Answer<Fields | undefined>> {
  const path = changed(sample.path ?? {}, 'path', mutations);
  const query = changed(sample.query ?? {}, 'query', mutations);
  const search = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${encode(value)}`)
    .join('&');
  const at = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) =>
    encode(path[name] ?? ''),
  );
  const target = search ? `${at}?${search}` : at;
  return request(url, operation.method, target, optionsOf(operation, sample, mutations));
}

function optionsOf(
  { contract }: Operation,
  sample: Sample,
  mutations: readonly Mutation[],
): RequestOptions {
  const headers = { ...sample.headers };
  for (const mutation of mutations) {
    if (mutation.kind === 'headers') Object.assign(headers, mutation.headers);
  }
  const token = mutations.some(({ kind }) => kind === 'no-token') ? undefined : sample.token;
  const shared: RequestOptions = { headers, ...(token ? { token } : {}) };
  const raw = mutations.find((mutation) => mutation.kind === 'raw');
  if (raw) {
    const type = { 'content-type': 'application/json', ...headers };
    return { ...shared, raw: raw.body, headers: type };
  }
  if (!contract.body || sample.raw !== undefined) return { ...sample, ...shared, query: {} };
  return { ...shared, body: changed((sample.body ?? {}) as Fields, 'body', mutations) };
}
