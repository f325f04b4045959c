import { fitContext } from '../../../services/assistant/context/fit-context.ts';
import type { Turn } from '../../../services/assistant/context/turns.ts';

const person = (text: string): Turn => ({ kind: 'person', text });
const step = (id: string, outcome: string, text = ''): Turn => ({
  kind: 'step',
  text,
  calls: [{ id, name: 'issues_list', arguments: {}, outcome }],
});
const LONG = 'x'.repeat(1_000);
const outcomesOf = (turns: readonly Turn[]): string[] =>
  turns.flatMap((turn) => (turn.kind === 'step' ? turn.calls.map(({ outcome }) => outcome) : []));

it('leaves a conversation that fits as it is', () => {
  const turns = [person('a'), step('1', LONG), person('b')];
  expect(fitContext(turns, 2_000)).toEqual({ turns, shortenedResults: 0, omittedTurns: 0 });
});

it('shortens the oldest results first, as many as needed, and says so', () => {
  const turns = [person('a'), step('1', LONG), step('2', LONG), person('b'), step('3', LONG)];
  const fitted = fitContext(turns, 2_500);
  expect([fitted.shortenedResults, fitted.omittedTurns]).toEqual([1, 0]);
  const [first = '', ...others] = outcomesOf(fitted.turns);
  expect(JSON.parse(first).shortened).toContain('issues_list');
  expect(others).toEqual([LONG, LONG]);
});

it('shortens no result that is short already', () => {
  const turns = [step('1', 'short'), step('2', LONG), person('b')];
  expect(outcomesOf(fitContext(turns, 500).turns)[0]).toBe('short');
});

it('leaves out the oldest messages when results make too little room, and marks their place', () => {
  const turns = [
    person(LONG),
    step('1', 'a', LONG),
    person(LONG),
    step('2', 'b', 'c'),
    person('d'),
  ];
  const fitted = fitContext(turns, 1_100);
  expect(fitted.omittedTurns).toBe(2);
  expect(fitted.turns[0]).toEqual(person(expect.stringContaining('left out') as unknown as string));
  expect(fitted.turns.slice(1)).toEqual(turns.slice(2));
});

it('begins with no answer whose question is left out', () => {
  const turns = [person(LONG), step('1', 'a', 'b'), step('2', 'c', 'd'), person('e')];
  const fitted = fitContext(turns, 100);
  expect(fitted.turns.slice(1)).toEqual([person('e')]);
});

it('keeps the latest message of the person and what follows it, whatever they take', () => {
  const turns = [person('a'), person(LONG), step('1', 'short', LONG)];
  const fitted = fitContext(turns, 10);
  expect(fitted.turns.slice(1)).toEqual(turns.slice(1));
});

it('changes nothing of what it is given', () => {
  const turns = [step('1', LONG), person('b')];
  const copy = structuredClone(turns);
  fitContext(turns, 10);
  expect(turns).toEqual(copy);
});
