import { readFileSync } from 'node:fs';
import { findJsonFault } from '../../support/json-fault.ts';
import { fitArguments } from '../arguments.ts';
import type { Console } from '../console.ts';
import { actionNames, contractOf } from '../contract-index.ts';
import { nearMisses } from '../near-misses.ts';
import type { Arguments, Command } from './command.ts';

/** `call <action>`: calls any action, with the parameters as options or as one JSON object. */
export const call: Command = {
  command: 'call <action> [json]',
  description: 'Call an action: --name value for each parameter, or one JSON object',
  options: [{ option: '--load <file>', description: 'take the parameters from a file with JSON' }],
  allowUnknownOptions: true,
  async print(operator, args) {
    const action = String(args.action);
    if (!isKnown(operator, action)) throw new Error(unknownAction(action));
    const result = await operator.callAny(action, paramsOf(action, args, operator.line));
    if (isStream(result)) {
      result.destroy();
      throw new Error('The result is a file, which the gateway serves: ask for it over HTTP.');
    }
    return JSON.stringify(result ?? null, null, 2);
  },
};

/** A process of another version may have actions that the contracts of this version do not have. */
const isKnown = ({ broker }: Console, action: string): boolean =>
  contractOf(action) !== undefined || broker.registry.getActionEndpoints(action)?.count() > 0;

/** Describes an unknown action, with the nearest known ones or those of its service. */
export function unknownAction(action: string): string {
  const service = action.split('.')[0] ?? '';
  const near = nearMisses(action, actionNames());
  if (near.length) return `There is no action ${action}. Did you mean ${near.join(' or ')}?`;
  const ofService = actionNames().filter((name) => name.startsWith(`${service}.`));
  const hint = ofService.length ? ` ${service} has ${ofService.join(', ')}.` : '';
  return `There is no action ${action}.${hint}`;
}

function paramsOf(action: string, { options, ...given }: Arguments, line: string): unknown {
  const { load, ...params } = options;
  if (load !== undefined) return readParams(String(load));
  if (given.json === undefined) return fitArguments(action, params, line);
  return parseParams(textOfParams(line), 'the parameters');
}

/** The text of a `call` after the action; quotes around the whole are the habit of a shell. */
function textOfParams(line: string): string {
  const text = line.replace(/^\s*call\s+\S+\s+/, '').trim();
  return /^'.*'$/s.test(text) ? text.slice(1, -1) : text;
}

function readParams(file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  return parseParams(text, file);
}

/** Parses a JSON object. Throws an Error of one line that names the place of the first fault. */
export function parseParams(text: string, what: string): unknown {
  if (!text.trimStart().startsWith('{')) {
    throw new Error(`${what}: expected --name value for each parameter, or one JSON object {…}.`);
  }
  const fault = findJsonFault(text);
  if (!fault) return JSON.parse(text);
  const { position, expected } = fault;
  const found =
    position < text.length
      ? `not ${JSON.stringify(text.slice(position, position + 12))}`
      : 'not the end';
  throw new Error(`${what}: expected ${expected} at position ${position + 1}, ${found}.`);
}

const isStream = (result: unknown): result is { destroy(): void } =>
  typeof result === 'object' && result !== null && 'pipe' in result && 'destroy' in result;
