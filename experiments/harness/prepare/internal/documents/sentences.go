package documents

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// sentences calls sentence for the sentences of a paragraph whose white space is single blanks.
//
// A sentence ends with a run of . ? ! … and the quotes and brackets that close right behind, if a
// blank follows and then, perhaps after opening quotes, brackets or dashes, a capital, a digit or a
// sign of money. It does not end
//
//   - with the dot of a word that something follows, as titles (Mr.) do, or numbers (vol. ii., p. 5);
//   - with the dot of an initial, an acronym, or a word that may end a sentence or not (Jr., etc.,
//     p.m.), unless a word follows that begins many sentences and few names (The, He, In);
//   - behind a quote, if a name and a verb of speech follow ("Stop!" John cried).
//
// It ends also without a blank, where two sentences have run together (the end.The
// next). Where caseless is set, letters of scripts without capitals stand for capitals.
func sentences(paragraph string, caseless bool, sentence func(string)) {
	from := 0
	for at := 0; at < len(paragraph); {
		c := paragraph[at]
		if c != '.' && c != '?' && c != '!' && c != 0xE2 {
			at++
			continue
		}
		end := at + run(paragraph[at:], ".?!…")
		if end == at {
			at++
			continue
		}
		mark := paragraph[at:end]
		before := paragraph[from:at]
		closed := end + run(paragraph[end:], closers)
		at = closed
		if closed == len(paragraph) {
			break
		}
		if paragraph[closed] != ' ' {
			if closed == end && mark == "." && runTogether(before, paragraph[end:]) {
				sentence(paragraph[from:end])
				from = end
			}
			continue
		}
		next := closed + 1
		start := next
		for {
			n := run(paragraph[start:], openers)
			if n == 0 {
				break
			}
			start += n
			if start < len(paragraph) && paragraph[start] == ' ' {
				start++
			}
		}
		first, _ := utf8.DecodeRuneInString(paragraph[start:])
		begins := unicode.IsUpper(first) || unicode.IsTitle(first) || unicode.IsDigit(first) ||
			strings.ContainsRune("$£€¥", first) || caseless && unicode.Is(unicode.Lo, first)
		if start == len(paragraph) || !begins {
			continue
		}
		quoted := strings.ContainsAny(paragraph[end:closed], "\"'”’»")
		switch {
		case mark == "." && !quoted && goesOn(before, paragraph[start:], first):
		case quoted && start == next && speechFollows(paragraph[start:]):
		default:
			sentence(paragraph[from:closed])
			from, at = next, start
		}
	}
	if from < len(paragraph) {
		sentence(paragraph[from:])
	}
}

const (
	small   = "abcdefghijklmnopqrstuvwxyz"
	capital = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	closers = "\"')]}”’»*_"
	openers = "\"'([{“‘«`-–—*_"
)

// run returns the length of the longest start of s that has only characters of set.
func run(s, set string) int {
	for i, r := range s {
		if !strings.ContainsRune(set, r) {
			return i
		}
	}
	return len(s)
}

const (
	// separators are what stands between words. An apostrophe is none: 'm is no initial.
	separators = " \"()[]{}“”‘«—"
	// longestWord is more bytes than a word has that is looked up.
	longestWord = 64
)

// lastWord cuts the word at the end of s off: what no blank, bracket or quote
// separates. Of one of more than longestWord bytes it is no more than the end.
func lastWord(s string) (rest, word string) {
	from := max(0, len(s)-longestWord)
	at := from - 1
	if i := strings.LastIndexAny(s[from:], separators); i >= 0 {
		_, size := utf8.DecodeRuneInString(s[from+i:])
		at = from + i + size - 1
	}
	rest, word = s[:at+1], s[at+1:]
	if i := strings.LastIndex(word, "--"); i >= 0 {
		rest, word = s[:at+1+i], word[i+2:]
	}
	return strings.TrimRight(rest, " "), word
}

// goesOn tells whether the dot behind before ends a word, but no sentence. After is what follows
// it, without opening quotes, and first its first character.
func goesOn(before, after string, first rune) bool {
	rest, word := lastWord(before)
	if word == "" || len(word) > 24 {
		return false
	}
	if rest == "" && isNumber(word) {
		return true // the number of a paragraph or list
	}
	bare := strings.TrimLeft(word, "'’‘")
	if elided := bare != word && len(bare) == 1; elided || bare == "" {
		return false // 'm, as of them
	}
	word = bare
	lower := strings.ToLower(word)
	starter := startsSentences(after)
	kind := abbreviations[lower]
	if len(word) == 1 && isCapital(word) {
		kind = 0 // an initial, or a Roman number
	}
	switch kind {
	case title:
		return true
	case number:
		w, _, _ := strings.Cut(after, " ")
		return unicode.IsDigit(first) || isRoman(strings.TrimRight(w, ".,;:)]"))
	case either:
		if isCapital(word) || lower != "ill" && lower != "me" {
			return !starter && !unicode.IsDigit(first)
		}
	case state:
		if strings.HasSuffix(rest, ",") && isCapital(word) {
			return !starter
		}
	case month:
		return unicode.IsDigit(first)
	}
	r, size := utf8.DecodeRuneInString(word)
	switch {
	case size == len(word) && unicode.IsLetter(r):
		// "It was I. He" begins a sentence, "George I. Smith" does not: I is mostly the pronoun.
		return !starter && (r != 'I' || strings.HasSuffix(rest, "."))
	case strings.Contains(word, ".") && strings.ContainsFunc(word, unicode.IsLetter):
		return lower == "i.e" || lower == "e.g" || !starter && !unicode.IsDigit(first)
	case isRoman(word):
		_, w := lastWord(strings.TrimSuffix(rest, "."))
		return abbreviations[strings.ToLower(w)] == number || r == unicode.ToLower(r)
	}
	return false
}

