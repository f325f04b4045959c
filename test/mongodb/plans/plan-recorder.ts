import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { BSON } from 'mongodb';
import { commandNameOf, driverNameOf, readCommand } from './wire-commands.ts';
import { type Finding, findingOf } from './findings.ts';
import { type Route, routeOf } from './routes.ts';
import { type Fields, shapeOf, statementsOf } from './shapes.ts';

/** What is known of a shape of commands: a line of a record. `finding` is missing where its plan is as it should be. */
export interface RecordedPlan {
  shape: string;
  route: Route;
  finding?: Finding;
  /** The stages of the winning plan, from the outermost. */
  stages: string;
}

/** The driver of the service. Tests that look into the database use a driver of another name. */
const SERVICE_DRIVER = 'nodejs|Mongoose';

/**
 * Explains the commands of the service on the engine that answers them, just before their answers: then the collections
 * are those that a command meets. A shape is explained until its plan is as it should be, because a service that starts
 * reads before all of its indexes are made.
 */
export class PlanRecorder {
  readonly #file: string;
  readonly #roundTrip: (request: Buffer) => Promise<Buffer>;
  /** The finding of each shape, as last recorded. */
  readonly #recorded = new Map<string, Finding | 'none'>();

  /** Appends to a file of this process in the folder. */
  constructor(folder: string, roundTrip: (request: Buffer) => Promise<Buffer>) {
    this.#file = join(folder, `${process.pid}.jsonl`);
    this.#roundTrip = roundTrip;
  }

  /** Returns what records the requests of a connection, in their order. */
  ofConnection(): { record(request: Buffer): Promise<void> } {
    let driver: string | undefined;
    return {
      record: async (request) => {
        driver ??= driverNameOf(request);
        if (driver === SERVICE_DRIVER) await this.#record(request);
      },
    };
  }

  async #record(request: Buffer): Promise<void> {
    const name = commandNameOf(request);
    if (name === undefined) return;
    const command = readCommand(request);
    for (const statement of statementsOf(name, command)) {
      const shape = shapeOf(name, statement);
      const before = this.#recorded.get(shape);
      if (before === 'none') continue;
      const plan = findingOf(name, statement, await this.#explain(statement, command.$db));
      const finding = plan?.finding ?? 'none';
      if (!plan || finding === before) continue;
      this.#recorded.set(shape, finding);
      this.#append({ shape, route: routeOf(name, statement), ...plan });
    }
  }

  #append(plan: RecordedPlan): void {
    appendFileSync(this.#file, `${JSON.stringify(plan)}\n`);
  }

  async #explain(statement: Fields, $db: unknown): Promise<Fields> {
    const body = BSON.serialize({ explain: statement, verbosity: 'queryPlanner', $db });
    const request = Buffer.alloc(21 + body.length);
    request.writeInt32LE(request.length, 0);
    request.writeInt32LE(2013, 12);
    request.set(body, 21);
    return BSON.deserialize(await this.#roundTrip(request));
  }
}
