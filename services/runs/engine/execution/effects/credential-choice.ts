import {
  type ApiDescriptionEffect,
  configurationMissing,
} from '@workspace-automation/flow-language';
import type { Params } from '../../../../contracts.ts';
import type { FlowCredentialPair } from '../../../starts/run-configuration.ts';
import type { EffectContext } from './effect.ts';

type CredentialChoice = Params<'connections.prepareCall'>['credential'];

/** Finds the credential that a task names. `source` and `destination` are those of the run's store for its flow. */
export function chooseCredential(
  credential: ApiDescriptionEffect['credential'],
  run: EffectContext['run'],
): CredentialChoice {
  if (credential === null) return { kind: 'own' };
  if (credential === 'none') return { kind: 'none' };
  if (typeof credential === 'number') return { kind: 'id', id: credential };
  return { kind: 'id', id: credentialOfPair(credential, run) };
}

/** Why an execution has no credential of a pair. */
const NEEDS_FLOW =
  'needs a run of a flow: executions of workflows have no pairs of credentials, but may name a credential by its id';

function credentialOfPair(side: 'source' | 'destination', run: EffectContext['run']): number {
  const { configuration, flowId, execution } = run;
  if (execution) throw configurationMissing(`"${side}" ${NEEDS_FLOW}`);
  if (!configuration)
    throw configurationMissing(`"${side}" needs a run that was started with a configuration`);
  const store = `the configuration store ${configuration.externalId}`;
  const pairs = JSON.parse(configuration.pairs) as FlowCredentialPair[];
  const pair = pairs.find((each) => each.flowId === flowId);
  if (!pair) throw configurationMissing(`${store} has no credentials for this flow`);
  const id = pair[`${side}AuthCredentialId`];
  if (id === null) throw configurationMissing(`${store} has no ${side} credential for this flow`);
  return id;
}
