import type { ErrorCode } from 'yaml';
import type { Structure } from './structure.ts';

/** An error of the YAML parser with the text around it. */
export interface Mistake extends Structure {
  text: string;
  /** The text as its author wrote it, with the same offsets. Messages quote it, because repairs replace parts of `text`. */
  original: string;
  /** The offset of the error. */
  at: number;
  code: ErrorCode;
  message: string;
}

export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** Returns the offset of the end of the line, without its line break. */
export function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end === -1) return text.length;
  return text.charAt(end - 1) === '\r' && end > at ? end - 1 : end;
}

/** An entry of a block map, or an item of a block list, on one line. */
const ENTRY =
  /^([ \t]*(?:-[ \t]+)*)(?:("(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s#:'"{}[\],&*!|>%@`-][^:\n]*?)[ \t]*:[ \t]+)?(?=\S)/;

/** Returns the offset of the value of the entry on the line of an offset; null where the line has no value. */
export function valueStart(text: string, at: number): number | null {
  const start = lineStart(text, at);
  const entry = ENTRY.exec(text.slice(start, lineEnd(text, at)));
  return entry && entry[0] !== '' ? start + entry[0].length : null;
}
