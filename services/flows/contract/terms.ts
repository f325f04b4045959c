import { z } from 'zod';
import { EVERY_ROLE } from '../../../contract/access-rule.ts';
import { NotFound } from '../../../contract/problem.ts';
import { FlowNameTaken, FlowTooComplex, TooManyFiles } from '../flows.problems.ts';
import { CheckedFlow, Flow, WarningCount } from './resources.ts';

/** Bytes of a body with a flow file, with the escapes of JSON. Beyond it the answer is 413. */
export const BODY_LIMIT = 1024 * 1024;
/** Bytes of a file. The gateway cuts a longer file, and the service refuses the file by its length. */
export const truncateAt = { content: 256 * 1024 };
/** Milliseconds of the deadline, beyond which the call fails. A check takes up to 2 s of CPU time, after queued checks. */
export const COMPILING_MS = 30_000;

export const inWorkspace = { parameter: 'workspaceId' } as const;
export const ofFlow = { resource: 'flow', parameter: 'flowId' } as const;

/** The terms of every read of a flow. */
export const readsFlow = {
  access: { who: 'member', roles: EVERY_ROLE, in: ofFlow },
  errors: [NotFound],
  idempotent: true,
} as const;

export const content = z
  .string()
  .meta({ description: 'A flow file, YAML or JSON, kept as given; at most 256 KiB of UTF-8' });
/** The file as the body itself (RFC 9512), as `curl --data-binary @flow.yaml` sends it. */
export const textBody = { field: 'content', mediaType: 'application/yaml' } as const;

/** The terms of every operation that may store a version. */
export const storesVersion = {
  timeoutMs: COMPILING_MS,
  result: CheckedFlow,
  resultHeaders: {
    body: Flow,
    fields: {
      warnings: {
        header: 'X-Flow-Warnings',
        type: WarningCount,
        description:
          'Number of warnings of a new file, 101 where there are more; absent when no file was checked. `POST /flows/validate` names them.',
      },
    },
  },
  errors: [NotFound, FlowNameTaken, FlowTooComplex, TooManyFiles],
} as const;

/** The terms of an operation whose body brings a file to store. */
export const storesFile = {
  ...storesVersion,
  bodyLimit: BODY_LIMIT,
  truncateAt,
  textBody,
} as const;
