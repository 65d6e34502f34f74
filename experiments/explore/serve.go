package explore

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// A client is given up that sends no request for so long.
const silence = 10 * time.Second

// Serve answers the requests of this machine's own pages (see Local) until ctx ends, which it returns as an error.
// Then all connections are closed at once, also silent ones, and nothing of h runs any more once it has returned.
func Serve(ctx context.Context, listener *net.TCPListener, h http.Handler) error {
	local := Local(listener.Addr().(*net.TCPAddr).Port, h)
	var running sync.RWMutex // held for reading by each request
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			running.RLock()
			defer running.RUnlock()
			if ctx.Err() == nil {
				local.ServeHTTP(w, r)
			}
		}),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: silence,
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	err := server.Close()
	running.Lock()
	defer running.Unlock()
	if err != nil {
		return err
	}
	return ctx.Err()
}

// Local answers requests that come from this machine's own pages only, at the port that a handler is served on. A
// page elsewhere cannot give its own name to this address (DNS rebinding), as the host is not one of this machine's.
// Nor can it ask from its own, which browsers tell by Sec-Fetch-Site, and older ones by Origin.
func Local(port int, h http.Handler) http.Handler {
	hosts := []string{
		fmt.Sprintf("127.0.0.1:%d", port), fmt.Sprintf("localhost:%d", port), fmt.Sprintf("[::1]:%d", port),
	}
	if port == 80 {
		hosts = append(hosts, "127.0.0.1", "localhost", "[::1]")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
		switch {
		case !slices.Contains(hosts, strings.ToLower(r.Host)),
			site != "" && site != "same-origin" && site != "none",
			origin != "" && !slices.Contains(hosts, strings.TrimPrefix(strings.ToLower(origin), "http://")):
			http.Error(w, "This page answers on this machine only: open http://"+hosts[0]+"/", http.StatusForbidden)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Referrer-Policy", "no-referrer")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		h.ServeHTTP(w, r)
	})
}
