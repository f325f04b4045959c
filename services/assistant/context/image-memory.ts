/** Bytes of the images that one answer shows the model; those of older messages are named only. */
const MAX_ANSWER_BYTES = 5 * 1024 * 1024;
/** Bytes of the images of all answers under way, which take about five times as much while a request is sent. */
const MAX_PROCESS_BYTES = 32 * 1024 * 1024;

/** The images of one answer. */
export interface ImageRoom {
  /** Takes room for an image. False where there is none. */
  take(bytes: number): boolean;
  /** Gives the room back. */
  release(): void;
}

/** Bounds the memory of the images that a process sends to the model. */
export class ImageMemory {
  #taken = 0;

  roomOfAnswer(): ImageRoom {
    let own = 0;
    return {
      take: (bytes) => {
        if (own + bytes > MAX_ANSWER_BYTES || this.#taken + bytes > MAX_PROCESS_BYTES) return false;
        own += bytes;
        this.#taken += bytes;
        return true;
      },
      release: () => {
        this.#taken -= own;
        own = 0;
      },
    };
  }
}
