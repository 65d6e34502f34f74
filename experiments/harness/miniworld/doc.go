// Package miniworld generates a small world of text: a corpus of simple English and
// gold data whose truth is known, because both come from one grammar. It is what
// commands and tests use when no real data is given.
//
// # The world
//
// The folder lexicon/words holds the world as plain text. It has a taxonomy of nouns (nouns.txt) whose senses have
// topics (topics.txt) and synonyms, and verbs with what can be their subjects, objects and complements
// (verbs.txt). It has adjectives with the nouns they describe (adjectives.txt), adverbs, times and names
// (lists.txt), and everyday sentences (everyday.txt). A word that stands in several places of the taxonomy has
// several senses: rock is a stone and a kind of music.
//
// A sentence of the corpus has a topic, a verb of that topic, and for each role a noun
// of a fitting class, mostly one of the topic. One noun in seven is replaced by a
// more general one (dog, pet, mammal, animal). So words are similar in their contexts
// as far as they are similar in the taxonomy and in their topics.
//
// # Gold scores
//
// Gold scores follow from the structure, not from any text and not from any method.
//
//   - [World.Similarity] and [World.Relatedness] define the truth of two words; a
//     score in a set of words is the mean of ten ratings.
//   - A sentence pair comes from two meanings, each one or two clauses that fill
//     roles: subject, verb, object, complement, place, time, quality, adverb. The
//     truth is the weighted mean over the roles of the squared similarity of what
//     fills them. Verb, subject and object weigh 3 each, a complement 1.5, place and
//     topic 1, the rest less. A role that one sentence lacks counts 0 with half its
//     weight; a negation that only one has counts 0 with weight 3. Two clauses are
//     matched in their better order, with weights 2/3 and 1/3. How a meaning is put into
//     words (active or passive, articles, tense, order of adverbials, which synonym)
//     does not count. The score is the mean of five ratings from 0 to 5.
//   - A rating is the truth times the top of the scale, plus noise, rounded to an integer on the scale. The
//     noise has a standard deviation of 0.7 (for sentences), 1.2 (words, top 10) or 0.9 (HyperLex, top 6).
//   - A pair of a set of hypernymy is true if a sense of the second word lies above a sense
//     of the first. Sisters share their parent in the taxonomy. Random pairs have a
//     similarity of at most 0.2. attri and event pair a noun with an adjective or
//     verb that the grammar uses with it.
//   - The graded pairs have a truth that depends on their relation alone.
//
// Sentences of pairs are made by the grammar of the corpus but from random numbers of their
// own; a few have names that the corpus lacks.
//
// # Determinism
//
// Weights are integers, and truths are sums and quotients of small rationals with every product rounded before it is
// added. Every part has a PCG stream of its own, named by the part and the seed. So the same seed gives the same
// bytes on any machine.
package miniworld
