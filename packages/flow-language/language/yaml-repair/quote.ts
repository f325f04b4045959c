import { inQuotes } from '../faults.ts';
import { lineEnd, type Mistake } from './mistake.ts';
import type { Repair } from './repair.ts';

/** A quoted string that is never closed. The rest of its first line is taken for the string. */
export function repairQuote({ text, message, quote, open }: Mistake): Repair | null {
  if (quote === null || !message.startsWith('Missing closing')) return null;
  const line = text.slice(quote, lineEnd(text, quote));
  const closers = open.length > 0 ? (/[\s}\],]*$/.exec(line)?.[0].length ?? 0) : 0;
  const end = quote + Math.max(1, line.length - closers);
  const shown = inQuotes(text.slice(quote + 1, end));
  return {
    at: quote,
    message: `This quote is never closed: write ${shown}.`,
    range: { start: quote, end },
    by: 'word',
    isLossy: false,
    isStructural: true,
  };
}

/** A backslash in double quotes that begins no escape, such as one of a Windows path. */
export function repairEscape({ text, at, code }: Mistake): Repair | null {
  if (code !== 'BAD_DQ_ESCAPE') return null;
  const shown = text.slice(at, at + 2);
  const message = `${shown} is no escape: in double quotes write ${shown.replace('\\', '\\\\')}, or use single quotes.`;
  return { at, message, range: { start: at, end: at + 2 }, by: { text: '\\\\' }, isLossy: false };
}
