import { z } from 'zod';
import { MEMBERS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { AnyJson, IdText } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import {
  TargetTimeout,
  TargetUnreachable,
  TokenRefused,
  TokenUnavailable,
  TooManyTests,
} from '../test-call/test-call.problems.ts';

/** Milliseconds of the deadline of a test: its time in the queue, for a token, and for two requests. */
const TEST_MS = 90_000;

const TestAnswer = z
  .strictObject({
    status: z.int(),
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'By lower-case name, without secrets' }),
    body: AnyJson.meta({
      description:
        'The value of a JSON body, `{base64, type, size}` of a binary one, otherwise text. Secrets are replaced by `***`',
    }),
    truncated: z
      .boolean()
      .meta({ description: 'Whether `body` is only the beginning, and then text' }),
    durationMs: z.int().nonnegative(),
  })
  .meta({ id: 'TestAnswer', description: 'The answer of the called system' });
export type TestAnswer = z.output<typeof TestAnswer>;

const sendsOnce = {
  audit: { none: 'nothing is changed here' },
  idempotency: { none: 'a test is sent each time' },
  path: { id: IdText },
  result: TestAnswer,
  errors: [
    NotFound,
    TooManyTests,
    TargetUnreachable,
    TargetTimeout,
    TokenRefused,
    TokenUnavailable,
  ],
  timeoutMs: TEST_MS,
} as const;

const answerExample: TestAnswer = {
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: { id: 1, status: 'shipped' },
  truncated: false,
  durationMs: 84,
};

/** A value of a placeholder or a parameter. */
const Value = z.union([z.string(), z.number(), z.boolean()]);

export const testCallActions = {
  testAuthCredential: action({
    ...sendsOnce,
    summary: 'Send one GET request with an auth credential',
    description:
      'The origin of `url` must be among the `allowedOrigins` of the credential. A target that may not be called is 400, one that cannot be reached 502, one that does not answer in time 504.',
    route: 'POST /auth-credentials/:id/test',
    tool: { openWorld: true },
    access: {
      who: 'member',
      roles: MEMBERS,
      in: { resource: 'auth credential', loader: 'authCredential', parameter: 'id' },
    },
    body: { url: z.string().meta({ description: 'The URL that is called with the credential' }) },
    example: { body: { url: 'https://orders.example.com/me' }, answer: answerExample },
  }),
  testApiDescription: action({
    ...sendsOnce,
    summary: 'Send one request through an API description',
    description:
      '`path` and `query` fill the placeholders of the URL; further values of `query` are added to it. A target that may not be called is 400, one that cannot be reached 502, one that does not answer in time 504.',
    route: 'POST /api-descriptions/:id/test',
    tool: { destructive: true, openWorld: true }, // the method of the description may be any
    access: {
      who: 'member',
      roles: MEMBERS,
      in: { resource: 'API description', loader: 'apiDescription', parameter: 'id' },
    },
    body: {
      path: z
        .record(z.string(), Value)
        .default({})
        .meta({ description: 'Values of placeholders in the path, by name' }),
      query: z
        .record(z.string(), z.union([Value, z.array(Value)]))
        .default({})
        .meta({
          description: 'Values of placeholders in the query, and further parameters, by name',
        }),
      headers: z
        .record(z.string(), z.string())
        .default({})
        .meta({ description: 'Headers of the request, by name' }),
      body: AnyJson.optional(),
    },
    bodyOptional: true,
    example: {
      body: { path: { orderId: '7' }, query: { since: '2026-01-30' } },
      answer: answerExample,
    },
  }),
};
