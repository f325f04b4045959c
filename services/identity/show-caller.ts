import type { Caller } from '../../contract/caller.ts';
import { showCallingAccount } from './service-accounts/find-account.ts';
import { getCallingUser, showMe } from './users/users.ts';

/** The caller as the caller sees itself: a person, or a service account. */
export async function showCaller(caller: Caller) {
  if (caller.kind === 'service-account') return showCallingAccount(caller);
  return showMe(await getCallingUser(caller));
}
