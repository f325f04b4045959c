import { areAddresses } from '@workspace-automation/moleculer-nats/address';
import { z } from 'zod';
import { optional } from './values/text-values.ts';

/** The variables of NATS, which connects the processes of one system. */
export const natsVariables = {
  NATS_URL: optional(z.string().refine(areAddresses, 'nats:// or tls:// addresses')),
};
