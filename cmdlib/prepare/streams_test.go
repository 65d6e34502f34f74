package prepare

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// dump is a dump cut into bzip2 streams: the texts are compressed beforehand, as Go has no writer of bzip2.
// The cuts go through tags.
var dumpStreams = []string{
	"QlpoOTFBWSZTWa/UEMMAABLbgEAQUAPgFwCAJ+/cwCAAaDUeqA0ZGnqaPU0MgSijTCAGQNDQXgNZYxotlj1oKPredZ7ByxRPcI8IZOrSfJK7qHkYnpipwQUi8orKHiTPLhmYYJeTXcnz8kEcWRoNlJr9yN2wuzQd9LEVxMz/F3JFOFCQr9QQww==",
	"QlpoOTFBWSZTWVl4jBoAABjfgFAQUYXgPwAgBAo/59/kMAFbWkoamRM1T1Nk0Yo0aA0AaCKek09TTJoAADQNABppBGKeRogaMk9TQ2piGIlUAgioEDkA4++vfQl6M08EHwytjdg77jbapiZE1NyoGISJbVrOEIiLSiFCzq4IMDIA8ppgPaTHhpkAlUNufTGzVEyhIqQcdhDXV+mbl7FoKmd+9V4HJSrFi5bxcH9+EJMU45ghvZ95dWsAsOzn6k1Qy95rAqpkTVwDe8hmRODCxOZX0ZuoDkPNiWbzgxzKSlQEKH0CVdU1BfeQVCk+SiCYbDYfIw9QEqiYqJbhfAcFzIPvVJs9c4OPQ0GkTIIGhYBp5pSjUrJ9oVO+AxjT5tq6uMFOGDCnG7OFwobCLFESVjbSrIjyLAI5cAse7enQx/broV5yQI117w0f31WXxhmd2MSkQjQCoaTa5CP+LuSKcKEgsvEYNA==",
	"QlpoOTFBWSZTWanoX7QAANRfgFAQUYX4PwAgBAo/59/kMAGbTbZqEpE000yE8p5JPU9NBGCaNqYSmoTNQnpDTUyDaAg9QASJJkmmo9T2qYTQaeo9Q02kGkhbElcoSQTSX9xPnJtuZIy5sfOWNtminy16tRBXLrGel3G8t7FrqZ7cCsjUktJmAnrK/4mZwcltjvLPE4mZMZvqFCCAsxv7ttuaR5HYayGNjNpoXe+ZmW5etKSPYZNkDMCpvgg8BnmQOJEgiVECIPO5xMMGJZIoKNGeufRrArXX9eZNE0P3rUxvaWEIWAS9bwzTVtiot5KH4KpYYMjzPujUyWMZksC8vMBqFTACs6sqOmLTghs/Bgu0su0D7DaerUhJLySQuCNpiVTUDySRbOE77F6i3GuAtSORqVAt3goUKDXGMX3ATlemWFP74MbDHIvQoRMd2GvuV1mUJJeI477LCZqS8NiieiMQekSrRNR2Zmp/k2Gy2WRBERhWRaDD/OpIhy2mirib1BcNJmRBpJD0dED/F3JFOFCQqehftA==",
	"QlpoOTFBWSZTWRjDkDkAAArdgAAQQQUICAAgP2ffoCAASGqbU9Q9TRo9Taj0mnqDVM0jaaZQaYhkOj0crMfT8EFEodFvV63DEMU37M4INIfKjaDaOzw4UCl0ySXKeOLRlNLx4GpwUvUDw2HiOW3gC/F3JFOFCQGMOQOQ",
	"QlpoOTFBWSZTWaOHnkcAAUhfgFAQUYXsPwAgBAo/59/kMAGbVBrDVNAyDTQZGgAAACVPSiaenqmTQNAyNGgaACSQETTJ5E1GmBBppkxDwMki1DgFFI88OZyZop/I6smOryhMh2InRyMWEOLmTGDluScviOKbsbKSWFCEsCbKiNJC4/CQcOLy0ImLjJQNvH5i3riSc4gVLqGZP5EWUPBkKvyT33zFxxMTclKmVOasZtasZDSSFUjwqNHTje8JFMkxvgeD3+pEEojo/BPsUJpbv05vRmiGA4cRCBzNJvGWFo9h4bBhx4YvjqG9g7kxTKtiPIvMLrsAZOUjBBUjUYqMSKDJnJwzd2SC9QtOx8GPi1XFVeFVcaSlqzeZMaKooSMrjK+Y7y4sPJg4ZWKSek4sOmvXrkWZ0NBpQZVOwsRJHYoUCqWcAoalmESMjoASyGwQECzGBo3HYSGdBnbhsSwmPvTzzZt2saDrq1FpCuy4SIyoTIB+6Z3LtFqo0jqA5AlgJoSoRExxE38XckU4UJCjh55H",
	"QlpoOTFBWSZTWRzAOZIAAJlfgFAQUYXiPwAgBAo/59/kMAFbWkoamJM1TTaNTYo0aA0ANBFPSaepo00AANADQAaaQmmJoyU9I09T1PSep6htTEMRMQggioEDgg8ab6kuDNepB6so9vAd9xttUxPxJ1iboH83kiW1UJwUIiwohQo6eCBZkAeU0wHsXm4NMgEqhtJYZP2RM7ohSDlwIbbWa+7l6FpUzpyVfM5qVDEFyVi4V9+EEY6MgQxb95ZOaBUdXP1FzBj76oBRjbTNwDd5DQicGFicyvczdeh9R2ej8jixzL5SvBCiy8JV1TUk2UIKhSexRBMNhwNhj3gJVExUSuFIDkkiFepkXS0yg88zUZ2mQUOCAGvic5uWka7AyWqAwtn82UfTCDHhL5W3ZQuEzaRYKqxqdYVIkeJXhXpAIPFueZjxhhCvOSBGupYGj+3rLpjobvKJSIRoBUNJtepH/F3JFOFCQHMA5kg=",
	"QlpoOTFBWSZTWTm2TDYAAFRfgFAQUYXhPwAgBAo/79/kMAFbWm1hqam0FDxMjKD1NAeoAAamhPQJonkENGho0NBoEqekI0GmiNI0009R6gNpNNHuducFiQzhxED+5/OiUX6dELo/GuGxH7tlJlavY9H8IOya8jz2xWKSItDqJsVw8GMUtC5JmF78cqCvkDZiGN1M69QOV9oyFnsWa+etej4t6p6ZTx4M3guTJvBmInmEQ7tvglC5TBDI/nGyzAVcrl5wkxAyTZIFEHgzRCEPi45onY9PdxTdlOOAvIl1k6Wa3PqfS++ghirAdSOSyFVkhMMl1TnEyH7ndse5wr7XE95Q3h1Cdjxeu4hC1FhshdFiZaqcNa0kHBgUAl3l1tptu2Z3BGMnisJ+9VGUq9DAnDGF9n3idxkWtrWxUtxUiV1SmGsVEKGrcMCf6rrdLdBAQujYYWP2codJ8SpseSHoDCiCeRSlKpN/i7kinChIHNsmGwA=",
}

