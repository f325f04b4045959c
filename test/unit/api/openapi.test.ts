import { hasEtag, takesIfMatch } from '../../../contract/etag-rule.ts';
import { takesIdempotencyKey } from '../../../contract/idempotency-rule.ts';
import { openapiDocument } from '../../../services/api/openapi/document.ts';
import { operations } from '../../e2e/permissions-matrix.ts';

interface Described {
  parameters?: { name: string; in: string }[];
  requestBody?: { content: Record<string, { schema: unknown; example?: unknown }> };
  responses: Record<
    string,
    {
      headers?: Record<string, unknown>;
      content?: Record<string, { schema: { $ref?: string } }>;
    }
  >;
}

const { paths } = openapiDocument() as { paths: Record<string, Record<string, Described>> };

describe.each(operations)('$method $path', ({ method, path, contract }) => {
  const described = paths[path]?.[method.toLowerCase()];
  if (!described) throw new Error(`the document lacks ${method} ${path}`);
  const hasParameter = (name: string) =>
    (described.parameters ?? []).some((one) => one.in === 'header' && one.name === name);
  const successes = Object.entries(described.responses).filter(([status]) => status < '300');
  const answersWith = (name: string) =>
    successes.map(([, { headers = {} }]) => name in headers).every(Boolean);
  /** The answers of one text, which a repeat may get again; a stream is no such answer. */
  const replies = successes.filter(([, { content = {} }]) => !('text/event-stream' in content));
  const answers = (status: number) => String(status) in described.responses;

  it('says which conventions hold for it', () => {
    const isRead = method === 'GET';
    const keyed = takesIdempotencyKey(contract);
    expect({
      idempotencyKey: hasParameter('Idempotency-Key'),
      replayed: replies.some(([, { headers = {} }]) => 'Idempotent-Replayed' in headers),
      reused: answers(422),
      ifMatch: hasParameter('If-Match'),
      stale: answers(412),
      ifNoneMatch: hasParameter('If-None-Match'),
      notModified: answers(304),
      link: answersWith('Link'),
      rateLimit: answersWith('RateLimit') && answersWith('RateLimit-Policy'),
      requestId: answersWith('X-Request-Id'),
    }).toEqual({
      idempotencyKey: keyed,
      replayed: keyed,
      reused: keyed,
      ifMatch: takesIfMatch(contract),
      stale: takesIfMatch(contract),
      ifNoneMatch: isRead && hasEtag(contract),
      notModified: isRead && hasEtag(contract),
      link: contract.format === 'page',
      rateLimit: !contract.unlimited,
      requestId: true,
    });
    if (hasEtag(contract) && contract.result) expect(answersWith('ETag')).toBe(true);
  });
});

test('a header that carries a field of the result is described, and the body is the resource', () => {
  const stored = paths['/flows']?.post?.responses['200'];
  expect(stored?.headers?.['X-Flow-Warnings']).toEqual({
    description: expect.stringContaining('warnings'),
    schema: { type: 'integer', minimum: 0, maximum: 9007199254740991 },
  });
  expect(stored?.content?.['application/json']?.schema).toEqual({
    $ref: '#/components/schemas/Flow',
  });
});

test('a body that is the text of a field is described with the parameters that it needs', () => {
  const { parameters = [], requestBody } = paths['/flows']?.post ?? { responses: {} };
  expect(Object.keys(requestBody?.content ?? {})).toEqual(['application/json', 'application/yaml']);
  expect(requestBody?.content['application/yaml']).toEqual({
    schema: { type: 'string', description: expect.stringContaining('flow file') },
    example: expect.stringMatching(/^do:\n/),
  });
  expect(parameters.filter((one) => one.in === 'query')).toEqual(
    ['workspaceId', 'name', 'description'].map((name) =>
      expect.objectContaining({
        name,
        required: false,
        description: expect.stringMatching(
          name === 'description' ? /yaml` only;/ : /yaml` only, and needed there;/,
        ),
      }),
    ),
  );
});
