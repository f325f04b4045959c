import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_NAMES } from '../../../environment/process.ts';
import { ROOT, testFolder, textOf } from './project.ts';

const folder = testFolder();
const log = join(folder, 'log');

/** A `docker` that notes what it is asked, has two containers of `runs`, and may find a new one ill. */
const DOCKER = `#!/bin/sh
echo "$*" >> "${log}"
case "$*" in
  'compose ps -q runs') printf 'r1\\nr2\\n' ;;
  'compose ps -q api') echo a1 ;;
  'compose up'*"$ILL") exit 1 ;;
esac
`;

function roll(services: readonly string[], ill = 'nobody') {
  writeFileSync(join(folder, 'docker'), DOCKER, { mode: 0o755 });
  writeFileSync(log, '');
  const { status, stderr } = spawnSync('sh', [join(ROOT, 'deploy/roll.sh'), ...services], {
    env: { PATH: `${folder}:${process.env.PATH}`, ILL: ill },
    encoding: 'utf8',
  });
  return { status, stderr, asked: readFileSync(log, 'utf8').trim().split('\n') };
}
const up = 'compose up -d --no-deps --no-recreate --no-build --scale';
const waiting = '--wait --wait-timeout 120';

describe('roll.sh', () => {
  it('ends the old containers once as many new ones are well, a service after the other', () => {
    const { status, asked } = roll(['runs', 'api']);
    expect(status).toBe(0);
    expect(asked).toEqual([
      'compose ps -q runs',
      `${up} runs=4 ${waiting} runs`,
      'stop -t 15 r1 r2',
      'rm r1 r2',
      'compose ps -q api',
      `${up} api=2 ${waiting} api`,
      'stop -t 15 a1',
      'rm a1',
    ]);
  });

  it('ends no old one where a new one does not get well, and goes no further', () => {
    const { status, asked } = roll(['runs', 'api'], 'runs');
    expect(status).toBe(1);
    expect(asked.at(-1)).toMatch(/^compose up .* runs$/);
  });

  it('says so of a service that has no container', () => {
    const { status, stderr, asked } = roll(['flows']);
    expect(status).not.toBe(0);
    expect(stderr).toContain('no container of flows runs');
    expect(asked).toEqual(['compose ps -q flows']);
  });

  it('brings all services to the new image unless some are named, and the gateway last', () => {
    const [, names = ''] = /^order='([^']+)'$/m.exec(textOf('deploy/order.sh')) ?? [];
    expect(names.split(' ').toSorted()).toEqual([...SERVICE_NAMES].sort());
    expect(names.split(' ').at(-1)).toBe('api');
  });
});