// streamsOf returns where the streams of a file begin, and its length.
func streamsOf(t *testing.T, path string) (starts []int64) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	for at := int64(-1); at < info.Size(); {
		if at, err = nextStream(f, at+1); err != nil {
			t.Fatal(err)
		}
		starts = append(starts, at)
	}
	return starts
}

// The pages of all streams come out once and in order, wherever the streams are cut.
func TestMultistream(t *testing.T) {
	var file []byte
	for _, s := range dumpStreams {
		data, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		file = append(file, data...)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "dump.xml.bz2")
	write(t, path, string(file))
	starts := streamsOf(t, path)
	if len(starts) != len(dumpStreams)+1 || starts[0] != 0 || starts[len(starts)-1] != int64(len(file)) {
		t.Fatalf("streams at %v", starts)
	}
	if _, err := Run(context.Background(), filepath.Join(dir, "out"), Options{Sources: []Source{{Kind: Wikipedia, Paths: []string{path}}}}); err != nil {
		t.Fatal(err)
	}
	streamed := folder(t, filepath.Join(dir, "out"))
	// The same without streams.
	r, err := open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	whole := filepath.Join(dir, "dump.xml")
	f, err := os.Create(whole)
	if err == nil {
		_, err = f.ReadFrom(r)
		f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), filepath.Join(dir, "whole"), Options{Sources: []Source{{Kind: Wikipedia, Paths: []string{whole}}}}); err != nil {
		t.Fatal(err)
	}
	for name, text := range folder(t, filepath.Join(dir, "whole")) {
		if streamed[name] != text {
			t.Errorf("%s differs between streams and a plain file:\n%s\n%s", name, streamed[name], text)
		}
	}
	if got := strings.Count(streamed[indexName], "\n"); got != 7 {
		t.Errorf("%d lines in the index, want 6 pages and a head:\n%s", got, streamed[indexName])
	}
	// A stream that is damaged is named.
	file[starts[1]+30] ^= 1
	write(t, path, string(file))
	if _, err := Run(context.Background(), filepath.Join(dir, "out"), Options{Sources: []Source{{Kind: Wikipedia, Paths: []string{path}}}}); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("damaged stream: %v", err)
	}
}
