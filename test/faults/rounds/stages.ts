import { createWorkspace, PASSWORD, type Person, registerVerified } from '../../helpers/people.ts';
import { type Kind, System } from '../../helpers/system.ts';
import type { Stage } from './scenario.ts';

/** The environment of the processes of every system. */
const ENV = {
  OUTBOUND_ALLOW: '127.0.0.0/8',
  PUBLIC_URL: 'http://service.test',
  LOG_LEVEL: 'warn',
  RUN_CONCURRENCY: '6', // few slots: a slot that leaks is missed soon
};
/** Milliseconds after which the owner signs in again before a round. An access token is valid for 15 minutes. */
const SIGN_IN_EVERY_MS = 8 * 60_000;

/** Systems with an owner of workspaces. One that a scenario has left is taken for the next of the same kinds. */
export class Stages {
  readonly #left = new Map<string, Omit<Stage, 'workspaceId'>[]>();
  readonly #signedInAt = new Map<Person, number>();

  async take(kinds: readonly Kind[]): Promise<Stage> {
    const { system, owner } = this.#left.get(kinds.join(' '))?.pop() ?? (await this.#start(kinds));
    await this.renewToken(owner);
    return { system, owner, workspaceId: await createWorkspace(owner) };
  }

  /** Leaves a system that is well to the scenarios after. */
  leave(kinds: readonly Kind[], stage: Stage): void {
    const name = kinds.join(' ');
    this.#left.set(name, [...(this.#left.get(name) ?? []), stage]);
  }

  /** Ends the systems that are left. */
  async stop(): Promise<void> {
    await Promise.all([...this.#left.values()].flat().map(({ system }) => system.kill()));
  }

  /** Signs the person in again where the access token is about to expire. */
  async renewToken(owner: Person): Promise<void> {
    if (performance.now() - (this.#signedInAt.get(owner) ?? 0) < SIGN_IN_EVERY_MS) return;
    const body = { email: owner.email, password: PASSWORD };
    const answer = await owner.call<{ accessToken: string }>('POST', '/auth/sign-in', { body });
    if (answer.status !== 200) throw new Error(`the sign-in answered ${answer.text}`);
    owner.token = answer.body.accessToken;
    this.#signedInAt.set(owner, performance.now());
  }

  async #start(kinds: readonly Kind[]): Promise<Omit<Stage, 'workspaceId'>> {
    const system = await new System(kinds).start(ENV);
    const owner = system.follow(await registerVerified(system.url));
    this.#signedInAt.set(owner, performance.now());
    return { system, owner };
  }
}
