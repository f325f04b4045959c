import { request } from '../../helpers/http.ts';
import { PASSWORD, type Person, registerVerified } from '../../helpers/people.ts';
import type { System } from '../system.ts';

/** Milliseconds after which the person signs in again before a round. An access token is valid for 15 minutes. */
const SIGN_IN_EVERY_MS = 8 * 60_000;
/** An address where nothing listens, for requests while no gateway runs. */
const NOWHERE = 'http://127.0.0.1:9';

/** A person whose requests go to the first gateway that is running. */
export class RoundPerson {
  readonly person: Person;
  #signedInAt = performance.now();

  private constructor(person: Person) {
    this.person = person;
  }

  static async register(system: System): Promise<RoundPerson> {
    const person = await registerVerified(system.urls[0] ?? '');
    person.call = (method, path, options) =>
      request(system.urls[0] ?? NOWHERE, method, path, { token: person.token, ...options });
    return new RoundPerson(person);
  }

  /** Signs the person in again where the access token is about to expire. */
  async renewToken(): Promise<void> {
    if (performance.now() - this.#signedInAt < SIGN_IN_EVERY_MS) return;
    const body = { email: this.person.email, password: PASSWORD };
    const answer = await this.person.call<{ accessToken: string }>('POST', '/auth/sign-in', {
      body,
    });
    if (answer.status !== 200) throw new Error(`the sign-in answered ${answer.text}`);
    this.person.token = answer.body.accessToken;
    this.#signedInAt = performance.now();
  }
}
