import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { Email, Name, NewEmail } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import {
  DomainNotAllowed,
  EmailAlreadyRegistered,
  InvalidCredentials,
  InvalidRefreshToken,
  RegistrationClosed,
  TooManyAttempts,
  WrongPassword,
} from '../identity.problems.ts';
import { CallingAccount } from './calling-account.ts';
import { meExample, sessionExample } from './examples.ts';
import { GivenPassword, GivenToken, NewPassword } from './fields.ts';
import { Me, PendingRegistration, PublicKey, Session } from './resources.ts';

/** Bytes of a request body, several times the bytes of the longest fields. Beyond it the answer is 413. */
const BODY_LIMIT = 16 * 1024;

/** A stored reply would contain a password's session; strangers have no name for their keys. */
const IGNORES_KEYS = { none: 'the answer is a secret, or the caller is nobody yet' } as const;

const AUTHENTICATES = { none: 'people and programs authenticate themselves' } as const;

export const authenticationActions = {
  register: action({
    summary: 'Register with an e-mail address and a password',
    description:
      'A free address gets a session at once and a mail to verify it. An address that stands in the ' +
      'directory without a password gets a mail only: name and password take effect when it is answered with ' +
      'the password. A later registration of the address replaces one that waits, five times in an hour at most.',
    route: 'POST /auth/register',
    tool: AUTHENTICATES,
    idempotency: IGNORES_KEYS,
    audit: { resource: 'user' },
    uncontended: true,
    access: { who: 'public' },
    body: { email: NewEmail, password: NewPassword, firstName: Name, lastName: Name },
    bodyLimit: BODY_LIMIT,
    result: z.union([Session, PendingRegistration]),
    status: 201,
    otherStatus: {
      status: 202,
      description: 'The address was known: a mail was sent, and no session made',
      when: (result: object) => 'verification' in result,
      result: PendingRegistration,
      example: { verification: 'mailed' },
    },
    errors: [EmailAlreadyRegistered, RegistrationClosed, DomainNotAllowed],
    example: {
      body: {
        email: 'ada@example.com',
        password: 'seven green kettles',
        firstName: 'Ada',
        lastName: 'Lovelace',
      },
      answer: sessionExample,
    },
  }),
  signIn: action({
    summary: 'Sign in with an e-mail address and a password',
    description:
      'While the address is not verified, a mail to verify it is sent again when none counts any more.',
    route: 'POST /auth/sign-in',
    tool: AUTHENTICATES,
    idempotency: IGNORES_KEYS,
    audit: { none: 'a session is no resource that others share' },
    access: { who: 'public' },
    body: { email: Email, password: GivenPassword },
    bodyLimit: BODY_LIMIT,
    result: Session,
    errors: [InvalidCredentials, TooManyAttempts],
    example: {
      body: { email: 'ada@example.com', password: 'seven green kettles' },
      answer: sessionExample,
    },
  }),
  refresh: action({
    summary: 'Continue a session with its refresh token',
    description:
      'The refresh token is replaced. For 5 s a replaced one is answered with the same successor; ' +
      'using it later ends the session: one of the two who had it is not its owner.',
    route: 'POST /auth/refresh',
    tool: AUTHENTICATES,
    idempotency: IGNORES_KEYS,
    audit: { none: 'a session that goes on changes nothing' },
    access: { who: 'public' },
    body: { refreshToken: GivenToken },
    bodyLimit: BODY_LIMIT,
    result: Session,
    errors: [InvalidRefreshToken],
    example: { body: { refreshToken: sessionExample.refreshToken }, answer: sessionExample },
  }),
  signOut: action({
    summary: 'End a session',
    description: 'Its access tokens are refused within a second. An unknown token ends nothing.',
    route: 'POST /auth/sign-out',
    tool: AUTHENTICATES,
    idempotency: IGNORES_KEYS,
    audit: { none: 'a session is no resource that others share' },
    access: { who: 'public' },
    body: { refreshToken: GivenToken },
    bodyLimit: BODY_LIMIT,
    result: null,
    status: 204,
    example: { body: { refreshToken: sessionExample.refreshToken } },
  }),
  me: action({
    summary: 'Who the caller is',
    route: 'GET /auth/me',
    tool: true,
    etag: true,
    access: { who: 'authenticated' },
    result: z.union([Me, CallingAccount]),
    errors: [NotFound],
    idempotent: true,
    example: { answer: meExample },
  }),
  changePassword: action({
    summary: "Change the caller's password",
    description: 'Every other session of the caller ends.',
    route: 'PUT /auth/password',
    tool: AUTHENTICATES,
    etag: { none: 'no answer shows a password' },
    audit: { resource: 'user' },
    access: { who: 'person' },
    body: { currentPassword: GivenPassword, newPassword: NewPassword },
    bodyLimit: BODY_LIMIT,
    result: null,
    status: 204,
    errors: [WrongPassword, TooManyAttempts],
    example: {
      body: { currentPassword: 'seven green kettles', newPassword: 'eleven quiet harbours' },
    },
  }),
  forgotPassword: action({
    summary: 'Ask for a new password by mail',
    description:
      'The answer is the same whether there is an account or not. A verified address gets a token for ' +
      '`POST /auth/password/reset`, one that is not verified a token for `POST /auth/email/verify`, ' +
      'each at most once an hour.',
    route: 'POST /auth/password/forgot',
    tool: AUTHENTICATES,
    idempotency: IGNORES_KEYS,
    audit: { none: 'nothing changes until the mailed token is used' },
    access: { who: 'public' },
    body: { email: Email },
    bodyLimit: BODY_LIMIT,
    result: null,
    status: 202,
    errors: [TooManyAttempts],
    example: { body: { email: 'ada@example.com' } },
  }),
  resetPassword: action({
    summary: 'Set a new password with the token mailed for it',
    description:
      'Every session of the account ends. A token holds an hour and works once; a refusal does not use it up.',
    route: 'POST /auth/password/reset',
    tool: AUTHENTICATES,
    idempotency: IGNORES_KEYS,
    audit: { resource: 'user' },
    access: { who: 'public' },
    body: { token: GivenToken, newPassword: NewPassword },
    bodyLimit: BODY_LIMIT,
    result: null,
    status: 204,
    example: {
      body: {
        token: 'kq3vN1y0m5nZbG8yQb6m0uJ1p5r9sT2wX4zA7cE0fHg',
        newPassword: 'eleven quiet harbours',
      },
    },
  }),
  verifyEmail: action({
    summary: 'Prove an e-mail address with the token mailed to it',
    description:
      'The token alone proves nothing about who made the account. So it comes with one of: the ' +
      "account's own access token as `Authorization`, `password` (the one that was chosen when " +
      'registering), or `newPassword`, which replaces the password, ends every session and revokes the ' +
      'API keys that were made before. Where the account had a verified address before, only `password` proves the ' +
      'new one. A token holds 24 hours and works once; a refusal does not use it up.',
    route: 'POST /auth/email/verify',
    tool: AUTHENTICATES,
    idempotency: IGNORES_KEYS,
    audit: { resource: 'user' },
    access: { who: 'public', optionalToken: true },
    body: {
      token: GivenToken,
      password: GivenPassword.optional(),
      newPassword: NewPassword.optional(),
    },
    bodyLimit: BODY_LIMIT,
    result: null,
    status: 204,
    errors: [WrongPassword, TooManyAttempts],
    example: {
      body: {
        token: 'kq3vN1y0m5nZbG8yQb6m0uJ1p5r9sT2wX4zA7cE0fHg',
        password: 'seven green kettles',
      },
    },
  }),
  undoAddressChange: action({
    summary: 'Undo a change of the e-mail address with the token mailed to the former one',
    description:
      'The address to which the token was mailed is the address of the account again, and verified. Every session of ' +
      'the account ends, and so does its password: a mail to the address has a token for `POST /auth/password/reset`. ' +
      'A token holds 7 days and works once. The token that was mailed to verify the other address undoes the change as ' +
      'well, as long as the address is not verified: its owner frees it, and sessions and password stay.',
    route: 'POST /auth/email/undo',
    tool: AUTHENTICATES,
    idempotency: IGNORES_KEYS,
    audit: { resource: 'user' },
    access: { who: 'public' },
    body: { token: GivenToken },
    bodyLimit: BODY_LIMIT,
    result: null,
    status: 204,
    example: { body: { token: 'kq3vN1y0m5nZbG8yQb6m0uJ1p5r9sT2wX4zA7cE0fHg' } },
  }),
  jwks: action({
    summary: 'The public keys of access tokens (RFC 7517)',
    route: 'GET /.well-known/jwks.json',
    tool: AUTHENTICATES,
    access: { who: 'public' },
    result: z.strictObject({ keys: z.array(PublicKey) }),
    idempotent: true,
    example: {
      answer: {
        keys: [
          {
            kty: 'EC',
            crv: 'P-256',
            x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
            y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
            kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
            use: 'sig',
            alg: 'ES256',
          },
        ],
      },
    },
  }),
};
