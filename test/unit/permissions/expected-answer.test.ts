import { parseRow } from '../../e2e/permission-rows.ts';
import {
  type CallerTraits,
  type Concern,
  type Expected,
  expectedAnswer,
  type Target,
} from '../../e2e/permissions/expected-answer.ts';

const row = (rest: string) => parseRow(`GET\t/x\t${rest}`);
const FOR_ADMINS = row('member\ty\ty\tn\tn\tn\t-\t-');
const MEMBERSHIP = row('member\ty\ty\tn\tn\tn\t-\tself,owner-for-owner');
const ROLE = row('member\ty\ty\tn\tn\tn\t-\tnot-self,owner-for-owner');
const WITH_KEY = row('member-or-key\ty\ty\ty\ty\ty\tissues:create\t-');
const plain = (who: string, rule = '-') => row(`${who}\t-\t-\t-\t-\t-\t-\t${rule}`);
const KEY = row('key\t-\t-\t-\t-\t-\tflows:run\t-');

const admin: CallerTraits = { kind: 'person', role: 'ADMIN' };
const guest: CallerTraits = { kind: 'person', role: 'GUEST' };
const stranger: CallerTraits = { kind: 'person', role: null, elsewhere: 'ADMIN' };
const beside: CallerTraits = { kind: 'person', role: 'ADMIN', showsBadKey: true };
const outsider: CallerTraits = { kind: 'person', role: null };
const operator: CallerTraits = { kind: 'person', role: null, operator: true };
const account: CallerTraits = { kind: 'service-account', role: 'ADMIN' };
const key: CallerTraits = { kind: 'api-key', isHome: true, scopes: ['issues:create'] };
const strangeKey: CallerTraits = { kind: 'api-key', isHome: false, scopes: ['flows:run'] };

describe('the answer that a row promises', () => {
  it.each<[string, typeof KEY, CallerTraits, Target, Concern, Expected]>([
    ['public', plain('public'), { kind: 'invalid-token' }, 'own', {}, 'success'],
    ['no token', plain('anyone'), { kind: 'nobody' }, 'own', {}, 401],
    ['a bad token', FOR_ADMINS, { kind: 'invalid-token' }, 'unknown', {}, 401],
    ['anyone, an account', plain('anyone'), account, 'own', {}, 'success'],
    ['person, an account', plain('person'), account, 'own', {}, 403],
    ['a role', FOR_ADMINS, admin, 'own', {}, 'success'],
    ['an account by its role', FOR_ADMINS, account, 'own', {}, 'success'],
    ['a lesser role', FOR_ADMINS, guest, 'own', {}, 403],
    ['a lesser role, a missing part', FOR_ADMINS, guest, 'missing-part', {}, 403],
    ['a role, a missing part', FOR_ADMINS, admin, 'missing-part', {}, 404],
    ['a lesser role, a foreign part', FOR_ADMINS, guest, 'foreign-part', {}, 403],
    ['a role, a foreign part', FOR_ADMINS, admin, 'foreign-part', {}, 404],
    ['no role', FOR_ADMINS, outsider, 'own', {}, 404],
    ['another workspace', FOR_ADMINS, admin, 'other', {}, 404],
    ['a role elsewhere', FOR_ADMINS, stranger, 'own', {}, 404],
    ['a role elsewhere, there', FOR_ADMINS, stranger, 'other', {}, 'success'],
    ['a bad key beside a token, where keys count', WITH_KEY, beside, 'own', {}, 401],
    ['a bad key beside a token, where none counts', FOR_ADMINS, beside, 'own', {}, 'success'],
    ['an unknown id', FOR_ADMINS, admin, 'unknown', {}, 404],
    ['an operator is no member', FOR_ADMINS, operator, 'own', {}, 404],
    ['self', MEMBERSHIP, guest, 'own', { self: true }, 'success'],
    ['self in another workspace', MEMBERSHIP, guest, 'other', { self: true }, 404],
    ['an OWNER, by an ADMIN', MEMBERSHIP, admin, 'own', { owner: true }, 403],
    ['not-self', ROLE, admin, 'own', { self: true }, 403],
    ['a key with the scope', WITH_KEY, key, 'own', {}, 'success'],
    ['a key without the scope', KEY, key, 'own', {}, 403],
    ['a key of another workspace', WITH_KEY, strangeKey, 'own', {}, 404],
    ['a key where none counts', FOR_ADMINS, key, 'own', {}, 401],
    ['a person where only keys count', KEY, admin, 'own', {}, 401],
    ['a bad key', WITH_KEY, { kind: 'invalid-key' }, 'own', {}, 401],
    ['operator', plain('operator'), operator, 'own', {}, 'success'],
    ['operator, an unknown id', plain('operator'), operator, 'unknown', {}, 404],
    ['operator, a person', plain('operator'), admin, 'unknown', {}, 403],
    [
      'self-or-operator, oneself',
      plain('self-or-operator'),
      guest,
      'own',
      { self: true },
      'success',
    ],
    ['self-or-operator, an operator', plain('self-or-operator'), operator, 'own', {}, 'success'],
    ['self-or-operator, unknown', plain('self-or-operator'), operator, 'unknown', {}, 404],
    ['self-or-operator, another', plain('self-or-operator'), guest, 'unknown', {}, 403],
    ['invitee', plain('invitee'), guest, 'own', { self: true }, 'success'],
    ['invitee, another', plain('invitee'), admin, 'own', {}, 404],
    ['own', plain('person', 'own'), guest, 'own', { self: true }, 'success'],
    ["another's own", plain('person', 'own'), admin, 'own', {}, 404],
  ])('%s', (_what, which, caller, target, concern, expected) => {
    expect(expectedAnswer(which, caller, target, concern)).toBe(expected);
  });

  it('of members where the note of the row says so', () => {
    const noted = row('anyone\t-\t-\t-\t-\t-\t-\t-\twith workspaceId: a member of it');
    expect(expectedAnswer(noted, guest, 'own')).toBe('success');
    expect(expectedAnswer(noted, outsider, 'own')).toBe(404);
  });
});
