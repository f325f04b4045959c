/** Characters of a cell, unless a table has wider ones; a longer text is cut. */
const MAX_WIDTH = 48;

/** Formats rows under their headings, in columns as wide as their widest cell. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly unknown[])[],
  maxWidth = MAX_WIDTH,
): string {
  const lines = [headings, ...rows.map((row) => row.map((value) => cell(value, maxWidth)))];
  const widths = headings.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  return lines
    .map((line) => line.map((text, at) => text.padEnd(widths[at] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

function cell(value: unknown, maxWidth: number): string {
  const text = value === null || value === undefined ? '-' : oneLine(String(value));
  return text.length > maxWidth ? `${text.slice(0, maxWidth - 1)}…` : text;
}

/** The text without line breaks and other controls, so that it makes no line of its own. */
export const oneLine = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: controls end lines and steer the terminal
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ');

/** Formats milliseconds: 870 ms, 4.2 s, 3 min 5 s, 2 h 10 min. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.max(Math.round(ms), 0)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Formats a value as JSON on one line; a text of more than `most` characters is cut. */
export function brief(value: unknown, most = 200): string {
  const text = JSON.stringify(value) ?? '-';
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
