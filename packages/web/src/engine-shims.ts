/** Stands in for the protocol engine's runtime shims in the bundled worker: all that the engine takes from there. */
export const CORS_IS_POSSIBLE = true

/** Never called: every client of the engine is given a validator. */
export class DefaultJsonSchemaValidator {
  getValidator(): never {
    throw new Error('The engine must be given a validator')
  }
}
