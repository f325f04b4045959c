import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/**
 * A small warehouse for the README's first flow: it lists orders and takes shipments, and like many
 * a real system it fails now and then: the first two shipments after its start are answered 503.
 */
const PORT = 4010;
const FAILURES = 2;

const orders = [
  { id: 1, placedAt: '2026-11-18', lines: [{ sku: 'gear', quantity: 2, price: 12.5 }] },
  {
    id: 2,
    placedAt: '2026-11-19',
    lines: [
      { sku: 'card', quantity: 100, price: 0.1 },
      { sku: 'crank', quantity: 1, price: 40 },
    ],
  },
  { id: 3, placedAt: '2026-11-20', lines: [{ sku: 'barrel', quantity: 3, price: 9 }] },
];

/** Shipments by their Idempotency-Key: the same one twice is one shipment. */
const shipments = new Map<string, unknown>();
let failuresLeft = FAILURES;

function answer(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function textOf(req: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of req) text += chunk;
  return text;
}

async function takeShipment(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const key = String(req.headers['idempotency-key']);
  const order = JSON.parse(await textOf(req)) as { id: number };
  const say = (what: string) => process.stdout.write(`order ${order.id} ${what} (${key})\n`);
  if (failuresLeft > 0) {
    failuresLeft--;
    say('refused: the warehouse is busy');
    answer(res, 503, { message: 'busy, try again' });
    return;
  }
  say(shipments.has(key) ? 'shipped before' : 'shipped');
  shipments.set(key, order);
  answer(res, 201, { shipment: `S-${order.id}`, shipped: shipments.size });
}

createServer((req, res) => {
  const url = new URL(req.url ?? '/', 'http://warehouse');
  if (req.method === 'GET' && url.pathname === '/orders') {
    const since = url.searchParams.get('since') ?? '';
    process.stdout.write(`orders listed since ${since}\n`);
    answer(res, 200, { orders: orders.filter(({ placedAt }) => placedAt >= since) });
  } else if (req.method === 'POST' && url.pathname === '/shipments') {
    takeShipment(req, res).catch(() => answer(res, 400, { message: 'not JSON' }));
  } else {
    answer(res, 404, { message: 'not found' });
  }
}).listen(PORT, '127.0.0.1', () => {
  process.stdout.write(`the warehouse is open on http://127.0.0.1:${PORT}\n`);
});
