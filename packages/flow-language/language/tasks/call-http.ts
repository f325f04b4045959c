import type { CallHttpTask, Endpoint } from '../../plan.ts';
import { warnOfText } from '../advice/warn-of-text.ts';
import { joinNames, quote } from '../faults.ts';
import { didYouMean } from '../nearest-name.ts';
import { readChoice, readString } from '../scalars.ts';
import { type Fields, keys, readFields, wrongType } from '../shape.ts';
import { expressionOf, readStringSegments, readTemplate } from '../template.ts';
import { wholeExpression } from '../template-text.ts';
import { type Node, stringOf } from '../tree.ts';
import { faultOfUriTemplate, isSingleLine } from '../uri.ts';
import { checkQuery, readHeaders, readIdempotencyKey, readMembers } from './members.ts';
import type { Place, TaskBody } from './place.ts';

/** The members of `with`. */
export const HTTP_KEYS = keys({
  required: 'method endpoint',
  optional: 'headers query body output idempotencyKey',
  refused: 'redirect',
});

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const OUTPUTS = ['content', 'response', 'raw'] as const;

/** Reads `call: http` (DSL 1.0.0, HTTP call). */
export function readHttpCall(task: Fields, place: Place): TaskBody | undefined {
  const { context } = place;
  const fields = task.read('with', (node) => readFields(node, '"with"', HTTP_KEYS, context));
  if (!fields) return undefined;
  const call: Omit<CallHttpTask, 'name' | 'path'> = {
    kind: 'call-http',
    method: fields.read('method', (node) => readMethod(node, place)) ?? 'GET',
    endpoint: fields.read('endpoint', (node) => readEndpoint(node, place)) ?? NOWHERE,
    headers: fields.read('headers', (node) => readHeaders(node, place)),
    idempotencyKey: fields.read('idempotencyKey', (node) => readIdempotencyKey(node, place)),
    query: fields.read('query', (node) => readMembers(checkQuery(node, place), '"query"', place)),
    body: fields.read('body', (node) => readTemplate(node, place.scope, context)),
    output:
      fields.read('output', (node) => readChoice(node, '"output"', OUTPUTS, context)) ?? 'content',
  };
  return call;
}

const NOWHERE: Endpoint = { kind: 'uri-template', template: '' };

/** Reads the method in any case. The plan has it in upper case. */
function readMethod(node: Node, { context }: Place): string {
  const given = readString(node, '"method"', context);
  const method = given.toUpperCase();
  if (stringOf(node) !== null && !METHODS.includes(method)) {
    if (given.includes('${')) {
      const message = `"method" is fixed: no expression may stand here; write one of ${joinNames(METHODS)}.`;
      context.fault(node, 'EXPRESSION_NOT_ALLOWED', message);
      return method;
    }
    const hint = didYouMean(given, METHODS);
    const message = `"method" must be one of ${joinNames(METHODS)}; ${hint}this is ${quote(given)}.`;
    context.fault(node, 'INVALID_VALUE', message);
  }
  return method;
}

/** Reads `endpoint`: a URL or an expression, or the same as `{ uri }`. */
function readEndpoint(node: Node, place: Place): Endpoint {
  if (node.kind !== 'map') return readAddress(node, '"endpoint"', place);
  const { context } = place;
  const { authentication, ...others } = Object.fromEntries(node.entries);
  if (authentication) {
    const message =
      '"authentication" in "endpoint" is not offered by this service: a flow holds no secrets; store a credential and use "call: apiDescription", whose credential the service adds.';
    context.fault(authentication.keyStart, 'REFUSED', message);
  }
  const map = { ...node, entries: new Map(Object.entries(others)) };
  const fields = readFields(map, '"endpoint"', keys({ required: 'uri' }), context);
  return fields?.read('uri', (uri) => readAddress(uri, '"endpoint.uri"', place)) ?? NOWHERE;
}

/** Reads the address: one whole expression, or a URI template over the task's input. A mixture is a fault. */
function readAddress(node: Node, what: string, { scope, context }: Place): Endpoint {
  const text = stringOf(node);
  if (text === null || node.kind !== 'scalar') {
    wrongType(node, what, 'a URL or an expression', context);
    return NOWHERE;
  }
  const segments = readStringSegments(node, context);
  if (!segments) return NOWHERE;
  const whole = wholeExpression(segments);
  if (whole) {
    if (!isSingleLine(text)) {
      const message = `The expression of ${what} must be on one line; fold it with ">-".`;
      context.fault(node, 'ENDPOINT_INVALID', message);
    }
    return { kind: 'expression', expression: expressionOf(whole, node, scope, context) };
  }
  const template = segments.map((one) => (one.kind === 'text' ? one.text : '')).join('');
  const fault = segments.some((one) => one.kind === 'expression')
    ? `it must be one expression as a whole, such as \${ "https://a.test/" & $.id }, or a URL whose {name} takes a field of the input`
    : faultOfUriTemplate(template);
  if (fault) {
    context.fault(node, 'ENDPOINT_INVALID', `${what} can't be ${quote(text)}: ${fault}.`);
  }
  if (!fault) warnOfText(node, scope, context);
  return { kind: 'uri-template', template };
}
