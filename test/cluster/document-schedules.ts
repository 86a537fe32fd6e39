/** The example with two schedules of the shell-operator document, verbatim: used with real hooks and in virtual time. */
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
