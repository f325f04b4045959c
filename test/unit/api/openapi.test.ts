import { hasEtag, takesIfMatch } from '../../../contract/etag-rule.ts';
import { takesIdempotencyKey } from '../../../contract/idempotency-rule.ts';
import { openapiDocument } from '../../../services/api/openapi/document.ts';
import { operations } from '../../e2e/permissions-matrix.ts';
import { type JsonSchema, OpenApi, type Parameter } from '../../helpers/openapi.ts';

interface Described {
  parameters?: object[];
  requestBody?: { content: Record<string, { schema: unknown; example?: unknown }> };
  responses: Record<
    string,
    {
      headers?: Record<string, unknown>;
      content?: Record<string, { schema: { $ref?: string } }>;
    }
  >;
}

const api = new OpenApi(openapiDocument());
const { paths } = api.document as { paths: Record<string, Record<string, Described>> };

describe.each(operations)('$method $path', ({ method, path, contract }) => {
  const described = paths[path]?.[method.toLowerCase()];
  if (!described) throw new Error(`the document lacks ${method} ${path}`);
  const hasParameter = (name: string) =>
    (described.parameters ?? [])
      .map((one) => api.resolve<{ name: string; in: string }>(one))
      .some((one) => one.in === 'header' && one.name === name);
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
  const resolved = parameters.map((one) => api.resolve<Parameter>(one));
  expect(resolved.filter((one) => one.in === 'query')).toEqual(
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

describe('what a reader needs', () => {
  /** The descriptions that the schema of a body gives its fields, by their names. */
  const fieldsOf = (schema: JsonSchema): [string, JsonSchema][] =>
    Object.entries(
      (api.resolve<JsonSchema>(schema).properties ?? {}) as Record<string, JsonSchema>,
    );
  const isDescribed = (schema: JsonSchema) =>
    typeof schema.description === 'string' ||
    typeof api.resolve<JsonSchema>(schema).description === 'string';

  it('every parameter and field of a body has a description', () => {
    const bare = api.operations.flatMap(({ id, parameters, body }) => [
      ...parameters.filter((one) => !one.description).map(({ name }) => `${id} ${name}`),
      ...Object.values(body?.content ?? {})
        .flatMap(({ schema }) => fieldsOf(schema))
        .filter(([, schema]) => !isDescribed(schema))
        .map(([name]) => `${id} ${name}`),
    ]);
    expect(bare).toEqual([]);
  });

  it('ids are described in words', () => {
    const told = api.operations.flatMap(({ parameters }) =>
      parameters.map(({ description = '' }) => description),
    );
    expect(told).toContain('The id of the bulk job');
    expect(told.filter((one) => /^The id of the .*([a-z][A-Z]|-)/.test(one))).toEqual([]);
  });

  it('every required parameter, body and answer in JSON has an example, and the examples are valid', () => {
    const missing = api.operations.flatMap(({ id, parameters, body, responses }) => [
      ...parameters
        .filter((one) => one.required && one.example === undefined)
        .map(({ name }) => `${id} ${name}`),
      ...Object.entries(body?.content ?? {})
        .filter(([media, { example }]) => !media.startsWith('multipart/') && example === undefined)
        .map(([media]) => `${id} ${media}`),
      ...Object.entries(responses).flatMap(([status, { content = {} }]) =>
        Object.entries(content)
          .filter(([media, { example }]) => media.endsWith('json') && example === undefined)
          .map(([media]) => `${id} ${status} ${media}`),
      ),
    ]);
    expect(missing).toEqual(WITHOUT_EXAMPLE);
    const invalid = api.operations.flatMap(({ id, parameters, body, responses }) => {
      const contents = [body?.content, ...Object.values(responses).map(({ content }) => content)];
      return [...parameters, ...contents.flatMap((content) => Object.values(content ?? {}))]
        .filter(({ example }) => example !== undefined)
        .flatMap(({ schema, example }) => api.faultsOf(schema, example))
        .map((fault) => `${id} ${fault}`);
    });
    expect(invalid).toEqual([]);
  });

  it('a failure is described once for each status, with one example, and its codes where it is referenced', () => {
    const { responses } = api.document.components as { responses: Record<string, JsonSchema> };
    expect(Object.keys(responses).length).toBeGreaterThan(10);
    for (const { id, responses: own } of api.operations.filter(({ id }) => !OTHER_FORMS.has(id))) {
      for (const [status, response] of Object.entries(own).filter(([one]) => one >= '400')) {
        expect([id, response]).toEqual([
          id,
          expect.objectContaining({
            $ref: `#/components/responses/Problem${status}`,
            description: expect.stringMatching(/^`[A-Z_]+`(?:, `[A-Z_]+`)*$/),
          }),
        ]);
        expect(response.content?.['application/problem+json']?.example).toMatchObject({
          status: Number(status),
          code: expect.stringMatching(/^[A-Z_]+$/),
        });
      }
    }
  });

  it('the document stays small enough for a browser: 640 KB', () => {
    expect(JSON.stringify(api.document).length).toBeLessThan(640_000);
  });

  it('flow files are shown as the YAML that they are', () => {
    const { body } = api.get('flows.create');
    expect(body?.content['application/yaml']?.example).toMatch(/^do:\n {2}- \w+:\n/);
    const { content } = api.get('workflows.getText').responses['200'] ?? {};
    expect(content?.['application/yaml']?.example).toMatch(/^do:\n {2}- \w+:\n/);
  });
});

/** What has no example: the document itself, and the forms and texts of webhooks, whose senders choose them. */
const WITHOUT_EXAMPLE = [
  'api.openapi 200 application/json',
  'triggers.receive application/x-www-form-urlencoded',
  'triggers.receive text/plain',
];
/** The operations with failures of another protocol: JSON-RPC, and RFC 6749. */
const OTHER_FORMS = new Set(['api.mcp', 'identity.token']);
