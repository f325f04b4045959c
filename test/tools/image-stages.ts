import { execFile } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdirSync, statSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, relative } from 'node:path';
import { promisify } from 'node:util';
import { ROOT, textOf } from '../integration/deploy/project.ts';

interface Stage {
  name: string;
  base: string;
  instructions: { keyword: string; rest: string }[];
}

/** Stages of the `Dockerfile`, its comments gone and its continued lines joined. */
function stages(): Stage[] {
  const lines = textOf('Dockerfile')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .join('\n')
    .replace(/\s*\\\n\s*/g, ' ')
    .split('\n');
  const found: Stage[] = [];
  for (const line of lines) {
    const [keyword = '', rest = ''] = line.split(/ (.*)/s, 2);
    const [, base = '', name = 'service'] = /^(\S+)(?: AS (\S+))?$/.exec(rest) ?? [];
    if (keyword === 'FROM') found.push({ base, name, instructions: [] });
    else found.at(-1)?.instructions.push({ keyword, rest });
  }
  return found;
}

/** Whether `.dockerignore` lets a file into an image: the last pattern decides that matches it or a folder of it. */
function isLetIn(path: string, patterns: readonly string[]): boolean {
  const parts = path.split('/');
  const paths = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
  const last = patterns.findLast((pattern) =>
    paths.some((one) => matchesGlob(one, pattern.replace(/^!/, ''))),
  );
  return last === undefined || last.startsWith('!');
}

/** The files of the repository that an image may have. */
function contextFiles(): string[] {
  const patterns = textOf('.dockerignore')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'));
  const exclude = (path: string) => ['node_modules', '.git', 'data'].includes(basename(path));
  return globSync('**/*', { cwd: ROOT, exclude })
    .concat('.npmrc')
    .filter((path) => statSync(join(ROOT, path)).isFile() && isLetIn(path, patterns));
}

/**
 * Carries out the stages of the `Dockerfile` in folders, without Docker: what is copied and what is run is what the file
 * says. Of the base only Node.js and npm are there, those of the test. Commands run as the user of the test.
 */
export class ImageStages {
  readonly #folder: string;
  readonly #context = contextFiles();
  readonly #stages = stages();

  /** @param folder with a folder for each stage, its root */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Builds a stage, and those that it needs, unless they are there. Resolves with the folder that is its `/app`. */
  async build(name: string): Promise<string> {
    const root = join(this.#folder, name);
    if (existsSync(root)) return join(root, 'app');
    const stage = this.#stages.find((one) => one.name === name);
    if (!stage) throw new Error(`the Dockerfile has no stage ${name}`);
    mkdirSync(root);
    if (this.#stages.some((one) => one.name === stage.base)) {
      const base = await this.build(stage.base);
      cpSync(dirname(base), root, { recursive: true, verbatimSymlinks: true });
    }
    for (const { keyword, rest } of stage.instructions) {
      if (keyword === 'COPY') await this.#copy(root, rest);
      if (keyword === 'RUN') await run(join(root, 'app'), rest);
      if (keyword === 'WORKDIR' && rest !== '/app') throw new Error(`WORKDIR ${rest}`);
    }
    return join(root, 'app');
  }

  async #copy(root: string, rest: string): Promise<void> {
    const [, from, list = ''] = /^(?:--from=(\S+) )?(.*)$/.exec(rest) ?? [];
    const words = list.split(' ');
    const target = join(root, 'app', words.at(-1) ?? '');
    for (const source of words.slice(0, -1)) {
      if (from) copyOf(dirname(await this.build(from)), source, target);
      else this.#copyContext(source, target);
    }
  }

  #copyContext(source: string, target: string): void {
    const files = this.#context.filter((path) => source === '.' || path === source);
    if (!files.length) throw new Error(`.dockerignore lets nothing of ${source} in`);
    for (const path of files) {
      const below = source === '.' ? path : basename(path);
      cpSync(join(ROOT, path), join(target, below), { recursive: true });
    }
  }
}

/** Copies a folder's content, or a file into a folder, from the root of another stage. */
function copyOf(root: string, source: string, target: string): void {
  const path = join(root, relative('/', source));
  const isFolder = statSync(path).isDirectory();
  cpSync(path, isFolder ? target : join(target, basename(path)), {
    recursive: true,
    verbatimSymlinks: true,
  });
}

async function run(cwd: string, command: string): Promise<void> {
  mkdirSync(cwd, { recursive: true });
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  await promisify(execFile)('sh', ['-c', command], {
    cwd,
    env: { PATH, HOME: process.env.HOME, npm_config_prefer_offline: 'true' },
    maxBuffer: 64 * 1024 * 1024,
  });
}
