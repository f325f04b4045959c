// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${ }` is the flow language's own
/** Whole numbers beyond ±(2^53−1), which JavaScript would round, at all places where data enters. */
import { e2e, started } from '../fixtures/e2e.ts';
import { type Answer, request } from '../helpers/http.ts';
import { LocalServer } from '../helpers/local-server.ts';
import { sendMessage } from '../helpers/mcp.ts';
import { endOf } from '../helpers/runs.ts';

const { owner, server, workspace } = e2e();

const ID = '7615917337495251231';
const BODY = `{"input":{"id":${ID},"all":[-${ID},9007199254740991]}}`;
const INPUT = { id: ID, all: [`-${ID}`, Number.MAX_SAFE_INTEGER] };
const headers = { 'content-type': 'application/json' };

/** A server that answers each request with its body. */
const echo = started(
  new LocalServer((incoming, response) => {
    response.setHeader('content-type', 'application/json');
    incoming.pipe(response);
  }),
);

const send = <T>(path: string, raw: string): Promise<Answer<T>> =>
  owner.call<T>('POST', path, { raw, headers });
const copyOfInput = () => workspace.flow('do: [{ copy: { set: { got: "${ $input }" } } }]');

test('have all their digits in the input of a run', async () => {
  const flow = await copyOfInput();
  const started = await send<{ id: number; input: unknown }>(`/flows/${flow}/runs`, BODY);
  expect(started.body.input).toEqual(INPUT);
  expect((await endOf(owner, started.body.id)).output).toEqual({ got: INPUT });
});

test('have all their digits in a signal, in what a call sends, and in its answer', async () => {
  const flow = await workspace.flow(`do:
  - heard: { listen: { to: { one: { with: { type: go } } } } }
  - sent: { call: http, with: { method: post, endpoint: ${echo.origin}, body: { id: "\${ $integer($[0].id) }" }, output: raw } }
  - echoed: { call: http, with: { method: post, endpoint: ${echo.origin}, headers: { content-type: application/json }, body: "\${ $base64decode($) }" } }
  - all: { set: { heard: "\${ $steps.heard }", sent: "\${ $base64decode($steps.sent) }", echoed: "\${ $steps.echoed }" } }
`);
  const { id } = (await send<{ id: number }>(`/flows/${flow}/runs`, '{}')).body;
  expect((await send(`/flows/runs/${id}/signals/go`, `{"id":${ID}}`)).status).toBe(204);
  expect((await endOf(owner, id)).output).toEqual({
    heard: [{ id: ID }],
    sent: `{"id":${ID}}`,
    echoed: { id: ID },
  });
});

test('have all their digits in a webhook', async () => {
  const flow = await copyOfInput();
  const hook = await owner.call<{ url: string }>('POST', `/flows/${flow}/webhooks`, { body: {} });
  const { pathname } = new URL(hook.body.url);
  const { body } = await request<{ runId: number }>(server.url, 'POST', pathname, {
    raw: BODY,
    headers,
  });
  const { output } = await endOf(owner, body.runId);
  expect(output).toMatchObject({ got: { body: { input: INPUT } } });
});

test('have all their digits in the call of a tool, whose message is the same', async () => {
  const flow = await copyOfInput();
  const args = `{"flowId":${flow},"input":{"id":${ID}}}`;
  const message = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"runs_start","arguments":${args}}}`;
  const { body } = await sendMessage(server.url, undefined, {
    ...(owner.token ? { token: owner.token } : {}),
    raw: message,
    headers,
  });
  expect(body).toMatchObject({ id: 1, result: { structuredContent: { input: { id: ID } } } });
});

test('are refused by name where a number is meant', async () => {
  const { status, body } = await send<{ errors: unknown }>(
    '/flows',
    `{"workspaceId":${ID},"name":"x","content":"do: []"}`,
  );
  expect([status, body.errors]).toMatchObject([400, [{ path: 'workspaceId', code: 'too_big' }]]);
});
