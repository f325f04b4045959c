/** The values of the examples in the reference. */
export const pairExample = {
  id: 31,
  flowId: 7,
  sourceAuthCredential: { id: 12, name: 'Warehouse', authType: 'BEARER' },
  destinationAuthCredential: null,
} as const;

export const propertyExample = { id: 52, key: 'region', value: 'eu-west' };

export const storeExample = {
  id: 5,
  workspaceId: 3,
  externalId: 'customer-17',
  name: 'Customer 17',
  status: 'ACTIVE',
  flowCredentialPairs: [pairExample],
  properties: [propertyExample],
  createdAt: '2026-01-31T09:30:00.000Z',
  updatedAt: '2026-01-31T09:30:00.000Z',
} as const;

export const newStoreExample = {
  workspaceId: storeExample.workspaceId,
  name: storeExample.name,
  externalId: storeExample.externalId,
  flowCredentialPairs: [{ flowId: pairExample.flowId, sourceAuthCredentialId: 12 }],
  properties: [{ key: propertyExample.key, value: propertyExample.value }],
};
