import { createTwoFilesPatch, FILE_HEADERS_ONLY, formatPatch, type StructuredPatch } from 'diff';
import { DIFF_CONTEXT_LINES } from '../limits.ts';

export interface DiffRequest {
  from: string;
  to: string;
  /** The names of the two files in the header. */
  names: readonly [string, string];
  /** Inserted and deleted lines beyond which the diff replaces all lines from the first to the last difference. */
  maxEdits: number;
}

/** Makes a unified diff of two texts; empty for equal texts. The time grows with the square of `maxEdits`. */
export function unifiedDiff({ from, to, names, maxEdits }: DiffRequest): string {
  if (from === to) return '';
  const [fromName, toName] = names;
  const patch = createTwoFilesPatch(fromName, toName, from, to, undefined, undefined, {
    context: DIFF_CONTEXT_LINES,
    maxEditLength: maxEdits,
    headerOptions: FILE_HEADERS_ONLY,
  });
  return patch ?? formatPatch(replacement(from, to, names), FILE_HEADERS_ONLY);
}

/** A patch with one hunk, which deletes the lines from the first to the last difference and inserts the new ones. */
function replacement(from: string, to: string, [fromName, toName]: DiffRequest['names']) {
  const [before, after] = [linesOf(from), linesOf(to)];
  const [shorter, longer] = [before, after].toSorted((a, b) => a.length - b.length);
  const most = shorter?.length ?? 0;
  let same = 0;
  while (same < most && before[same] === after[same]) same += 1;
  let sameEnd = 0;
  while (sameEnd < most - same && before.at(-1 - sameEnd) === after.at(-1 - sameEnd)) sameEnd += 1;
  const start = Math.max(0, same - DIFF_CONTEXT_LINES);
  const tail = Math.max(0, sameEnd - DIFF_CONTEXT_LINES);
  const [beforeEnd, afterEnd] = [before.length - sameEnd, after.length - sameEnd];
  const patch: StructuredPatch = {
    oldFileName: fromName,
    newFileName: toName,
    oldHeader: undefined,
    newHeader: undefined,
    index: undefined,
    hunks: [
      {
        oldStart: start + 1,
        oldLines: before.length - tail - start,
        newStart: start + 1,
        newLines: after.length - tail - start,
        lines: [
          ...marked(' ', before.slice(start, same)),
          ...marked('-', before.slice(same, beforeEnd)),
          ...marked('+', after.slice(same, afterEnd)),
          ...marked(' ', before.slice(beforeEnd, before.length - tail)),
        ],
      },
    ],
  };
  return longer?.length ? patch : { ...patch, hunks: [] };
}

/** The lines of a text, each with its line feed. The last line of a text may have none. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const NO_LINE_FEED = '\\ No newline at end of file';

const marked = (sign: ' ' | '-' | '+', lines: readonly string[]): string[] =>
  lines.flatMap((line) =>
    line.endsWith('\n') ? [sign + line.slice(0, -1)] : [sign + line, NO_LINE_FEED],
  );
