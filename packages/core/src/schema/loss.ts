/** A keyword that a provider's schema can't say: the tool works, and the model knows less of it. */
export interface SchemaLoss {
  keyword: string
  /** JSON Pointer into the server's schema, without what people can't see. */
  path: string
  reason: string
}

/** What keeps a tool from a provider's models. */
export interface SchemaFault {
  /** JSON Pointer into the server's schema, without what people can't see. */
  path: string
  reason: string
}
