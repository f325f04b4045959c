import { z } from 'zod';
import { ActorRecord } from '../../../contract/audit.ts';
import { AnyJson, Id, Timestamp } from '../../../contract/fields.ts';
import { MISFIRES, OVERLAPS } from '../../../models/schedule.model.ts';
import { KEY_BYTES, keyOfSecret } from '../../../support/standard-webhooks.ts';
import { MAX_CRON_LENGTH, readCronLine } from '../schedules/cron-line.ts';
import { isTimeZone } from '../schedules/zone-clock.ts';

/** Characters of the name of a time zone; a longer name is refused. */
const MAX_ZONE_LENGTH = 64;

/** A cron line of five fields, for requests. */
export const CronText = z
  .string()
  .superRefine((text, context) => {
    const reading = readCronLine(text);
    if ('fault' in reading) context.addIssue({ code: 'custom', message: reading.fault });
  })
  .meta({
    override: {
      type: 'string',
      maxLength: MAX_CRON_LENGTH,
      description:
        'Minute, hour, day of the month, month, day of the week. Where both days are given, a day counts that has either',
      examples: ['*/15 * * * *', '0 6 * * MON-FRI'],
    },
  });

export const TimeZone = z
  .string()
  .max(MAX_ZONE_LENGTH, 'must be the name of a time zone, such as Europe/Berlin or UTC')
  .refine(isTimeZone, 'must be the name of a time zone, such as Europe/Berlin or UTC')
  .meta({
    override: {
      type: 'string',
      maxLength: MAX_ZONE_LENGTH,
      description: 'The IANA name of a time zone',
      examples: ['Europe/Berlin'],
    },
  });

export const Misfire = z.enum(MISFIRES, { error: `must be one of ${MISFIRES.join(', ')}` }).meta({
  description:
    'What becomes of occurrences that are more than 60 seconds late: none is made up, one run is made for all of them, or one for each of the latest 100',
});

export const Overlap = z.enum(OVERLAPS, { error: `must be one of ${OVERLAPS.join(', ')}` }).meta({
  description:
    'Whether an occurrence starts a run while the latest run of the schedule has not ended',
});

export const Schedule = z
  .strictObject({
    id: Id,
    flowId: Id,
    cron: z.string(),
    timeZone: z.string(),
    input: AnyJson,
    configuration: z.union([Id, z.string()]).nullable(),
    misfire: Misfire,
    overlap: Overlap,
    enabled: z.boolean(),
    nextAt: z.array(Timestamp).meta({
      description: 'The next five occurrences; none while the schedule is disabled',
    }),
    createdBy: ActorRecord,
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Schedule' });
export type Schedule = z.output<typeof Schedule>;

export const WebhookSecret = z
  .string()
  .refine(
    (secret) => keyOfSecret(secret) !== null,
    `must be whsec_ and ${KEY_BYTES.least} to ${KEY_BYTES.most} bytes in base64`,
  )
  .meta({
    override: {
      type: 'string',
      description: 'The secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64',
    },
  });

export const Webhook = z
  .strictObject({
    id: Id,
    flowId: Id,
    url: z.url().meta({ description: 'Requests to it run the flow. It holds a secret token' }),
    createdBy: ActorRecord,
    createdAt: Timestamp,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.output<typeof Webhook>;
