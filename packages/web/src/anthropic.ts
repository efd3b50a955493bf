export * from '@x/core/anthropic'
