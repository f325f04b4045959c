import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GROUPS } from '../../../deploy/secrets.ts';
import { SERVICE_NAMES } from '../../../environment/process.ts';
import { VARIABLE_NAMES } from '../../../environment/variables.ts';
import { type Container, composeFile, ROOT, testFolder, textOf } from './project.ts';

const FOLDER = 'deploy/systemd';
const { services } = composeFile();

/** The settings of a service's unit and its drop-ins, each with all its values. */
function settingsOf(service: string): Map<string, string[]> {
  const dropIns = ['size.conf', 'secrets.conf']
    .map((name) => `${FOLDER}/workspace-automation@${service}.service.d/${name}`)
    .filter((path) => existsSync(join(ROOT, path)));
  const settings = new Map<string, string[]>();
  for (const path of [`${FOLDER}/workspace-automation@.service`, ...dropIns]) {
    for (const [, name = '', value = ''] of textOf(path).matchAll(/^(\w+)=(.*)$/gm)) {
      settings.set(name, [...(settings.get(name) ?? []), value.replaceAll('%i', service)]);
    }
  }
  return settings;
}

const containerOf = (service: string): Container => {
  const container = services[service];
  if (!container) throw new Error(`docker-compose.yml has no ${service}`);
  return container;
};

describe.each(SERVICE_NAMES)('the unit of %s', (service) => {
  const settings = settingsOf(service);
  const container = containerOf(service);
  const variables = new Map(
    (settings.get('Environment') ?? [])
      .flatMap((line) => line.split(' '))
      .map((pair) => pair.split('=', 2) as [string, string]),
  );

  it('sets variables that exist, and the service that the process runs', () => {
    expect([...variables.keys()].filter((name) => !VARIABLE_NAMES.has(name))).toEqual([]);
    expect(variables.get('SERVICES')).toBe(service);
    expect(variables.get('NODE_ENV')).toBe('production');
  });

  it('reads the secrets that its container reads, each from a file that make-secrets makes', () => {
    const files = [...variables.keys()].filter((name) => name.endsWith('_FILE'));
    const ofContainer = Object.keys(container.environment ?? {});
    expect(files.sort()).toEqual(ofContainer.filter((name) => name.endsWith('_FILE')).sort());

    const credentials = (settings.get('LoadCredential') ?? []).map((line) => line.split(':', 2));
    const paths = files.map((name) => variables.get(name));
    expect(credentials.map(([name]) => `%d/${name}`).sort()).toEqual([...paths].sort());
    const made = [...GROUPS.flatMap((group) => Object.keys(group.make())), 'smtp-url'];
    for (const [, path = ''] of credentials) {
      expect(made.map((name) => `/etc/workspace-automation/secrets/${name}`)).toContain(path);
    }
  });

  it('may use as much as its container', () => {
    const memory = settings.get('MemoryMax')?.at(-1)?.toLowerCase();
    expect(memory).toBe(container.mem_limit);
    expect(settings.get('CPUQuota')?.at(-1)).toBe(`${(container.cpus ?? 0) * 100}%`);
    expect(settings.get('TasksMax')).toEqual([String(container.pids_limit)]);
    expect(`${settings.get('TimeoutStopSec')}s`).toBe(container.stop_grace_period);
  });
});

test('V8 may compile, and a process may see whether the holder of a run lives', () => {
  const settings = settingsOf('runs');
  for (const name of ['MemoryDenyWriteExecute', 'ProtectProc', 'ProcSubset']) {
    expect(settings.has(name)).toBe(false);
  }
});

describe('roll.sh of systemd', () => {
  const folder = testFolder();
  const log = join(folder, 'log');
  const bin = join(folder, 'node_modules/.bin');

  /** Each variable ends with NUL. A process that was taken over shows those in the middle. */
  const ENVIRON = [
    'SERVICES=runs',
    'NODE_ENV=production',
    'NODE_OPTIONS=--require /tmp/of-the-process.js',
    'LD_PRELOAD=/tmp/of-the-process.so',
    'OPENSSL_CONF=/tmp/of-the-process.cnf',
    'SMTP_URL=a "b"',
    '',
  ];
  /** A `systemctl` that notes what it is asked, of a machine with `runs` and `api`. */
  const SYSTEMCTL = `#!/bin/sh
echo "systemctl $*" >> "${log}"
case "$*" in
  'is-enabled --quiet workspace-automation@runs.service') exit 0 ;;
  'is-enabled --quiet workspace-automation@api.service') exit 0 ;;
  is-enabled*) exit 1 ;;
  show*) echo 17 ;;
esac
`;
  /** A health check that notes which process it is asked about, and finds it well the second time. */
  const NODE = `#!/bin/sh
echo "node $* for $SERVICES with $SMTP_URL, $NODE_ENV$NODE_OPTIONS$LD_PRELOAD$OPENSSL_CONF" >> "${log}"
[ "$(grep -c "for $SERVICES" "${log}")" -gt 1 ]
`;

  /** An `env` that notes its arguments, which everybody on the machine can read. */
  const ENV = `#!/bin/sh
echo "env $*" >> "${log}"
exec /usr/bin/env "$@"
`;

  function roll(...services: readonly string[]): string[] {
    for (const path of [bin, join(folder, 'deploy/systemd'), join(folder, 'proc/17')]) {
      mkdirSync(path, { recursive: true });
    }
    const script = readFileSync(join(ROOT, FOLDER, 'roll.sh'));
    writeFileSync(join(folder, 'deploy/systemd/roll.sh'), script, { mode: 0o755 });
    writeFileSync(join(folder, 'deploy/order.sh'), textOf('deploy/order.sh'));
    writeFileSync(join(bin, 'node'), NODE, { mode: 0o755 });
    writeFileSync(join(bin, 'systemctl'), SYSTEMCTL, { mode: 0o755 });
    writeFileSync(join(bin, 'env'), ENV, { mode: 0o755 });
    writeFileSync(join(folder, 'proc/17/environ'), ENVIRON.join('\0'));
    writeFileSync(log, '');
    const { status, stderr } = spawnSync(
      'sh',
      [join(folder, 'deploy/systemd/roll.sh'), ...services],
      {
        env: { PATH: `${bin}:${process.env.PATH}`, PROC: join(folder, 'proc') },
        encoding: 'utf8',
      },
    );
    expect([status, stderr]).toEqual([0, '']);
    const notes = readFileSync(log, 'utf8').trim();
    expect(notes).toContain('env -i');
    expect(notes).not.toContain('SMTP_URL');
    return notes.split('\n').filter((line) => /^(systemctl|node) /.test(line));
  }

  it('restarts a process and goes on when the process is well, with the environment of the process', () => {
    expect(roll('runs')).toEqual([
      'systemctl restart workspace-automation@runs.service',
      'systemctl show --value --property MainPID workspace-automation@runs.service',
      'node deploy/health.ts for runs with a "b", production',
      'systemctl show --value --property MainPID workspace-automation@runs.service',
      'node deploy/health.ts for runs with a "b", production',
    ]);
  });

  it('restarts those that are enabled unless some are named, the gateway last', () => {
    const restarted = roll().filter((line) => line.startsWith('systemctl restart'));
    expect(restarted.map((line) => line.split('@')[1])).toEqual(['runs.service', 'api.service']);
  });
});
