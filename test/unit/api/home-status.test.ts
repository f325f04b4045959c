import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createContext, runInContext } from 'node:vm';
import { firstSteps } from '../../../services/api/home/first-steps.ts';

const SCRIPT = readFileSync(
  join(import.meta.dirname, '../../../services/api/home/home-status.js'),
  'utf8',
);

/** Opens the page at an address; `answers` are what the service answers by path. Returns what the page then shows. */
async function open(href: string, base: string, answers: Record<string, object>) {
  const codes = firstSteps(base).map(({ commands }) => ({ textContent: commands }));
  const status = { textContent: '' };
  const steps = { dataset: { base }, querySelectorAll: () => codes };
  const context = {
    location: { href },
    navigator: {},
    URL,
    document: { getElementById: (id: string) => (id === 'steps' ? steps : status) },
    fetch: async (path: string) => {
      const answer = answers[path];
      if (!answer) throw new TypeError('no connection');
      return { json: async () => answer };
    },
  };
  runInContext(SCRIPT, createContext(context));
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  return { commands: codes.map(({ textContent }) => textContent), status: status.textContent };
}

const UP = { 'health/live': { status: 'up' }, 'health/ready': { status: 'up' } };

it('the commands have the address at which the page was opened', async () => {
  const { commands } = await open('https://proxy.example/app/#x', 'http://127.0.0.1:3000', UP);
  expect(commands[0]).toContain("BASE='https://proxy.example/app'\n");
  expect(commands.join('')).not.toContain('127.0.0.1');
});

it('an address cannot end the quotes of a command', async () => {
  const { commands } = await open("http://a.example/'; reboot #/", 'http://127.0.0.1:3000', UP);
  expect(commands[0]).toMatch(/^BASE='http:\/\/a\.example\/?'\n/);
  expect(firstSteps("http://a.example/'; reboot")[0]?.commands).toMatch(
    /^BASE='http:\/\/a\.example\/%27; reboot'\n/,
  );
});

it.each([
  ['The service takes requests.', UP],
  [
    'The service takes requests. Version 1.2.3.',
    { ...UP, 'health/live': { status: 'up', version: '1.2.3' } },
  ],
  [
    'The service is not ready. Down: database.',
    { 'health/ready': { code: 'NOT_READY', detail: 'Down: database.' } },
  ],
  ['The service is not ready.', {}],
])('says %s', async (expected, answers) => {
  const { status } = await open('http://127.0.0.1:3000/', 'http://127.0.0.1:3000', answers);
  expect(status).toBe(expected);
});
