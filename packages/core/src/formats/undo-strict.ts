import type { JsonObject } from '../protocol.js'
export const undoStrict = (args: JsonObject, _schema: JsonObject): JsonObject => args
