// @ts-expect-error the driver has no types for what it does not export
import { Connection } from 'mongodb/lib/cmap/connection.js';

/**
 * Ends writes of the driver (7.8.0) whose connection closes while they wait for its buffer. The driver
 * waits for `drain` or `error`, and a socket that was closed by the other side emits neither. A command
 * never ended then; nor did the monitor's, behind which the driver never looked for the server again.
 */
export function endWritesOfClosedConnections(): void {
  const { cleanup } = Connection.prototype;
  Connection.prototype.cleanup = function (this: DriverConnection, error: Error) {
    cleanup.call(this, error);
    this.socket.emit('drain'); // the driver looks at its own error then
  };
}

interface DriverConnection {
  socket: NodeJS.EventEmitter;
}
