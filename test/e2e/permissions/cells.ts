import { randomUUID } from 'node:crypto';
import type { Answer, ProblemBody } from '../../helpers/http.ts';
import type { Sample } from '../operation-samples.ts';
import { type PermissionRow, permissionRows } from '../permission-rows.ts';
import type { Operation } from '../permissions-matrix.ts';
import type { World } from '../sample-world.ts';
import { sampleOf, sendSample } from '../send-sample.ts';
import type { MatrixCaller } from './callers.ts';
import { type Expected, expectedAnswer, type Target } from './expected-answer.ts';

/** One question to the matrix: a caller, an operation, and a resource. */
export interface Cell {
  operation: Operation;
  caller: MatrixCaller;
  target: Target;
  expected: Expected;
}

/** An id that no resource has. */
const UNKNOWN_ID = 9_007_199_254_740_000;

export function rowFor({ method, path }: Operation): PermissionRow {
  const row = permissionRows.find((each) => each.method === method && each.path === path);
  if (!row) throw new Error(`${method} ${path} has no row`);
  return row;
}

/** The parameter that decides on the workspace or the user of a request; undefined for none. */
function decisiveParameter({ contract: { access, path = {} } }: Operation): string | undefined {
  if ('in' in access) return 'of' in access.in ? undefined : access.in.parameter;
  if ('memberOf' in access) return access.memberOf;
  return Object.keys(path)[0];
}

function targetsOf(operation: Operation): Target[] {
  const { access } = operation.contract;
  const row = rowFor(operation);
  const hasPart = 'within' in access && access.within !== undefined;
  // The request names no workspace: a resource of another one is a part that the key's own workspace lacks.
  if ('in' in access && 'of' in access.in) return hasPart ? ['own', 'missing-part'] : ['own'];
  if (row.who === 'public' || !decisiveParameter(operation)) return ['own'];
  if (!('in' in access) && !row.isOfMembers) return ['own', 'unknown'];
  return [
    'own',
    'other',
    'unknown',
    ...(hasPart ? (['missing-part', 'foreign-part'] as const) : []),
  ];
}

/** The address of the member that a request is about; undefined for none. */
function addressIn({ query, body }: Sample): unknown {
  return query?.userEmail ?? (body as Record<string, unknown> | undefined)?.userEmail;
}

/** Whether a request is about its caller: about the caller's membership, or made by the owner of the sample. */
function concernsCaller(operation: Operation, caller: MatrixCaller, sample: Sample): boolean {
  const row = rowFor(operation);
  const isSender = caller.token !== undefined && caller.token === sample.token;
  if (row.roles.length && row.rules.includes('own')) return isSender || !namesResource(operation);
  if (row.roles.length) return caller.email !== undefined && caller.email === addressIn(sample);
  return isSender;
}

/** Whether a request names a resource, other than one of a list. */
const namesResource = ({ contract: { access } }: Operation): boolean =>
  'in' in access && 'resource' in access.in;

/** The requests of an operation that refused callers share, by their targets. */
export type SharedSamples = ReadonlyMap<Target, Sample>;

export async function makeSharedSamples(
  operation: Operation,
  home: World,
  away: World,
): Promise<SharedSamples> {
  const samples = new Map<Target, Sample>();
  const own = await sampleOf(operation, home);
  for (const target of targetsOf(operation)) {
    if (target === 'other') {
      samples.set(target, inWorkspaceOf(operation, await sampleOf(operation, away), away));
    } else if (target === 'foreign-part') {
      samples.set(target, withPartOf(operation, own, await sampleOf(operation, away)));
    } else if (target === 'own') samples.set(target, inWorkspaceOf(operation, own, home));
    else samples.set(target, withUnknown(operation, own, target));
  }
  return samples;
}

/** The sample with the world's workspace, where the sample names a workspace of its own. */
function inWorkspaceOf(operation: Operation, sample: Sample, { workspaceId }: World): Sample {
  const { access } = operation.contract;
  if (!('in' in access) || !('parameter' in access.in) || 'resource' in access.in) return sample;
  return withParameter(operation, sample, access.in.parameter, workspaceId);
}

