import type { CallApiDescriptionTask, CredentialSource, Template } from '../../plan.ts';
import { quote } from '../faults.ts';
import { isId } from '../scalars.ts';
import { type Fields, keys, readFields } from '../shape.ts';
import { readTemplate } from '../template.ts';
import { describe, type Node, stringOf } from '../tree.ts';
import { checkQuery, readHeaders, readIdempotencyKey, readMembersOrExpression } from './members.ts';
import type { Place, TaskBody } from './place.ts';

/** The members of `with`. */
export const API_DESCRIPTION_KEYS = keys({
  required: 'apiDescriptionId',
  optional: 'credential path query headers body idempotencyKey',
});

const SOURCES = ['source', 'destination', 'none'] as const;

/** Replaces an id with a fault. The plan of a file with faults is never returned. */
const NO_ID = 0;

/** Reads `call: apiDescription` (flow language, section 1). */
export function readApiDescriptionCall(task: Fields, place: Place): TaskBody | undefined {
  const { scope, context } = place;
  const fields = task.read('with', (node) =>
    readFields(node, '"with"', API_DESCRIPTION_KEYS, context),
  );
  if (!fields) return undefined;
  const call: Omit<CallApiDescriptionTask, 'name' | 'path'> = {
    kind: 'call-api-description',
    apiDescriptionId: fields.read('apiDescriptionId', (node) => readId(node, place)) ?? NO_ID,
    credential: fields.read('credential', (node) => readCredential(node, place)),
    pathValues: fields.read('path', (node) => readPath(node, place)),
    query: fields.read('query', (node) =>
      readMembersOrExpression(checkQuery(node, place), '"query"', place),
    ),
    headers: fields.read('headers', (node) => readHeaders(node, place)),
    idempotencyKey: fields.read('idempotencyKey', (node) => readIdempotencyKey(node, place)),
    body: fields.read('body', (node) => readTemplate(node, scope, context)),
  };
  return call;
}

/** Reads the id of an API description, which is a literal: what a flow calls can be seen without a run. */
function readId(node: Node, { context }: Place): number {
  if (isId(node)) return node.value;
  const given = stringOf(node);
  const hint = given?.includes('${')
    ? 'it is fixed, so write the number instead of an expression'
    : 'such as 31, without quotes';
  const message = `"apiDescriptionId" must be the id of an API description, a positive whole number; ${hint}.`;
  const code = given?.includes('${') ? 'EXPRESSION_NOT_ALLOWED' : 'INVALID_VALUE';
  context.fault(node, code, message);
  return NO_ID;
}

/** Reads `source`, `destination`, `none` or the id of a credential. */
function readCredential(node: Node, { context }: Place): CredentialSource | undefined {
  if (isId(node)) return node.value;
  const given = stringOf(node);
  const source = SOURCES.find((one) => one === given);
  if (source !== undefined) return source;
  const shown = given === null ? describe(node) : quote(given);
  const hint = given?.includes('${')
    ? 'it is fixed; for another credential in each run, write source or destination and set the pair in the configuration store'
    : 'without it, the credential of the API description is used';
  const message = `"credential" must be source, destination, none or the id of a credential, a whole number without quotes; ${hint}. This is ${shown}.`;
  const code = given?.includes('${') ? 'EXPRESSION_NOT_ALLOWED' : 'INVALID_VALUE';
  context.fault(node, code, message);
  return undefined;
}

/** Reads the values of the placeholders. A value that can only be empty is a fault: no segment of a path may be empty. */
function readPath(node: Node, place: Place): Template | undefined {
  for (const { key, value } of node.kind === 'map' ? node.entries.values() : []) {
    if (value.kind !== 'scalar' || (value.value !== null && value.value !== '')) continue;
    const message = `"path.${key}" is empty, and no part of a path may be: give it a value or an expression.`;
    place.context.fault(value, 'INVALID_VALUE', message);
  }
  return readMembersOrExpression(node, '"path"', place);
}
