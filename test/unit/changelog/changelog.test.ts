import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { changelogFaults } from './changelog-faults.ts';

const ROOT = join(import.meta.dirname, '../../..');
const textOf = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

test('CHANGELOG.md has the form of Keep a Changelog, and its newest release is that of package.json', () => {
  const { version } = JSON.parse(textOf('package.json')) as { version: string };
  expect(changelogFaults(textOf('CHANGELOG.md'), version)).toEqual([]);
});

const GOOD = `# Changelog

For people.

## [Unreleased]

### Fixed

- A defect.

## [1.10.0] - 2026-11-30

### Added

- Something.
- Another thing.

## [1.9.1] - 2026-02-28 [YANKED]

### Removed

- Something else.
`;
const LINKS = `
[Unreleased]: https://example.com/compare/v1.10.0...HEAD
[1.10.0]: https://example.com/compare/v1.9.1...v1.10.0
[1.9.1]: https://example.com/releases/tag/v1.9.1
`;

test.each([
  ['releases', GOOD],
  ['links to all of them', GOOD + LINKS],
  ['nothing released', GOOD.slice(0, GOOD.indexOf('## [1.10.0]'))],
  ['nothing since the last release', GOOD.replace('### Fixed\n\n- A defect.\n', '')],
])('a changelog may have %s', (_, text) => {
  expect(changelogFaults(text, '1.10.0')).toEqual([]);
});

test.each([
  ['another title', '# Changelog', '# Releases', 'the first line is not "# Changelog"'],
  ['no place for what comes', '[Unreleased]', '[1.11.0] - 2026-12-01', 'the first section'],
  ['a seventh kind', '### Fixed', '### Improved', '[Unreleased]: no kind Improved'],
  ['a kind twice', '- A defect.', '- A defect.\n\n### Fixed\n\n- B.', '[Unreleased]: twice Fixed'],
  ['a kind without changes', '- A defect.', '', '[Unreleased]: nothing Fixed'],
  ['changes without a kind', '### Fixed\n', '', 'a change without its kind: - A defect.'],
  ['deeper headings', '- A defect.', '- A defect.\n#### Part', 'a heading out of place: #### Part'],
  ['a local date', '2026-11-30', '30.11.2026', 'no release: [1.10.0] - 30.11.2026'],
  ['a day that never was', '2026-11-30', '2026-11-31', 'no day: [1.10.0] - 2026-11-31'],
  ['a number that is no version', '[1.10.0]', '[v1.10]', 'no release: [v1.10] - 2026-11-30'],
  ['a newest release that is not running', '[1.10.0]', '[1.11.0]', 'package.json has 1.10.0'],
  ['releases in the wrong order', '[1.9.1]', '[1.10.1]', 'out of order: [1.10.1]'],
  ['a release twice', '[1.9.1]', '[1.10.0]', 'out of order: [1.10.0]'],
])('%s is a fault of the form', (_, good, bad, fault) => {
  expect(changelogFaults(GOOD.replace(good, bad), '1.10.0').join('\n')).toContain(fault);
});

test('links that lead to some releases only, or to none, are a fault of the form', () => {
  const links = LINKS.replace('[1.9.1]: ', '[1.8.0]: ');
  expect(changelogFaults(GOOD + links, '1.10.0')).toEqual([
    'no link: 1.9.1',
    'a link to nothing: 1.8.0',
  ]);
});
