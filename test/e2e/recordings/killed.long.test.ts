import { setTimeout as sleep } from 'node:timers/promises';
import { createWorkspace, type Person, registerVerified } from '../../helpers/people.ts';
import { createRecording, key, type RecordedStep, sendEvents } from '../../helpers/recordings.ts';
import { startServer, stopServers, type TestServer } from '../../helpers/server.ts';

/** Times that the process is killed, and the most milliseconds that it lives between two kills. */
const KILLS = 5;
const LIFE_MS = 400;
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

let server: TestServer;
let owner: Person;
let id: number;
beforeAll(async () => {
  server = await startServer({ env: { PUBLIC_URL: 'http://service.test' } });
  owner = await registerVerified(server.url);
  ({ id } = await createRecording(owner, await createWorkspace(owner)));
});
afterAll(stopServers);

/** Sends a batch until it is answered. Returns the number of attempts that were not. */
async function sendUntilAnswered(sequence: number, letter: string): Promise<number> {
  for (let lost = 0; ; lost++) {
    const answer = await sendEvents(owner, id, sequence, [key(letter)]).catch(() => null);
    if (answer?.status === 200) {
      expect(answer.body.nextSequence).toBe(sequence + 1);
      return lost;
    }
    if (answer) expect([answer.status, answer.text]).toEqual([503, expect.any(String)]);
    await sleep(20);
  }
}

test('a sender that repeats what was not answered records each batch once, whenever the process is killed', async () => {
  let isOver = false;
  let sent = '';
  let lost = 0;
  const send = async () => {
    for (let at = 0; !isOver; at++) {
      const letter = LETTERS.charAt(at % LETTERS.length);
      lost += await sendUntilAnswered(at + 1, letter);
      sent += letter;
    }
  };
  const kill = async () => {
    for (let n = 0; n < KILLS; n++) {
      await sleep(Math.random() * LIFE_MS);
      await server.kill();
      await server.restart();
    }
    isOver = true;
  };
  await Promise.all([send(), kill()]);
  expect(lost).toBeGreaterThan(0);
  const path = `/recordings/${id}/steps`;
  const { body } = await owner.call<{ steps: RecordedStep[] }>('GET', path);
  expect(body.steps.map(({ definition }) => definition.set.action.text)).toEqual([sent]);
}, 120_000);
