import { NotFound, Problem, problemType } from '../../contract/problem.ts';

export const SubscriptionDisabled = problemType(
  'SUBSCRIPTION_DISABLED',
  409,
  'The subscription is switched off',
);

export const noSubscription = (id: number): Problem =>
  new Problem(NotFound, `There is no event subscription ${id}.`);

export const subscriptionDisabled = (id: number): Problem =>
  new Problem(SubscriptionDisabled, `Switch event subscription ${id} on before the replay.`);
