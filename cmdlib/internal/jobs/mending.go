package jobs

import (
	"errors"
	"io/fs"

	"contextmover/cmdlib/corpus"
)

// Finished tells by the error of opening a file whether it is there and sound. One that is damaged is told to tell. An error is another one.
func Finished(err error, tell func(*corpus.DamagedError)) (bool, error) {
	var damaged *corpus.DamagedError
	switch {
	case err == nil:
		return true, nil
	case errors.As(err, &damaged):
		tell(damaged)
		return false, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	}
	return false, err
}

// Do does what reads files. A damaged one is made anew, once, and it is done again; remake returns the error that it was given where it does not know the file.
func Do(do func() error, remake func(*corpus.DamagedError) error) error {
	mended := map[string]bool{}
	for {
		err := do()
		var damaged *corpus.DamagedError
		if !errors.As(err, &damaged) || mended[damaged.Path] {
			return err
		}
		mended[damaged.Path] = true
		if err := remake(damaged); err != nil {
			return err
		}
	}
}
