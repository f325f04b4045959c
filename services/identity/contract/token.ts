import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import {
  InvalidClient,
  InvalidScope,
  TooManyAttempts,
  UnsupportedGrantType,
} from '../identity.problems.ts';
import { ACCESS_TOKEN_SECONDS } from './fields.ts';

/** Bytes of a request body, several times the bytes of the longest parameters. Beyond it the answer is 413. */
const BODY_LIMIT = 16 * 1024;
/** A parameter of the request. */
const Parameter = z.string().max(2_000, 'must have at most 2000 characters').optional();

export const tokenActions = {
  token: action({
    summary: 'An access token of a service account (RFC 6749, section 4.4)',
    description:
      'OAuth 2 client credentials. The client shows its id and secret once: with HTTP Basic, or as `client_id` and `client_secret` in a form or in JSON.',
    route: 'POST /auth/token',
    tool: { none: 'programs authenticate themselves' },
    audit: { none: 'a token is no resource that others share' },
    idempotency: { none: 'a stored token would be a secret at rest; a further one does no harm' },
    access: { who: 'public' },
    protocol: 'oauth',
    header: {
      authorization: z.string().max(8_192, 'must have at most 8192 characters').optional(),
    },
    body: {
      grant_type: Parameter.meta({ description: '`client_credentials`' }),
      client_id: Parameter.meta({
        description: 'The `clientId` of the account, unless it comes by HTTP Basic',
      }),
      client_secret: Parameter.meta({
        description: 'The secret of the account, unless it comes by HTTP Basic',
      }),
      scope: Parameter.meta({ description: 'Empty: the role of the account decides' }),
    },
    bodyLimit: BODY_LIMIT,
    result: z
      .strictObject({
        access_token: z.string().meta({ description: 'A JWT for `Authorization: Bearer`' }),
        token_type: z.literal('Bearer'),
        expires_in: z.int().meta({ description: 'Seconds until the token expires' }),
      })
      .meta({ id: 'Token' }),
    errors: [InvalidClient, UnsupportedGrantType, InvalidScope, TooManyAttempts],
    example: {
      body: {
        grant_type: 'client_credentials',
        client_id: 'sa_4fGhT7sQ1mXc9LpZ0aVb',
        client_secret: 'Jm1pV3l8vQd0a7o2c9xS4tY6u1hB5nE3kR8zG0fLqWs',
      },
      answer: {
        access_token:
          'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJzZXJ2aWNlLWFjY291bnQ6MTIifQ.c2ln',
        token_type: 'Bearer',
        expires_in: ACCESS_TOKEN_SECONDS,
      },
    },
  }),
};
