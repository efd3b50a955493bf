import type { Annotations, ContentBlock } from '@x/web'
import { AudioLines, FileText, Image, Link, type LucideIcon, Paperclip, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { JsonTree } from '../json/json-tree.js'
import { AudioContent } from './audio-content.js'
import './content.css'
import { ImageContent } from './image-content.js'
import { ResourceLink } from './resource-link.js'
import { ResourceView } from './resource-view.js'
import { TextContent } from './text-content.js'

const kinds: Record<ContentBlock['type'], { label: string; Icon: LucideIcon }> = {
  text: { label: 'Text', Icon: FileText },
  image: { label: 'Image', Icon: Image },
  audio: { label: 'Audio', Icon: AudioLines },
  resource_link: { label: 'Resource link', Icon: Link },
  resource: { label: 'Embedded resource', Icon: Paperclip },
  unknown: { label: 'Unknown block', Icon: TriangleAlert },
}

interface ContentBlockViewProps {
  block: ContentBlock
  /** Which one it is, from 1. */
  position: number
}

/** One content block, shown as what it is. */
export function ContentBlockView({ block, position }: ContentBlockViewProps) {
  const { label, Icon } = kinds[block.type]
  const annotations = block.type === 'unknown' ? undefined : block.annotations
  return (
    <section className="block" aria-label={`${position}. ${label}`} data-testid="block" data-type={block.type}>
      <header className="block-head">
        <Icon size={14} aria-hidden />
        {label}
        {(block.type === 'image' || block.type === 'audio') && <span className="badge">{block.mimeType}</span>}
        <AnnotationBadges annotations={annotations} />
      </header>
      {body(block)}
    </section>
  )
}

function body(block: ContentBlock): ReactNode {
  switch (block.type) {
    case 'text':
      return <TextContent text={block.text} label="Text" />
    case 'image':
      return <ImageContent data={block.data} mimeType={block.mimeType} />
    case 'audio':
      return <AudioContent data={block.data} mimeType={block.mimeType} />
    case 'resource':
      return <ResourceView resource={block.resource} />
    case 'resource_link':
      return <ResourceLink link={block} />
    case 'unknown':
      return <JsonTree value={block.raw} label="Unknown block" />
  }
}

function AnnotationBadges({ annotations }: { annotations: Annotations | undefined }) {
  if (!annotations) return null
  const { audience, priority, lastModified } = annotations
  return (
    <>
      {audience && <span className="badge">for {audience.join(' and ')}</span>}
      {priority !== undefined && <span className="badge">priority {priority}</span>}
      {lastModified && <span className="badge">{lastModified}</span>}
    </>
  )
}
