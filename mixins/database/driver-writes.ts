// @ts-expect-error the driver has no types for what it does not export
import { Connection } from 'mongodb/lib/cmap/connection.js';

/**
 * Ends writes of the driver (7.8.0) whose connection closes while they wait for its buffer. The driver waits for
 * `drain` or `error`, and a socket that the other side closed emits neither: the command would never end. A command
 * of the driver's monitor that never ends would also keep the driver from finding the server again.
 */
export function endWritesOfClosedConnections(): void {
  const { cleanup } = Connection.prototype;
  Connection.prototype.cleanup = function (this: DriverConnection, error: Error) {
    cleanup.call(this, error);
    this.socket.emit('drain'); // wakes the write, which then finds the error of the connection
  };
}

interface DriverConnection {
  socket: NodeJS.EventEmitter;
}
