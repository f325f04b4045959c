/** An order of the warehouse's customers. */
export interface Order {
  id: number;
  placedAt: string;
  lines: { sku: string; quantity: number; price: number }[];
}

export const orders: readonly Order[] = [
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

/** Pieces in stock, by article. Nobody has counted the cranks: the warehouse does not know them. */
export const stock = new Map([
  ['gear', 5],
  ['card', 60],
  ['barrel', 3],
]);

/** What is on its way to the warehouse. */
export const deliveries: readonly { sku: string; pieces: number }[] = [
  { sku: 'card', pieces: 20 },
  { sku: 'gear', pieces: 10 },
];

/** What the warehouse complains about, until somebody acknowledges it. */
export const alarms = new Map([
  [1, { id: 1, shelf: 'A1', text: 'The shelf of the cards is nearly empty' }],
  [2, { id: 2, shelf: 'B7', text: 'The lamp of the cranks is broken' }],
]);

/** The countries that the warehouse ships to. */
export const COUNTRIES: readonly string[] = ['DE', 'FR', 'GB'];
