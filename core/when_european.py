"""The words of time in English, German, French and Spanish; when_language.py says how they are written down."""

from __future__ import annotations

from .when_language import AFTERNOON, EVENING, MORNING, NIGHT, NOON, Language, columns, counted, phrases

ENGLISH = Language(
    days={"today": 0, "yesterday": 1, "the day before yesterday": 2, "day before yesterday": 2},
    parts={"morning": MORNING, "noon": NOON, "afternoon": AFTERNOON, "evening": EVENING, "night": NIGHT},
    units={
        "hours?": "h",
        "hrs?": "h",
        "days?": "d",
        "weeks?": "w",
        "months?": "m",
        "quarters?": "q",
        "years?": "y",
    },
    numbers={"a": 1, "an": 1, "a couple of": 2, "couple of": 2, "a few": 3, "few": 3}
    | counted("one two three four five six seven eight nine ten eleven twelve"),
    weekdays=columns(
        "monday|mon tuesday|tues|tue wednesday|wed thursday|thurs|thur|thu friday|fri saturday|sat sunday|sun"
    ),
    months=columns(
        "january|jan february|feb march|mar april|apr may june|jun july|jul august|aug september|sept|sep october|oct"
        " november|nov december|dec"
    ),
    phrases=phrases(
        """
        day: {day}
        day part: {day} {part}
        this part: this {part}
        last night: last night
        tonight: tonight
        ago: {n} ?{unit} ago
        since: (?:in |over |during )?(?:the )?(?:last|past|previous) {n} ?{unit}
        this: (?:in |during )?this {unit}
        last: (?:in |during )?(?:the )?(?:last|past|previous) {unit}
        last weekend: (?:last|this|the past|over the) weekend
        last weekday: last {weekday}
        weekday: (?:on |this |this past )?{weekday}
        weekday part: (?:on |last |this )?{weekday} {part}
        month: (?:in |since |during |early |late |mid |this )?{month}\\.?(?:,? (?:of )?{year})?
        last month: last {month}
        month last year: {month}(?: of)? last year
        date: (?:on )?(?:the )?{date}(?:st|nd|rd|th)?(?: of)? {month}\\.?(?:,? {year})?
        date: (?:on )?{month}\\.? (?:the )?{date}(?:st|nd|rd|th)?(?:,? {year})?
        year: (?:in |since )?{year}
        length: {n} ?{unit}
        """
    ),
    risky=frozenset("may mar sat sun mon wed fri thu tue jan jun dec sep apr".split()),
)

GERMAN = Language(
    days={"heute": 0, "gestern": 1, "vorgestern": 2},
    parts={
        "morgen": MORNING,
        "früh": MORNING,
        "vormittag": MORNING,
        "mittag": NOON,
        "nachmittag": AFTERNOON,
        "abend": EVENING,
        "nacht": NIGHT,
    },
    units={
        "stunden?": "h",
        "tage?n?": "d",
        "wochen?": "w",
        "monate?n?": "m",
        "monats": "m",
        "quartale?": "q",
        "jahre?n?": "y",
    },
    numbers={"eine[mrn]?": 1, "ein paar": 3} | counted("zwei drei vier fünf sechs sieben acht neun zehn elf zwölf", 2),
    weekdays=columns("montag dienstag mittwoch donnerstag freitag samstag|sonnabend sonntag"),
    months=columns("januar|jänner februar märz|maerz april mai juni juli august september oktober november dezember"),
    phrases=phrases(
        """
        day: {day}
        day part: {day} {part}
        this part: diesen {part}
        last night: letzte nacht
        ago: vor {n} {unit}
        since: (?:in den |die )?(?:letzten|vergangenen) {n} {unit}
        this: (?:in )?diese[rsnm]? {unit}
        last: (?:in der |im )?(?:letzte|vorige|vergangene)[rsnm]? {unit}
        last weekend: (?:am )?(?:letzten |letztes |diesem )?wochenende
        last weekday: (?:am )?(?:letzten|vergangenen|vorigen) {weekday}
        weekday: (?:am )?{weekday}
        month: (?:im |seit )?{month}(?: {year})?
        last month: (?:im )?letzten {month}
        date: (?:am )?{date}\\. ?{month}(?: {year})?
        year: (?:seit |im jahr ){year}
        length: {n} ?{unit}
        """
    ),
    risky=frozenset({"mai"}),
)

