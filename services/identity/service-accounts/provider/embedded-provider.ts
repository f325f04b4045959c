import { randomBytes, randomUUID } from 'node:crypto';
import { hashOf } from '../../../../support/hash.ts';
import { newSecret } from '../../secret.ts';
import type { IdentityProvider } from './identity-provider.ts';

/** Random bytes of a client id. A client id is no secret. */
const CLIENT_ID_BYTES = 15;

const newClientId = (): string => `sa_${randomBytes(CLIENT_ID_BYTES).toString('base64url')}`;

/** The provider in this service: its clients are the accounts themselves, and `POST /auth/token` issues their tokens. */
export const embeddedProvider: IdentityProvider = {
  async register(_owner, current) {
    const clientSecret = newSecret();
    return {
      clientSecret,
      fields: {
        clientId: current?.issuer === null ? current.clientId : newClientId(),
        issuer: null,
        secretHash: hashOf(clientSecret),
        credentialId: randomUUID(),
      },
    };
  },
  async confirm() {},
  async remove() {},
  async release() {},
};
