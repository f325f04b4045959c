import { setTimeout as sleep } from 'node:timers/promises';
import type { Actor } from '../../contract/caller.ts';
import type { Published } from './branch/branch-state.ts';
import type { StoredBranch } from './branches.store.ts';
import { hasComeAbout, settlePublication } from './pending-publication.ts';
import { completePublication } from './rebase-branch.ts';

/** Milliseconds for which a publication waits for the same other one. Beyond them that one counts as given up. */
const GIVEN_UP_AFTER_MS = 3_000;
/** Milliseconds between two looks at a publication of somebody else. */
const LOOK_EVERY_MS = 25;

/** Other publications of a branch, as one publication meets them. */
export class OtherPublications {
  readonly #actor: Actor;
  #waiting = { id: '', since: 0 };
  /** The branch with the mark of the publication that was given up last. That publication may still come about. */
  #givenUp: StoredBranch | undefined;

  constructor(actor: Actor) {
    this.#actor = actor;
  }

  /** Settles another publication that stands in the way. False where the branch has to be read again. */
  async settle(branch: StoredBranch, published: Published): Promise<boolean> {
    if (this.#givenUp && hasComeAbout(this.#givenUp, published)) {
      await completePublication(this.#givenUp, published, this.#actor);
      this.#givenUp = undefined;
      return false;
    }
    if (!branch.pendingPublication) return true;
    const { id } = branch.pendingPublication;
    if (this.#waiting.id !== id) this.#waiting = { id, since: performance.now() };
    const isGivenUp = performance.now() - this.#waiting.since > GIVEN_UP_AFTER_MS;
    if (isGivenUp) this.#givenUp = branch;
    const isSettled = await settlePublication(branch, published, this.#actor, isGivenUp);
    if (!isSettled) await sleep(LOOK_EVERY_MS);
    return false;
  }
}