FRENCH = Language(
    days={"aujourd[’']hui": 0, "hier": 1, "avant-hier": 2},
    parts={"matin": MORNING, "midi": NOON, "après-midi": AFTERNOON, "apres-midi": AFTERNOON, "soir": EVENING},
    units={
        "heures?": "h",
        "jours?": "d",
        "semaines?": "w",
        "mois": "m",
        "trimestres?": "q",
        "ans?": "y",
        "années?": "y",
        "annees?": "y",
    },
    numbers={"une?": 1, "quelques": 3} | counted("deux trois quatre cinq six sept huit neuf dix onze douze", 2),
    weekdays=columns("lundi mardi mercredi jeudi vendredi samedi dimanche"),
    months=columns(
        "janvier février|fevrier mars avril mai juin juillet août|aout septembre octobre novembre décembre|decembre"
    ),
    phrases=phrases(
        """
        day: {day}
        day part: {day} {part}
        this part: cet?(?:te)? {part}
        last night: cette nuit
        ago: il y a {n} {unit}
        since: (?:ces |les |pendant les )?{n} derni(?:ers|ères|eres) {unit}
        since: (?:ces |les )?derni(?:ers|ères|eres) {n} {unit}
        this: cet?(?:te)? {unit}
        last: (?:l[ae] |l[’'])?{unit} (?:derni(?:er|ère|ere)|passée?|précédente?)
        last weekend: (?:le )?week-?end(?: dernier| passé)?
        last weekday: {weekday} (?:dernier|passé)
        weekday: (?:le |ce )?{weekday}
        month: (?:en |depuis |fin |début )?{month}(?: {year})?
        last month: {month} dernier
        date: (?:le )?{date}(?:er)? {month}(?: {year})?
        year: (?:en |depuis ){year}
        length: {n} ?{unit}
        """
    ),
    risky=frozenset({"mai", "mars"}),
)

SPANISH = Language(
    days={"hoy": 0, "ayer": 1, "anteayer": 2, "antes de ayer": 2, "antier": 2},
    parts={
        "por la mañana": MORNING,
        "por la manana": MORNING,
        "en la mañana": MORNING,
        "mañana": MORNING,
        "por la tarde": AFTERNOON,
        "en la tarde": AFTERNOON,
        "tarde": AFTERNOON,
        "por la noche": EVENING,
        "noche": EVENING,
    },
    units={
        "horas?": "h",
        "días?": "d",
        "dias?": "d",
        "semanas?": "w",
        "mes(?:es)?": "m",
        "trimestres?": "q",
        "años?": "y",
        "anos?": "y",
    },
    numbers={"una?": 1, "unos": 3, "unas": 3}
    | counted("dos tres cuatro cinco seis siete ocho nueve diez once doce", 2),
    weekdays=columns("lunes martes miércoles|miercoles jueves viernes sábado|sabado domingo"),
    months=columns(
        "enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre"
    ),
    phrases=phrases(
        """
        day: {day}
        day part: {day} {part}
        this part: est[ae] {part}
        last night: anoche
        ago: hace {n} {unit}
        since: (?:en )?(?:los |las )?últim[oa]s {n} {unit}
        since: (?:en )?(?:los |las )?ultim[oa]s {n} {unit}
        this: est[ea] {unit}
        last: (?:la |el )?{unit} pasad[oa]
        last: (?:la |el )?(?:última|último|ultima|ultimo) {unit}
        last weekend: (?:el )?(?:pasado )?fin de semana(?: pasado)?
        last weekday: (?:el )?{weekday} pasado
        last weekday: (?:el )?pasado {weekday}
        weekday: (?:el |este )?{weekday}
        month: (?:en |desde )?{month}(?: (?:de |del )?{year})?
        last month: (?:el )?{month} pasado
        date: (?:el )?{date} de {month}(?: (?:de |del )?{year})?
        year: (?:en |desde ){year}
        length: {n} ?{unit}
        """
    ),
)
