import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor } from '../../contract/caller.ts';
import type { Published } from './branch/branch-state.ts';
import type { StoredBranch } from './branches.store.ts';
import { isPendingPublished, settlePublication } from './pending-publication.ts';
import { completePublication } from './rebase-branch.ts';

/** Milliseconds for which a publication waits for one other publication. Then the other publication counts as given up. */
const GIVE_UP_TIMEOUT_MS = 3_000;
/** Milliseconds between two looks at another publication. */
const LOOK_INTERVAL_MS = 25;

/** The publications of a branch by other requests, for which one publication waits. */
export class OtherPublications {
  readonly #actor: Actor;
  #waiting = { id: '', since: 0 };
  /** The branch with the mark of the publication that was given up last. That publication may still come about. */
  #givenUp: StoredBranch | undefined;

  constructor(actor: Actor) {
    this.#actor = actor;
  }

  /** Completes or drops the pending publication of another request. Returns false where the branch has to be read again. */
  async settle(branch: StoredBranch, published: Published): Promise<boolean> {
    if (this.#givenUp && isPendingPublished(this.#givenUp, published)) {
      await completePublication(this.#givenUp, published, this.#actor);
      this.#givenUp = undefined;
      return false;
    }
    if (!branch.pendingPublication) return true;
    const { id } = branch.pendingPublication;
    if (this.#waiting.id !== id) this.#waiting = { id, since: performance.now() };
    const isGivenUp = performance.now() - this.#waiting.since > GIVE_UP_TIMEOUT_MS;
    if (isGivenUp) this.#givenUp = branch;
    const isSettled = await settlePublication(branch, published, this.#actor, isGivenUp);
    if (!isSettled) await sleep(LOOK_INTERVAL_MS);
    return false;
  }
}
