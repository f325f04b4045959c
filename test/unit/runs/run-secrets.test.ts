import { RunSecrets } from '../../../services/runs/engine/execution/run-secrets.ts';

const WORKSPACE = 3;

/** The secrets of a run whose earlier workers used some credentials, with the questions that it asks. */
function secretsOf(usedIds: number[], answer: string[] = []) {
  const asked: unknown[] = [];
  const secrets = new RunSecrets(WORKSPACE, usedIds, async (params) => {
    asked.push(params);
    return { secrets: answer };
  });
  return { secrets, asked };
}

/** A secret of this length that is like no other. */
const secretOf = (name: string, length: number): string =>
  Array.from({ length }, (_, at) => String.fromCharCode(97 + ((at * name.length) % 26))).join('');

test('a run without a credential masks nothing and weighs nothing', () => {
  const { secrets } = secretsOf([]);
  const value = { key: 'text-of-the-run' };
  expect(secrets.isComplete).toBe(true);
  expect(secrets.maskJson(value)).toBe(value);
  expect(secrets.weight).toBe(0);
  expect(secrets.isShownIn('text-of-the-run')).toBe(false);
});

test('the secrets of earlier workers are asked for once', async () => {
  const { secrets, asked } = secretsOf([5, 7], ['secret-of-before']);
  expect(secrets.isComplete).toBe(false);
  await secrets.complete();
  expect(asked).toEqual([{ workspaceId: WORKSPACE, credentialIds: [5, 7] }]);
  expect(secrets.isComplete).toBe(true);
  expect(secrets.maskText('a secret-of-before b')).toBe('a *** b');
});

test('an outage leaves the secrets unknown', async () => {
  const secrets = new RunSecrets(WORKSPACE, [5], () => Promise.reject(new Error('away')));
  await expect(secrets.complete()).rejects.toThrow('away');
  expect(secrets.isComplete).toBe(false);
});

test('a secret that is a part of a longer one of another credential leaves nothing of that', () => {
  const { secrets } = secretsOf([]);
  secrets.add(1, ['abcdefgh']);
  secrets.add(2, ['prefix-abcdefgh-suffix']);
  expect(secrets.maskText('x prefix-abcdefgh-suffix y abcdefgh z')).toBe('x *** y *** z');
});

test('the tokens before the present one are masked, and those older than eight are not', () => {
  const { secrets } = secretsOf([]);
  const tokens = Array.from({ length: 9 }, (_, at) => `token-number-${at}`);
  for (const token of tokens) secrets.add(1, [token]);
  expect(tokens.map((token) => secrets.isShownIn(token))).toEqual([
    false,
    ...Array.from({ length: 8 }, () => true),
  ]);
});

test('the same secrets again take no more memory', () => {
  const { secrets } = secretsOf([]);
  secrets.add(1, ['secret-of-one', 'second-of-one']);
  const { weight } = secrets;
  secrets.add(1, ['second-of-one', 'secret-of-one']);
  expect(secrets.weight).toBe(weight);
});

test('more secrets than can be masked refuse each later request', () => {
  const { secrets } = secretsOf([]);
  for (let id = 1; id <= 4; id++) secrets.add(id, [secretOf('x'.repeat(id), 4_096)]);
  expect(() => secrets.assertMaskable()).not.toThrow();
  secrets.add(5, ['one-more-secret']);
  expect(() => secrets.assertMaskable()).toThrow(/RUN_TOO_LARGE/);
});

test('more credentials than a run may use refuse each later request', () => {
  const { secrets } = secretsOf([]);
  for (let id = 1; id <= 32; id++) secrets.add(id, [`secret-number-${id}`]);
  expect(() => secrets.assertMaskable()).not.toThrow();
  secrets.add(33, ['secret-number-33']);
  expect(() => secrets.assertMaskable()).toThrow(/RUN_TOO_LARGE/);
});
