import { readFileSync } from 'node:fs';
import { compile } from '../../language/compile.ts';

const FILE = readFileSync(`${__dirname}/order-sync.yaml`, 'utf8');
const TOKEN = /[A-Za-z_][\w-]*|\d+|[{}[\]():,'"$.]/g;
/** The share of the faulty mutations that have exactly one fault, on the line of the change or beside it. */
const LEAST_SHARE = 0.8;

interface Mutation {
  text: string;
  line: number;
}

/** Deletes, doubles and misspells the tokens of a valid file, every third of them. */
function mutations(): Mutation[] {
  const tokens = [...FILE.matchAll(TOKEN)].filter((_, i) => i % 3 === 0);
  return tokens.flatMap(({ 0: token, index }) => {
    const double = /\w/.test(token) ? `${token} ${token}` : token + token;
    const swapped = token.slice(0, 2) + token.charAt(3) + token.charAt(2) + token.slice(4);
    const changed = ['', double, ...(/^[A-Za-z]{4}/.test(token) ? [swapped] : [])];
    const line = FILE.slice(0, index).split('\n').length;
    return changed
      .map((by) => FILE.slice(0, index) + by + FILE.slice(index + token.length))
      .filter((text) => text !== FILE)
      .map((text) => ({ text, line }));
  });
}

it('a changed token of a valid file is one fault near it, mostly', () => {
  const answers = mutations().map(({ text, line }) => ({ line, ...compile(text) }));
  // A change may give another valid file.
  const faulty = answers.filter(({ plan, faults }) => {
    expect(plan === null).toBe(faults.length > 0);
    return faults.length > 0;
  });
  expect(faulty.length).toBeGreaterThan(100);
  const isNear = ({ line, faults }: (typeof faulty)[number]) =>
    faults.length === 1 && Math.abs((faults[0]?.line ?? 0) - line) <= 1;
  expect(faulty.filter(isNear).length / faulty.length).toBeGreaterThan(LEAST_SHARE);
});
