package parallel

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

func TestBlocksCoverEachIndexOnce(t *testing.T) {
	for _, threads := range []int{1, 2, 5} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		for _, n := range []int{0, 1, 7, 8, 9, 100} {
			seen := make([]atomic.Int32, n)
			err := Blocks(context.Background(), n, 8, func(lo, hi int) error {
				if lo%8 != 0 || hi-lo > 8 {
					return fmt.Errorf("block [%d, %d)", lo, hi)
				}
				for i := lo; i < hi; i++ {
					seen[i].Add(1)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			for i := range seen {
				if c := seen[i].Load(); c != 1 {
					t.Fatalf("threads %d, n %d: index %d visited %d times", threads, n, i, c)
				}
			}
		}
	}
}

func TestLowestErrorAndStop(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	boom := errors.New("boom")
	calls := 0
	err := Blocks(context.Background(), 100, 1, func(lo, hi int) error {
		calls++
		if lo == 3 {
			return boom
		}
		return nil
	})
	if !errors.Is(err, boom) || calls != 4 {
		t.Fatalf("err %v after %d calls, want boom after 4", err, calls)
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	err := Blocks(ctx, 1000, 1, func(lo, hi int) error {
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("err %v, want canceled", err)
	}
	if err := Blocks(ctx, 0, 1, nil); !errors.Is(err, context.Canceled) {
		t.Fatalf("empty loop on an ended context: %v", err)
	}
}

// A panic of a worker reaches the caller's recover, with what the worker panicked with and where.
func TestPanicIsHandedOver(t *testing.T) {
	for _, threads := range []int{1, 3} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(threads))
		var calls atomic.Int32
		func() {
			defer func() {
				p, ok := recover().(*Panic)
				if !ok || p.Value != "boom" || !strings.Contains(p.Error(), "boom") || !strings.Contains(string(p.Stack), "TestPanicIsHandedOver") {
					t.Errorf("threads %d: recovered %v", threads, p)
				}
			}()
			_ = Blocks(context.Background(), 10_000, 1, func(lo, hi int) error {
				calls.Add(1)
				panic("boom")
			})
			t.Error("no panic")
		}()
		if n := calls.Load(); int(n) > threads {
			t.Errorf("%d blocks started, at most %d were running at the first panic", n, threads)
		}
	}
}
