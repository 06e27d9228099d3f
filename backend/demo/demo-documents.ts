/** What the agents of the demo know: the papers of a roofing company that there is not. */
export const documents = [
  {
    title: 'Appointments and inspections',
    body: [
      'A roof inspection takes about an hour. Appointments are Monday to Friday, 8 am to 5 pm, and Saturday until noon. The first on Thursday morning is at 9 am.',
      'An adult must be at home, so that the inspector can look at the attic. Pets should be kept inside.',
      'An appointment can be moved or canceled without a fee until 6 pm on the day before. After that the visit costs $45.',
      'After the inspection the customer gets a report with photographs by email within two working days.',
    ],
  },
  {
    title: 'Prices and payment',
    body: [
      'A roof inspection costs $149. The price is credited if a repair is ordered within 60 days.',
      'Small repairs, such as up to ten shingles or one flashing, cost between $280 and $650. A new asphalt roof for a house of average size costs between $9,500 and $16,000, which depends on its area and pitch.',
      'Quotes are free, in writing, and hold for 30 days. Half is due when work begins, the rest when the customer has approved the work. Checks, cards and bank transfer are taken.',
    ],
  },
  {
    title: 'Storm damage and insurance',
    body: [
      'After a storm, leaks are covered with a tarp within 24 hours, on weekends too. This emergency visit costs $220.',
      'Customers should photograph the damage and call their insurer before anything is repaired. Our report can be handed to the insurer as it is. We cannot say what an insurer will pay.',
    ],
  },
  {
    title: 'Guarantee and service area',
    body: [
      'Repairs are guaranteed for two years, new roofs for ten. The makers of shingles give a guarantee of their own, of 25 years as a rule.',
      'Harbor Lane Roofing works in Washington, DC, and up to 40 miles around it. It is licensed and insured, and has been in business since 1998.',
    ],
  },
].map(({ title, body }) => ({ title, body: body.join('\n\n') }))
