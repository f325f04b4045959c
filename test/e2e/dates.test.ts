import { e2e, made } from '../fixtures/e2e.ts';
import { type DateField, dateFields } from './date-fields.ts';
import type { Sample } from './operation-samples.ts';
import { makeWorld } from './sample-world.ts';
import { sampleOf, sendSample } from './send-sample.ts';

const FORMS = ['2040-11-19T10:00:00Z', '2040-11-19T10:00:00.123456Z', '2040-11-19T11:00:00+01:00'];

const { server } = e2e();
const world = made(() => makeWorld(server.url));

/** The sample of the operation with the time in its place. */
function withTime(sample: Sample, { place, name }: DateField, text: string): Sample {
  if (place === 'query') return { ...sample, query: { ...sample.query, [name]: text } };
  return { ...sample, body: { ...(sample.body as object | undefined), [name]: text } };
}

test.each(dateFields)('$operation.name takes $place $name in every form', async (field) => {
  for (const text of FORMS) {
    const sample = withTime(await sampleOf(field.operation, world), field, text);
    const { status, text: answer } = await sendSample(world.url, field.operation, sample);
    expect([text, status < 300, answer]).toEqual([text, true, expect.anything()]);
  }
});

test('a time is answered in UTC with milliseconds, however it was given', async () => {
  const { owner, workspaceId } = world;
  const body = { workspaceId, name: 'Until', scopes: ['issues:create'] };
  for (const expiresAt of FORMS) {
    const answer = await owner.call<{ expiresAt: string }>('POST', '/api-keys', {
      body: { ...body, expiresAt },
    });
    expect(answer.body.expiresAt).toMatch(/^2040-11-19T10:00:00\.(?:000|123)Z$/);
  }
});

test('a time without an offset is told what a time looks like', async () => {
  const { owner, workspaceId } = world;
  const { status, body } = await owner.call(
    'GET',
    `/workspaces/${workspaceId}/issues?updatedSince=2026-11-19`,
  );
  expect({ status, body }).toMatchObject({
    status: 400,
    body: {
      errors: [
        {
          in: 'query',
          path: 'updatedSince',
          message:
            'must be a date and time in ISO 8601 with Z or an offset, such as 2026-01-31T09:30:00Z',
        },
      ],
    },
  });
});
