import {
  decideToken,
  type SeenToken,
} from '../../../../services/connections/oauth-tokens/token-decision.ts';

const NOW = new Date('2026-01-01T00:00:00Z');
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000);

const token = {
  id: 'token-1',
  sealed: 'sealed',
  expiresAt: at(600),
  renewAt: at(540),
  keepUntil: null,
};
const stored = (change: Partial<SeenToken> = {}): SeenToken => ({
  _id: 1,
  workspaceId: 2,
  revision: 3,
  secretVersion: 4,
  token,
  earlier: [],
  lease: null,
  failure: null,
  authentication: 'basic',
  removeAt: at(9_999),
  now: NOW,
  ...change,
});
const lease = { holder: 'another', until: at(1) };
const failure = { code: 'TOKEN_REFUSED', detail: 'No.', count: 1, until: at(1) } as const;
const due = { ...token, renewAt: at(0) };
const expired = { ...token, expiresAt: at(0) };
const need = { secretVersion: 4 };
const refused = { secretVersion: 4, refusedToken: 'token-1' };

test.each([
  ['no stored token', null, need, { kind: 'fetch' }],
  ['a valid token', stored(), need, { kind: 'use', token, renew: false }],
  ['a token to renew', stored({ token: due }), need, { kind: 'use', token: due, renew: true }],
  [
    'a token that another process renews',
    stored({ token: due, lease }),
    need,
    { kind: 'use', token: due, renew: false },
  ],
  [
    'a token whose renewal has failed',
    stored({ token: due, failure }),
    need,
    { kind: 'use', token: due, renew: false },
  ],
  ['an expired token', stored({ token: expired }), need, { kind: 'fetch' }],
  ['a token under way', stored({ token: null, lease }), need, { kind: 'wait' }],
  [
    'a lease that ran out',
    stored({ token: null, lease: { ...lease, until: at(0) } }),
    need,
    { kind: 'fetch' },
  ],
  [
    'a failure',
    stored({ token: expired, failure }),
    need,
    { kind: 'fail', failure: { ok: false, code: 'TOKEN_REFUSED', detail: 'No.' } },
  ],
  [
    'a failure that is over',
    stored({ token: null, failure: { ...failure, until: at(0) } }),
    need,
    { kind: 'fetch' },
  ],
  ['a refused token', stored(), refused, { kind: 'fetch' }],
  ['a refused token under replacement', stored({ lease }), refused, { kind: 'wait' }],
  [
    'another token than the refused one',
    stored(),
    { secretVersion: 4, refusedToken: 'token-0' },
    { kind: 'use', token, renew: false },
  ],
  [
    'a refused token that has just replaced another',
    stored({ token: { ...token, keepUntil: at(1) } }),
    refused,
    { kind: 'use', token: { ...token, keepUntil: at(1) }, renew: false },
  ],
  [
    'a refused token that has replaced another long ago',
    stored({ token: { ...token, keepUntil: at(0) } }),
    refused,
    { kind: 'fetch' },
  ],
  ['the token of an older secret', stored({ secretVersion: 3 }), need, { kind: 'fetch' }],
  ['the lease of an older secret', stored({ secretVersion: 3, lease }), need, { kind: 'fetch' }],
  [
    'the failure of an older secret',
    stored({ secretVersion: 3, failure }),
    need,
    { kind: 'fetch' },
  ],
  [
    'the token of a newer secret',
    stored({ secretVersion: 5 }),
    need,
    { kind: 'fail', failure: expect.objectContaining({ code: 'TOKEN_UNAVAILABLE' }) },
  ],
] as const)('%s', (_, seen, wanted, decision) => {
  expect(decideToken(seen, wanted)).toEqual(decision);
});
