import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { Output } from './output.ts';

const NAME = 'moleculer-repl';
const require = createRequire(import.meta.url);

/**
 * Throws an Error of one line when moleculer-repl is not installed. The package is a development dependency, since
 * the service does not need the package.
 */
export function assertReplInstalled(): void {
  try {
    require.resolve(NAME);
  } catch {
    throw new Error(`${NAME} is not installed: "npm ci" without --omit=dev brings it.`);
  }
}

/** The files of moleculer-repl whose commands the console keeps. They read the registry, which the console has anyway. */
export const KEPT_FILES: ReadonlySet<string> = new Set(['actions', 'events', 'services']);

const WITHOUT_SERVICES = 'the console runs no services';
const EVENTS = 'only the service in which something has happened tells of it';
const SECRETS = 'its output has passwords';
/** The commands of moleculer-repl that the console does not have, with the reason. */
export const REFUSED_COMMANDS: Readonly<Record<string, string>> = {
  bench: 'it would put its load on a live system',
  broadcast: EVENTS,
  broadcastLocal: EVENTS,
  cache: 'the system uses no cache of Moleculer',
  clear: 'the system uses no cache of Moleculer',
  cls: 'Ctrl+L clears the screen',
  dcall: 'a call goes to a process that accepts calls, and `call` finds it',
  destroy: WITHOUT_SERVICES,
  emit: EVENTS,
  env: SECRETS,
  info: SECRETS,
  listener: 'a listener would take events from the services that need them',
  load: WITHOUT_SERVICES,
  loadFolder: WITHOUT_SERVICES,
  metrics: 'the figures of each process are at its METRICS_PORT',
};

/** The part of a commander program that the console sets. */
interface Program {
  showHelpAfterError(shows: boolean): void;
  configureOutput(output: { outputError(text: string): void }): void;
}
interface CommandFile {
  register(program: Program, broker: unknown): void;
}

/**
 * Makes moleculer-repl register the kept commands alone, so that help and completion do not have the others, and print
 * each fault of a line on one line. Takes effect when it is called before the start of the REPL.
 */
export function limitReplCommands(output: Output, colours: boolean): void {
  const ofRepl = createRequire(require.resolve(NAME));
  const folder = dirname(ofRepl.resolve('./src/commands/index.js'));
  if (!colours) (ofRepl('kleur') as { enabled: boolean }).enabled = false;
  for (const file of readdirSync(folder)) {
    const name = basename(file, '.js');
    if (name === 'index') continue;
    const commandFile = ofRepl(join(folder, file)) as CommandFile;
    const { register } = commandFile;
    commandFile.register = (program, broker) => {
      program.showHelpAfterError(false); // the commands take over what the program has when they are registered
      program.configureOutput({ outputError: (text) => output.fail(oneLine(text)) });
      if (KEPT_FILES.has(name)) register(program, broker);
    };
  }
}

/** `error: unknown command 'x'\n(Did you mean y?)\n` on one line. */
const oneLine = (text: string): string =>
  text
    .trim()
    .replace(/^error: /, '')
    .replaceAll(/\s*\n\s*/g, ' ');
