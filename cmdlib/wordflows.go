package cmdlib

// WordFlows tells how much mass moves from each word of one text to each of another, and what that costs.
type WordFlows struct {
	// From and To are all words of the two texts, in their order.
	From, To []TextWord
	// Mass[i][j] is the mass that moves from From[i] to To[j], Cost[i][j] the mean cost of a unit of it. The sum of
	// all Mass is 1, that of all Mass·Cost the distance. An unknown word moves nothing.
	Mass, Cost [][]float64
}

// TextWord is a word of a text, and whether it has an estimate.
type TextWord struct {
	Text  string
	Known bool
}

// WordFlows shares the plan of a comparison by Explain out to the words. A word w with weight ω_w brings the part
//
//	s_w(i) = ω_w h_w(i) / Σ_v ω_v h_v(i)                                        (1)
//
// of the mass in bin i, and Mass[v][w] = Σ_ij s_v(i) T_ij s_w(j). For a text that is an average of its words (1) is
// where its mass comes from. A barycenter has mass between its words, too; there (1) shares it by whose mass is in the
// same bin, and by weight alone where none has any.
func (e *Comparison) WordFlows() *WordFlows {
	s := e.space
	k := s.Cost.K
	f := new(WordFlows)
	var rows, cols []float64 // words×K shares
	f.From, rows = s.parts(e.From.Text)
	f.To, cols = s.parts(e.To.Text)
	n, m := len(f.From), len(f.To)
	// Half the way: what goes from each bin to each word.
	mass, cost := make([]float64, k*m), make([]float64, k*m)
	for i := range k {
		for j := range k {
			t := e.Plan.Mass[i*k+j]
			if t == 0 {
				continue
			}
			c := t * float64(s.Cost.Data[i*k+j])
			for w := range m {
				share := cols[w*k+j]
				mass[i*m+w] += float64(t * share)
				cost[i*m+w] += float64(c * share)
			}
		}
	}
	for v := range n {
		moved, costs := make([]float64, m), make([]float64, m)
		for i := range k {
			share := rows[v*k+i]
			if share == 0 {
				continue
			}
			for w := range m {
				moved[w] += float64(share * mass[i*m+w])
				costs[w] += float64(share * cost[i*m+w])
			}
		}
		for w := range m {
			if moved[w] > 0 {
				costs[w] /= moved[w]
			}
		}
		f.Mass, f.Cost = append(f.Mass, moved), append(f.Cost, costs)
	}
	return f
}

// parts returns the words of a text and the part (1) of each in each bin, words×K.
func (s *Space) parts(text string) ([]TextWord, []float64) {
	k := s.Cost.K
	var words []TextWord
	var weights []float64
	var histograms [][]float32
	var all float64
	read := s.read(text)
	for i, id := range read.ids {
		words = append(words, TextWord{Text: read.words[i], Known: read.known[i]})
		if !read.known[i] {
			weights, histograms = append(weights, 0), append(histograms, nil)
			continue
		}
		w := s.weight(id)
		all += w
		weights, histograms = append(weights, w), append(histograms, s.row(id))
	}
	shares := make([]float64, len(words)*k)
	for i := range k {
		sum := 0.0
		for w, h := range histograms {
			if h != nil {
				sum += float64(weights[w] * float64(h[i]))
			}
		}
		for w, h := range histograms {
			switch {
			case h == nil:
			case sum > 0:
				shares[w*k+i] = weights[w] * float64(h[i]) / sum
			default:
				shares[w*k+i] = weights[w] / all
			}
		}
	}
	return words, shares
}
