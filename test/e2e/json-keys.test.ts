import { e2e } from '../fixtures/e2e.ts';
import { LocalServer } from '../helpers/local-server.ts';
import { createWorkspace, type Person, registerVerified } from '../helpers/people.ts';
import { createFlow, getRun, runToEnd } from '../helpers/runs.ts';

const { server } = e2e();

/** Keys that V8 alone reads as one another: the later one as the earlier one (nodejs/node#63785). */
const KEYS = ['\\', '"', '\n'];

const inputWith = (key: string) => ({
  plain: 1,
  [key]: 1,
  inner: [{ [`a${key}`]: { [`b${key}`]: [key] } }],
});

/** A server that answers each request with its body. */
const echo = new LocalServer((request, response) => {
  response.setHeader('content-type', 'application/json');
  request.pipe(response);
});

/** A flow with the key in its schema, which allows no other key, in its templates, and in what it sends and receives. */
const flowWith = (key: string) =>
  JSON.stringify({
    input: {
      schema: {
        document: {
          type: 'object',
          required: [key],
          properties: { plain: true, [key]: { type: 'integer' }, inner: { type: 'array' } },
          additionalProperties: false,
        },
      },
    },
    do: [
      {
        send: {
          call: 'http',
          with: { method: 'post', endpoint: echo.origin, body: `\${ $input }` },
        },
      },
      {
        merge: {
          set: { plain: 1, [key]: `\${ $ }`, [`c${key}`]: `\${ $merge([$input, {"d": 1}]) }` },
        },
      },
    ],
  });

interface Account {
  person: Person;
  workspaceId: number;
}

let accounts: readonly Account[] = [];

async function newAccount(): Promise<Account> {
  const person = await registerVerified(server.url, 'Somebody');
  return { person, workspaceId: await createWorkspace(person) };
}

beforeAll(async () => {
  await echo.start();
  accounts = await Promise.all([newAccount(), newAccount()]);
});
afterAll(() => echo.stop());

/** Acts with each account and each key, so that each key follows each other one of both accounts. */
async function forEachKey(act: (account: Account, key: string) => Promise<void>): Promise<void> {
  for (const key of [...KEYS, ...KEYS]) for (const account of accounts) await act(account, key);
}

it('evaluates an expression with the keys that its input has', async () => {
  await forEachKey(async ({ person }, key) => {
    const input = inputWith(key);
    const body = { expression: '$', input };
    const { body: answer } = await person.call('POST', '/data-transformations/test', { body });
    expect(answer).toMatchObject({ output: input });
  });
});

it('runs a flow with the keys of its file, of its input and of the answers that it gets', async () => {
  await forEachKey(async ({ person, workspaceId }, key) => {
    const input = inputWith(key);
    const run = await runToEnd(person, await createFlow(person, workspaceId, flowWith(key)), input);
    const output = { [key]: input, [`c${key}`]: { ...input, d: 1 } };
    expect(run).toMatchObject({ status: 'SUCCESS', input, output });
    expect(await getRun(person, run.id)).toMatchObject({ input, output });
  });
});
