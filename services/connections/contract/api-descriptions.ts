import { z } from 'zod';
import { EVERY_ROLE, MEMBERS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { Description, Id, IdText, listQuery, Name, pageOf } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { METHOD_TYPES } from '../../../models/api-description.model.ts';
import { AuthCredentialSummary } from './resources.ts';

export const MethodType = z
  .enum(METHOD_TYPES, { error: `must be one of ${METHOD_TYPES.join(', ')}` })
  .meta({ id: 'MethodType', description: 'The method of the request' });

export const ApiDescription = z
  .strictObject({
    id: Id,
    url: z.string(),
    methodType: MethodType,
    authCredentials: AuthCredentialSummary,
    name: Name,
    description: z.string(),
  })
  .meta({ id: 'ApiDescription' });
export type ApiDescription = z.output<typeof ApiDescription>;

/** Characters of a URL with its placeholders. A filled URL may be longer (`LONGEST_URL` of `packages/outbound-http`). */
const LONGEST_TEMPLATE = 8_000;

/** `url-template.ts` checks the form of the text. */
const UrlTemplateText = z
  .string()
  .min(1, 'must have at least 1 character')
  .max(LONGEST_TEMPLATE, `must have at most ${LONGEST_TEMPLATE} characters`)
  .meta({
    description:
      'An absolute http or https URL without credentials, with `{placeholders}` in path and query only',
  });
const authCredentialId = Id.meta({
  description:
    'A credential of the workspace that may be sent to the origin of `url`; one of the type NONE without origins may be sent anywhere',
});

const inWorkspace = { parameter: 'workspaceId' };
const ofDescription = (parameter: string) =>
  ({ resource: 'API description', loader: 'apiDescription', parameter }) as const;

const apiDescriptionExample: ApiDescription = {
  id: 1,
  url: 'https://orders.example.com/orders/{orderId}?since={since}',
  methodType: 'GET',
  authCredentials: { id: 1, name: 'Order system', authType: 'BASIC' },
  name: 'One order',
  description: 'An order, with what changed since a day.',
};
const { id, authCredentials, ...details } = apiDescriptionExample;

export const apiDescriptionActions = {
  createApiDescription: action({
    summary: 'Describe a call of another system',
    route: 'POST /api-descriptions',
    tool: true,
    audit: { resource: 'api-description' },
    uncontended: true,
    idempotency: { sequence: 'api_descriptions' },
    access: { who: 'member', roles: MEMBERS, in: inWorkspace },
    body: {
      url: UrlTemplateText,
      methodType: MethodType,
      authCredentialId,
      workspaceId: Id,
      name: Name,
      description: Description,
    },
    result: ApiDescription,
    errors: [NotFound],
    example: {
      body: { ...details, authCredentialId: authCredentials.id, workspaceId: 1 },
      answer: apiDescriptionExample,
    },
  }),
  updateApiDescription: action({
    summary: 'Change an API description',
    description:
      'Only what is given changes. What GET answered can be sent back, with its `id` as `apiDescriptionId`: `authCredentials` then counts as `authCredentialId`.',
    route: 'PUT /api-descriptions',
    tool: true,
    audit: { resource: 'api-description' },
    etag: true,
    access: { who: 'member', roles: MEMBERS, in: ofDescription('apiDescriptionId') },
    body: {
      apiDescriptionId: Id,
      id: Id.optional(),
      url: UrlTemplateText.optional(),
      methodType: MethodType.optional(),
      authCredentialId: authCredentialId.optional(),
      authCredentials: AuthCredentialSummary.partial().required({ id: true }).optional().meta({
        description: 'As GET shows it: its `id` counts where `authCredentialId` is absent',
      }),
      name: Name.optional(),
      description: Description.optional(),
    },
    result: ApiDescription,
    errors: [NotFound],
    example: {
      body: { apiDescriptionId: id, methodType: 'HEAD' },
      answer: { ...apiDescriptionExample, methodType: 'HEAD' },
    },
  }),
  getApiDescription: action({
    summary: 'One API description',
    route: 'GET /api-descriptions/:id',
    tool: true,
    etag: true,
    access: { who: 'member', roles: EVERY_ROLE, in: ofDescription('id') },
    path: { id: IdText },
    result: ApiDescription,
    errors: [NotFound],
    idempotent: true,
    example: { answer: apiDescriptionExample },
  }),
  removeApiDescription: action({
    summary: 'Delete an API description',
    route: 'DELETE /api-descriptions/:id',
    tool: true,
    audit: { resource: 'api-description' },
    etag: true,
    access: { who: 'member', roles: MEMBERS, in: ofDescription('id') },
    path: { id: IdText },
    result: null,
    errors: [NotFound],
  }),
  listApiDescriptions: action({
    summary: 'The API descriptions of a workspace',
    route: 'GET /workspaces/:workspaceId/api-descriptions',
    tool: true,
    access: { who: 'member', roles: EVERY_ROLE, in: inWorkspace },
    path: { workspaceId: IdText },
    query: listQuery,
    result: pageOf(ApiDescription),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [apiDescriptionExample] },
  }),
};