const partParameter = ({ contract: { access } }: Operation): string | undefined =>
  'within' in access ? access.within?.parameter : undefined;

/** The sample with the part of another sample in place of its own. */
function withPartOf(operation: Operation, sample: Sample, { path = {} }: Sample): Sample {
  const name = partParameter(operation);
  const part = name === undefined ? undefined : path[name];
  if (name === undefined || part === undefined) throw new Error(`${operation.name} names no part`);
  return withParameter(operation, sample, name, part);
}

function withUnknown(operation: Operation, sample: Sample, target: Target): Sample {
  const parameter =
    target === 'missing-part' ? partParameter(operation) : decisiveParameter(operation);
  if (!parameter) throw new Error(`${operation.name} names no resource`);
  const present = sample.path?.[parameter];
  const unknown = typeof present === 'string' ? randomUUID() : UNKNOWN_ID;
  return withParameter(operation, sample, parameter, unknown);
}

function withParameter(
  { contract }: Operation,
  sample: Sample,
  name: string,
  value: number | string,
): Sample {
  if (name in (contract.path ?? {})) return { ...sample, path: { ...sample.path, [name]: value } };
  if (name in (contract.query ?? {})) {
    return { ...sample, query: { ...sample.query, [name]: value } };
  }
  return { ...sample, body: { ...(sample.body as object), [name]: value } };
}

export function cellsOf(
  operation: Operation,
  callers: readonly MatrixCaller[],
  samples: SharedSamples,
): Cell[] {
  const row = rowFor(operation);
  return [...samples].flatMap(([target, sample]) =>
    callers.map((caller) => ({
      operation,
      caller,
      target,
      expected: expectedAnswer(row, caller.traits, target, {
        self: concernsCaller(operation, caller, sample),
      }),
    })),
  );
}

/** Sends a sample with the credentials of the caller in place of its own. */
export function sendAs(
  url: string,
  operation: Operation,
  sample: Sample,
  caller: MatrixCaller,
): Promise<Answer<ProblemBody | undefined>> {
  const { token: _token, headers = {}, ...rest } = sample;
  const others = Object.entries(headers).filter(([name]) => name !== 'x-api-key');
  const credentials = {
    ...(caller.token ? { token: caller.token } : {}),
    headers: { ...Object.fromEntries(others), ...caller.headers },
  };
  return sendSample(url, operation, { ...rest, ...credentials });
}

/** The answer without its request id, and with one text in place of each id, to compare refusals. */
export function anonymized({ status, body }: Answer<ProblemBody | undefined>): string {
  const { instance: _instance, ...rest } = body ?? {};
  const text = JSON.stringify(rest).replaceAll(/[\da-f]{8}-[\da-f-]{27}|\b\d+\b/g, '#');
  return `${status} ${text}`;
}

/** A request by a member that a rule of the row refuses, although the role alone would open it. */
export interface RuledCell extends Cell {
  sample: Sample;
}

/** Requests of members about themselves and about the role OWNER, for the rows with such rules. */
export function ruledCellsOf(
  operation: Operation,
  callers: readonly MatrixCaller[],
  own: Sample,
  owner: string,
): RuledCell[] {
  const row = rowFor(operation);
  const { query, body } = operation.contract;
  if (!row.rules.length || !('userEmail' in { ...query, ...body })) return [];
  const about = (userEmail: string) => withParameter(operation, own, 'userEmail', userEmail);
  const grant = 'role' in { ...query } ? [withParameter(operation, own, 'role', 'OWNER')] : [];
  const ofOwner =
    row.rules.includes('self') || row.rules.includes('not-self') ? [about(owner)] : [];
  return callers.flatMap((caller) =>
    [
      ...[...grant, ...ofOwner].map((sample) => ({ sample, concern: { owner: true } })),
      ...(caller.email && ofOwner.length
        ? [{ sample: about(caller.email), concern: { self: true, owner: caller.email === owner } }]
        : []),
    ].map(({ sample, concern }) => ({
      operation,
      caller,
      target: 'own' as const,
      sample,
      expected: expectedAnswer(row, caller.traits, 'own', {
        ...concern,
        self: concernsCaller(operation, caller, sample),
      }),
    })),
  );
}
