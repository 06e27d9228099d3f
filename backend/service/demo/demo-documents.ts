/** The demo's knowledge base: documents of a made-up roofing company. */
export const documents = [
  {
    title: 'Appointments and inspections',
    body: [
      'A roof inspection takes about an hour. Appointments are Monday to Friday, 8 am to 5 pm, and Saturday until noon. The first appointment on Thursday morning is at 9 am.',
      'An adult must be at home, so that the inspector can look at the attic. Pets should be kept inside.',
      'An appointment can be moved or canceled without a fee until 6 pm on the day before. After that the visit costs $45.',
      'After the inspection the customer gets a report with photographs by email within two working days.',
    ],
  },
  {
    title: 'Prices and payment',
    body: [
      'A roof inspection costs $149. The price is credited if a repair is ordered within 60 days.',
      'Small repairs, such as up to ten shingles or one piece of flashing, cost between $280 and $650. A new asphalt roof for an average house costs between $9,500 and $16,000, depending on its area and pitch.',
      'Quotes are free, in writing, and valid for 30 days. Half is due when work begins, the rest when the customer has approved the work. We accept checks, cards, and bank transfers.',
    ],
  },
  {
    title: 'Storm damage and insurance',
    body: [
      'After a storm, leaks are covered with a tarp within 24 hours, on weekends too. This emergency visit costs $220.',
      'Customers should photograph the damage and call their insurer before anything is repaired. Our report can go to the insurer as is. We cannot say what an insurer will pay.',
    ],
  },
  {
    title: 'Warranty and service area',
    body: [
      'Repairs have a two-year warranty, new roofs a ten-year warranty. Shingle manufacturers usually add their own 25-year warranty.',
      'Harbor Lane Roofing serves Washington, DC, and the area within 40 miles of it. It is licensed and insured and has been in business since 1998.',
    ],
  },
].map(({ title, body }) => ({ title, body: body.join('\n\n') }))
