import { DeliveryWorld } from './deliveries/delivery-world.ts';
import { RestoreWorld } from './restores/restore-world.ts';
import type { RoundWorld } from './round-world.ts';
import { RunRounds } from './runs/run-rounds.ts';
import { SCENARIOS } from './runs/scenarios.ts';
import { TriggerWorld } from './triggers/trigger-world.ts';

type StartWorld = () => Promise<RoundWorld>;

const ofRuns = Object.entries(SCENARIOS).map(([name, scenario]): [string, StartWorld] => [
  name,
  () => RunRounds.start(scenario),
]);

/** Starts the world of each kind of rounds. Lanes take the kinds in this order. */
export const ROUND_KINDS: Readonly<Record<string, StartWorld>> = {
  deliveries: () => DeliveryWorld.start(),
  triggers: () => TriggerWorld.start(),
  restores: () => RestoreWorld.start(),
  ...Object.fromEntries(ofRuns),
};
