import type { JournalEntry } from '../../../models/journal-entry.ts';
import { EarlierSecrets } from '../../../services/runs/engine/execution/journal/earlier-secrets.ts';
import { RunSecrets } from '../../../services/runs/engine/execution/run-secrets.ts';

const WORKSPACE = 3;

/** The entry of secrets that were sent. Here the sealed text is the secret backwards. */
const sentEntry = (credentialId: number, secret: string): JournalEntry => ({
  n: 0,
  key: `/do/${credentialId}`,
  sentSecrets: { credentialId, sealed: backwards(secret) },
});
const backwards = (text: string): string => [...text].reverse().join('');

/** The entry of an effect that used a credential. */
const effectEntry = (credentialId: number): JournalEntry => ({
  n: 0,
  key: `/do/${credentialId}`,
  effect: { kind: 'succeeded', json: 'null', completedAt: 0, credentialId },
});

/**
 * The secrets of a run whose journal has these entries, with the questions that the run asks. Credentials without
 * sealed secrets have the secrets of `present` now.
 */
function secretsOf(journal: JournalEntry[], present: string[] = []) {
  const asked: unknown[] = [];
  const earlier = new EarlierSecrets();
  for (const entry of journal) earlier.load(entry);
  const secrets = new RunSecrets(WORKSPACE, earlier, {
    async openSecrets(params) {
      asked.push(params);
      const open = (sealed: string) => (sealed === '' ? null : [backwards(sealed)]);
      return { opened: params.sealed.map(({ sealed }) => open(sealed)) };
    },
    async secretsToMask(params) {
      asked.push(params);
      return { secrets: present };
    },
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

test('the secrets that earlier workers sent are opened once', async () => {
  const journal = [sentEntry(5, 'secret-of-before'), effectEntry(5), sentEntry(7, 'second-secret')];
  const { secrets, asked } = secretsOf(journal);
  expect(secrets.isComplete).toBe(false);
  await secrets.complete();
  const sealed = journal.flatMap(({ sentSecrets }) => sentSecrets ?? []);
  expect(asked).toEqual([{ workspaceId: WORKSPACE, sealed }]);
  expect(secrets.isComplete).toBe(true);
  expect(secrets.maskText('a secret-of-before b second-secret')).toBe('a *** b ***');
  expect(secrets.add(5, ['secret-of-before'])).toBe(false); // the journal has them
  expect(secrets.add(5, ['secret-of-after'])).toBe(true);
});

test('credentials of a journal of an older version are masked as they are now', async () => {
  const journal = [effectEntry(5), effectEntry(7), sentEntry(7, 'second-secret'), effectEntry(7)];
  const { secrets, asked } = secretsOf(journal, ['present-secret']);
  await secrets.complete();
  expect(asked).toContainEqual({ workspaceId: WORKSPACE, credentialIds: [5, 7] });
  expect(secrets.maskText('a present-secret b second-secret')).toBe('a *** b ***');
});

test('secrets that do not open leave the run without its masks', async () => {
  const { secrets } = secretsOf([sentEntry(5, 'secret-of-before'), sentEntry(7, '')]);
  await expect(secrets.complete()).rejects.toThrow(/auth credential 7 .* do not open/);
  expect(secrets.isComplete).toBe(false);
});

test('of the secrets that earlier workers sent the latest eight of a credential are opened', async () => {
  const tokens = Array.from({ length: 9 }, (_, at) => `token-number-${at}`);
  const journal = [
    sentEntry(5, 'secret-of-another'),
    ...tokens.map((token) => sentEntry(1, token)),
  ];
  const { secrets } = secretsOf(journal);
  await secrets.complete();
  expect(['secret-of-another', ...tokens].map((secret) => secrets.isShownIn(secret))).toEqual([
    true,
    false,
    ...Array.from({ length: 8 }, () => true),
  ]);
});

test('many long secrets are opened by several questions, in their order', async () => {
  const journal = Array.from({ length: 40 }, (_, id) =>
    sentEntry(id + 1, secretOf('x'.repeat(id + 1), 16_000)),
  );
  const { secrets, asked } = secretsOf(journal);
  await secrets.complete();
  const questions = asked as { sealed: object[] }[];
  expect(questions.length).toBeGreaterThan(1);
  expect(questions.flatMap(({ sealed }) => sealed)).toEqual(
    journal.map(({ sentSecrets }) => sentSecrets),
  );
});

test('an outage leaves the secrets unknown', async () => {
  const earlier = new EarlierSecrets();
  earlier.load(sentEntry(5, 'secret-of-before'));
  const away = () => Promise.reject(new Error('away'));
  const secrets = new RunSecrets(WORKSPACE, earlier, { openSecrets: away, secretsToMask: away });
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
