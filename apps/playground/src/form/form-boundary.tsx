import { Component, type ReactNode } from 'react'

interface FormBoundaryProps {
  children: ReactNode
  /** What is shown instead of a form that can't be drawn. */
  fallback: ReactNode
}

/**
 * Keeps a schema that the form library can't draw (a dangling `$ref`, `true` at the root) from taking the page down.
 * React has error boundaries as classes only.
 */
export class FormBoundary extends Component<FormBoundaryProps, { failed: boolean }> {
  override state = { failed: false }

  static getDerivedStateFromError() {
    return { failed: true }
  }

  override render() {
    return this.state.failed ? this.props.fallback : this.props.children
  }
}
