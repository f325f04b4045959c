import type { Access, MemberAccess, MemberRule, Role } from '../contract/access-rule.ts';
import type { ActionContract } from '../contract/contract.ts';
import { RegistrationClosed } from '../services/identity/identity.problems.ts';

export interface Question {
  userId: number;
  workspaceId: number;
  /** The user's role in the workspace now; null without one. */
  role: Role | null;
}
/** The fields of a contract that decide about access. */
export type Rule = Pick<ActionContract, 'access' | 'developmentOnly' | 'errors'>;
export interface Settings {
  isLocalDevelopment: boolean;
  REGISTRATION: 'open' | 'domains' | 'closed';
}
export interface Verdict {
  allowed: boolean;
  why: string;
}

const allowed = (why: string): Verdict => ({ allowed: true, why });
const refused = (why: string): Verdict => ({ allowed: false, why });

/**
 * Explains whether a signed-in person may call an action, by the deciding part of its contract or of the settings.
 */
export function explain(contract: Rule, question: Question, settings: Settings): Verdict {
  const { access, developmentOnly, errors = [] } = contract;
  if (developmentOnly && !settings.isLocalDevelopment) {
    return refused('it is there in development only, for who is at the service’s own machine.');
  }
  if (errors.includes(RegistrationClosed) && settings.REGISTRATION === 'closed') {
    return refused('REGISTRATION=closed; the answer is 403.');
  }
  return explainAccess(access, question);
}

function explainAccess(access: Access, question: Question): Verdict {
  switch (access.who) {
    case 'public':
      return allowed('anybody may call it, without a token.');
    case 'authenticated':
      return explainAnyone(access.memberOf, question);
    case 'person':
      return access.memberOf
        ? explainAnyone(access.memberOf, question)
        : allowed('every signed-in person may call it.');
    case 'invitee':
      return allowed(
        'the person may whose verified address the invitation names; to others the answer is 404.',
      );
    case 'self-or-operator':
      return allowed(
        'every person may call it about themselves, and an operator about every user.',
      );
    case 'operator':
      return allowed('every operator may call it; to others the answer is 403.');
    case 'internal':
      return refused(
        access.answersSecrets
          ? 'only services call it, since it answers secrets; it is not on HTTP.'
          : 'only services and the operator console call it; it is not on HTTP.',
      );
    case 'run':
      return refused(
        'only runs of the workspace call it, by a task of their flow; it is not on HTTP.',
      );
    case 'key':
      return refused(`it takes an API key with the scope ${access.scope}; a token does not do.`);
    case 'member':
      return explainMember(access, question);
  }
}

function explainAnyone(memberOf: string | undefined, { role, ...question }: Question): Verdict {
  if (!memberOf) {
    return allowed('every signed-in caller may call it; it concerns what is the caller’s own.');
  }
  if (role) return allowed(`${role} is a role in the workspace that ${memberOf} names.`);
  return refused(`${nobody(question)} Without ${memberOf} every signed-in caller may call it.`);
}

const nobody = ({ userId, workspaceId }: Omit<Question, 'role'>): string =>
  `user ${userId} has no role in workspace ${workspaceId}, or there is no such workspace; the answer is 404, as if there were nothing.`;

function explainMember(access: MemberAccess, { role, ...question }: Question): Verdict {
  const { roles, rules = [] } = access;
  if (!role) return refused(nobody(question));
  if (roles.includes(role)) {
    return allowed([`${role} is one of ${roles.join(', ')}.`, ...narrowings(rules)].join(' '));
  }
  if (rules.includes('self')) {
    const onlySelf = `${role} is none of ${roles.join(', ')}, but everybody may do it to themselves`;
    return allowed(`${onlySelf}; to others the answer is 403.`);
  }
  return refused(`${role} is none of ${roles.join(', ')}; the answer is 403.`);
}

const NARROWING: Record<MemberRule, string | null> = {
  self: null,
  own: 'Only what they have made themselves; to others the answer is 404.',
  'not-self': 'Not to themselves.',
  'owner-for-owner':
    'Where an OWNER is concerned, only as OWNER; nobody gives a role above their own.',
};
const narrowings = (rules: readonly MemberRule[]): string[] =>
  rules.flatMap((rule) => NARROWING[rule] ?? []);
