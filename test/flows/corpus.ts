/** The corpus of flow files: each file has its expected outcome in a JSON file of the same name after it. */
import { readFileSync } from 'node:fs';
import type { Json } from '../../packages/flow-language/plan.ts';
import { GENERATED_INVALID, GENERATED_VALID } from './generated.ts';

/** The end of an effect of a task (a call, a child run, a signal), as the world of the test answers it. */
export type CorpusAnswer = { ms?: number } & (
  | { value: Json }
  | { fails: { status: number; title?: string } }
  | { timesOut: true }
);

/** What a valid file does. */
export interface Execution {
  /** The public example that the file is adapted from. */
  source?: string;
  /** The input of the run; an empty object when absent. */
  input?: Json;
  properties?: Record<string, string>;
  /** The answers to the effects of a task by its name, in their order. The last answer is repeated. */
  answers?: Record<string, CorpusAnswer[]>;
  /** The effects that are carried out, in their order; each has at least the members that are given. */
  effects?: Record<string, Json>[];
  /** The milliseconds that the run takes: its waits, its retry delays and the `ms` of the answers. */
  takesMs?: number;
  /** The paths in the input that the flow's schema refuses. The run is then never started. */
  refusedInput?: string[];
  output?: Json;
  error?: { title: string; status: number; instance?: string };
  timedOut?: true;
}

export interface ValidFlow {
  name: string;
  text: string;
  expected: Execution;
}

export interface InvalidFlow {
  name: string;
  text: string;
  /** The faults of the file as `line:column CODE`, in the order of the text. */
  faults: string[];
}

export function readValidFlows(): ValidFlow[] {
  const stored = readStored('valid').map(({ name, text, json }) => {
    const expected: Execution = JSON.parse(json);
    return { name, text, expected };
  });
  return [...stored, ...GENERATED_VALID];
}

export function readInvalidFlows(): InvalidFlow[] {
  const stored = readStored('invalid').map(({ name, text, json }) => {
    const { faults }: { faults: string[] } = JSON.parse(json);
    return { name, text, faults };
  });
  return [...stored, ...GENERATED_INVALID];
}

function readStored(kind: 'valid' | 'invalid'): StoredFlow[] {
  return readArchive(readFileSync(`${__dirname}/${kind}.txtar`, 'utf8'));
}

interface StoredFlow {
  name: string;
  text: string;
  json: string;
}

/** Reads a txtar archive of flow files, each with its JSON file after it. Throws when a file has none. */
export function readArchive(archive: string): StoredFlow[] {
  const [, ...parts] = archive.split(/^-- (.+) --\n/m);
  const flows = new Map<string, StoredFlow>();
  for (let i = 0; i < parts.length; i += 4) {
    const [file = '', text = '', beside, json = ''] = parts.slice(i, i + 4);
    const name = file.replace(/\.yaml$/, '');
    if (name === file || beside !== `${name}.json`)
      throw new Error(`${file} is no YAML file with its JSON file after it`);
    if (flows.has(name)) throw new Error(`${file} is there twice`);
    flows.set(name, { name, text, json });
  }
  return [...flows.values()];
}
