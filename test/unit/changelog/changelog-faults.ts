/** The kinds of change of Keep a Changelog 1.1.0. */
const KINDS = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'];

const RELEASE =
  /^\[(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)\] - (\d{4}-\d{2}-\d{2})( \[YANKED\])?$/;
const HEADING = /^(#+) (.*)$/;
const ITEM = /^- \S/;
const LINK = /^\[([^\]]+)\]: (\S+)$/;

interface Section {
  title: string;
  kinds: { title: string; items: number }[];
}

/** Whether the text is a day of the calendar, as ISO 8601 writes it. */
function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** The sections of a changelog, and the lines that lie in none where they should. */
function readSections(lines: readonly string[]): { sections: Section[]; faults: string[] } {
  const sections: Section[] = [];
  const faults: string[] = [];
  for (const line of lines) {
    const [, marks = '', title = ''] = HEADING.exec(line) ?? [];
    const section = sections.at(-1);
    if (marks.length === 2) sections.push({ title, kinds: [] });
    else if (marks.length === 3 && section) section.kinds.push({ title, items: 0 });
    else if (marks.length > 0) faults.push(`a heading out of place: ${line}`);
    const kind = sections.at(-1)?.kinds.at(-1);
    if (!ITEM.test(line)) continue;
    if (kind) kind.items += 1;
    else faults.push(`a change without its kind: ${line}`);
  }
  return { sections, faults };
}

function kindFaults({ title, kinds }: Section): string[] {
  const titles = kinds.map((kind) => kind.title);
  return [
    ...titles.filter((kind) => !KINDS.includes(kind)).map((kind) => `${title}: no kind ${kind}`),
    ...titles
      .filter((kind, at) => titles.indexOf(kind) < at)
      .map((kind) => `${title}: twice ${kind}`),
    ...kinds.filter(({ items }) => items === 0).map((kind) => `${title}: nothing ${kind.title}`),
  ];
}

/** What is wrong with their headings and order. */
function releaseFaults(titles: readonly string[], version: string): string[] {
  const faults: string[] = [];
  let newer: number[] | undefined;
  for (const title of titles) {
    const [found, major, minor, patch, day = ''] = RELEASE.exec(title) ?? [];
    if (!found) faults.push(`no release: ${title}`);
    if (found && !isDay(day)) faults.push(`no day: ${title}`);
    if (!found) continue;
    const numbers = [major, minor, patch].map(Number);
    if (!newer && numbers.join('.') !== version)
      faults.push(`package.json has ${version}: ${title}`);
    if (newer && comparePrecedence(newer, numbers) <= 0) faults.push(`out of order: ${title}`);
    newer = numbers;
  }
  return faults;
}

function comparePrecedence(left: readonly number[], right: readonly number[]): number {
  const at = left.findIndex((number, index) => number !== right[index]);
  return at < 0 ? 0 : (left[at] ?? 0) - (right[at] ?? 0);
}

/** Definitions of links are there for every section, or for none. */
function linkFaults(lines: readonly string[], titles: readonly string[]): string[] {
  const links = lines.flatMap((line) => LINK.exec(line)?.[1] ?? []);
  if (links.length === 0) return [];
  const names = titles.map((title) => /^\[([^\]]*)\]/.exec(title)?.[1] ?? title);
  return [
    ...names.filter((name) => !links.includes(name)).map((name) => `no link: ${name}`),
    ...links.filter((link) => !names.includes(link)).map((link) => `a link to nothing: ${link}`),
  ];
}

/**
 * What Keep a Changelog 1.1.0 (https://keepachangelog.com/en/1.1.0/) does not allow in this text. The newest release
 * must be `version`, the one of package.json; a project may have none yet.
 */
export function changelogFaults(text: string, version: string): string[] {
  const lines = text.split('\n');
  const { sections, faults } = readSections(lines.slice(1));
  const [first, ...releases] = sections.map(({ title }) => title);
  if (lines[0] !== '# Changelog') faults.push('the first line is not "# Changelog"');
  if (first !== '[Unreleased]') faults.push('the first section is not [Unreleased]');
  return [
    ...faults,
    ...sections.flatMap(kindFaults),
    ...releaseFaults(releases, version),
    ...linkFaults(lines, [...(first ? [first] : []), ...releases]),
  ];
}
