import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVICE_NAMES } from '../../environment/process.ts';
import { ROOT } from '../integration/deploy/project.ts';

const TEMPLATE = 'workspace-automation@.service';
/** The most exposure that a unit may have, in tenths of systemd's scale from 0 to 10. */
const MAX_EXPOSURE_TENTHS = 15;

/** The units as an operator installs them, with this checkout in place of the installed folder. */
const folder = mkdtempSync(join(tmpdir(), 'systemd-'));
beforeAll(() => {
  cpSync(join(ROOT, 'deploy/systemd'), folder, { recursive: true });
  const template = readFileSync(join(folder, TEMPLATE), 'utf8');
  writeFileSync(join(folder, TEMPLATE), template.replaceAll('/opt/workspace-automation', ROOT));
});
afterAll(() => rmSync(folder, { recursive: true }));

const analyze = (...args: readonly string[]) =>
  spawnSync('systemd-analyze', args, { cwd: folder, encoding: 'utf8' });
const unitOf = (service: string): string => join(folder, TEMPLATE.replace('@', `@${service}`));

test.each(SERVICE_NAMES)('the unit of %s is one that systemd knows all settings of', (service) => {
  const target = join(folder, 'workspace-automation.target');
  const { stdout, stderr, status } = analyze('verify', unitOf(service), target);
  expect({ stdout, stderr, status }).toEqual({ stdout: '', stderr: '', status: 0 });
});

test('a setting that systemd does not know would be told', () => {
  const misspelt = join(folder, 'misspelt.service');
  writeFileSync(misspelt, '[Service]\nExecStart=/bin/true\nProtectSystems=strict\n');
  expect(analyze('verify', misspelt).stderr).toContain("Unknown key 'ProtectSystems'");
});

test.each(SERVICE_NAMES)('the unit of %s leaves its process few rights', (service) => {
  const threshold = `--threshold=${MAX_EXPOSURE_TENTHS}`;
  const { stdout, status } = analyze('security', '--offline=yes', threshold, unitOf(service));
  expect([status, stdout]).toEqual([0, expect.stringContaining('Overall exposure level')]);
});
