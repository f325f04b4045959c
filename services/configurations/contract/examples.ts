/** The values of the examples in the reference. */
export const pairExample = {
  id: 1,
  flowId: 1,
  sourceAuthCredential: { id: 1, name: 'Order system', authType: 'BASIC' },
  destinationAuthCredential: null,
} as const;

export const propertyExample = { id: 1, key: 'region', value: 'eu-west' };

export const storeExample = {
  id: 1,
  workspaceId: 1,
  externalId: 'shop-berlin',
  name: 'Shop Berlin',
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
  flowCredentialPairs: [{ flowId: pairExample.flowId, sourceAuthCredentialId: 1 }],
  properties: [{ key: propertyExample.key, value: propertyExample.value }],
};
