/** The place of a sealed text: a text opens at its own place only. */
export interface SealedPlace {
  workspaceId: number;
  /** The id of the resource. */
  id: number;
  field: string;
}

/** Seals texts with the data key of their workspace. */
export interface FieldSealer {
  /** Seals a text; the first one of a workspace makes its data key. */
  sealField(place: SealedPlace, text: string): Promise<string>;
  /**
   * Seals a text that a sealed secret of the workspace has led to, such as an access token. Throws a `SealedTextError`
   * where the workspace has no data key: it was deleted, and a late write must not make it a new key.
   */
  sealDerived(place: SealedPlace, text: string): Promise<string>;
  /** Opens a text. Throws a `SealedTextError` where the text was sealed for another place, or is damaged. */
  openField(place: SealedPlace, sealed: string): Promise<string>;
}
