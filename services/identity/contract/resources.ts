import { z } from 'zod';
import { SCOPES } from '../../../contract/access-rule.ts';
import { Email, Id, Name, ShownOnce, Timestamp } from '../../../contract/fields.ts';
import { SessionId } from './fields.ts';

export const User = z
  .strictObject({ id: Id, firstName: Name, lastName: Name, email: Email })
  .meta({ id: 'User', description: 'A person' });

/** The fields of a user for other services. */
export const KnownUser = z.strictObject({ ...User.shape, emailVerified: z.boolean() });

export const Me = z
  .strictObject({
    ...User.shape,
    emailVerified: z.boolean(),
    operator: z.boolean().meta({ description: 'Whether the caller may manage e-mail domains' }),
    pendingMemberships: z.int().meta({
      description: 'How many memberships and invitations wait for the verification of the address',
    }),
  })
  .meta({ id: 'Me', description: 'The caller, as they see themselves' });

export const Session = z
  .strictObject({
    accessToken: z.string().meta({ description: 'A JWT for `Authorization: Bearer`' }),
    refreshToken: z.string().meta({ description: 'Good for one refresh, within 30 days' }),
    tokenType: z.literal('Bearer'),
    expiresIn: z.int().meta({ description: 'Seconds until the access token expires' }),
    user: User,
  })
  .meta({ id: 'Session' });

export const ActiveSession = z
  .strictObject({
    id: SessionId,
    createdAt: Timestamp,
    lastUsedAt: Timestamp.meta({ description: 'To the minute' }),
    address: z.string().nullable(),
    userAgent: z.string().nullable(),
    current: z.boolean().meta({ description: 'Whether the request came with its token' }),
  })
  .meta({ id: 'ActiveSession', description: 'A sign-in that has not ended' });

export const PendingRegistration = z
  .strictObject({ verification: z.literal('mailed') })
  .meta({ id: 'PendingRegistration', description: 'The password holds once the mail is answered' });

export const Scope = z
  .enum(SCOPES, { error: `must be one of ${SCOPES.join(', ')}` })
  .meta({ id: 'Scope', description: 'What an API key may be used for' });

export const Creator = z
  .strictObject({
    type: z.enum(['person', 'service-account', 'api-key', 'run', 'system', 'operator-console']),
    id: Id.nullable(),
    name: z.string(),
  })
  .meta({ id: 'Creator', description: 'Who made something, as they were named then' });

export const ApiKey = z
  .strictObject({
    id: Id,
    workspaceId: Id,
    name: Name,
    prefix: z.string().meta({ description: 'The first characters of the key' }),
    lastFour: z.string().meta({ description: 'The last four characters of the key' }),
    scopes: z.array(Scope),
    createdBy: Creator,
    createdAt: Timestamp,
    expiresAt: Timestamp.nullable(),
    lastUsedAt: Timestamp.nullable().meta({ description: 'To the minute' }),
    revokedAt: Timestamp.nullable(),
  })
  .meta({ id: 'ApiKey', description: 'A key of a workspace, without the key itself' });

export const NewApiKey = z
  .strictObject({ ...ApiKey.shape, key: ShownOnce })
  .meta({ id: 'NewApiKey' });

export const Mail = z
  .strictObject({
    to: z.string(),
    subject: z.string(),
    text: z.string(),
    token: z.string().optional(),
    createdAt: Timestamp,
  })
  .meta({ id: 'Mail' });

export const PublicKey = z
  .strictObject({
    kty: z.literal('EC'),
    crv: z.literal('P-256'),
    x: z.string(),
    y: z.string(),
    kid: z.string(),
    use: z.literal('sig'),
    alg: z.literal('ES256'),
  })
  .meta({ id: 'PublicKey', description: 'A public key (RFC 7517)' });
