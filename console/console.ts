import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertNatsAnswers, connectionOf, RemoteCalls } from '@workspace-automation/moleculer-nats';
import { type BrokerOptions, type Middleware, ServiceBroker } from 'moleculer';
import { asConsole, type Caller, nameOfCaller } from '../contract/caller.ts';
import { build, buildText } from '../environment/build.ts';
import { environment } from '../environment/environment.ts';
import { CallerPropagation } from '../middlewares/caller-propagation.ts';
import { natsProblems } from '../middlewares/nats-problems.ts';
import { brokerOptions, nodeIdFor } from '../moleculer.config.ts';
import { type Actions, contracts } from '../services/contracts.ts';
import { Output } from './output.ts';

/** Milliseconds that NATS may take to answer; beyond this time the console ends with an error of one line. */
const NATS_TIMEOUT_MS = 3_000;
/** Milliseconds that the first service may take to appear; then the console ends with an error of one line. */
const SERVICES_TIMEOUT_MS = 5_000;

type BrokerCall = (name: string, params: unknown, opts?: object) => Promise<unknown>;

/** The operator's node in the system, which has no services. */
export class Console {
  readonly output = new Output();
  /** The line that is executed now, as it was typed. */
  line = '';
  /** Whether the operator has left: lines that follow are not executed. */
  hasLeft = false;
  #caller: Caller = asConsole.meta.caller;
  #onCallerChange: () => void = () => undefined;
  #onEnd: () => void = () => undefined;
  #broker: ServiceBroker | undefined;

  get broker(): ServiceBroker {
    if (!this.#broker) throw new TypeError('the console has not joined yet');
    return this.#broker;
  }

  /** The caller of the next calls. */
  get caller(): Caller {
    return this.#caller;
  }

  setCaller(caller: Caller): void {
    this.#caller = caller;
    this.#onCallerChange();
  }

  /** Names the caller of the next calls, as `operator-console $` or `user:42 $`. */
  get prompt(): string {
    return `${nameOfCaller(this.#caller)} $ `;
  }

  /** Sets what follows a change of the caller and the end of the session. */
  onChange(onCallerChange: () => void, onEnd: () => void): void {
    this.#onCallerChange = onCallerChange;
    this.#onEnd = onEnd;
  }

  /** Ends the session after the present line. */
  end(): void {
    this.hasLeft = true;
    this.#onEnd();
  }

  /** Joins the system, or throws an Error of one line. */
  async join(customCommands: readonly object[]): Promise<void> {
    await assertNatsAcceptsConsole();
    this.#broker = new ServiceBroker({
      ...brokerOptions,
      nodeID: nodeIdFor(`console-${hostname()}-${process.pid}`),
      logger: false,
      middlewares: [RemoteCalls(natsProblems), CallerPropagation, this.#callsAsCaller()],
      replOptions: { delimiter: this.prompt, customCommands } as BrokerOptions['replOptions'],
    });
    await this.broker.start();
    const end = performance.now() + SERVICES_TIMEOUT_MS;
    while (this.availableServices().length === 0) {
      if (performance.now() > end) {
        throw new Error('NATS answers, but no service of the system has been heard of on it.');
      }
      await sleep(50);
    }
  }

  leave(): Promise<void> {
    return this.broker.stop();
  }

  /** The names of the services that some process runs now. */
  availableServices(): string[] {
    const heard = this.broker.registry.getServiceList({ onlyAvailable: true });
    const names = new Set(heard.map(({ name }) => name));
    return contracts.map(({ name }) => name as string).filter((name) => names.has(name));
  }

  welcome(): string {
    const missing = contracts
      .map(({ name }) => name)
      .filter((n) => !this.availableServices().includes(n));
    const without = missing.length ? ` Not there: ${missing.join(', ')}.` : '';
    return `Joined as the operator console, version ${buildText(build)}: ${this.availableServices().join(', ')}.${without} \`help\` lists what can be done.`;
  }

  /** Calls an action as the present caller. */
  async call<N extends keyof Actions & string>(
    name: N,
    params: Actions[N]['params'],
  ): Promise<Actions[N]['result']> {
    return this.broker.call<Actions[N]['result'], Actions[N]['params']>(name, params);
  }

  /** Calls an action that only the line names, as the present caller. */
  callAny(name: string, params: unknown): Promise<unknown> {
    return this.broker.call(name, params);
  }

  /** Calls an action as the console itself, even while the console acts as a user. */
  async ask<N extends keyof Actions & string>(
    name: N,
    params: Actions[N]['params'],
  ): Promise<Actions[N]['result']> {
    return this.broker.call<Actions[N]['result'], Actions[N]['params']>(name, params, asConsole);
  }

  #callsAsCaller(): Middleware {
    return {
      name: 'CallsAsCaller',
      call:
        (next: BrokerCall): BrokerCall =>
        (name, params, opts: { meta?: object } = {}) => {
          const caller = opts === asConsole ? asConsole.meta.caller : this.caller;
          return next(name, params, { ...opts, meta: { ...opts.meta, caller } });
        },
    } as unknown as Middleware;
  }
}

/** Throws an Error unless NATS accepts the console. Moleculer would retry for ever, and report only in its log. */
async function assertNatsAcceptsConsole(): Promise<void> {
  const { NATS_URL, NATS_CA } = environment;
  if (!NATS_URL) throw new Error('NATS_URL: unset, but the console joins the system over NATS.');
  const connection = connectionOf(NATS_URL, NATS_CA);
  try {
    await assertNatsAnswers(connection, NATS_TIMEOUT_MS);
  } catch (error) {
    const why = (error as Error).message;
    throw new Error(`NATS_URL: nobody lets us in at ${connection.servers} (${why}).`);
  }
}
