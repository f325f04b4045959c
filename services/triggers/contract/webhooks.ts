import { z } from 'zod';
import { MEMBERS } from '../../../contract/access-rule.ts';
import { Archived } from '../../../contract/archived.ts';
import { action } from '../../../contract/contract.ts';
import { Id, IdText, listQuery, pageOf } from '../../../contract/fields.ts';
import { BodyTooLarge, MalformedBody, NotFound } from '../../../contract/problem.ts';
import { QuotaReached } from '../../../contract/quota.ts';
import { ReceivedRequest } from '../../../contract/received-request.ts';
import { FlowHasNoVersion } from '../../flows/flows.problems.ts';
import { InputRefused, TooManyStarts } from '../../runs/runs.problems.ts';
import { SignatureRefused } from '../triggers.problems.ts';
import { webhookExample, webhookToken } from './examples.ts';
import { Webhook, WebhookSecret } from './resources.ts';

const ofFlow = { resource: 'flow', parameter: 'flowId' } as const;
const ofWebhook = { resource: 'webhook', parameter: 'id' } as const;

const OF_WEBHOOKS = { none: 'the URL of a webhook is a secret' } as const;

/** The operations on webhooks, and the one that their requests are. */
export const webhookActions = {
  createWebhook: action({
    summary: 'Run a flow by requests to a URL of its own',
    description:
      'Who knows the URL can run the flow. With a `secret`, requests are signed as Standard Webhooks says, and others are refused. No answer shows the secret.',
    route: 'POST /flows/:flowId/webhooks',
    tool: OF_WEBHOOKS,
    audit: { resource: 'webhook' },
    uncontended: true,
    idempotency: { sequence: 'webhooks' },
    access: { who: 'member', roles: MEMBERS, in: ofFlow },
    path: { flowId: IdText },
    body: {
      secret: WebhookSecret.nullish().meta({
        description:
          'The secret by which requests are signed; null for requests without a signature',
      }),
    },
    bodyOptional: true,
    result: Webhook,
    status: 201,
    errors: [NotFound, QuotaReached],
    example: {
      body: {},
      answer: webhookExample,
    },
  }),
  listWebhooks: action({
    summary: 'The webhooks of a flow',
    route: 'GET /flows/:flowId/webhooks',
    tool: OF_WEBHOOKS,
    access: { who: 'member', roles: MEMBERS, in: ofFlow },
    path: { flowId: IdText },
    query: listQuery,
    result: pageOf(Webhook),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [webhookExample] },
  }),
  removeWebhook: action({
    summary: 'Delete a webhook',
    description: 'Its URL is 404 from then on. The runs that it has started go on.',
    route: 'DELETE /flows/webhooks/:id',
    tool: OF_WEBHOOKS,
    etag: { none: 'no GET shows a single webhook' },
    audit: { resource: 'webhook' },
    access: { who: 'member', roles: MEMBERS, in: ofWebhook },
    path: { id: IdText },
    result: null,
    status: 204,
    errors: [NotFound],
  }),
  receive: action({
    summary: 'Run the flow of a webhook',
    description:
      "The run's `$input` is `{headers, query, body}`: the body's value when it is JSON, its text when it is text or a form, null without a body. Headers that authenticate or forward are left out. With a `webhook-id` that was received before, the answer is the run of the first request. A signature is over `webhook-id`, which has no dot then, `webhook-timestamp` and the body: neither the query nor other headers are signed.",
    route: 'POST /hooks/:token',
    tool: { none: 'its token is a secret of the sender' },
    audit: { none: 'the entry of the start of the run says it' },
    idempotency: { none: 'the header `webhook-id` names a request' },
    access: { who: 'public' },
    path: { token: z.string().meta({ description: 'The last part of the URL of the webhook' }) },
    tokenInPath: 'token',
    body: { request: ReceivedRequest },
    receivedRequest: 'request',
    bodyOptional: true,
    result: z.strictObject({ runId: Id }),
    status: 202,
    errors: [
      NotFound,
      SignatureRefused,
      MalformedBody,
      BodyTooLarge,
      FlowHasNoVersion,
      InputRefused,
      Archived,
      TooManyStarts,
      QuotaReached,
    ],
    example: {
      parameters: { token: webhookToken },
      body: { orders: [{ price: 40, quantity: 3 }] },
      answer: { runId: 1 },
    },
  }),
};
