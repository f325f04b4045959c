import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook as Signer } from 'standardwebhooks';
import { hashOf } from '../../../../support/hash.ts';
import type { Person } from '../../../helpers/people.ts';
import type { Fault } from '../../checks.ts';
import { type Client, newSecret, postOnce, sendUntilAcknowledged } from '../clients.ts';
import { pick } from '../kills.ts';
import type { StartedByTriggers } from './started-by-triggers.ts';

/** Milliseconds of the longest pause of a client between two requests. */
const LONGEST_PAUSE_MS = 120;
/** The part of the requests that a sender sends twice at once, as one that repeats too early. */
const TWICE_AT_ONCE = 0.2;

/** A webhook; its requests are signed where it has a secret. */
export interface Hook {
  id: number;
  path: string;
  secret: string | null;
}

/** Creates a webhook with a secret and another without. */
export async function createHooks(person: Person, flowId: number): Promise<Hook[]> {
  const path = `/flows/${flowId}/webhooks`;
  const create = async (secret: string | null): Promise<Hook> => {
    const order = { key: secret ? 'signed' : 'unsigned', body: { secret } };
    const { id, url } = await postOnce<{ id: number; url: string }>(person, [201], path, order);
    return { id, path: new URL(url).pathname, secret };
  };
  return [await create(null), await create(newSecret())];
}

/** Requests to webhooks, each repeated under its `webhook-id` until it is acknowledged. */
export class HookCalls {
  readonly #person: Person;
  readonly #hooks: readonly Hook[];
  readonly #name: string;
  readonly #random: () => number;
  /** The runs of the answers to each request, by the start key. */
  readonly #answers = new Map<string, number[]>();

  constructor(person: Person, hooks: readonly Hook[], name: string, random: () => number) {
    this.#person = person;
    this.#hooks = hooks;
    this.#name = name;
    this.#random = random;
  }

  get size(): number {
    return this.#answers.size;
  }

  readonly client: Client = async (isStopped) => {
    while (!isStopped()) {
      await sleep(this.#random() * LONGEST_PAUSE_MS);
      const id = `${this.#name}n${this.size}`;
      const hook = pick(this.#random, this.#hooks);
      const runIds: number[] = [];
      this.#answers.set(`webhook/${hook.id}/${hashOf(id)}`, runIds);
      const times = this.#random() < TWICE_AT_ONCE ? 2 : 1;
      const send = async () => void runIds.push(await this.#send(hook, id));
      await Promise.all(Array.from({ length: times }, send));
    }
  };

  async #send({ path, secret }: Hook, id: string): Promise<number> {
    const raw = JSON.stringify({ id });
    const at = new Date();
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    };
    if (secret) headers['webhook-signature'] = new Signer(secret).sign(id, at, raw);
    const answer = await sendUntilAcknowledged<{ runId: number }>(
      this.#person,
      [202],
      ['POST', path, { raw, headers }],
    );
    return answer.body.runId;
  }

  faultsOf(started: StartedByTriggers): Fault[] {
    return [...this.#answers].flatMap(([startKey, answered]) => {
      const made = started.of(startKey).map(({ _id }) => _id);
      const isRight = made.length === 1 && answered.every((runId) => runId === made[0]);
      return isRight ? [] : [`${startKey} made the runs ${made}, and was answered ${answered}`];
    });
  }
}
