package main

// examples are two calls of each command, which its help begins with.
var examples = map[string][2]string{
	"neighbours": {
		"neighbours elephant -n 5",
		"neighbours --texts words.txt --out nearest",
	},
	"distance": {
		`distance "a cat sleeps" "the kitten naps"`,
		"distance rock music --method average",
	},
	"explain": {
		"explain elephant mammal",
		`explain "a cat sleeps" "the kitten naps" --contexts 10`,
	},
	"explore": {
		"explore",
		"explore --space my.space --port 8080",
	},
	"score": {
		"score --pairs pairs.tsv",
		"score --pairs pairs.tsv --method comb --against sif",
	},
	"methods": {
		"methods",
		"methods comb-mix",
	},
	"encode": {
		"encode --texts texts.txt --out vectors.npy",
		"encode --texts texts.txt --out histograms.npy --method comb",
	},
	"search": {
		`search "an orchestra gave a concert" --in books`,
		`search "a concert" --in books --index books.index -n 20`,
	},
	"senses": {
		"senses bank --in books",
		`senses "new york" --senses 3 --in news.txt --json`,
	},
	"figure": {
		"figure density rock music",
		`figure sentences "a cat sleeps" "the kitten naps" --out naps.pdf`,
	},
	"build": {
		"build --text books --out my.space",
		"build --space my.space --pack words=20000,bits=4 --out small.space",
	},
	"corpus-count": {
		"corpus count --text books --out counts",
		"corpus count --text books --min-count 50 --memory 2GB --out counts",
	},
	"corpus-prepare": {
		"corpus prepare --text books --out prepared",
		"corpus prepare --wikipedia extracted --out prepared",
	},
	"embed-svd": {
		"embed svd --counts counts --out vectors",
		"embed svd --counts counts --dim 100 --out vectors",
	},
	"embed-glove": {
		"embed glove --counts counts --out vectors",
		"embed glove --counts counts --epochs 50 --out vectors",
	},
	"run": {
		"run all",
		"run sts --profile open --set sts.defaults.reg=0.05",
	},
	"tune": {
		"tune sts",
		"tune sts --profile open --budget 1h",
	},
	"notebooks": {
		"notebooks",
		"notebooks sts --profile open",
	},
	"verify": {
		"verify --profile open",
		"verify --profile open --json",
	},
	"report": {
		"report --profile open",
		"report --profile mini --out report.html",
	},
	"why": {
		"why C01",
		`why table1_sts_summary "NBoW" STS12`,
	},
	"table": {
		"table table1 --profile open --as markdown",
		"table table1 --profile open --rows 'CoMB*,SIF*' --out t1.tex",
	},
	"timings": {
		"timings --profile open",
		"timings --json",
	},
	"ot-distance": {
		"ot distance --cost M.npy --a A.npy --b B.npy",
		"ot distance --cost M.npy --a A.npy --b B.npy --exact",
	},
	"ot-divergence": {
		"ot divergence --cost M.npy --a A.npy --b B.npy",
		"ot divergence --cost M.npy --a A.npy --b B.npy --reg 0.05",
	},
	"ot-plan": {
		"ot plan --cost M.npy --a a.npy --b b.npy --out T.npy",
		"ot plan --cost M.npy --a a.npy --b b.npy --exact --json",
	},
	"ot-barycenter": {
		"ot barycenter --cost M.npy --a A.npy --out b.npy",
		"ot barycenter --cost M.npy --a A.npy --debiased --json",
	},
	"data-ls": {
		"data ls",
		"data ls sts --json",
	},
	"data-fetch": {
		"data fetch --profile open",
		"data fetch --from downloads",
	},
	"data-verify": {
		"data verify",
		"data verify --data /data --json",
	},
	"ls": {
		"ls",
		"ls vectors --json",
	},
	"clean": {
		"clean vectors",
		"clean --all",
	},
	"doctor": {
		"doctor",
		"doctor --space my.space --json",
	},
	"bench": {
		"bench",
		"bench --engine cuda --json",
	},
	"version": {
		"version",
		"version --json",
	},
	"completion": {
		"completion bash",
		"completion fish",
	},
}
