import { areAddresses } from '@workspace-automation/moleculer-nats/address';
import { z } from 'zod';
import { areCertificates } from './values/certificates.ts';
import { optional } from './values/text-values.ts';

/** The variables of NATS, which connects the processes of one system. */
export const natsVariables = {
  NATS_URL: optional(z.string().refine(areAddresses, 'nats:// or tls:// addresses')),
  NATS_CA: optional(z.string().refine(areCertificates, 'certificates in PEM')),
};
