package cli

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A question that is answered at once says nothing but its warnings; one that takes longer says all, in order.
func TestLog(t *testing.T) {
	for _, test := range []struct {
		name    string
		patient bool
		takes   time.Duration
		want    []string
	}{
		{"quick question", true, time.Second, []string{"odd"}},
		{"slow question", true, 3 * time.Second, []string{"odd", "compared", "later"}},
		{"other command", false, time.Second, []string{"compared", "odd", "later"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var b bytes.Buffer
				log := NewLog(&b, test.patient)
				logger := slog.New(log)
				logger.With("of", 3).Info("compared")
				logger.Warn("odd")
				time.Sleep(test.takes)
				synctest.Wait()
				logger.Info("later")
				log.Close()
				time.Sleep(time.Minute)
				var got []string
				for line := range strings.Lines(b.String()) {
					_, message, _ := strings.Cut(line, "msg=")
					got = append(got, strings.Fields(message)[0])
				}
				if strings.Join(got, " ") != strings.Join(test.want, " ") {
					t.Errorf("got %v, expected %v:\n%s", got, test.want, b.String())
				}
			})
		})
	}
}
