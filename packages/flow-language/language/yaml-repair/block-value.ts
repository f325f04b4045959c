import { inQuotes } from '../faults.ts';
import { expressionEnd } from './flow.ts';
import { lineEnd, type Mistake, valueStart } from './mistake.ts';
import type { Repair } from './repair.ts';

/** Repairs the value of an entry of a block map, which YAML cuts because the value has no quotes or wrong ones. */
export function repairBlockValue(mistake: Mistake): Repair | null {
  const { text, original, at, open } = mistake;
  if (open.length > 0) return null;
  const start = valueStart(text, at);
  if (start === null || start > at) return null;
  const end = text.startsWith('${', start)
    ? Math.max(expressionEnd(text, start), lineEnd(text, start))
    : lineEnd(text, start);
  const message = messageFor(text.slice(start, end), inQuotes(original.slice(start, end)), mistake);
  if (message === null) return null;
  return { at: start, message, range: { start, end }, by: 'word', isLossy: false };
}

/** The message about a value; `shown` is the value as its author wrote it, in quotes. */
function messageFor(value: string, shown: string, { code, message }: Mistake): string | null {
  const first = value.charAt(0);
  const isRest =
    message.endsWith('at node end') ||
    message.startsWith('Block scalar header') ||
    message.startsWith('Not a YAML token');
  if (value.startsWith('{{')) {
    const inner = value.replace(/^\{\{\s*|\s*\}\}.*$/g, '');
    return `"{{ }}" is no expression here: write ${inQuotes(`\${ ${inner} }`)}.`;
  }
  if (isRest && /["']/.test(first)) return quotesMessage(value, first);
  if (isRest && first === '-') return null;
  if (
    isRest ||
    code === 'BAD_SCALAR_START' ||
    code === 'BAD_ALIAS' ||
    code === 'TAG_RESOLVE_FAILED'
  ) {
    return `Text that begins with "${first}" needs quotes: ${shown}.`;
  }
  if (code !== 'BLOCK_AS_IMPLICIT_KEY' || !/:(?:\s|$)/.test(value)) return null;
  const what = value.includes('${') ? 'the expression' : 'the text';
  const hint = value.includes('${') ? '' : ', or begin a map on a line of its own';
  return `Put ${what} in quotes, because YAML takes ": " for the end of a key: ${shown}${hint}.`;
}

/** Quotes that end before the value does, such as double quotes inside double quotes. */
function quotesMessage(value: string, quote: string): string {
  const end = value.lastIndexOf(quote);
  const inner = end > 0 && value.slice(end + 1).trim() === '' ? value.slice(1, end) : value;
  const shown = inQuotes(quote === "'" && inner !== value ? inner.replaceAll("'", '"') : inner);
  return `The quotes end before the value does: write ${shown}.`;
}
