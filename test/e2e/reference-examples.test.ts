import { e2e } from '../fixtures/e2e.ts';
import type { Answer } from '../helpers/http.ts';
import { request } from '../helpers/http.ts';
import { fileForm } from '../helpers/multipart.ts';
import { exampleRequest, OpenApi } from '../helpers/openapi.ts';
import { mailTo, type Person, registerOperator } from '../helpers/people.ts';
import { waitFor } from '../helpers/wait.ts';
import { type Cast, STORY, type Turn } from './reference-story.ts';

const { server } = e2e({ oneProcess: true });
/** The examples of the reference, sent in the order of a newcomer who tries one operation after the other. */

let api: OpenApi;
const SUCCESSES = [200, 201, 202, 204];
const answers = new Map<string, Answer<Record<string, unknown>>>();
let operator: Person;

beforeAll(async () => {
  api = await OpenApi.of(server.url);
});

/** The answer that an earlier turn got. */
function answerOf(id: string): Record<string, unknown> {
  const answer = answers.get(id);
  if (!answer) throw new Error(`${id} has no answer yet`);
  return answer.body;
}

async function credentialsOf(as: Cast): Promise<Record<string, string>> {
  if (as === 'nobody') return {};
  if (as === 'key') return { 'x-api-key': String(answerOf('identity.createApiKey').key) };
  if (as === 'operator') {
    operator ??= await registerOperator(server.url);
    return { authorization: `Bearer ${operator.token}` };
  }
  const session = as === 'ada' ? answerOf('identity.signIn') : answerOf(as);
  return { authorization: `Bearer ${session.accessToken}` };
}

const story = {
  answerOf,
  mailTo: async (email: string, subject?: string) =>
    (await mailTo(server.url, email, subject)).token,
  /** Registers a further person under a known address, and verifies the address. */
  async register(email: string) {
    const { body } = api.get('identity.register');
    const example = Object.values(body?.content ?? {})[0]?.example as object;
    const session = await request<Record<string, unknown>>(server.url, 'POST', '/auth/register', {
      body: { ...example, email },
    });
    answers.set(email, session);
    const token = await story.mailTo(email, 'Verify your e-mail address');
    const { status } = await request(server.url, 'POST', '/auth/email/verify', {
      token: String(session.body.accessToken),
      body: { token },
    });
    expect([email, status]).toEqual([email, 204]);
  },
};

async function play(turn: Turn): Promise<void> {
  const operation = api.get(turn.operation);
  const changes = (await turn.changes?.(story)) ?? {};
  const { path, options } = exampleRequest(operation, changes);
  const form = turn.upload && fileForm(turn.upload, 'teeth.csv', 'text/csv');
  const credentials = await credentialsOf(turn.as ?? 'ada');
  const headers = {
    ...options.headers,
    ...(form ? form.headers : {}),
    ...credentials,
  };
  const send = () =>
    request<Record<string, unknown>>(server.url, operation.method, path, {
      ...options,
      ...(form ? { raw: form.raw } : {}),
      headers,
    });
  const answer = turn.until
    ? await waitFor(turn.operation, async () => {
        const found = await send();
        return turn.until?.(found.body) ? found : undefined;
      })
    : await send();
  answers.set(turn.operation, answer);
  const { status, text } = answer;
  const faults = api.faultsOfAnswer(operation, {
    status,
    type: answer.headers['content-type'],
    text,
  });
  const expected = turn.refused?.status ?? SUCCESSES.find((success) => success === status);
  expect([turn.operation, status, text.slice(0, 500), faults]).toEqual([
    turn.operation,
    expected,
    expect.stringContaining(turn.refused?.code ?? ''),
    [],
  ]);
  if (!turn.refused && !turn.changes) expectLikeExample(turn.operation, answer);
}

/** Expects the ids that the example of the answer shows, or its text. */
function expectLikeExample(
  id: string,
  { status, body, text }: Answer<Record<string, unknown>>,
): void {
  const [media, content] = Object.entries(api.get(id).responses[status]?.content ?? {})[0] ?? [];
  const example = content?.example as Record<string, unknown> | string | undefined;
  if (typeof example === 'string' && media !== 'text/event-stream') expect(text).toBe(example);
  if (typeof example !== 'object' || Array.isArray(example)) return;
  const ids = Object.entries(example).filter(
    ([name, value]) => /^id$|Id$/.test(name) && typeof value === 'number',
  );
  expect([id, body]).toEqual([id, expect.objectContaining(Object.fromEntries(ids))]);
}

it.each(STORY.map((turn, at) => [turn.operation, turn, at] as const))(
  '%s works with its examples',
  async (_name, turn) => play(turn),
);

it('is a story of every operation of the document', () => {
  const told = new Set(STORY.map(({ operation }) => operation));
  expect(api.operations.map(({ id }) => id).filter((id) => !told.has(id))).toEqual([]);
});
