import { inQuotes, quote } from '../faults.ts';
import { lineEnd, lineStart, type Mistake } from './mistake.ts';
import type { Repair } from './repair.ts';

const WITHOUT_COLON = /^([A-Za-z_][\w-]*)(?::(?=\S)|[ \t]+(?![:#]))(.+)$/;

/** Repairs a line of a block map that lacks the colon, or the space behind it. */
export function repairKey({ text, at, open, code, message }: Mistake): Repair | null {
  const isKey = code === 'MULTILINE_IMPLICIT_KEY' || message.startsWith('Implicit map keys');
  if (!isKey || open.length > 0 || text.slice(lineStart(text, at), at).trim() !== '') return null;
  const end = lineEnd(text, at);
  const line = text.slice(at, end).trimEnd();
  const [, key, value = ''] = WITHOUT_COLON.exec(line) ?? [];
  const range = { start: at, end };
  if (key === undefined) {
    if (!/^[A-Za-z_][\w-]*$/.test(line)) return null;
    return {
      at,
      message: `${quote(line)} has no value: write "${line}: ...".`,
      range,
      by: 'space',
      isLossy: true,
    };
  }
  const shown = inQuotes(`${key}: ${value}`).slice(1, -1);
  return {
    at,
    message: `A key ends with a colon and a space: write ${shown}.`,
    range,
    by: { text: `${key}:` },
    isLossy: false,
  };
}
