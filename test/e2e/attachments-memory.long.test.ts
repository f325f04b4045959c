import { readFileSync } from 'node:fs';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { e2e } from '../fixtures/e2e.ts';

const MIB = 1024 * 1024;
const FILE_BYTES = 25 * MIB;
/**
 * The most MiB by which ten uploads at once may raise the resident memory of the service: two fifths of the
 * 250 MiB that a service which holds whole files takes. Pieces in flight and collections of garbage, which a busy
 * machine delays, take 14 MiB to 50 MiB.
 */
const MOST_MIB = 100;
/** Bytes that a slow sender sends at a time, and the milliseconds between two such pieces. */
const SLOW = { bytes: 256 * 1024, everyMs: 60 };
/** Uploads before the measured ones. */
const WARM_UP = 3;
const FAST = { bytes: MIB, everyMs: 0 };

const { server, owner, workspace } = e2e({
  oneProcess: true,
  env: { ATTACHMENT_BYTES_PER_WORKSPACE: 'off' },
});

let path: string;

beforeAll(async () => {
  const { body } = await owner.call<{ id: number }>('POST', '/agent/conversations', {
    body: { workspaceId: workspace.id },
  });
  path = `/agent/conversations/${body.id}/attachments`;
});

/** The resident memory of the process with the gateway and all services, in MiB. */
function residentMiB(): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}

/** Uploads a file of 25 MiB, a piece at a time. Resolves with the status. */
async function upload(pace: typeof SLOW): Promise<number> {
  const outgoing = http.request(server.url + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${owner.token}`,
      'content-type': 'multipart/form-data; boundary=b',
    },
  });
  const answered = new Promise<number>((resolve, reject) => {
    outgoing.on('error', reject).on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
  });
  outgoing.write('--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n');
  const piece = Buffer.alloc(pace.bytes, 'x');
  for (let sent = 0; sent < FILE_BYTES; sent += piece.length) {
    if (!outgoing.write(piece)) await new Promise((resolve) => outgoing.once('drain', resolve));
    if (pace.everyMs) await sleep(pace.everyMs);
  }
  outgoing.end('\r\n--b--\r\n');
  return answered;
}

/** The highest resident memory while the work goes on, in MiB. */
async function peakDuring(work: () => Promise<unknown>): Promise<number> {
  let peak = residentMiB();
  const look = setInterval(() => {
    peak = Math.max(peak, residentMiB());
  }, 20);
  await work().finally(() => clearInterval(look));
  return peak;
}

it.each([
  ['fast', FAST],
  ['slow', SLOW],
])('ten uploads of 25 MiB at once by %s senders take little memory', async (_what, pace) => {
  // One after another: the code is compiled, and the heap has what it keeps between two collections.
  for (let n = 0; n < WARM_UP; n++) expect(await upload(FAST)).toBe(201);
  await sleep(2_000);
  const before = residentMiB();
  const peak = await peakDuring(async () => {
    const statuses = await Promise.all(Array.from({ length: 10 }, () => upload(pace)));
    expect(statuses).toEqual(Array(10).fill(201));
  });
  process.stdout.write(
    `ten uploads: ${before.toFixed(0)} MiB before, ${peak.toFixed(0)} at most\n`,
  );
  expect(peak - before).toBeLessThanOrEqual(MOST_MIB);
});
