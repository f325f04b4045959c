import { z } from 'zod';
import { EVERY_ROLE, MEMBERS } from '../../../contract/access-rule.ts';
import { action } from '../../../contract/contract.ts';
import { AnyJson, Id, IdText, listQuery, pageOf } from '../../../contract/fields.ts';
import { NotFound } from '../../../contract/problem.ts';
import { QuotaReached } from '../../../contract/quota.ts';
import { startBody } from '../../runs/contract/start-fields.ts';
import { scheduleExample } from './examples.ts';
import { CronText, Misfire, Overlap, Schedule, TimeZone } from './resources.ts';

const ofFlow = { resource: 'flow', parameter: 'flowId' } as const;
const ofSchedule = { resource: 'schedule', parameter: 'id' } as const;
const NO_ETAG = { none: 'no GET shows a single schedule' } as const;

/** JSON values of a body; more values are refused. An input of 64 KiB has fewer values. */
const BODY_VALUES = 40_000;

const { cron, timeZone, input, misfire, overlap } = scheduleExample;

const SWITCH = 'Whether the schedule starts runs';

/** The operations on schedules. */
export const scheduleActions = {
  createSchedule: action({
    summary: 'Run a flow on a schedule',
    description:
      'Each occurrence starts one run of the newest version. A local time that a clock change skips occurs at the change, all skipped times of a line together once; one that a clock change repeats occurs the first time. The input has at most 64 KiB of JSON, and is `{}` unless given.',
    route: 'POST /flows/:flowId/schedules',
    tool: true,
    audit: { resource: 'schedule' },
    uncontended: true,
    idempotency: { sequence: 'schedules' },
    access: { who: 'member', roles: MEMBERS, in: ofFlow },
    path: { flowId: IdText },
    body: {
      cron: CronText,
      timeZone: TimeZone,
      input: AnyJson.optional(),
      configuration: startBody.configuration,
      misfire: Misfire,
      overlap: Overlap,
      enabled: z.boolean().default(true).meta({ description: SWITCH }),
    },
    bodyValues: BODY_VALUES,
    result: Schedule,
    status: 201,
    errors: [NotFound, QuotaReached],
    example: {
      body: { cron, timeZone, input, misfire, overlap },
      answer: scheduleExample,
    },
  }),
  listSchedules: action({
    summary: 'The schedules of a flow',
    route: 'GET /flows/:flowId/schedules',
    tool: true,
    access: { who: 'member', roles: EVERY_ROLE, in: ofFlow },
    path: { flowId: IdText },
    query: listQuery,
    result: pageOf(Schedule),
    format: 'page',
    errors: [NotFound],
    idempotent: true,
    example: { answer: [scheduleExample] },
  }),
  updateSchedule: action({
    summary: 'Change a schedule, or switch it on or off',
    description:
      'Only what is given changes. What the list answered can be sent back. Where `cron`, `timeZone` or `enabled` change, the next occurrence is the first after the change, and what was due before is over.',
    route: 'PUT /flows/schedules/:id',
    tool: true,
    etag: NO_ETAG,
    audit: { resource: 'schedule' },
    access: { who: 'member', roles: MEMBERS, in: ofSchedule },
    path: { id: IdText },
    body: {
      flowId: Id.optional(),
      cron: CronText.optional(),
      timeZone: TimeZone.optional(),
      input: AnyJson.optional(),
      configuration: startBody.configuration,
      misfire: Misfire.optional(),
      overlap: Overlap.optional(),
      enabled: z.boolean().optional().meta({ description: SWITCH }),
    },
    readOnly: ['nextAt', 'createdBy', 'createdAt', 'updatedAt'],
    bodyValues: BODY_VALUES,
    result: Schedule,
    errors: [NotFound],
    example: {
      body: { enabled: false },
      answer: { ...scheduleExample, enabled: false, nextAt: [] },
    },
  }),
  removeSchedule: action({
    summary: 'Delete a schedule',
    description: 'The runs that it has started go on.',
    route: 'DELETE /flows/schedules/:id',
    tool: true,
    etag: NO_ETAG,
    audit: { resource: 'schedule' },
    access: { who: 'member', roles: MEMBERS, in: ofSchedule },
    path: { id: IdText },
    result: null,
    status: 204,
    errors: [NotFound],
  }),
};
