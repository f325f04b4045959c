/** The corpus has every task, keyword, refused keyword and fault code of the language. */
import { readFileSync } from 'node:fs';
import { readInvalidFlows, readValidFlows } from '../../../../test/flows/corpus.ts';
import { listsIn } from '../../interpreter/names.ts';
import { compile } from '../../language/compile.ts';
import { Faults } from '../../language/faults.ts';
import type { Node } from '../../language/tree.ts';
import { readYaml } from '../../language/yaml.ts';
import type { Task } from '../../plan.ts';

const valid = readValidFlows();
const invalid = readInvalidFlows();

const TASKS: Record<Task['kind'], true> = {
  set: true,
  'call-http': true,
  'call-api-description': true,
  'call-issue': true,
  'call-agent': true,
  run: true,
  listen: true,
  do: true,
  switch: true,
  for: true,
  fork: true,
  try: true,
  raise: true,
  wait: true,
};

const KEYWORDS = `document dsl namespace name version evaluate language input schema format from output as
  export timeout after metadata onFailure issue assignedUserId concurrency do if then set switch when for
  each in at while parallel fork branches compete try catch errors with type status title instance
  exceptWhen retry delay backoff constant linear exponential jitter to limit attempt count duration raise
  error detail wait days hours minutes seconds milliseconds run workflow listen one call method endpoint
  uri headers query body apiDescriptionId credential path description fingerprint prompt tools`;

const REFUSED = `use schedule emit shell script container await return any all until foreach read correlate
  source redirect authentication resource`;

function keysOf(node: Node | null): string[] {
  if (!node || node.kind === 'scalar') return [];
  if (node.kind === 'list') return node.items.flatMap(keysOf);
  return [...node.entries.values()].flatMap(({ key, value }) => [key, ...keysOf(value)]);
}

const keysIn = (texts: readonly string[]): Set<string> =>
  new Set(texts.flatMap((text) => keysOf(readYaml(text, new Faults(text)))));

const kindsIn = (tasks: readonly Task[]): string[] =>
  tasks.flatMap((task) => [task.kind, ...listsIn(task).flatMap(kindsIn)]);

const words = (text: string): string[] => text.trim().split(/\s+/);

describe('the corpus', () => {
  it('is large enough', () => {
    expect(valid.length).toBeGreaterThanOrEqual(80);
    expect(invalid.length).toBeGreaterThanOrEqual(150);
  });

  it('has every kind of task', () => {
    const kinds = valid.flatMap(({ text }) => kindsIn(compile(text).plan?.tasks ?? []));
    expect([...new Set(kinds)].sort()).toEqual(Object.keys(TASKS).sort());
  });

  it('has every keyword in a valid file', () => {
    const known = keysIn(valid.map(({ text }) => text));
    expect(words(KEYWORDS).filter((word) => !known.has(word))).toEqual([]);
  });

  it('has every refused keyword in an invalid file', () => {
    const known = keysIn(invalid.map(({ text }) => text));
    expect(words(REFUSED).filter((word) => !known.has(word))).toEqual([]);
  });

  it('has every fault code', () => {
    const source = readFileSync(`${__dirname}/../../language/faults.ts`, 'utf8');
    const [, union = ''] = /export type FaultCode =([^;]+);/.exec(source) ?? [];
    const codes = [...union.matchAll(/'([A-Z_]+)'/g)].map(([, code]) => code);
    expect(codes.length).toBeGreaterThan(40);
    const found = new Set(
      invalid.flatMap(({ faults }) => faults.map((fault) => fault.split(' ')[1])),
    );
    expect(codes.filter((code) => !found.has(code))).toEqual([]);
  });
});
