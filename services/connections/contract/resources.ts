import { z } from 'zod';
import { Id, Name } from '../../../contract/fields.ts';
import { AUTH_TYPES } from '../../../models/auth-credential.model.ts';

export const AuthType = z
  .enum(AUTH_TYPES, { error: `must be one of ${AUTH_TYPES.join(', ')}` })
  .meta({ id: 'AuthType', description: 'How a credential is sent' });

/** A credential as other resources show it. */
export const AuthCredentialSummary = z
  .strictObject({ id: Id, name: Name, authType: AuthType })
  .meta({ id: 'AuthCredentialSummary' });
export type AuthCredentialSummary = z.output<typeof AuthCredentialSummary>;
