/** What the use cases tell the rest of the system; the service hands them to the broker. */
export interface IdentityEvents {
  /** On every node: what is cached of the user's sessions no longer holds. */
  sessionRevoked(userId: number): Promise<void>;
  apiKeyRevoked(keyId: number): Promise<void>;
  userVerified(userId: number): Promise<void>;
}

export interface Announcer {
  broadcast(event: string, payload: object): Promise<void>;
  emit(event: string, payload: object): Promise<void>;
}

export const eventsOf = (ctx: Announcer): IdentityEvents => ({
  sessionRevoked: (userId) => ctx.broadcast('session.revoked', { userId }),
  apiKeyRevoked: (keyId) => ctx.broadcast('api-key.revoked', { keyId }),
  userVerified: (userId) => ctx.emit('user.verified', { userId }),
});
