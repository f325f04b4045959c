import { ACCESS_TOKEN_SECONDS } from './fields.ts';

export const userExample = {
  id: 1,
  firstName: 'Ada',
  lastName: 'Lovelace',
  email: 'ada@example.com',
};

/** Somebody whom the caller adds to the directory, and then to a workspace. */
export const graceExample = {
  id: 2,
  firstName: 'Grace',
  lastName: 'Hopper',
  email: 'grace@example.com',
};

export const meExample = {
  ...userExample,
  emailVerified: false,
  operator: false,
  pendingMemberships: 0,
};

export const sessionExample = {
  accessToken: 'eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCJ9.eyJzdWIiOiJ1c2VyOjEwMSJ9.c2lnbmF0dXJl',
  refreshToken: 'Jm1pV3l8vQd0a7o2c9xS4tY6u1hB5nE3kR8zG0fLqWs',
  tokenType: 'Bearer',
  expiresIn: ACCESS_TOKEN_SECONDS,
  user: userExample,
};

export const activeSessionExample = {
  id: '3f1c2a9e-5b7d-4c0e-9a61-0d2f8b7e4c55',
  createdAt: '2026-01-31T09:30:00.000Z',
  lastUsedAt: '2026-01-31T11:05:42.118Z',
  address: '203.0.113.7',
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:147.0) Gecko/20100101 Firefox/147.0',
  current: true,
};

export const apiKeyExample = {
  id: 1,
  workspaceId: 1,
  name: 'Shop',
  prefix: 'wsk_4fGh',
  lastFour: '2Zk9',
  scopes: [
    'issues:create',
    'flows:run',
    'flows:read',
    'configurations:properties',
    'configurations:restore',
  ],
  createdBy: { type: 'person', id: 1, name: 'Ada Lovelace' },
  createdAt: '2026-01-31T09:30:00.000Z',
  expiresAt: null,
  lastUsedAt: null,
  revokedAt: null,
};
