import jwt from 'jsonwebtoken';
import { publicUrl } from '../../../environment/environment.ts';
import { hashOf } from '../../../support/hash.ts';
import { lruCache } from '../../../support/lru-cache.ts';
import { ACCESS_TOKEN_SECONDS } from '../contract/fields.ts';
import { signingKeys } from './signing-keys.ts';

const TYPE = 'at+jwt';
const ALGORITHM = 'ES256';

/** The user and the session of a token. The session may have ended since the token was signed. */
export interface AccessClaims {
  userId: number;
  sessionId: string;
}

/** The holder of a token: a user or a service account. `sid` is the session or the credential of the token. */
export interface TokenClaims {
  holder: 'user' | 'service-account';
  id: number;
  sid: string;
}

/** Signs a token of a session. `auth_time` (OpenID Connect, 2) is the time of the session's sign-in, which no refresh changes. */
export const signAccessToken = ({ userId, sessionId }: AccessClaims, signedInAt: Date): string =>
  signToken(
    { holder: 'user', id: userId, sid: sessionId },
    { auth_time: Math.floor(signedInAt.getTime() / 1000) },
  );

/** Signs a token; `claims` are its further claims. */
export function signToken({ holder, id, sid }: TokenClaims, claims: object = {}): string {
  const [{ kid, privateKey }] = signingKeys();
  return jwt.sign({ ...claims, sid }, privateKey, {
    algorithm: ALGORITHM,
    header: { alg: ALGORITHM, typ: TYPE, kid },
    issuer: publicUrl,
    audience: publicUrl,
    subject: `${holder}:${id}`,
    expiresIn: ACCESS_TOKEN_SECONDS,
  });
}

/** Claims of valid tokens by the token's hash, until the token expires: each process checks a signature once. */
const checked = lruCache<string, TokenClaims>(50_000);

/** The claims of a valid token of a user; null for any other token. */
export function readAccessToken(token: string): AccessClaims | null {
  const claims = readToken(token);
  return claims?.holder === 'user' ? { userId: claims.id, sessionId: claims.sid } : null;
}

/** The claims of a valid token; null for an expired token and for a token without a signature of this system. */
export function readToken(token: string): TokenClaims | null {
  const hash = hashOf(token);
  const known = checked.get(hash);
  if (known) return known;
  const payload = verify(token);
  const claims = payload && claimsOf(payload);
  if (!claims) return null;
  const ttl = (payload.exp ?? 0) * 1000 - Date.now();
  if (ttl > 0) checked.set(hash, claims, { ttl });
  return claims;
}

/** jsonwebtoken checks neither `typ` nor that the key is the one that `kid` names. */
function verify(token: string): jwt.JwtPayload | null {
  try {
    const header = jwt.decode(token, { complete: true })?.header;
    const key = signingKeys().find(({ kid }) => kid === header?.kid);
    if (!key || header?.typ !== TYPE || header.alg !== ALGORITHM) return null;
    const payload = jwt.verify(token, key.publicKey, {
      algorithms: [ALGORITHM],
      issuer: publicUrl,
      audience: publicUrl,
    });
    return typeof payload === 'string' || payload.exp === undefined ? null : payload;
  } catch {
    return null; // the client does not learn why its token is invalid
  }
}

const SUBJECT = /^(user|service-account):([1-9]\d{0,15})$/;

function claimsOf({ sub, sid }: jwt.JwtPayload): TokenClaims | null {
  const [, holder, digits] = SUBJECT.exec(sub ?? '') ?? [];
  const id = Number(digits);
  if (!Number.isSafeInteger(id) || typeof sid !== 'string') return null;
  return { holder: holder === 'user' ? 'user' : 'service-account', id, sid };
}
