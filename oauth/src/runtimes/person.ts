import type { Page } from '@playwright/test'
import type { Answers } from '../form-browser.js'
import { person } from '../server/people.js'

/** A person at a real browser, who fills in the forms of every window that opens. */
export function createPerson() {
  let { consent, wrongPasswords }: Answers = {}

  async function fillIn(page: Page): Promise<void> {
    const form = await takeForm(page)
    if (!form) return
    if (form === 'login') {
      await page.getByLabel('Name').fill(person.name)
      await page.getByLabel('Password').fill(wrongPasswords?.shift() ?? person.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
    } else await page.getByRole('button', { name: consent === 'deny' ? 'Cancel' : 'Allow' }).click()
  }

  return {
    answer(answers: Answers) {
      ;({ consent, wrongPasswords } = answers)
    },
    /** @param onFault - What went wrong at a form, in words. */
    watch(page: Page, onFault: (fault: string) => void) {
      page.on('domcontentloaded', () => {
        fillIn(page).catch((error: unknown) => {
          // The app closes the window as soon as it was led back.
          if (!page.isClosed()) onFault(String(error))
        })
      })
    },
  }
}

/** The form of the document, once: what was asked at the blank page may be answered by the one that came after it. */
async function takeForm(page: Page): Promise<string | undefined> {
  try {
    return await page.evaluate(() => {
      const form = /: (login|consent)$/.exec(document.title)?.[1]
      const { dataset } = document.documentElement
      if (!form || dataset.taken) return undefined
      dataset.taken = 'yes'
      return form
    })
  } catch (error) {
    // The next document tells of itself.
    if (String(error).includes('Execution context was destroyed')) return undefined
    throw error
  }
}
