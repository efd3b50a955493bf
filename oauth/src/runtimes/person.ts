import type { Page } from '@playwright/test'
import type { Answers } from '../form-browser.js'
import { person } from '../server/people.js'

/** A person at a real browser, who fills in the forms of every window that opens. */
export function createPerson() {
  const forms: string[] = []
  let { consent, wrongPasswords }: Answers = {}

  async function fillIn(page: Page): Promise<void> {
    const form = /: (\w+)$/.exec(await page.title())?.[1]
    if (form !== 'login' && form !== 'consent') return
    forms.push(form)
    if (form === 'login') {
      await page.getByLabel('Name').fill(person.name)
      await page.getByLabel('Password').fill(wrongPasswords?.shift() ?? person.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
    } else await page.getByRole('button', { name: consent === 'deny' ? 'Cancel' : 'Allow' }).click()
  }

  return {
    forms,
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
