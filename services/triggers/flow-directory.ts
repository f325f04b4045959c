import type { ServiceBroker } from 'moleculer';
import { asSystem } from '../../contract/caller.ts';
import { batchById } from '../../mixins/database/batch-loader.ts';
import type { Actions } from '../contracts.ts';

/** A flow as triggers know it. */
export type FlowSummary = Actions['flows.flowsByIds']['result']['flows'][number];

/** Finds a flow; null when there is none. Finds of one turn of the event loop share one call. */
export type FindFlow = (flowId: number) => Promise<FlowSummary | null>;

/** Makes the lookup of flows of this service, which asks the service `flows`. */
export const flowFinder = (broker: ServiceBroker): FindFlow =>
  batchById(
    async (ids: number[]) => {
      const { flows } = await broker.call<
        Actions['flows.flowsByIds']['result'],
        Actions['flows.flowsByIds']['params']
      >('flows.flowsByIds', { ids }, asSystem('triggers'));
      return flows;
    },
    ({ id }) => id,
  );
