export * from '@x/core/ai-sdk'
