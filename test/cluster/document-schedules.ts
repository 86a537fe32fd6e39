/** The document's example of two schedules, typed in as printed: real hooks are given it, and in virtual time it fires. */
export const twoSchedules = `{
  "schedule": [
    {
      "name": "incremental",
      "crontab": "* 2 */3 * * *",
      "allowFailure": true
    },
    {
      "crontab": "* 59 23 * * *",
      "allowFailure": false
    }
  ]
}`
