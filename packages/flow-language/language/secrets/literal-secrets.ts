/** Secrets in the headers and the query of a call, which are recognised by their names. */
import type { Context } from '../context.ts';
import { splitTemplate } from '../template-text.ts';
import type { Node, ScalarNode } from '../tree.ts';
import { MIN_SECRET_LENGTH, SECRET_PARAMETER } from './secret-shapes.ts';
import { warnOfSecret } from './warn-of-secret.ts';

/** Matches the name of a header whose value is a credential or a session. */
const SECRET_HEADER =
  /(?:^|[-_])(?:auth|authorization|authentication|token|cookie|session|secret|password|jwt|api-?key|apikey|access-?key)(?:[-_]|$)/i;

/** Warns of literal values of headers with a secret. */
export function warnOfSecretHeaders(node: Node, context: Context): void {
  for (const [key, value] of scalarsOf(node)) {
    if (SECRET_HEADER.test(key) && hasLiteralSecret(value, 1)) {
      warnOfSecret(value.start, value.end, 'SECRET_IN_HEADER', context);
    }
  }
}

/** Warns of literal values of query parameters with a secret. */
export function warnOfSecretParameters(node: Node, context: Context): void {
  for (const [key, value] of scalarsOf(node)) {
    if (SECRET_PARAMETER.test(key) && hasLiteralSecret(value, MIN_SECRET_LENGTH)) {
      warnOfSecret(value.start, value.end, 'SECRET_IN_URL', context);
    }
  }
}

function scalarsOf(node: Node): [string, ScalarNode][] {
  if (node.kind !== 'map') return [];
  return [...node.entries.values()].flatMap(({ key, value }): [string, ScalarNode][] =>
    value.kind === 'scalar' && value.value !== null ? [[key, value]] : [],
  );
}

/** Matches what stands before a computed secret: a scheme, or the name of a cookie or parameter. */
const BEFORE_SECRET = /(?:[\w.-]{1,100}=|[A-Za-z][\w-]{0,100}\s{1,10})"?$/;

/** Tells whether a value has a secret beside its expressions. Names and short words around an expression are none. */
function hasLiteralSecret({ value }: ScalarNode, minLength: number): boolean {
  const split = splitTemplate(String(value).trim());
  if (!('segments' in split)) return false;
  const { segments } = split;
  const hasExpression = segments.some(({ kind }) => kind === 'expression');
  return segments.some((segment, i) => {
    if (segment.kind === 'expression') return false;
    if (!hasExpression) return segment.text.length >= minLength;
    const isBefore = segments[i + 1] !== undefined;
    const rest = isBefore ? withoutName(segment.text) : segment.text;
    return rest.split(/[\s;,="]+/).some((word) => word.length >= MIN_WORD_BESIDE_EXPRESSION);
  });
}

/** Characters before an expression that are searched for a name, so that the search takes linear time. */
const SEARCHED = 220;

const withoutName = (text: string): string =>
  text.slice(0, -SEARCHED) + text.slice(-SEARCHED).replace(BEFORE_SECRET, '');

/** Characters of a word beside an expression from which the word counts as a secret. */
const MIN_WORD_BESIDE_EXPRESSION = 8;
