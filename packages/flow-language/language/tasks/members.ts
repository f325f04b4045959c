/** Reads the maps of values that calls have: query, headers, path. */
import { IDEMPOTENCY_KEY, isIdempotencyKey } from '../../idempotency-key.ts';
import type { Template } from '../../plan.ts';
import { quote } from '../faults.ts';
import { warnOfSecretHeaders, warnOfSecretParameters } from '../secrets/literal-secrets.ts';
import { readMap, wrongType } from '../shape.ts';
import { expressionOf, readStringSegments, readTemplate } from '../template.ts';
import { wholeExpression } from '../template-text.ts';
import { describe, type Node } from '../tree.ts';
import type { Place } from './place.ts';

/** The pattern of a header's name (RFC 9110, section 5.1). */
const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;

export function readMembers(node: Node, what: string, place: Place): Template | undefined {
  const map = readMap(node, what, place.context, "{ name: '\u0024{ ... }' }");
  return map && readTemplate(map, place.scope, place.context);
}

/** Warns of literal secrets in a query and returns the query, to be read. */
export function checkQuery(node: Node, { context }: Place): Node {
  warnOfSecretParameters(node, context);
  return node;
}

/** Reads a map of values, or one expression that makes the whole map. */
export function readMembersOrExpression(
  node: Node,
  what: string,
  place: Place,
): Template | undefined {
  const { scope, context } = place;
  if (node.kind === 'map') return readMembers(node, what, place);
  const segments = readStringSegments(node, context);
  if (segments === null) return undefined;
  const whole = wholeExpression(segments);
  if (whole && node.kind === 'scalar') {
    return { kind: 'expression', expression: expressionOf(whole, node, scope, context) };
  }
  wrongType(node, what, `a map of values or one expression, \${ ... },`, context);
  return undefined;
}

/** Reads the `Idempotency-Key` of a call. What an expression gives is checked when the call is made. */
export function readIdempotencyKey(node: Node, { scope, context }: Place): Template | undefined {
  const template = readTemplate(node, scope, context);
  const isLiteral = template?.kind === 'literal';
  const isWrong = isLiteral ? !isIdempotencyKey(template.value) : template && isComposite(template);
  if (isWrong) {
    const message = `"idempotencyKey" must be ${IDEMPOTENCY_KEY}, or an expression; this is ${describe(node)}.`;
    context.fault(node, 'INVALID_VALUE', message);
  }
  return template;
}

const isComposite = ({ kind }: Template): boolean => kind === 'list' || kind === 'map';

export function readHeaders(node: Node, place: Place): Template | undefined {
  const names = node.kind === 'map' ? node.entries.values() : [];
  for (const { key, keyStart } of names) {
    if (!HEADER_NAME.test(key)) {
      const message = `${quote(key)} can't be the name of an HTTP header.`;
      place.context.fault(keyStart, 'INVALID_VALUE', message);
    }
    if (key.toLowerCase() === 'idempotency-key') {
      const message = `The service sends ${quote(key)} itself; to choose its value, write "idempotencyKey" beside "headers".`;
      place.context.fault(keyStart, 'INVALID_VALUE', message);
    }
  }
  warnOfSecretHeaders(node, place.context);
  return readMembers(node, '"headers"', place);
}
