import { isVariableName, type Json } from '@workspace-automation/flow-language';
import { z } from 'zod';
import { MEMBERS, WORKERS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { AnyJson, Id, IdText, listQuery, Name, pageOf } from '../../../contract/fields.ts';
import { entriesOf } from '../../../contract/outbox-entries.ts';
import { NotFound } from '../../../contract/problem.ts';
import { QuotaReached } from '../../../contract/quota.ts';
import { TooManyExpressions } from '../flows.problems.ts';
import { transformationTestExample } from './examples.ts';
import { ofFlow, readsFlow } from './terms.ts';
import {
  TestRun,
  TransformationError,
  TransformationExpression,
  TransformationTest,
} from './transformation-resources.ts';

/** Milliseconds of the deadline of one expression, with its wait in the queue. */
const EVALUATION_MS = 30_000;
/** Milliseconds of the deadline of all tests of a flow. Beyond it the call fails, and the tests so far have their results. */
const TEST_RUN_MS = 120_000;
/** Variables of one request. */
const MAX_BINDINGS = 100;

const GivenJson = AnyJson.refine((value): value is Json => value !== undefined, 'is required');
const VariableName = z
  .string()
  .refine(isVariableName, 'must be a name of a variable without `$`, and no function of JSONata');
const testExample = { expression: '$sum(orders.total)', input: { orders: [{ total: 3 }] } };

/** The test of an expression, and the saved tests of a flow. */
export const transformationActions = {
  testTransformation: action({
    summary: 'Evaluate an expression',
    description:
      'As a flow does: `input` is `$` and, unless `bindings` says otherwise, `$input`; `bindings` has the values of variables by their names without `$`. `output` is absent where the expression has no value. An expression that fails, or takes more than 250 ms of CPU time, is answered with its `error` and the place.',
    route: 'POST /data-transformations/test',
    tool: { pure: true },
    audit: { none: 'nothing is stored' },
    idempotency: { none: 'nothing is stored' },
    access: { who: 'authenticated' },
    body: {
      expression: TransformationExpression,
      input: GivenJson,
      bindings: z
        .record(VariableName, GivenJson)
        .refine((given) => Object.keys(given).length <= MAX_BINDINGS, {
          error: `must have at most ${MAX_BINDINGS} variables`,
        })
        .optional()
        .meta({ description: 'The values of variables by their names without `$`' }),
    },
    timeoutMs: EVALUATION_MS,
    result: z.union([
      z.strictObject({ output: AnyJson.optional(), durationMs: z.int().nonnegative() }),
      z.strictObject({ error: TransformationError }),
    ]),
    errors: [TooManyExpressions],
    example: { body: testExample, answer: { output: 3, durationMs: 1 } },
  }),
  createTransformationTest: action({
    summary: 'Save a test of an expression',
    description:
      'It is run when a version of the flow is stored, and by `POST …/transformation-tests/run`. `input` and `expected` have at most 64 KiB of JSON each.',
    route: 'POST /flows/:flowId/transformation-tests',
    tool: true,
    audit: { resource: 'transformation-test' },
    uncontended: true,
    idempotency: { sequence: 'transformation_tests' },
    access: { who: 'member', roles: MEMBERS, in: ofFlow },
    path: { flowId: IdText },
    body: {
      name: Name,
      expression: TransformationExpression,
      input: GivenJson,
      expected: GivenJson,
    },
    result: TransformationTest,
    status: 201,
    errors: [NotFound, QuotaReached],
    example: {
      body: { name: transformationTestExample.name, ...testExample, expected: 3 },
      answer: { ...transformationTestExample, lastResult: null },
    },
  }),
  listTransformationTests: action({
    ...readsFlow,
    summary: 'The saved tests of a flow, with their last results',
    route: 'GET /flows/:flowId/transformation-tests',
    tool: true,
    path: { flowId: IdText },
    query: listQuery,
    result: pageOf(TransformationTest),
    format: 'page',
    example: { answer: [transformationTestExample] },
  }),
  runTransformationTests: action({
    summary: 'Run the saved tests of a flow',
    description: 'One after another. Each test shows its result from then on.',
    route: 'POST /flows/:flowId/transformation-tests/run',
    tool: true,
    audit: { none: 'a result is no change of the flow or its tests' },
    idempotency: { none: 'a repetition has the same effect' },
    access: { who: 'member', roles: WORKERS, in: ofFlow },
    path: { flowId: IdText },
    timeoutMs: TEST_RUN_MS,
    result: TestRun,
    errors: [NotFound, TooManyExpressions],
    example: {
      answer: {
        versionId: 3,
        passed: 1,
        failed: 0,
        results: [
          {
            id: transformationTestExample.id,
            name: transformationTestExample.name,
            lastResult: transformationTestExample.lastResult,
          },
        ],
      },
    },
  }),
  removeTransformationTest: action({
    summary: 'Delete a saved test',
    route: 'DELETE /flows/transformation-tests/:id',
    tool: true,
    etag: { none: 'no GET shows a single test' },
    audit: { resource: 'transformation-test' },
    access: {
      who: 'member',
      roles: MEMBERS,
      in: { resource: 'transformation test', parameter: 'id' },
    },
    path: { id: IdText },
    result: null,
    status: 204,
    errors: [NotFound],
  }),
  scheduleTransformationTests: action({
    summary: 'Has the saved tests of flows run for stored versions',
    access: { who: 'internal' },
    body: {
      entries: entriesOf({ workspaceId: Id, flowId: Id, versionId: Id, sequence: z.int() }),
    },
    result: null,
    idempotent: true,
  }),
};
