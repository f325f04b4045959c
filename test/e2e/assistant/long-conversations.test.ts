import { e2e } from '../../fixtures/e2e.ts';

const { owner, workspace, converse } = e2e();

/** Messages of 32,000 characters, together more than an answer of the interface and a context of the model have room for. */
const MESSAGES = 20;
const NOTE = '[Older parts of this long conversation were left out for the model.]';

it('a long conversation is shortened for the model, visibly, and the transcript keeps it', async () => {
  const answers = Array(MESSAGES).fill({ text: 'I see.' });
  const conversation = await converse(...answers);
  const first = await conversation.say('first '.repeat(5_300));
  expect(first.body.content).toBe('I see.');
  for (let n = 2; n < MESSAGES; n++) await conversation.say('more '.repeat(6_400));
  const last = await conversation.say('the last '.repeat(3_500));
  expect(last.body.content).toBe(`I see.\n\n${NOTE}`);
  const requests = await conversation.script.requests();
  const sent = requests.at(-1)?.body.messages ?? [];
  const text = JSON.stringify(sent.slice(1));
  expect(text.length).toBeLessThan(220_000);
  expect(String(sent[1]?.content)).toContain('The beginning of this conversation is left out');
  expect(text).not.toContain('first first');
  expect(text).toContain('the last the last');
  const path = `/agent/conversations/${conversation.id}`;
  const { body, headers } = await owner.call<{ title: string; messages: object[] }>('GET', path);
  const omitted = Number(headers['x-messages-omitted']);
  expect(omitted).toBeGreaterThan(0);
  expect(body.messages.length + omitted).toBe(2 * MESSAGES);
  expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(600 * 1024);
  expect(body.title).toMatch(/^first first .*…$/);
}, 120_000);

it('a result that looks like a secret is masked for the model and in the transcript', async () => {
  const key = `wsk_${'a1'.repeat(19)}`;
  await workspace.issue('A key', { description: `It is ${key}, keep it` });
  const conversation = await converse(
    { calls: [{ tool: 'issues_list', arguments: {} }] },
    { text: 'There is a key.' },
  );
  const { body } = await conversation.say('Which issues are there?');
  expect(JSON.stringify(body)).toContain('It is ***, keep it');
  expect(JSON.stringify([body, await conversation.script.requests()])).not.toContain(key);
});
