// Not the package's index, which asks for a validator that generates code.
import Form from '@rjsf/core/lib/components/Form.js'
import { englishStringTranslator, TranslatableString } from '@rjsf/utils'
import type { JsonObject } from '@x/web'
import { useCallback, useEffect, useMemo, useRef } from 'react'
import { BooleanField } from './fields/boolean-field.js'
import type { FormContext } from './fields/json-field.js'
import { NumberField } from './fields/number-field.js'
import { OptionSelect } from './fields/option-select.js'
import { SchemaField } from './fields/schema-field.js'
import { TextField } from './fields/text-field.js'
import { toFormSchema } from './form-schema.js'
import './form.css'
import { buttonTemplates } from './templates/buttons.js'
import { FieldTemplate } from './templates/field.js'
import { ArrayTemplate, CyclicTemplate, ItemTemplate, ObjectTemplate, UnionTemplate } from './templates/groups.js'
import { DescriptionTemplate, ErrorsTemplate } from './templates/notes.js'
import type { Problem } from './validate.js'
import { toErrorSchema, validator } from './validator.js'

const fields = { SchemaField, StringField: TextField, NumberField, BooleanField }
const widgets = { SelectWidget: OptionSelect }
const templates = {
  FieldTemplate,
  ObjectFieldTemplate: ObjectTemplate,
  ArrayFieldTemplate: ArrayTemplate,
  ArrayFieldItemTemplate: ItemTemplate,
  MultiSchemaFieldTemplate: UnionTemplate,
  CyclicSchemaExpandTemplate: CyclicTemplate,
  DescriptionFieldTemplate: DescriptionTemplate,
  FieldErrorTemplate: ErrorsTemplate,
  ButtonTemplates: buttonTemplates,
}

// Only what was typed is sent: the library's own defaults would fill in values that nobody chose.
const noDefaults = {
  emptyObjectFields: 'skipDefaults',
  arrayMinItems: { populate: 'never' },
  allOf: 'skipDefaults',
} as const

// An added property begins empty, not with the library's “New Value”.
const translate: typeof englishStringTranslator = (text, params) =>
  text === TranslatableString.NewStringDefault ? '' : englishStringTranslator(text, params)

interface SchemaFormProps {
  /** Distinguishes the ids of this form's controls from another's. */
  name: string
  schema: JsonObject
  value: JsonObject
  problems: readonly Problem[]
  onChange: (value: JsonObject) => void
  /** Told whether a field holds text that can't be read, and so isn't part of the value. */
  onUnreadable: (unreadable: boolean) => void
}

/** A form for the values that a JSON Schema describes. */
export function SchemaForm({ name, schema, value, problems, onChange, onUnreadable }: SchemaFormProps) {
  const formSchema = useMemo(() => toFormSchema(schema), [schema])
  const errors = useMemo(() => toErrorSchema(problems), [problems])
  const unreadable = useRef(new Set<string>())
  const reportUnreadable = useCallback<FormContext['reportUnreadable']>(
    (fieldId, problem) => {
      if (problem === undefined) unreadable.current.delete(fieldId)
      else unreadable.current.add(fieldId)
      onUnreadable(unreadable.current.size > 0)
    },
    [onUnreadable],
  )
  // Text that can't be read is lost with its field.
  useEffect(() => () => onUnreadable(false), [onUnreadable])
  return (
    <Form
      tagName="div"
      className="form"
      idPrefix={name}
      schema={formSchema}
      formData={value}
      formContext={{ reportUnreadable }}
      validator={validator}
      noValidate
      extraErrors={errors}
      fields={fields}
      widgets={widgets}
      templates={templates}
      showErrorList={false}
      translateString={translate}
      experimental_defaultFormStateBehavior={noDefaults}
      onChange={({ formData }) => onChange((formData ?? {}) as JsonObject)}
    />
  )
}
