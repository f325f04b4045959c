import { z } from 'zod';
import { action, defineContract } from '../../contract/contract.ts';
import { NotReady } from './api.problems.ts';
import { mcpActions } from './mcp/mcp.contract.ts';

export const Dependency = z.enum(['up', 'full', 'down']);
/** `full` is a database that refuses writes because its disk is full. */
export type DependencyState = z.infer<typeof Dependency>;

/** What runs: every answer about health has it. */
const buildExample = { version: '1.0.0', commit: '8f2d6c0b1e4a7f3957c2d8e6a1b0f4c3d5e7a9b2' };
const Build = {
  version: z
    .string()
    .meta({ description: 'The version of the service', examples: [buildExample.version] }),
  commit: z.string().meta({
    description: 'The commit of its source; `unknown` where the build does not say',
    examples: [buildExample.commit],
  }),
};

export const apiContract = defineContract(
  'api',
  'Health, reference and tools of the service itself',
  {
    home: action({
      summary: 'A page that says what this is and where things are',
      description:
        'It also takes the links of mails: `#verify=`, `#reset=` and `#invitation=` with a token show the form for it.',
      route: 'GET /',
      tool: { none: 'it is a page for people' },
      access: { who: 'public' },
      result: z.string(),
      format: 'html',
    }),
    live: action({
      summary: 'Whether the process runs',
      route: 'GET /health/live',
      tool: { none: 'it is for operators' },
      access: { who: 'public' },
      unlimited: true,
      result: z.strictObject({ status: z.literal('up'), ...Build }),
      example: { answer: { status: 'up', ...buildExample } },
    }),
    ready: action({
      summary: 'Whether the service can take requests, by dependency',
      description:
        'Every service, the database, and NATS where there is one. Answers 503 with the same `dependencies`, `version` and `commit` while the process stops, and while the database, NATS, `identity` or `workspaces` is away. It also answers 503 while the disk of the database is full (`database` is `full`): requests that write are 503 `STORAGE_FULL` then, and reads are answered, except by services that started on the full disk and wait for room. While another service is away, only its own operations answer 503.',
      route: 'GET /health/ready',
      tool: { none: 'it is for operators' },
      access: { who: 'public' },
      unlimited: true,
      result: z.strictObject({
        status: z.literal('up'),
        dependencies: z.record(z.string(), Dependency),
        ...Build,
      }),
      errors: [NotReady],
      example: {
        answer: {
          status: 'up',
          dependencies: { database: 'up', identity: 'up', workspaces: 'up' },
          ...buildExample,
        },
      },
    }),
    openapi: action({
      summary: 'This interface as an OpenAPI 3.1 document',
      route: 'GET /openapi.json',
      tool: { none: 'it describes HTTP' },
      access: { who: 'public' },
      result: z.record(z.string(), z.unknown()),
    }),
    docs: action({
      summary: 'A reference page that works without the internet',
      route: 'GET /docs',
      tool: { none: 'it is a page for people' },
      access: { who: 'public' },
      result: z.string(),
      format: 'html',
    }),
    ...mcpActions,
  },
);
