import { e2e } from '../../fixtures/e2e.ts';

const { workspace, converse } = e2e();

const createIssue = async (title: string) => (await workspace.issue(title)).id;

it('answers a message, and keeps both', async () => {
  const usage = { inputTokens: 40, outputTokens: 7 };
  const answer = { text: 'Good morning, what can I do?', usage };
  const conversation = await converse(answer);
  const { status, body } = await conversation.say('Good morning');
  expect([status, body.status, body.content]).toEqual([201, 'COMPLETE', answer.text]);
  expect(body).toMatchObject({ role: 'assistant', toolCalls: [], usage });
  const messages = await conversation.messages();
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(messages[1]).toEqual(body);
});

it('calls reading tools at once, several in one step, and tells the model what they answer', async () => {
  const id = await createIssue('A tooth is loose');
  const conversation = await converse(
    {
      text: 'I look. ',
      calls: [
        { tool: 'issues_list', arguments: { status: 'OPEN' } },
        { tool: 'issues_get', arguments: { workspaceId: workspace.id, issueId: id } },
      ],
    },
    { text: 'One issue is open.' },
  );
  const { body } = await conversation.say('What is open?');
  expect([body.status, body.content]).toEqual(['COMPLETE', 'I look. One issue is open.']);
  expect(body.toolCalls.map(({ operation, status }) => [operation, status])).toEqual([
    ['issues.list', 'DONE'],
    ['issues.get', 'DONE'],
  ]);
  expect(body.toolCalls[0]?.arguments).toEqual({ workspaceId: workspace.id, status: 'OPEN' });
  expect(body.toolCalls[1]?.result).toMatchObject({ id, title: 'A tooth is loose' });
  expect(body.usage).toEqual({ inputTokens: 200, outputTokens: 20 });
  const [, second] = await conversation.script.requests();
  const results = second?.body.messages.filter(({ role }) => role === 'tool');
  expect(results?.map(({ content }) => JSON.parse(String(content)))).toEqual([
    { data: expect.objectContaining({ items: expect.any(Array) }) },
    { data: expect.objectContaining({ id }) },
  ]);
});
