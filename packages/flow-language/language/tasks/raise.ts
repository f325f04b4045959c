import type { Template } from '../../plan.ts';
import type { Context, Scope } from '../context.ts';
import { quote } from '../faults.ts';
import { omitUndefined } from '../plan-parts.ts';
import { readInteger } from '../scalars.ts';
import { type Advice, hasKey, keys, readFields } from '../shape.ts';
import { readText } from '../text.ts';
import { type Node, stringOf } from '../tree.ts';
import { isSingleLine, isUriText } from '../uri.ts';
import type { Kind } from './task.ts';

const ERROR_KEYS = keys({ required: 'type status', optional: 'title detail' });

const ERROR_FORM = '{ type: https://example.com/errors/no-stock, status: 500, title: No stock }';
const RAISE_ADVICE: Advice = {
  form: `{ error: ${ERROR_FORM} }`,
  members: { error: { keys: ERROR_KEYS } },
};

/** Raises an error (DSL 1.0.0, raise). The name of a shared error is a fault, because `use` is refused. */
export const RAISE: Kind = {
  keys: keys({ required: 'raise' }),
  hasForm: (node) => hasKey(node, 'error'),
  read(fields, { scope, context }) {
    const raise = fields.read('raise', (node) =>
      readFields(node, '"raise"', keys({ required: 'error' }), context, RAISE_ADVICE),
    );
    const error = raise?.read('error', (node) =>
      readFields(node, '"raise.error"', ERROR_KEYS, context, { form: ERROR_FORM }),
    );
    if (!error) return undefined;
    const text = (key: string) =>
      error.read(key, (node) => readText(node, `"raise.error.${key}"`, scope, context));
    const status = error.read('status', (node) =>
      readInteger(node, '"raise.error.status"', 100, 599, context),
    );
    return {
      kind: 'raise',
      error: omitUndefined({
        type: error.read('type', (node) => readType(node, scope, context)) ?? NO_TYPE,
        status: status ?? 0,
        title: text('title'),
        detail: text('detail'),
      }),
    };
  },
};

const NO_TYPE: Template = { kind: 'literal', value: null };

function readType(node: Node, scope: Scope, context: Context): Template {
  const template = readText(node, '"raise.error.type"', scope, context);
  const text = stringOf(node);
  if (text === null) return template;
  const isUri = template.kind === 'literal' && isUriText(text) && isHttps(text);
  const isExpression = template.kind === 'expression' && isSingleLine(text);
  if (!isUri && !isExpression) {
    const rule = 'an absolute https:// URI or one expression on one line';
    const message = `"raise.error.type" must be ${rule}; this is ${quote(text)}.`;
    context.fault(node, 'INVALID_VALUE', message);
  }
  return template;
}

function isHttps(text: string): boolean {
  return text.startsWith('https://') && URL.canParse(text);
}
