package profile

// Uses describes the experiment on single uses of words, in the built-in space. Paths of folders end in a slash.
type Uses struct {
	// DWUG is a folder with the uses of Words in two periods. No words leave the experiment out.
	DWUG  string   `toml:"dwug"`
	Words []string `toml:"words"`
	// Graded and Binary are SemEval's truths of some of the words.
	Graded string `toml:"graded"`
	Binary string `toml:"binary"`
	// WiC is a folder with the parts train, dev and test.
	WiC string `toml:"wic"`
	// Tagged is a folder with places of Homographs and their tags.
	Tagged     string   `toml:"tagged"`
	Homographs []string `toml:"homographs"`
}

// Periods is the file with a word's uses.
func (u Uses) Periods(word string) string { return u.DWUG + "data/" + word + "/uses.csv" }

// Changes is the file with how much people say that words changed.
func (u Uses) Changes() string { return u.DWUG + "stats/opt/stats_groupings.csv" }

// Part are the files of a part of WiC: pairs and answers.
func (u Uses) Part(name string) [2]string {
	return [2]string{u.WiC + name + ".data.txt", u.WiC + name + ".gold.txt"}
}

// Places are the files of a part of a homograph's places: places and tags.
func (u Uses) Places(word, part string) [2]string {
	return [2]string{u.Tagged + word + "/" + part + ".data.txt", u.Tagged + word + "/" + part + ".gold.txt"}
}

func (c *checker) uses(u Uses) {
	if len(u.Words) == 0 {
		return
	}
	for key, file := range map[string]string{
		"dwug": u.DWUG, "graded": u.Graded, "binary": u.Binary, "wic": u.WiC, "tagged": u.Tagged,
	} {
		if file == "" {
			c.fail("uses."+key, "nothing, expected a path in the data folder")
		}
	}
	c.atLeast("uses.words", len(u.Words), 3)
	c.atLeast("uses.homographs", len(u.Homographs), 3)
}