// isCapital tells whether a word begins with a capital.
func isCapital(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(r)
}

// isNumber tells whether a word is digits, or a Roman number.
func isNumber(word string) bool {
	return strings.Trim(word, "0123456789") == "" || isRoman(word)
}

// isRoman tells whether a word is a Roman number of one case. The word I is none.
func isRoman(word string) bool {
	if word == "I" || word == "" || len(word) > 8 {
		return false
	}
	return strings.Trim(word, "ivxlc") == "" || strings.Trim(word, "IVXLC") == ""
}

// runTogether tells whether a sentence that ends with before, a dot and what begins with after
// have lost the blank between them.
func runTogether(before, after string) bool {
	rest := strings.TrimRight(before, small)
	last, _ := utf8.DecodeLastRuneInString(rest)
	whole := rest == "" || strings.ContainsRune(separators, last) || strings.HasSuffix(rest, "--")
	return whole && len(before)-len(rest) >= 3 && startsSentences(after)
}

// startsSentences tells whether s begins with a word of starters.
func startsSentences(s string) bool {
	rest := strings.TrimLeft(s, small+capital)
	return starters[s[:len(s)-len(rest)]] && !strings.HasPrefix(rest, ".")
}

// speechFollows tells whether s begins with who speaks, in up to three words, and a verb of speech.
func speechFollows(s string) bool {
	for i := range 4 {
		word, rest, _ := strings.Cut(s, " ")
		if i == 0 && starters[word] && !pronouns[word] {
			return false // "Vain babies!" And Hereward laughed
		}
		if word != "" && strings.HasSuffix(word, ".") && abbreviations[strings.ToLower(word[:len(word)-1])] == title {
			s = rest
			continue
		}
		bare := strings.TrimRight(word, ".,;:!?\"'")
		if i > 0 && speech[bare] {
			return true
		}
		if bare != word || !isCapital(word) && !speaker[word] {
			return false
		}
		s = rest
	}
	return false
}

// Kinds of abbreviations, by what follows their dot.
const (
	title  = iota + 1 // a name: never the end of a sentence
	number            // the end of a sentence, unless a number follows
	month             // the same, but only of digits
	either            // the end if a starter follows
	state             // the same, if it stands behind a comma
)

var abbreviations = func() map[string]int {
	kinds := map[string]int{}
	for kind, words := range map[int]string{
		title: `c mr mrs ms dr drs prof rev revd hon st ste ss col gen lt lieut sergt sgt serg corp cpl maj capt comdr cmdr adm
			gov pres sen rep supt insp messrs mm mme mmes mlle mlles mons mgr msgr rt fr bro pvt insp
			wm geo chas thos jas jno edw edwd robt saml benj alex alexr danl fredk hy richd
			v vs viz cf mt ft e.g i.e ca approx`,
		number: `no nos vol vols p pp pg ch chap chaps c sec sect secs fig figs art arts bk lib cap ver vv l ll n ps tom
			pt pts par fol ff ser lect canto cant act sc stat hist op opp ad orat ep epist sat od carm
			gen exod lev deut josh judg sam kgs chron neh esth psa prov eccles isa jer ezek dan hos obad mic hab zeph zech mal
			matt mark luke cor gal eph phil coloss thess tim heb jas pet rev rom il aen
			plate pl tab note nr art`,
		month:  `jan feb mar apr jun jul aug sept sep oct nov dec`,
		either: `jr sr esq esqr etc &c co inc ltd bros corp dept univ assn ave rd blvd bldg al ibid id loc seq ed eds trans transl govt asst mus mss ms ad bc no est ph.d m.d viii`,
		state:  `mass conn va pa ga ky la fla ala tex ark mo mich wis minn ind ill tenn miss wash ore cal calif colo kan neb nev ariz md del vt me ohio oreg penn eng`,
	} {
		for _, w := range strings.Fields(words) {
			if kinds[w] == 0 || kind < kinds[w] {
				kinds[w] = kind
			}
		}
	}
	// "No." is an answer, too.
	for _, word := range []string{"no", "mark", "note", "sam", "dan", "tim"} {
		kinds[word] = month
	}
	kinds["act"], kinds["art"] = number, number
	return kinds
}()

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

var (
	starters = set(`The This That These Those He She It We They You His Her Its Our Their My Your There Here In On At
		By For From With After Before When While Where Then Thus So But And Or If As Although Though However Not Now No Yes
		What Who Why How Which To Some Many Most Each Every All Both Another Such One Two Since Because Until During
		Let Is Are Was Were Do Did Does Have Has Had Will Would Can Could Should Perhaps Never Only Just Even Also Later Once
		An Among Under Over Upon Through Between Within Without Despite Nor Yet Still Nothing Everything Oh Ah Well`)
	pronouns = set(`He She It We They You I The His Her Their My Our`)
	speaker  = set(`the a an his her their my our old young little good man woman girl boy other of`)
	speech   = set(`said says cried asked replied answered exclaimed returned shouted called whispered murmured muttered
		continued added remarked observed inquired enquired demanded repeated declared began gasped growled laughed sighed
		roared screamed interrupted explained went broke thought suggested responded rejoined retorted ejaculated faltered
		protested commanded ordered announced assented agreed persisted urged pleaded snapped grunted groaned stammered
		yelled sobbed echoed admitted insisted queried breathed chuckled commented`)
)
