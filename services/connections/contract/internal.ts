import { z } from 'zod';
import { action } from '../../../contract/contract.ts';
import { Id } from '../../../contract/fields.ts';
import { AuthCredentialSummary } from './resources.ts';

/** The credential of a call: that of the API description, none, or another one of the workspace. */
export const CredentialChoice = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('own') }),
  z.strictObject({ kind: z.literal('none') }),
  z.strictObject({ kind: z.literal('id'), id: Id }),
]);
export type CredentialChoice = z.output<typeof CredentialChoice>;

/** A request that is ready to be sent, without its body and the caller's own headers. */
export const PreparedCall = z.strictObject({
  ok: z.literal(true),
  method: z.string(),
  url: z.string(),
  /** Headers with the secret, which are sent to the origin of `url` alone. */
  secretHeaders: z.record(z.string(), z.string()),
  /** The credential whose secret the request contains; null without a secret. */
  credentialId: Id.nullable(),
  /** The values that no answer, log or record may show. */
  secrets: z.array(z.string()),
  /** `secrets` in the form that `openSecrets` opens, for the journal of a run; null without secrets. */
  sealedSecrets: z.string().nullable(),
  /** The id of the OAuth access token in the request; null without a token. */
  tokenId: z.string().nullable(),
});
/** A prepared request of this service itself, which keeps no journal. */
export type PreparedRequest = Omit<z.output<typeof PreparedCall>, 'sealedSecrets'>;

/** The reasons why a call cannot be prepared. */
export const CALL_REFUSALS = [
  /** The description or the credential does not exist in the workspace. */
  'REFERENCE_NOT_FOUND',
  /** The URL's origin is not among the `allowedOrigins` of the credential. */
  'CREDENTIAL_ORIGIN_REFUSED',
  /** Placeholders are missing, surplus or have impossible values. */
  'PLACEHOLDERS_INVALID',
  /** The token endpoint has refused the client. */
  'TOKEN_REFUSED',
  /** The token endpoint could not be reached, or its answer is no token. */
  'TOKEN_UNAVAILABLE',
] as const;

const CallRefusal = z.strictObject({
  ok: z.literal(false),
  code: z.enum(CALL_REFUSALS),
  /** A sentence for a person, without secrets. */
  detail: z.string(),
  /** The field of the request with the fault, such as `path.orderId`. */
  field: z.string().optional(),
});
export type CallRefusal = z.output<typeof CallRefusal>;

/** Secrets that a run has sent, as its journal has them. */
const SealedSecrets = z.strictObject({ credentialId: Id, sealed: z.string() });

/** The fields of other services whose texts `connections` seals. No name is that of a field of its own. */
const SEALED_FIELDS = ['webhook-token', 'webhook-secret', 'subscription-secret'] as const;
/** The place of a text: a text opens for the resource and the field that it was sealed for. */
const textPlace = { id: Id, field: z.enum(SEALED_FIELDS) };
/** Texts of one call. */
const MAX_TEXTS = 1_000;
/** Characters of a text. */
const MAX_TEXT_CHARS = 256;

/** Milliseconds of the deadline of `prepareCall`, which may wait for a token endpoint. */
const PREPARE_MS = 40_000;

export const internalActions = {
  prepareCall: action({
    summary: 'Prepare a request through an API description: URL, method and secrets',
    access: { who: 'internal', answersSecrets: true },
    body: {
      workspaceId: Id,
      apiDescriptionId: Id,
      credential: CredentialChoice,
      path: z.record(z.string(), z.string()),
      query: z.record(z.string(), z.union([z.string(), z.array(z.string())])),
      /** The id of a token that the called server has refused: another token is fetched. */
      refusedToken: z.string().optional(),
    },
    result: z.discriminatedUnion('ok', [PreparedCall, CallRefusal]),
    timeoutMs: PREPARE_MS,
  }),
  openSecrets: action({
    summary: 'The secrets that a run has sent, which its outputs must not show',
    access: { who: 'internal', answersSecrets: true },
    body: { workspaceId: Id, sealed: z.array(SealedSecrets).max(1_000) },
    /** In the order of `sealed`; null for a text that was not sealed for the workspace and that credential. */
    result: z.strictObject({ opened: z.array(z.array(z.string()).nullable()) }),
    idempotent: true,
  }),
  secretsToMask: action({
    summary: 'The present secrets of credentials that a run used before journals had the sent ones',
    access: { who: 'internal', answersSecrets: true },
    body: { workspaceId: Id, credentialIds: z.array(Id).max(1_000) },
    result: z.strictObject({ secrets: z.array(z.string()) }),
    idempotent: true,
  }),
  credentialsByIds: action({
    summary: 'Those of the credentials that the workspace has',
    access: { who: 'internal' },
    body: { workspaceId: Id, ids: z.array(Id).max(1_000) },
    result: z.strictObject({ credentials: z.array(AuthCredentialSummary) }),
    idempotent: true,
  }),
  reserveCredentials: action({
    summary: 'Keeps credentials from being deleted while a reference to them is written',
    access: { who: 'internal' },
    body: { workspaceId: Id, ids: z.array(Id).max(1_000), token: z.string() },
    result: z.strictObject({ credentials: z.array(AuthCredentialSummary) }),
    idempotent: true,
  }),
  releaseCredentials: action({
    summary: 'Ends a reservation of credentials',
    access: { who: 'internal' },
    body: { workspaceId: Id, ids: z.array(Id).max(1_000), token: z.string() },
    result: null,
    idempotent: true,
  }),
  sealTexts: action({
    summary: 'Seals secrets of other services with the data key of their workspace',
    access: { who: 'internal', answersSecrets: true },
    body: {
      workspaceId: Id,
      texts: z
        .array(z.strictObject({ ...textPlace, text: z.string().max(MAX_TEXT_CHARS) }))
        .max(MAX_TEXTS),
    },
    /** In the order of `texts`. */
    result: z.strictObject({ sealed: z.array(z.string()) }),
    idempotent: true,
  }),
  openTexts: action({
    summary: 'Opens texts that `sealTexts` has sealed',
    access: { who: 'internal', answersSecrets: true },
    body: {
      texts: z
        .array(z.strictObject({ workspaceId: Id, ...textPlace, sealed: z.string() }))
        .max(MAX_TEXTS),
    },
    /** In the order of `texts`; null for a text that does not open at its place, or whose workspace has no data key. */
    result: z.strictObject({ opened: z.array(z.string().nullable()) }),
    idempotent: true,
  }),
};
