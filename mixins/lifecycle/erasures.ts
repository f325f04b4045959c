import type { Service, ServiceSchema } from 'moleculer';
import type { ErasureDocument, ErasureKind } from '../../models/erasure.model.ts';
import { ERASURES } from '../../models/erasure.model.ts';
import { IDLE_FACTOR } from '../../support/activity.ts';
import { levelOfFailure } from '../../support/stopping-brokers.ts';
import { Collections } from '../database/database.ts';
import { Sweep } from '../sweep.ts';
import type { AnyModel } from './erasure-batches.ts';
import { type ErasureTools, personSteps, workspaceSteps } from './erasure-steps.ts';
import { ErasureWorker } from './erasure-worker.ts';

/** Milliseconds between two looks for erasures that a crash has left, or that another process has begun. */
const SWEEP_EVERY_MS = 5_000;

interface Entry {
  at: string;
}
type WorkspaceEntry = Entry & { workspaceId: number };
type PersonEntry = Entry & { userId: number; addresses?: string[] | undefined };
interface Call<E> {
  params: { entries: readonly E[] };
}

/** The collections of a service, and what becomes of them when a workspace or a person is deleted. */
export interface Erasures {
  /** Makes the collections, and carries erasures out while the service runs. */
  mixin: Partial<ServiceSchema>;
  /** The handlers of `lifecycleActions`. Each begins erasures; one that has begun goes on. */
  handlers: {
    eraseWorkspace: (ctx: Call<WorkspaceEntry>) => Promise<null>;
    erasePerson: (ctx: Call<PersonEntry>) => Promise<null>;
  };
}

/**
 * Makes the erasures of a service by the lifecycles of its models. The collections are handled in their order. The
 * hooks of `toolsOf` are called before the documents of a deleted workspace are removed from a collection.
 */
export function erasuresOf(
  service: keyof typeof ERASURES,
  models: readonly AnyModel[],
  toolsOf: (service: Service) => ErasureTools = () => ({}),
): Erasures {
  const erasures = ERASURES[service];
  let worker: ErasureWorker | undefined;
  const begin = async (kind: ErasureKind, documents: readonly Begun[]): Promise<null> => {
    const begun = documents.map((document) => newErasure(kind, document));
    await erasures.bulkWrite(
      begun.map(({ _id, ...fields }) => ({
        updateOne: { filter: { _id }, update: { $setOnInsert: fields }, upsert: true },
      })),
      { ordered: false },
    );
    worker?.wake();
    return null;
  };
  return {
    mixin: {
      mixins: [
        Collections(...models, erasures),
        Sweep(SWEEP_EVERY_MS, async () => worker?.wake(), IDLE_FACTOR),
      ],
      created(this: Service) {
        const { hooks, finders } = toolsOf(this);
        worker = new ErasureWorker({
          erasures,
          steps: {
            workspace: workspaceSteps(models, hooks),
            person: personSteps(models, finders),
          },
          onError: (error) =>
            this.logger[levelOfFailure(this.broker, error)](
              { err: error },
              'An erasure is repeated later',
            ),
        });
      },
      async stopped() {
        await worker?.stop();
      },
    },
    handlers: {
      eraseWorkspace: ({ params }) =>
        begin(
          'workspace',
          params.entries.map(({ at, workspaceId }) => ({ at, targetId: workspaceId })),
        ),
      erasePerson: ({ params }) =>
        begin(
          'person',
          params.entries.map(({ at, userId, addresses }) => ({ at, targetId: userId, addresses })),
        ),
    },
  };
}

interface Begun {
  at: string;
  targetId: number;
  addresses?: string[] | undefined;
}

const newErasure = (
  kind: ErasureKind,
  { at, targetId, addresses = [] }: Begun,
): ErasureDocument => ({
  _id: `${kind}/${targetId}`,
  kind,
  targetId,
  addresses,
  requestedAt: new Date(at),
  pass: 0,
  step: null,
  after: null,
  dueAt: new Date(at),
  lease: null,
  failures: 0,
});
