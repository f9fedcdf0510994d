/** The model multilingual-e5-small, as `loadMinilm` of `nous-minilm` takes it. */
export declare const multilingual: {
  /** Where the file is. */
  readonly url: URL;
  /** The bytes of the file. */
  readonly bytes: number;
  /** The name of the model, which the hash of the file gives. */
  readonly id: string;
};
