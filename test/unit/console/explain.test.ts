import { contractOf } from '../../../console/contract-index.ts';
import {
  explain as explainContract,
  type Question,
  type Rule,
  type Settings,
} from '../../../console/explain.ts';
import { type Access, ADMINS, EVERY_ROLE } from '../../../contract/access-rule.ts';

const inWorkspace = { parameter: 'workspaceId' };
const asking = (role: 'OWNER' | 'GUEST' | null) => ({ userId: 5, workspaceId: 17, role });

const OPEN: Settings = { isLocalDevelopment: true, REGISTRATION: 'open' };
const PRODUCTION: Settings = { isLocalDevelopment: false, REGISTRATION: 'closed' };
const explain = (access: Access, question: Question) => explainContract({ access }, question, OPEN);
const explainAction = (action: string, settings: Settings, question = asking(null)) =>
  explainContract(contractOf(action) as Rule, question, settings);

describe('explain', () => {
  it('knows that statistics of a workspace are for its members', () => {
    expect(explainAction('runs.statistics', OPEN, asking('GUEST')).allowed).toBe(true);
    const { allowed, why } = explainAction('runs.statistics', OPEN);
    expect(allowed).toBe(false);
    expect(why).toMatch(/user 5 has no role in workspace 17.*404.*Without workspaceId every/);
  });

  it('knows what the settings take away', () => {
    for (const action of ['identity.register', 'identity.listOutbox']) {
      expect(explainAction(action, OPEN).allowed).toBe(true);
      expect(explainAction(action, PRODUCTION).allowed).toBe(false);
    }
    expect(explainAction('identity.signIn', PRODUCTION).allowed).toBe(true);
  });

  it('names the role that lets a member in', () => {
    const access = { who: 'member', roles: EVERY_ROLE, in: inWorkspace } as const;
    expect(explain(access, asking('GUEST'))).toEqual({
      allowed: true,
      why: 'GUEST is one of OWNER, ADMIN, MEMBER, AGENT, GUEST.',
    });
  });

  it('says of somebody without a role that the answer is 404', () => {
    const access = { who: 'member', roles: EVERY_ROLE, in: inWorkspace } as const;
    const { allowed, why } = explain(access, asking(null));
    expect(allowed).toBe(false);
    expect(why).toMatch(/user 5 has no role in workspace 17.*404/);
  });

  it('says of a role that is not enough that the answer is 403', () => {
    const access = { who: 'member', roles: ADMINS, in: inWorkspace } as const;
    const { allowed, why } = explain(access, asking('GUEST'));
    expect(allowed).toBe(false);
    expect(why).toMatch(/GUEST is none of OWNER, ADMIN.*403/);
  });

  it('knows what everybody may do to themselves, and what narrows a role', () => {
    const rules = ['self', 'owner-for-owner'] as const;
    const access = { who: 'member', roles: ADMINS, in: inWorkspace, rules } as const;
    expect(explain(access, asking('GUEST'))).toMatchObject({ allowed: true });
    expect(explain(access, asking('GUEST')).why).toContain('themselves');
    expect(explain(access, asking('OWNER')).why).toContain('only as OWNER');
  });

  it.each([
    [{ who: 'public' }, true],
    [{ who: 'authenticated' }, true],
    [{ who: 'person' }, true],
    [{ who: 'internal' }, false],
    [{ who: 'internal', answersSecrets: true }, false],
    [{ who: 'key', scope: 'issues:create', in: inWorkspace }, false],
    [{ who: 'run', in: inWorkspace }, false],
  ] as const)('%j opens to a signed-in person: %s', (access, allowed) => {
    expect(explain(access, asking(null)).allowed).toBe(allowed);
  });
});
