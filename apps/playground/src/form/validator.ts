import { ErrorSchemaBuilder, type RJSFSchema, toErrorList, type ValidatorType } from '@rjsf/utils'
import type { Json } from '@x/web'
import { findProblems, fits, type Problem } from './validate.js'

/** The form library's errors, field by field. */
export function toErrorSchema(problems: readonly Problem[]) {
  const builder = new ErrorSchemaBuilder()
  for (const problem of problems) builder.addErrors(problem.message, problem.path)
  return builder.ErrorSchema
}

/** Our interpreting validator as the form library calls it. */
export const validator: ValidatorType<unknown, RJSFSchema> = {
  isValid: (schema, value, rootSchema) => fits(schema, value, rootSchema),
  validateFormData: (value, schema) => {
    const errorSchema = toErrorSchema(findProblems(schema, (value ?? null) as Json))
    return { errorSchema, errors: toErrorList(errorSchema) }
  },
  rawValidation: <Result>(schema: RJSFSchema, value?: unknown) => ({
    errors: findProblems(schema, (value ?? null) as Json) as Result[],
  }),
}
