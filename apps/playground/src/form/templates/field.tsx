import { ADDITIONAL_PROPERTY_FLAG, type FieldTemplateProps, getSchemaType, titleId } from '@rjsf/utils'

/** One field: its label, its control, what is known of it and what is wrong with it. */
export function FieldTemplate(props: FieldTemplateProps) {
  const { id, label, required, displayLabel, schema, uiSchema, fieldPathId, children, description, errors } = props
  const isBoolean = getSchemaType(schema) === 'boolean'
  // The library asks for no label on booleans and on fields of our own.
  const labelled = (displayLabel || isBoolean || uiSchema?.['ui:field'] !== undefined) && label !== ''
  const text = (
    <>
      {label}
      {required && <span className="form-required"> required</span>}
    </>
  )
  const field = (
    <div className={props.hidden ? 'form-field hidden' : 'form-field'} data-path={fieldPathId.path.join('.')}>
      {labelled &&
        (isBoolean ? (
          <span id={titleId(fieldPathId)} className="field-label">
            {text}
          </span>
        ) : (
          <label htmlFor={id} className="field-label">
            {text}
          </label>
        ))}
      {children}
      {labelled && description}
      {errors}
    </div>
  )
  return ADDITIONAL_PROPERTY_FLAG in schema ? <AddedProperty {...props}>{field}</AddedProperty> : field
}

/** A property that the schema leaves open: its name can be changed, and it can be removed. */
function AddedProperty(props: FieldTemplateProps) {
  const { id, label, onKeyRenameBlur, onRemoveProperty, registry, disabled, children } = props
  const { RemoveButton } = registry.templates.ButtonTemplates
  return (
    <div className="form-added">
      <input
        key={label}
        id={`${id}-key`}
        className="input"
        aria-label={`Name of property ${label}`}
        defaultValue={label}
        disabled={disabled}
        onBlur={onKeyRenameBlur}
      />
      {children}
      <RemoveButton registry={registry} onClick={onRemoveProperty} aria-label={`Remove property ${label}`} />
    </div>
  )
}
