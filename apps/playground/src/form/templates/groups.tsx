import {
  type ArrayFieldItemTemplateProps,
  type ArrayFieldTemplateProps,
  type CyclicSchemaExpandProps,
  canExpand,
  type MultiSchemaFieldTemplateProps,
  type ObjectFieldTemplateProps,
} from '@rjsf/utils'
import type { ReactNode } from 'react'

interface GroupProps {
  id: string
  title: string | undefined
  required: boolean | undefined
  description: ReactNode
  isRoot: boolean
  children: ReactNode
}

function Group({ id, title, required, description, isRoot, children }: GroupProps) {
  // The whole form has its title above it already.
  if (isRoot) return <div className="form-fields">{children}</div>
  return (
    <fieldset id={id} className="form-group">
      <legend className="field-label">
        {title}
        {required && <span className="form-required"> required</span>}
      </legend>
      {description && <p className="field-hint">{description}</p>}
      <div className="form-fields">{children}</div>
    </fieldset>
  )
}

export function ObjectTemplate(props: ObjectFieldTemplateProps) {
  const { schema, uiSchema, formData, fieldPathId, properties, registry, onAddProperty } = props
  const { AddButton } = registry.templates.ButtonTemplates
  // A union without properties of its own is drawn by its members.
  if ((schema.oneOf || schema.anyOf) && !schema.properties && properties.length === 0) return null
  return (
    <Group
      id={fieldPathId.$id}
      title={props.title}
      required={props.required}
      description={props.description}
      isRoot={fieldPathId.path.length === 0}
    >
      {properties.map((property) => property.content)}
      {canExpand(schema, uiSchema, formData) && (
        <AddButton
          registry={registry}
          onClick={onAddProperty}
          aria-label={`Add a property to ${props.title || 'the arguments'}`}
        />
      )}
    </Group>
  )
}

export function ArrayTemplate(props: ArrayFieldTemplateProps) {
  const { fieldPathId, items, canAdd, onAddClick, registry, schema, title } = props
  const { AddButton } = registry.templates.ButtonTemplates
  return (
    <Group
      id={fieldPathId.$id}
      title={title}
      required={props.required}
      description={schema.description}
      isRoot={fieldPathId.path.length === 0}
    >
      {items}
      {canAdd && <AddButton registry={registry} onClick={onAddClick} aria-label={`Add an item to ${title}`} />}
    </Group>
  )
}

export function ItemTemplate({ children, buttonsProps, index, registry, disabled }: ArrayFieldItemTemplateProps) {
  const { MoveUpButton, MoveDownButton, RemoveButton } = registry.templates.ButtonTemplates
  const { hasMoveUp, hasMoveDown, hasRemove, onMoveUpItem, onMoveDownItem, onRemoveItem } = buttonsProps
  const common = { registry, disabled: disabled ?? false }
  return (
    <div className="form-item">
      <span className="form-index" aria-hidden="true">
        {index + 1}
      </span>
      <div className="form-item-value">{children}</div>
      <div className="form-item-buttons">
        {hasMoveUp && <MoveUpButton {...common} onClick={onMoveUpItem} aria-label={`Move item ${index + 1} up`} />}
        {hasMoveDown && (
          <MoveDownButton {...common} onClick={onMoveDownItem} aria-label={`Move item ${index + 1} down`} />
        )}
        {hasRemove && <RemoveButton {...common} onClick={onRemoveItem} aria-label={`Remove item ${index + 1}`} />}
      </div>
    </div>
  )
}

export function UnionTemplate({ selector, optionSchemaField }: MultiSchemaFieldTemplateProps) {
  return (
    <div className="form-union">
      {selector}
      {optionSchemaField}
    </div>
  )
}

/** A schema that holds itself is drawn one level at a time. */
export function CyclicTemplate({ name, fieldPathId, onExpand }: CyclicSchemaExpandProps) {
  return (
    <div className="form-field">
      <button type="button" className="button small" onClick={() => onExpand(fieldPathId.$id)}>
        Add {name}
      </button>
    </div>
  )
}
