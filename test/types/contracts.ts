import { z } from 'zod';
import type { Role } from '../../contract/access-rule.ts';
import { action, defineContract } from '../../contract/contract.ts';
import { type ActionsOf, implementWith, type TypedContext } from '../../contract/contract-types.ts';
import { Id } from '../../contract/fields.ts';

/** Calls that must compile, and calls that must not. This file is compiled and never run. */

const boxes = defineContract('boxes', 'Boxes', {
  get: action({
    summary: 'Get a box',
    route: 'GET /boxes/:id',
    tool: true,
    etag: true,
    access: { who: 'person' },
    path: { id: Id },
    result: z.strictObject({ id: Id, label: z.string() }),
  }),
  remove: action({
    summary: 'Remove a box',
    access: { who: 'internal' },
    path: { id: Id },
    result: null,
  }),
});
type Actions = ActionsOf<typeof boxes>;
declare const ctx: TypedContext<unknown, Actions>;
const implement = implementWith<Actions>();

// @ts-expect-error there is no such action
ctx.call('boxes.nope', {});
// @ts-expect-error a parameter of the wrong type
ctx.call('boxes.get', { id: true });
// @ts-expect-error a parameter is missing
ctx.call('boxes.get', {});
// @ts-expect-error a parameter that the action doesn't have
ctx.call('boxes.get', { id: 1, colour: 'red' });
// @ts-expect-error the result has no such field
ctx.call('boxes.get', { id: 1 }).then((box) => box.nope);
ctx.call('boxes.get', { id: 1 }).then((box) => box.label.length);

// @ts-expect-error an action has no handler
implement(boxes, { get: () => ({ id: 1, label: 'a' }) });
implement(boxes, {
  // @ts-expect-error the handler answers something else
  get: () => ({ id: 'x' }),
  remove: () => null,
});
implement(boxes, {
  get: (c) => ({ id: c.params.id, label: c.meta.caller.kind }),
  remove: async () => null,
});

// @ts-expect-error the same name in two places
action({
  summary: '',
  access: { who: 'public' },
  path: { id: z.string() },
  body: { id: z.number() },
  result: z.string(),
});
// @ts-expect-error an action without an access rule
action({ summary: '', result: z.string() });
action({
  summary: '',
  // @ts-expect-error a member's rule must say how the workspace is found
  access: { who: 'member', roles: ['OWNER'] },
  result: z.string(),
});
// @ts-expect-error a route that writes without saying what the audit log records
action({ summary: '', route: 'POST /boxes', tool: true, access: { who: 'person' }, result: null });
// @ts-expect-error a route without saying whether models may call it
action({
  summary: '',
  route: 'POST /boxes',
  audit: { resource: 'box' },
  access: { who: 'person' },
  result: null,
});
action({
  summary: '',
  route: 'POST /boxes',
  tool: true,
  audit: { resource: 'box' },
  access: { who: 'person' },
  result: null,
});

// @ts-expect-error a single resource without saying whether it has an ETag
action({
  summary: '',
  route: 'GET /boxes',
  tool: true,
  access: { who: 'person' },
  result: z.string(),
});
action({
  summary: '',
  route: 'GET /boxes',
  tool: { none: 'anyone may read it' },
  access: { who: 'public' },
  result: z.string(),
});
action({
  summary: '',
  route: 'GET /boxes',
  tool: true,
  access: { who: 'person' },
  result: z.string(),
  format: 'page',
});

const ofCrate = { resource: 'crate', parameter: 'id' } as const;
const inWorkspace = { parameter: 'workspaceId' };
const ownerAccess = { who: 'member', roles: ['OWNER'] } as const;
const crates = defineContract('crates', 'Crates', {
  weigh: action({
    summary: '',
    access: { ...ownerAccess, in: ofCrate },
    path: { id: Id },
    result: z.number(),
  }),
  open: action({
    summary: '',
    access: { ...ownerAccess, in: { ...ofCrate, loader: 'openCrate' } },
    path: { id: Id },
    result: z.string(),
  }),
  lift: action({
    summary: '',
    access: { ...ownerAccess, in: inWorkspace, within: ofCrate },
    path: { workspaceId: Id, id: Id },
    result: z.number(),
  }),
  count: action({
    summary: '',
    access: { ...ownerAccess, in: inWorkspace },
    path: { workspaceId: Id },
    result: z.number(),
  }),
});
declare const crate: { workspaceId: number; weight: number };
declare const openCrate: { workspaceId: number; content: string };
const loaders = { crate: async () => crate, openCrate: async () => openCrate };
const handlers = {
  weigh: () => 1,
  open: () => '',
  lift: () => 1,
  count: () => 1,
};
implement(
  crates,
  {
    weigh: ({ locals }) => locals.resource.weight,
    open: ({ locals }) => locals.resource.content,
    lift: ({ locals }) => locals.resource.weight,
    count({ locals }) {
      const role: Role | undefined = locals.role;
      return role?.length ?? 0;
    },
  },
  loaders,
);
implement(
  crates,
  {
    ...handlers,
    // @ts-expect-error the resource has no such field
    weigh: ({ locals }) => locals.resource.content.length,
    // @ts-expect-error the action loads no resource
    count: ({ locals }) => locals.resource.weight,
  },
  loaders,
);
// @ts-expect-error a resource of the contract has no loader
implement(crates, handlers, { crate: loaders.crate });
// @ts-expect-error no resource of the contract has a loader
implement(crates, handlers);
// @ts-expect-error a loader finds what is in no workspace
implement(crates, handlers, { ...loaders, crate: async () => ({ weight: 1 }) });
